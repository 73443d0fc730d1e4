"""Unit tests of functions/events."""
