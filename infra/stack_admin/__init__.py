"""Commands on a deployed stack: catalog, access, queues and tables."""
