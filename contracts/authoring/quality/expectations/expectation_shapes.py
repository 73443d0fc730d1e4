"""The shapes of arguments that are lists and mappings: an argument in; why Great Expectations would stop at it out."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from jsonschema.exceptions import SchemaError
from jsonschema.validators import validator_for

from contracts.authoring.quality.expectations.core_expectations import fits

Wrong = tuple[str, str] | None
"""Why an argument is refused, and its fix."""
PAIR = 2
CLOSE = 1e-5
"""So far the sum of weights may be from 1."""


def wrong(key: str, value: Any) -> Wrong:
    """Return why the library stops at a value of an argument in every file; None if it does not."""
    match key:
        case "quantile_ranges":
            return _quantiles(value)
        case "partition_object":
            return _partition(value)
        case "json_schema":
            try:
                validator_for(value).check_schema(value)
            except SchemaError as error:
                return f"It is no JSON schema: {error.message:.80}.", "Correct it."
            return next((_reference(value, one) for one in _references(value) if _reference(value, one)), None)
        case "value_pairs_set" if not all(isinstance(one, list) and len(one) == PAIR for one in value):
            return "`value_pairs_set` must hold pairs.", "Write it as `[[1, 2], [3, 4]]`."
        case "allow_relative_error" if value:
            return "Spark takes no `allow_relative_error: true`.", "Leave it out: quantiles are exact."
        case "strftime_format":
            try:
                datetime.strptime(datetime.now(UTC).strftime(value), value).replace(tzinfo=UTC)
            except ValueError:
                return f"Python cannot read back what it writes as `{value:.40}`.", "Write it as `%Y-%m-%d %H:%M:%S`."
    return None


def _quantiles(value: dict[str, Any]) -> Wrong:
    quantiles, ranges = value.get("quantiles"), value.get("value_ranges")
    if not isinstance(quantiles, list) or not isinstance(ranges, list) or not quantiles:
        return "`quantile_ranges` needs two lists.", "Write it as `{quantiles: [0.5], value_ranges: [[1, 9]]}`."
    if len(quantiles) != len(ranges) or not all(fits("share", one) for one in quantiles):
        return (
            "`quantiles` must be numbers from 0 to 1, as many as `value_ranges`.",
            "Write a range for each, as `[[1, 9]]`.",
        )
    pairs = [one for one in ranges if isinstance(one, list) and len(one) == PAIR]
    are_numbers = all(fits("number", end) for pair in pairs for end in pair if end is not None)
    if len(pairs) < len(ranges) or not are_numbers or any(None not in pair and pair[0] > pair[1] for pair in pairs):
        return "`value_ranges` must hold pairs of numbers; null has no bound.", "Write it as `[[1, 9], [null, 5]]`."
    return None


def _partition(value: dict[str, Any]) -> Wrong:
    values, bins, weights = value.get("values"), value.get("bins"), value.get("weights")
    tails = value.get("tail_weights", [])
    fix = "Write it as `{values: [a, b], weights: [0.4, 0.6]}` or `{bins: [0, 5, 10], weights: [0.4, 0.6]}`."
    several = values if isinstance(values, list) else bins
    if (values is None) == (bins is None) or not isinstance(several, list) or not isinstance(weights, list):
        return "`partition_object` needs `values` or `bins`, and `weights`.", fix
    if len(weights) != len(several) - (values is None) or not weights:
        return "`weights` must be as many as `values`, or one less than `bins`.", fix
    if (
        not isinstance(tails, list)
        or not all(fits("share", one) for one in (*weights, *tails))
        or len(tails) not in (0, PAIR)
    ):
        return "`weights` must be numbers from 0 to 1, and `tail_weights` two of them.", fix
    if abs(float(sum((*weights, *(tails if bins else ())))) - 1) > CLOSE:
        return "`weights` must make 1 together.", fix
    rising = values is not None or all(fits("number", one) for one in several)
    if not rising or (bins and not all(a < b for a, b in pairwise(bins))):
        return "`bins` must be numbers that rise.", fix
    return None


def _references(value: Any) -> list[str]:
    """Return the references of a schema."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = [value["$ref"]] if isinstance(value, dict) and isinstance(value.get("$ref"), str) else []
    return own + [reference for one in inner for reference in _references(one)]


def _reference(schema: Any, text: str) -> Wrong:
    place = schema
    for step in text.removeprefix("#").split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(place, list) and key.isdigit() and int(key) < len(place):
            place = place[int(key)]
        elif isinstance(place, dict) and key in place:
            place = place[key]
        else:
            return f"`$ref: {text:.60}` leads nowhere.", "Write what it refers to under `$defs`."
    return None
