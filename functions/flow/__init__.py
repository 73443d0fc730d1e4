"""Events and job results in, batches, job requests and verdicts out; imports admission, records and promotion."""
