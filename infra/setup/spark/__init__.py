"""Java and Spark on this machine: found or installed, a session and its start-up archive out."""
