"""Bodies of interfaces that others have published, by their own names; values of the flow in, models out."""
