"""The composition root, which wires the other packages together: command line, embedded stack, demo, set-up."""
