"""Routes of interfaces that others have published, by their own paths; each is thin over a use case of ours."""
