"""Terms that a plan consists of: values in, what they say of a key or file out; imports codec and problem."""
