"""An ODCS document as readable YAML: plain values in, text in the standard's order of keys out.

`contracts.authoring.document.source` reads the text back as the same values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import yaml

from contracts.authoring.document.document import WORDS
from contracts.authoring.document.source import INTEGER, MOST_DIGITS, NULLS, NUMBER
from contracts.plan import OPERATORS
from contracts.problem import visible

WIDTH = 120
SHORT = 90
"""Characters up to which a list or mapping of plain values is on one line."""
FULL = 25
"""Characters up to which a number is written without exponent."""
ORDER = (
    "apiVersion", "kind", "id", "name", "businessName", "version", "status", "domain", "dataProduct", "tenant",
    "physicalName", "description", "logicalType", "logicalTypeOptions", "physicalType", "required", "unique",
    "primaryKey", "primaryKeyPosition", "partitioned", "partitionKeyPosition", "classification",
    "criticalDataElement", "encryptedName", "enum", "examples", "deprecated", "dataGranularityDescription",
    "transformSourceObjects", "transformLogic", "transformDescription", "servers", "schema", "properties", "items",
    "map", "quality", "support", "price", "team", "roles", "slaProperties", "tags", "authoritativeDefinitions",
    "customProperties", "contractCreatedTs",
)  # fmt: skip
"""The keys of documents, schema objects and properties in the order of the standard's sections."""
ENTRY = (
    "id", "name", "description", "dimension", "type", "engine", "metric", "arguments", "implementation", *OPERATORS,
    "unit", "severity", "businessImpact", "method", "schedule", "scheduler",
)  # fmt: skip
"""The keys of quality entries in a readable order."""
RANK = {key: n for n, key in enumerate(ORDER)}
ENTRY_RANK = {key: n for n, key in enumerate(ENTRY)}


COMMAND = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
"""The beginning of a line that is a command to GitHub's runner, which ignores blanks before it."""
MAY_BEGIN_A_LINE = re.compile(r"(?:^|\s)::")
"""Text that may begin a line, because long texts are broken at blanks."""


class _Dumper(yaml.SafeDumper):
    """Block style, short plain values on one line, numbers with their own digits."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)


def text(document: dict[str, Any], comments: Iterable[str] = ()) -> str:
    """Return the text of a document below comments of one line each."""
    head = "".join(f"# {visible(line, 400)}".rstrip() + "\n" for line in comments)
    body = yaml.dump(ordered(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)
    body = COMMAND.sub(r"\1\\x3a", body)  # such a line is only within double quotes, see `_text`
    if not body.replace("\n", " ").isprintable():  # as are such characters
        body = "".join(
            c if c == "\n" or c.isprintable() else f"\\u{ord(c):04x}" if ord(c) < 2**16 else f"\\U{ord(c):08x}"
            for c in body
        )
    return head + body


def ordered(value: dict[str, Any]) -> dict[str, Any]:
    """Return a document, schema object or property with its keys in order, at all levels."""
    in_order: dict[str, Any] = _sorted(value, RANK)
    for key in ("schema", "properties"):
        if isinstance(in_order.get(key), list):
            in_order[key] = [ordered(inner) if isinstance(inner, dict) else inner for inner in in_order[key]]
    if isinstance(in_order.get("quality"), list):
        in_order["quality"] = [_sorted(entry, ENTRY_RANK) for entry in in_order["quality"]]
    if isinstance(in_order.get("items"), dict):
        in_order["items"] = ordered(in_order["items"])
    if isinstance(in_order.get("map"), dict):
        in_order["map"] = {key: ordered(inner) for key, inner in in_order["map"].items()}
    return in_order


def _sorted(value: Any, ranks: dict[str, int]) -> Any:
    """Return a mapping sorted by the ranks of its keys; keys without a rank follow in their own order."""
    if not isinstance(value, dict):
        return value
    return {key: value[key] for key in sorted(value, key=lambda k: ranks.get(k, len(ranks)))}


def _text(dumper: _Dumper, value: str) -> yaml.Node:
    """Return the node of a text: quoted if YAML would read it as another type, a block if it has several lines."""
    style = None
    if MAY_BEGIN_A_LINE.search(value):
        style = '"'
    elif "\n" in value and all(line.isprintable() for line in value.split("\n")):
        style = "|"
    elif not value.isprintable() or value[:1].isdigit():
        style = '"'
    else:
        is_other = value in NULLS or value.casefold() in WORDS or NUMBER.fullmatch(value) is not None
        style = '"' if is_other else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


def _number(dumper: _Dumper, value: Decimal) -> yaml.Node:
    written = number(value)
    kind = "int" if INTEGER.fullmatch(written) else "float"
    return dumper.represent_scalar(f"tag:yaml.org,2002:{kind}", written)


def number(value: Decimal) -> str:
    """Return a number with its own digits; an exponent is written so that YAML 1.1 and 1.2 both read it."""
    sign, digits, exponent = value.as_tuple()
    short = f"{'-' * sign}{''.join(map(str, digits)).lstrip('0') or '0'}.E{exponent:+}"
    if abs(value.adjusted()) > MOST_DIGITS:  # in full it may have a billion digits
        return short
    plain = f"{value:f}"
    # A number of more characters than MOST_DIGITS is read as text.
    return plain if NUMBER.fullmatch(plain) and (len(plain) < FULL or len(short) > MOST_DIGITS) else short


def _mapping(dumper: _Dumper, value: dict[str, Any]) -> yaml.Node:
    few = len(value) <= 2 and "name" not in value
    return dumper.represent_mapping("tag:yaml.org,2002:map", value, flow_style=few and _is_short(value.values()))


def _list(dumper: _Dumper, value: Sequence[Any]) -> yaml.Node:
    flat = [next(iter(v.values())) if isinstance(v, dict) and len(v) == 1 else v for v in value]
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=_is_short(flat))


def _is_short(values: Iterable[Any]) -> bool:
    listed = list(values)
    return not any(isinstance(v, (dict, list)) for v in listed) and sum(len(str(v)) + 4 for v in listed) < SHORT


_Dumper.add_representer(str, _text)
_Dumper.add_representer(Decimal, _number)
_Dumper.add_representer(dict, _mapping)
_Dumper.add_representer(list, _list)
