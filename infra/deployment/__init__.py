"""A stack's name in, the stack brought to AWS or taken away."""
