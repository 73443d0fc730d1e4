"""YAML in, a located ODCS 3.2 document and findings out; imports nothing else of authoring."""
