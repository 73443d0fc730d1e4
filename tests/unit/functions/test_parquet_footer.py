"""Footers that are made to hurt: deep, endless, or full of nothing; the others stand in test_admission.py."""

from __future__ import annotations

import pytest

from functions.parquet_footer import MOST_VALUES, FooterInvalid, parse

LISTS = b"\x19" + b"\x19" * 5000
"""A field that is a list of one list of one list ..."""
CHAIN = b"\x15\x02\x19\xfc\xb8\x17" + b"\x48\x01a\x15\x02\x00" * 3000 + b"\x16\x00\x19\x0c\x00"
"""A schema whose every element has one child."""
STRUCTS = b"\x19\xfc" + b"\xc0\x84\x3d" + b"\x11\x00" * 1_000_000
"""A list of a million structs of one field."""


@pytest.mark.parametrize(
    ("raw", "why"),
    [(LISTS, "nested too deep"), (CHAIN, "nested too deep"), (STRUCTS, f"more than {MOST_VALUES:,} values")],
    ids=["lists", "schema", "structs"],
)
def test_footer_that_is_made_to_hurt_is_refused_soon(raw: bytes, why: str) -> None:
    with pytest.raises(FooterInvalid, match=why):
        parse(raw)
