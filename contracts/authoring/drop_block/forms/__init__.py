"""The part of a drop block on one form of files in, its settings or findings out; imports the block around it."""
