"""Example rows of pages against the oracle: each is a good one."""

from __future__ import annotations

from random import Random

from contracts.authoring.exports import sample
from tests.oracle import cases
from tests.oracle.contracts import a_contract
from tests.oracle.judging import judge
from tests.oracle.records import content
from tests.oracle.test_exported import read_back

FORMS = ("jsonl", "csv", "csv, other signs", "csv, no header, no quotes")
SEEDS = range(40)


def test_good_row_is_good() -> None:
    """A row that is shown breaks no rule but those of expressions and with filters, which it does not look at."""
    shown = 0
    for form in FORMS:
        for seed in SEEDS:
            contract = read_back(a_contract(Random(f"row {seed}"), cases.FORMS[form]).document)
            plan, values = contract.plan, sample.row(contract)
            if None in values.values():
                continue
            names = tuple(p.name for p in plan.properties)
            head = plan.csv.delimiter.join(names) + "\n" if plan.file_format == "csv" and plan.csv.header else ""
            text = head + sample.line(contract, values) + "\n"
            if (body := text.encode(plan.csv.encoding, "replace")).decode(plan.csv.encoding) != text:
                continue  # the contract wants a value that its files cannot hold
            fails = {i for _, ids in judge(plan, content(plan, names, body)).rows.values() for i in ids}
            assert fails <= {c.id for c in plan.checks if c.filter or c.kind == "expression"}, (body, contract.data)
            shown += 1
    assert shown > 10
