"""Objects with other keys than the names of a contract: the columns that admission sees, and keys it does not know."""

from __future__ import annotations

from contracts.plan import Columns, Plan, Property
from functions.admission.heads import json_head

PLAN = Plan(
    *("c", "c", "1.0.0", "o", "p", ("p/*",)),
    (Property("id", "integer", header_names=("Konto-Nr.",)), Property("note", "string", header_names=("id",))),
    (),
    file_format="jsonl",
)


def test_columns_have_the_names_of_the_contract() -> None:
    line = b'{"id": "x", "Konto-Nr.": 1}\n'
    head = json_head.look(PLAN, len(line), line)
    assert (head.problems, head.header) == ((), ("note", "id"))


def test_key_that_is_only_a_name_is_not_known() -> None:
    line = b'{"Konto-Nr": 1, "note": "x"}\n'
    (problem,) = json_head.look(PLAN, len(line), line).problems
    assert problem.message == "The first object has keys that the contract does not know: `Konto-Nr`, `note`."
    assert problem.fix == "Rename `Konto-Nr` to `Konto-Nr.`."
    ignored = Plan(
        *("c", "c", "1.0.0", "o", "p", ("p/*",)),
        PLAN.properties,
        (),
        columns=Columns("ignore"),
        file_format="jsonl",
    )
    head = json_head.look(ignored, len(line), line)
    assert (head.problems, head.header) == ((), ("Konto-Nr", "id", "note"))
