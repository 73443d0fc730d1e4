"""The job as EMR runs it: its archive and settings, and files that come from a server of S3's ranges on loopback."""
