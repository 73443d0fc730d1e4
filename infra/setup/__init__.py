"""The set-up of a machine before dropgate runs on it, and the local Spark that is made from it."""
