"""What a machine needs before dropgate runs on it, and the local Spark that is made from it."""
