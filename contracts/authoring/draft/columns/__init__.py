"""Values of a column of a sample in, its type, its form and what it holds out; imports the kernel and properties."""
