"""The clock in, late events, missing files and stuck drops out; imports flow and what it imports."""
