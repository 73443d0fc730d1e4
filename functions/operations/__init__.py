"""A person's command in, replayed, overridden or erased drops out; imports flow and what it imports."""
