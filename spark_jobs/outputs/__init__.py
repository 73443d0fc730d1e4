"""Results in, evidence, rejected rows, samples and promotable rows out; imports set_checks and what it imports."""
