"""The `quality` entries in, checks out; imports document, patterns, properties, drop_block and sql."""
