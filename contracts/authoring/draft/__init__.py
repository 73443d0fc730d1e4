"""Samples of a file in, the draft of a contract out; imports document, properties, drop_block and imports."""
