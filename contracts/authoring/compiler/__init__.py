"""A document in, a plan or findings out; imports every folder above it, no import or export."""
