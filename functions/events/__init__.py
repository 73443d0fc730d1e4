"""A history item in, the event that leaves on the bus out; imports drop, keys and ports. Pure."""
