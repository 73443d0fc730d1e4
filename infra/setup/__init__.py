"""What a machine needs before dropgate runs on it: Python packages, Java 17 and Spark's jars; and the local Spark made from them."""
