"""Two contract versions in, their changes and the version they ask for out; imports the compiler and below."""
