"""Measurements that a person starts: `make bench`."""
