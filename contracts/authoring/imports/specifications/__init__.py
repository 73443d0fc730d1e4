"""Data contracts of other specifications in, ODCS documents out; imports only what `imports` may import."""
