"""A contract as one page for people: what the data is, who sends it, what columns mean and must be, what happens.

The page has no script and loads nothing; its only style is the one that its policy names by hash. All text is
escaped, and characters that would not show are written out.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.authoring.drop_block.pattern_overlap import witness
from contracts.authoring.exports import sample
from contracts.authoring.exports.exported import HEADING, Column, Contract, Exported
from contracts.authoring.exports.rules_in_words import how_limited, how_many, in_words, of_breaking, type_in_words
from contracts.authoring.imports.writing import COMMAND
from contracts.authoring.properties.nesting import WITHIN
from contracts.messages import tolerated_in_words
from contracts.plan import EXPECTATION, QUERIES, Check, Plan
from contracts.problem import quoted, visible
from contracts.terms.key_pattern import captures
from contracts.terms.trailer import Trailer

if TYPE_CHECKING:
    from jinja2 import Template

FOLDER = Path(__file__).parent
LONGEST = 2_000
"""Characters of a text on the page."""
SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
POLICIES = {
    "reject": "The file is rejected.",
    "warn": "The file is accepted with a warning.",
    "ignore": "Nothing happens.",
    "accept": "Nothing happens.",
}
REJECTED = (
    "The whole file is rejected: readers never see it, and keep what they had before. The sender gets a receipt that "
    "says which rows, why, and how to mend them; the corrected file is sent again under the same name."
)
BY_PERSON = "It is passed on as it came; a new receipt says who accepted it, when and why."
KEYS = "~"
"""The last step to the keys of a map, which are never null."""
SHOWN = {"name", "description"}
OF_OBJECT = {"name", "id", "properties", "quality", "relationships", "logicalType", "description", "businessName"}
SHOWN_OF_COLUMN = {"description", "businessName", "examples", "deprecated"}


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in plain words, what is said of breaking it, and what the contract's author says of it."""

    text: str
    breaking: str = ""
    why: str = ""
    exact: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A column on the page."""

    name: str
    called: str
    meaning: str
    kind: str
    rules: tuple[Rule, ...]
    example: str | None
    labels: tuple[tuple[str, str], ...]
    deprecated: bool
    classification: str
    may_be_empty: bool


def write(contract: Contract) -> Exported:
    """The page; its losses are the sections that it leaves out, no check is."""
    values = sample.row(contract)
    plan = contract.plan
    text = _template().render(
        contract=contract,
        plan=plan,
        name=contract.data.get("name") or contract.object.get("businessName") or contract.object["name"],
        about=_about(contract),
        files=[(pattern, _key(pattern)) for pattern in plan.files],
        written=list(_written(plan)),
        rows=[_row(contract, column, values.get(column.name, "")) for column in contract.every],
        rules=[_rule(plan, check) for check in plan.checks if check.scope != "record" and check.property is None],
        records=[in_words(check) for check in plan.checks if check.scope == "record"],
        consequences=list(_consequences(plan)),
        line=sample.line(contract, values),
        unknown=[name for name, found in values.items() if found is None],
        style=_style(),
        longest=LONGEST,
    )
    text = COMMAND.sub(r"\1&#58;", text)
    carried = frozenset(c.id for c in plan.checks)
    return Exported(text + "\n", carried, tuple(_left_out(contract)))


def _key(pattern: str) -> str | None:
    """A key that a pattern matches."""
    found = sample.key(pattern)
    return found if captures(pattern, found) is not None else witness(pattern, pattern)


def _about(contract: Contract) -> list[tuple[str, str]]:
    """What the contract says of its data, each part with its heading."""
    said = contract.data.get("description")
    parts = [("", contract.object.get("description"))]
    if isinstance(said, dict):
        titles = {"purpose": "What it is for", "limitations": "Limits", "usage": "How it is used"}
        parts += [(titles.get(key, ""), text) for key, text in said.items()]
    else:
        parts.append(("", said))
    return [(title, text.strip()) for title, text in parts if isinstance(text, str) and text.strip()]


def _row(contract: Contract, column: Column, example: str | None) -> Row:
    source = column.source
    hidden = ("logicalType",)
    checks = [c for c in contract.plan.checks if c.property == column.name]
    rules = tuple(
        _rule(contract.plan, c) for c in checks if c.kind not in hidden or c.severity == "warning" or c.tolerance
    )
    labels = tuple((str(e["value"]), str(e["label"])) for e in source.get("enum") or () if e.get("label"))
    counted = any(c.kind in ("primaryKey", "nullValues") for c in column.checks)
    return Row(
        name=column.name,
        called=str(source.get("businessName") or ""),
        meaning=str(source.get("description") or "").strip(),
        kind=type_in_words(column.prop),
        rules=rules,
        example=example,
        labels=labels,
        deprecated=bool(source.get("deprecated")),
        classification=column.prop.classification or "",
        may_be_empty=not column.never_null and not counted and column.prop.route[-1] != KEYS,
    )


def _rule(plan: Plan, check: Check) -> Rule:
    text = in_words(check)
    exact = ""
    if check.kind == "logicalType":
        text = f"a value of its kind ({check.expected})"
    elif check.kind == "quantile":
        share = Decimal(check.arguments["value"]) * 100
        text = f"The least value that {share.normalize():f} % of all values do not exceed is {how_limited(check)}"
    elif check.kind in QUERIES:
        asks = "The answer to this" if check.kind == "sql" else "The number of rows that this finds"
        exact, text = check.arguments["text"], f"{asks} is {how_limited(check)}:"
    elif check.kind == "expression":
        exact = check.arguments["text"]
        text = f"In {how_many(check)} this is not true:" if check.threshold else "In every row this is true:"
    elif check.kind == EXPECTATION:
        exact, text = check.expected, "Great Expectations finds this to be so:"
    elif "matching " in check.expected and not check.threshold and check.kind != "missingValues":
        exact = check.expected.rpartition("matching ")[2]
        text = f"{text.rpartition('matching ')[0]}written after the pattern"
    return Rule(text, of_breaking(plan, check), " ".join((check.description or "").split()), exact)


def _written(plan: Plan) -> Iterator[tuple[str, str]]:
    """How the files are written, each thing with its name."""
    packed = ", packed with gzip" if plan.compression == "gzip" else ""
    if plan.file_format == "csv":
        csv = plan.csv
        yield "Format", f"CSV{packed}: text, a row on each line"
        yield "Columns are parted by", SIGNS.get(csv.delimiter, f"“{csv.delimiter}”")
        yield "First line", "the names of the columns" if csv.header else "data; columns in the order below"
        if csv.trailer:
            yield "Last line", _last(csv.trailer)
        yield "Letters", csv.encoding.upper()
        empty = ["an empty cell" if text == "" else f"“{text}”" for text in csv.null_values]
        yield "No value is written as", " or ".join(empty) if empty else "nothing: every cell has a value"
        if csv.quote:
            yield "Quotes", f"{csv.quote} around a cell that holds the sign between columns, or quotes"
    elif plan.file_format == "jsonl":
        yield "Format", f"JSON Lines{packed}: one JSON object on each line, in UTF-8"
        yield "No value is written as", "null, or the key is left out"
    else:
        yield "Format", "Parquet"


def _last(rule: Trailer) -> str:
    """What the last line of a file says."""
    places = {rule.rows: "the number of rows"} if rule.rows else {}
    places |= {place: f"the sum of {name}" for name, place in rule.sums.items()}
    said = "".join(f"; cell {place}: {what}" for place, what in sorted(places.items()))
    return f"no data; begins with “{rule.begins}”{said}"


def _consequences(plan: Plan) -> Iterator[tuple[str, str]]:
    """What happens, case by case."""
    yield "Everything is as agreed", "The file is accepted and passed on to its readers."
    tolerated = f"more than {tolerated_in_words(plan.tolerance)} of its rows" if plan.tolerance else "a row"
    yield (
        f"In a file, {tolerated} {'break' if plan.tolerance else 'breaks'} a rule",
        REJECTED,
    )
    if plan.tolerance:
        yield (
            f"Up to {tolerated_in_words(plan.tolerance)} of its rows do",
            "The file is accepted with warnings. These rows are listed on the receipt, and travel with the file.",
        )
    yield "A rule on the file as a whole is broken", "The file is rejected, too; no single row is blamed."
    if any(c.severity == "warning" for c in plan.checks):
        yield "A rule that only warns is broken", "The file is accepted with warnings; the receipt tells of them."
    headed = plan.file_format != "jsonl" and (plan.file_format != "csv" or plan.csv.header)
    if headed or plan.file_format == "jsonl":
        yield "There are columns which are not in the list below", POLICIES[plan.columns.extra]
    if headed:
        always = " One that must always be filled in is never missed." if plan.columns.missing != "reject" else ""
        yield "A column is missing", POLICIES[plan.columns.missing] + always
    yield "The file has no rows", POLICIES[plan.empty]
    yield "A person accepts a rejected file all the same", BY_PERSON
    yield "The file cannot be read, or has another name than agreed", "It is set aside; nobody reads it."


def _left_out(contract: Contract) -> Iterator[str]:
    """What stands in the contract and not on the page."""
    keys = [k for k in contract.data if k not in HEADING | SHOWN | {"customProperties"}]
    if keys:
        yield f"{quoted(keys, most=20)} of the contract."
    if named := [k for k in contract.object if k not in OF_OBJECT]:
        yield f"{quoted(named, most=20)} of `{contract.object['name']}`."
    for column in contract.every:
        known = {"name", "id", "logicalType", "logicalTypeOptions", "required", "unique", "primaryKey", "enum"}
        known |= {"primaryKeyPosition", "quality", "relationships", "physicalType", "classification"} | SHOWN_OF_COLUMN
        known |= set(WITHIN.values())
        if named := [k for k in column.source if k not in known]:
            yield f"{quoted(named, most=20)} of `{column.name}`."


@dataclass(frozen=True, slots=True)
class Style:
    """The style sheet and what the page's policy calls it."""

    text: str
    policy: str


@cache
def _style() -> Style:
    from markupsafe import Markup  # noqa: PLC0415

    text = (FOLDER / "page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Style(Markup(text), f"sha256-{digest}")  # noqa: S704


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = lambda text, most=LONGEST: visible(str(text), most)
    return environment.get_template("page.html.jinja")
