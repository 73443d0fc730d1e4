"""The composition root: AWS resources, the embedded stack, the command line and the set-up, which wire the other packages together."""
