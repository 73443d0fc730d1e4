"""Whatever two contracts that compile say, the answer is changes: a document changed at random beside itself."""

from __future__ import annotations

import copy
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.diff.compare import compare
from tests.unit.contracts.authoring.compiler.test_never_a_crash import VALUES, _places
from tests.unit.contracts.authoring.diff.test_compare import OLD

DOCUMENT = yaml.safe_load(OLD) | {
    "tags": ["a", "b"],
    "servers": [{"server": "s", "type": "s3", "location": "s3://a/*.csv"}],
    "team": {"name": "t", "members": [{"username": "u", "role": "owner"}, {"username": "v"}]},
    "price": {"priceAmount": 9.95, "priceCurrency": "EUR"},
    "authoritativeDefinitions": [{"type": "definition", "url": "https://example.org/"}],
    "support": [{"channel": "c", "url": "https://example.org/c"}],
}


def text(document: Any) -> bytes:
    return yaml.safe_dump(document, allow_unicode=True).encode()


BEFORE = compile_text(text(DOCUMENT), "orders.v1.yaml")


def test_document_to_be_changed_is_right() -> None:
    assert BEFORE.plan
    assert compare(BEFORE, BEFORE).changes == ()


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_two_that_compile_are_compared(data: st.DataObject) -> None:
    document = copy.deepcopy(DOCUMENT)
    for _ in range(data.draw(st.integers(1, 2))):
        owner, key = data.draw(st.sampled_from(_places(document)))
        what = data.draw(st.sampled_from(("value", "gone", "twice")))
        if what == "value":
            owner[key] = data.draw(VALUES)
        elif what == "gone":
            del owner[key]
        elif isinstance(owner, list):
            owner.append(copy.deepcopy(owner[key]))
    after = compile_text(text(document), "orders.v1.yaml")
    if after.draft is None:
        return
    there, back = compare(BEFORE, after), compare(after, BEFORE)
    assert bool(there.changes) == bool(back.changes)
    assert all(c.message.endswith(".") and c.line for c in (*there.changes, *back.changes))
