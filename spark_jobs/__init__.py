"""The data plane: the Spark job that measures drops against their plan, and decides nothing."""
