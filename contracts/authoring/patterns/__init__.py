"""Regular expressions: a pattern in, its Java spelling and its cost bound out; imports nothing else of authoring."""
