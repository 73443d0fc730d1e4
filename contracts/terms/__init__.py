"""Terms of a plan: a term with a key, time or cells in, a match, window or totals out; imports codec and problem."""
