"""A decision in, one write to the ledger and its receipt out; imports drop, keys and ports."""
