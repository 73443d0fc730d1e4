"""SQL as CloudDQ has it, in BigQuery's dialect, in; the same in Spark's, with parameters, out.

CloudDQ puts the values of arguments into a text as they are. Numbers become parameters where the text allows it; names,
lists and conditions can only be put in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import sqlglot
from sqlglot import exp

PLACE = "dropgate_parameter_{}"
"""The name of a parameter while a text is parsed."""
SHORT = {"%F": "%Y-%m-%d", "%T": "%H:%M:%S", " %Z": "", "%Z": ""}
"""Parts of BigQuery's formats of moments, and Python's equivalents; all are in UTC."""


def spark(text: str, column: str, arguments: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the text in Spark's SQL, the same with its values filled in, and its parameters.

    The first has parameters, the second none. Raises sqlglot's errors.
    """
    numbers = {k: v for k, v in arguments.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
    named = {k: v for k, v in numbers.items() if re.search(rf"\$?\b{re.escape(k)}\b", text)}
    for chosen in (named, {}) if named else ({},):
        filled = re.sub(r"\$column\b", f"`{column}`".replace("\\", r"\\"), text)
        for name, value in {**arguments, **{k: PLACE.format(k) for k in chosen}}.items():
            plain, word = str(value), re.escape(str(name))
            if re.search(rf"\${word}\b", filled):  # literally after `$`, as values for bare names
                filled = re.sub(rf"\${word}\b", plain.replace("\\", r"\\"), filled)
                continue
            is_bare = isinstance(value, (int, float)) or name in chosen
            inserted = plain if is_bare else exp.Literal.string(plain).sql("bigquery")
            filled = re.sub(rf"\b{word}\b", inserted.replace("\\", r"\\"), filled)
        try:
            sql = transpiled(filled)
        except sqlglot.errors.SqlglotError:
            if not chosen:
                raise
            continue
        written = whole = sql
        for name, value in chosen.items():
            written = re.sub(rf"`?{PLACE.format(name)}`?", f"${{{name}}}", written)
            whole = re.sub(rf"`?{PLACE.format(name)}`?", f"({value})" if value < 0 else str(value), whole)
        yield written, whole, chosen


def transpiled(text: str) -> str:
    """Return a text of BigQuery in Spark's SQL."""
    trees = [tree.transform(_moment) for tree in sqlglot.parse(text, read="bigquery") if tree is not None]
    return "; ".join(tree.sql("spark") for tree in trees)


def _moment(node: Any) -> Any:
    """Return a node that parses a literal moment as the literal itself; other nodes unchanged."""
    if isinstance(node, exp.StrToTime | exp.ParseDatetime) and isinstance(node.this, exp.Literal):
        form = str(node.args["format"].name)
    elif isinstance(node, exp.TimestampTrunc) and isinstance(node.this, exp.Literal):
        form = "%F %T %Z"
    else:
        return node
    for short, long in SHORT.items():
        form = form.replace(short, long)
    try:
        parsed = datetime.strptime(node.this.name.removesuffix(" UTC"), form.strip())  # noqa: DTZ007 (all are UTC)
    except ValueError:
        return node
    moment = exp.cast(exp.Literal.string(parsed.isoformat(" ")), "timestamp")
    if isinstance(node, exp.TimestampTrunc):
        node.set("this", moment)
        return node
    return moment


def pattern(text: str) -> str:
    r"""Return the regular expression of a quoted text, where `\\w` is `\w`."""
    try:
        literal = sqlglot.parse_one(f"'{text}'", read="bigquery")
    except sqlglot.errors.SqlglotError:
        return text
    return literal.name if isinstance(literal, exp.Literal) else text
