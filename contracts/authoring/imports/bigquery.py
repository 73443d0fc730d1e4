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
"""What a parameter is called while a text is read."""
SHORT = {"%F": "%Y-%m-%d", "%T": "%H:%M:%S", " %Z": "", "%Z": ""}
"""Parts of BigQuery's formats of moments, as Python has them; all are in UTC."""


def spark(text: str, column: str, arguments: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The same in Spark's SQL, as it is written, as it is with its values, and its parameters.

    First with parameters, then without any. Raises sqlglot's errors.
    """
    numbers = {k: v for k, v in arguments.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
    named = {k: v for k, v in numbers.items() if re.search(rf"\$?\b{re.escape(k)}\b", text)}
    for chosen in (named, {}) if named else ({},):
        try:
            found = transpiled(_filled(text, column, {**arguments, **{k: PLACE.format(k) for k in chosen}}, chosen))
        except sqlglot.errors.SqlglotError:
            if not chosen:
                raise
            continue
        written = whole = found
        for name, value in chosen.items():
            written = re.sub(rf"`?{PLACE.format(name)}`?", f"${{{name}}}", written)
            whole = re.sub(rf"`?{PLACE.format(name)}`?", f"({value})" if value < 0 else str(value), whole)
        yield written, whole, chosen


def _filled(text: str, column: str, arguments: Mapping[str, Any], places: Mapping[str, Any]) -> str:
    """A text with its column and arguments: behind `$` as they are; as bare names, where there is no `$`, as values."""
    text = re.sub(r"\$column\b", f"`{column}`".replace("\\", r"\\"), text)
    for name, value in arguments.items():
        plain, word = str(value), re.escape(str(name))
        if re.search(rf"\${word}\b", text):
            text = re.sub(rf"\${word}\b", plain.replace("\\", r"\\"), text)
            continue
        bare = isinstance(value, (int, float)) or name in places
        literal = plain if bare else exp.Literal.string(plain).sql("bigquery")
        text = re.sub(rf"\b{word}\b", literal.replace("\\", r"\\"), text)
    return text


def transpiled(text: str) -> str:
    """A text of BigQuery's in Spark's SQL."""
    trees = [tree.transform(_moment) for tree in sqlglot.parse(text, read="bigquery") if tree is not None]
    return "; ".join(tree.sql("spark") for tree in trees)


def _moment(node: Any) -> Any:
    """A moment that is read out of a text, as that moment."""
    if isinstance(node, exp.StrToTime | exp.ParseDatetime) and isinstance(node.this, exp.Literal):
        form = str(node.args["format"].name)
    elif isinstance(node, exp.TimestampTrunc) and isinstance(node.this, exp.Literal):
        form = "%F %T %Z"
    else:
        return node
    for short, long in SHORT.items():
        form = form.replace(short, long)
    try:
        found = datetime.strptime(node.this.name.removesuffix(" UTC"), form.strip())  # noqa: DTZ007 (all are UTC)
    except ValueError:
        return node
    moment = exp.cast(exp.Literal.string(found.isoformat(" ")), "timestamp")
    if isinstance(node, exp.TimestampTrunc):
        node.set("this", moment)
        return node
    return moment


def pattern(text: str) -> str:
    r"""A regular expression out of what stood between quotes, where `\\w` is `\w`."""
    try:
        found = sqlglot.parse_one(f"'{text}'", read="bigquery")
    except sqlglot.errors.SqlglotError:
        return text
    return found.name if isinstance(found, exp.Literal) else text
