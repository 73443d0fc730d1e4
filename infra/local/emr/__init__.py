"""EMR Serverless on loopback: requests in, job runs and their events out."""
