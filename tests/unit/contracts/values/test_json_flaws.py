"""Flaws of lines that are not JSON objects: a valid line has none, whatever its strings contain."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from contracts.values import json_flaws

TEXTS = st.sampled_from(("", "a", "é\u2028", "\\", '"q"', "it's", "NaN", "a;b", "//", "{,", "::", "\t\n", "1 2", "}{"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
SEPARATORS = st.sampled_from(((",", ":"), (", ", ": "), (" , ", " : ")))


@given(st.dictionaries(TEXTS, VALUES), SEPARATORS, st.booleans())
def test_sound_object_has_no_flaw(record: dict[str, Any], separators: tuple[str, str], ascii_alone: bool) -> None:
    line = json.dumps(record, separators=separators, ensure_ascii=ascii_alone)

    assert json_flaws.flaw(line) is None
    assert not json_flaws.unbalanced(line)
