"""Results in, evidence, rejected rows, samples and promotable rows out; imports scan and its imports."""
