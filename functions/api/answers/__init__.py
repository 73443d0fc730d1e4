"""Answers with headers: a body in, a response with an ETag or with the policy of a page out; imports `asked` alone."""
