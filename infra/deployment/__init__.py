"""A stack's name in; the stack deployed to AWS or deleted out."""
