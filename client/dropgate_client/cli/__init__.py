"""The command line: a command is one call of the client and its rendering.

Exit codes are those of `dropgate`: 0 accepted or fine, 1 rejected or findings, 2 usage, 3 failed.
"""
