"""Tests of other tools in, ODCS documents with their checks out; imports only what `imports` may import."""
