"""The client on its own: against servers on loopback."""
