"""Loads of drops in, calls, units and dollars out; imports flow and the adapters, whose figures it prices."""
