"""Spark's types of values, by name: a property in, its type, bounds and characters out."""

from __future__ import annotations

import re

from contracts.plan import Property

ISO = "yyyy-MM-dd"
LEAST, GREATEST = -(2**63), 2**63 - 1
OF_VALUES = re.compile(r"[0-9A-Za-z+.: -]")
"""Characters of typed values, which no delimiter, quote or escape may have if a pattern is to test a line."""


def is_double(prop: Property) -> bool:
    """Return True if values of a property can become infinite."""
    return prop.type == "number" and prop.exact is None


def numeric(prop: Property) -> str:
    """Return Spark's name for the type of a property's numbers."""
    return "decimal({},{})".format(*prop.exact) if prop.exact else "double" if is_double(prop) else "bigint"
