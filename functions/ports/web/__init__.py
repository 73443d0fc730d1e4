"""Requests over HTTP need these: links of S3, sessions, answers that are kept, documents of the web."""
