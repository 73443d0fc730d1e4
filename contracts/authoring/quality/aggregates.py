"""Figures of all values (mean, stdev, min, max, sum): a metric with its operator in, the threshold and words out."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.properties.decimals import too_long
from contracts.authoring.properties.values import order_of, text_of
from contracts.authoring.quality import history
from contracts.authoring.quality.thresholds import ENDS, SIGNS, Figures, against, away, holds_for_some
from contracts.plan import OPERATORS, Operator, Property, Threshold
from contracts.problem import nearest, quoted

NUMBERS, MOMENTS = ("integer", "number"), ("date", "timestamp")
OF_MOMENTS = ("min", "max", "quantile")
"""The figures that dates and timestamps have."""


def read(
    document: Document, path: Path, inner: dict[str, Any], prop: Property
) -> tuple[Threshold, tuple[str, ...]] | None:
    """The threshold of a figure and its numbers as the contract writes them; None where a finding says why not."""
    metric, before = inner["metric"], document.errors()
    there = [key for key in inner if key in OPERATORS]
    unknown = [key for key in inner if key not in (*OPERATORS, "metric", history.KEY)]
    for key in unknown:
        close = nearest(str(key), OPERATORS)
        fix = f"Write `{close}`." if close else "Leave it out; it takes `metric` and one operator, as `mustBeLessThan`."
        document.error((*path, key), "unknown-key", f"`{metric}` has no key `{key}`.", fix, on_key=True)
    if len(there) > 1:
        message, fix = f"The entry has {quoted(there)}; it can have one.", "Write a second entry for the other."
        document.error((*path, there[1]), "two-operators", message, fix, on_key=True)
    elif not there and not unknown:
        message = "The entry does not say what its metric is held against."
        document.error(path, "no-operator", message, "Add an operator, as `mustBeLessThan: 10`.")
    types = (*NUMBERS, *MOMENTS) if metric in OF_MOMENTS else NUMBERS
    if prop.type not in types:
        message = f"`{metric}` is of {' or '.join(types)}; `{prop.name}` is {prop.type}."
        fix = "Leave it out, or give the property another `logicalType`."
        document.error((*path, "metric"), "wrong-type", message, fix)
    elif metric not in OF_MOMENTS and (wrong := too_long(f"`{metric}`", prop, deviation=metric == "stdev")):
        document.error((*path, "metric"), "wrong-type", *wrong)
    if document.errors() > before:
        return None
    if metric == "stdev":
        figures = Figures("standard deviation", Decimal(0))
    else:  # a mean of whole numbers may be a fraction
        figures = Figures(whole=metric != "mean" and prop.type != "number")
    return limited(document, path, inner, there[0], figures, prop if prop.type in MOMENTS else None)


def limited(
    document: Document,
    path: Path,
    inner: Mapping[str, Any],
    operator: Operator,
    figures: Figures,
    moments: Property | None = None,
) -> tuple[Threshold, tuple[str, ...]] | None:
    """Return the threshold for a figure and its limits as the contract writes them; None, and findings, if none holds.

    Limits are values of the property `moments`, or numbers: of integers fractions, too, as a mean may be one.
    """
    at: Path = (*path, operator)
    other_files = history.placed(path, inner)
    if other_files and moments:
        message = f"A difference from other files is of numbers; `{moments.name}` is a {moments.type}."
        fix = f"Leave `{history.KEY}` out, and write a {moments.type}."
        document.error(other_files[0], "wrong-type", message, fix)
        return None
    ends = [(at, inner[operator])]
    if operator in ENDS:
        if not isinstance(inner[operator], list) or len(inner[operator]) != 2:
            document.wrong_type(at, "a list of two values")
            return None
        ends = [((*at, n), value) for n, value in enumerate(inner[operator])]
    texts = []
    for place, value in ends:
        if moments:
            texts.append(text_of(document, place, value, moments))
        elif isinstance(value, bool) or not isinstance(value, (int, Decimal)) or not Decimal(value).is_finite():
            document.wrong_type(place, "a number")
        else:
            texts.append((document.text(place) or str(value)).removeprefix("+"))
    limits = tuple(text for text in texts if text is not None)
    if len(limits) < len(ends):
        return None
    values = [order_of(text, moments) if moments else v for text, (_, v) in zip(limits, ends, strict=True)]
    threshold = Threshold(operator, tuple(map(Decimal, values)))
    if other_files:
        made = against(document, at, threshold, history.read(document, *other_files), limits)
        return (made, limits) if made else None
    return (threshold, limits) if holds_for_some(document, at, threshold, figures, limits) else None


def words(metric: str, threshold: Threshold, limits: tuple[str, ...]) -> str:
    """A threshold for people: `mean < 10`, `max between 1 and 2, ends excluded`."""
    if threshold.relative:
        return away(metric, threshold, threshold.relative)
    if threshold.operator in ENDS:
        between, ends = ENDS[threshold.operator]
        return f"{metric} {between} {limits[0]} and {limits[1]}, ends {ends}"
    return f"{metric} {SIGNS[threshold.operator]} {limits[0]}"
