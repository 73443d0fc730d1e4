"""Patterns of parameters that several routes take."""

from __future__ import annotations

MONTH = r"^[0-9]{4}-(0[1-9]|1[0-2])$"
"""A month, as 2026-01."""
