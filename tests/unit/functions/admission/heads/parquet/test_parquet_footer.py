"""Footers that are made to hurt: deep, endless, or full of nothing; test_admit.py has the others."""

from __future__ import annotations

import pytest

from functions.admission.heads.parquet.parquet_footer import (
    MOST_OF_SCHEMA,
    MOST_VALUES,
    Column,
    FooterInvalid,
    columns,
    parse,
)

LISTS = b"\x19" + b"\x19" * 5000
"""A field that is a list of one list of one list ..."""
CHAIN = b"\x15\x02\x19\xfc\xb8\x17" + b"\x48\x01a\x15\x02\x00" * 3000 + b"\x16\x00\x19\x0c\x00"
"""A schema whose every element has one child."""
STRUCTS = b"\x19\xfc" + b"\xc0\x84\x3d" + b"\x11\x00" * 1_000_000
"""A list of a million structs of one field."""
TRUTHS = b"\x19\xf1" + b"\xc0\x84\x3d" + b"\x01" * 1_000_000
"""A list of a million truths."""
SCHEMA = b"\x15\x02\x19\x2c\x48\x01r\x15\x02\x00" + b"\x15\x02\x38\x01a\x00"
"""A version, and a schema of one column."""
ROWS = b"\x16\x00\x19\x0c"
"""No rows, in no groups."""
FULL = SCHEMA + ROWS + STRUCTS + b"\x00"
"""A footer that has all of that behind its schema."""


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (LISTS, "nested too deep"),
        (CHAIN, "nested too deep"),
        (STRUCTS, f"more than {MOST_OF_SCHEMA:,} values"),
        (TRUTHS, f"more than {MOST_OF_SCHEMA:,} values"),
        (FULL, f"more than {MOST_VALUES:,} values"),
        (SCHEMA + b"\x0c\x04" + ROWS + b"\x00", "a thing twice"),
        (b"\x15\x02\x19\x0c" + ROWS + b"\x00", "has no schema"),
    ],
    ids=["lists", "schema", "structs", "truths", "full", "twice", "bare"],
)
def test_footer_that_is_made_to_hurt_is_refused_soon(raw: bytes, why: str) -> None:
    with pytest.raises(FooterInvalid, match=why):
        parse(raw)


def test_columns_are_read_without_what_follows_them() -> None:
    alone = (Column("a", "int"),)

    assert parse(SCHEMA + ROWS + b"\x00").columns == alone
    assert columns(FULL) == columns(SCHEMA) == alone
