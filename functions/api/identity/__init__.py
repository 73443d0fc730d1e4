"""Who asks: the header of a request in, a caller with its roles out, and what each role may do."""
