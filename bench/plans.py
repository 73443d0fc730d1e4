"""The weather contract's plan as the bench needs it: without uniqueness, in another format, of other checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice

from bench.running import CONTRACT
from contracts import rules
from contracts.authoring.compiler.compile import compile_text, load_plan
from contracts.plan import RECORD_CHECKS, Archive, Check, FileFormat, Plan, Property, Reference

UNIQUE = "index.unique"


def whole() -> Plan:
    """Return the contract's plan, unchanged."""
    return load_plan(CONTRACT)


def plain(plan: Plan) -> Plan:
    """The plan without uniqueness, which is a shuffle of its own."""
    return replace(plan, checks=tuple(c for c in plan.checks if c.id != UNIQUE))


def referring(plan: Plan) -> Plan:
    """Return the plan with a foreign key: the code of a station is in a file of codes."""
    rule = rules.ForeignKey(to="codes", columns=("code",), text="codes.code")
    check = Check("station_code.foreignKey", rule, "row", "error", "consistency", "in codes.code", "station_code")
    return replace(plan, checks=(*plan.checks, check), references=(Reference("codes", path="codes.csv"),))


def without_shares(plan: Plan) -> Plan:
    """Return the plan without shares of missing values, for files of few rows."""
    return replace(plan, checks=tuple(c for c in plan.checks if not isinstance(c.rule, rules.NullValues)))


def in_format(file_format: FileFormat, more: str = "") -> Plan:
    """The contract for files of another format; `more` is another key of its block."""
    text = CONTRACT.read_text(encoding="utf-8")
    text = text.replace("format: csv", f"format: {file_format}\n      {more}").replace("*.csv", f"*.{file_format}")
    plan = compile_text(text.encode(), CONTRACT.name).plan
    assert plan is not None
    return plan


def packed(plan: Plan) -> dict[str, Plan]:
    """Return the plan for files in each form that the job unpacks first."""
    return {
        "zip": replace(plan, archive=Archive("zip", "*.csv")),
        "bzip2": replace(plan, compression="bzip2"),
        "zstd": replace(plan, compression="zstd"),
    }


def of_checks(plan: Plan, number: int) -> Plan:
    """The plan with `number` checks: those of records and types, the rest bounds of numbers, none of them twice."""
    first = [c for c in plan.checks if c.scope == "record" or isinstance(c.rule, rules.LogicalType)]
    return replace(plan, checks=(*first, *islice(_bounds(plan), number - len(first))))


def wide(columns: int) -> Plan:
    """Return a plan of so many columns of numbers, each with three checks: its type, `required` and a minimum."""
    properties = tuple(Property(f"n{n}", "number", required=True) for n in range(columns))
    each = ((rules.LogicalType(), "a number"), (rules.Required(), "not null"), (rules.Minimum("0"), ">= 0"))
    checks = (
        Check(f"{prop.name}.{rule.kind}", rule, "row", "error", "conformity", expected, prop.name)
        for prop in properties
        for rule, expected in each
    )
    return replace(whole(), properties=properties, checks=(*RECORD_CHECKS, *checks), tolerance=None)


def _bounds(plan: Plan) -> Iterator[Check]:
    """Row checks without end that no row of the file fails."""
    names = [p.name for p in plan.properties if p.type == "number"]
    for n in count(10_000):
        bounds: tuple[rules.Minimum, rules.Maximum] = (rules.Minimum(str(-n)), rules.Maximum(str(n)))
        for rule, name in ((rule, name) for rule in bounds for name in names):
            expected = f"{rule.kind} {rule.value}"
            yield Check(f"{name}.{rule.kind}.{n}", rule, "row", "error", "conformity", expected, name)
