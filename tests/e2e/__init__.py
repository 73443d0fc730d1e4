"""The whole stack: real boto3, real Spark, our own functions; only the cloud is played."""
