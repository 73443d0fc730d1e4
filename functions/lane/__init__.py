"""Messages of the fast lane in, judged drops out: the one function that imports the job, without Spark."""
