"""A contract and the profile of more samples in; what the samples break, as a changed document with reasons, out.

Nothing is tightened: a rule that the contract lacks may have been left out by a person.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from difflib import unified_diff
from typing import Any

from contracts.authoring.document import source
from contracts.authoring.draft import proposing
from contracts.authoring.draft.profile import ColumnProfile, Profile, SampleRefused
from contracts.authoring.imports import writing
from contracts.problem import quoted, visible

LONGEST = 30
"""Characters of a value that a reason shows."""


@dataclass(frozen=True, slots=True)
class Update:
    """The proposed changes of a contract: a reason for each, and both texts of the contract, without comments."""

    file: str
    reasons: tuple[str, ...]
    before: str
    after: str

    @property
    def difference(self) -> str:
        """The changed lines as a unified diff."""
        old, new = (text.splitlines(keepends=True) for text in (self.before, self.after))
        return "".join(unified_diff(old, new, self.file, f"{self.file} (proposed)", n=2))


def update(raw: bytes, file: str, profile: Profile) -> Update:
    """Return the changes with which a contract would let samples through; raise SampleRefused if it cannot be read."""
    before = source.read(raw, file).data
    objects = before.get("schema") if isinstance(before, dict) else None
    if not isinstance(objects, list) or len(objects) != 1 or not isinstance(objects[0].get("properties"), list):
        raise SampleRefused(f"{file} is no contract with one schema object; `dropgate lint` says what it lacks")
    after = deepcopy(before)
    reasons = tuple(_changed(after["schema"][0], profile))
    _forget_settings(before, after)
    return Update(file, reasons, writing.text(before), writing.text(after))


def _changed(schema: dict[str, Any], profile: Profile) -> Iterator[str]:
    """Change a schema object; yield the reason of each change, and what a person must decide."""
    properties = schema["properties"]
    own = {prop.get("physicalName", prop.get("name")): prop for prop in properties}
    own |= {prop.get("name"): prop for prop in properties}
    columns = {column.name: column for column in profile.columns if not column.path}
    for name, column in columns.items():
        drafted = proposing.property_of(
            column, is_primary=False, is_whole=profile.is_whole, samples=len(profile.samples)
        ).value
        if name in own:
            yield from (f"`{visible(name)}`: {reason}" for reason in _of_property(own[name], drafted, column))
        else:
            properties.append(
                {key: drafted[key] for key in ("name", "logicalType", "classification") if key in drafted}
            )
            yield f"`{visible(name)}` is in the samples alone: it is added, without rules."
    if lacking := [prop["name"] for prop in properties if not {prop["name"], prop.get("physicalName")} & {*columns}]:
        yield f"{quoted(lacking)} {'is' if len(lacking) == 1 else 'are'} not in the samples: may files lack it?"
    counts = [sample.records + sample.broken for sample in profile.samples]
    ends = zip(("mustBeGreaterOrEqualTo", "mustBeLessOrEqualTo"), proposing.rows(profile), strict=True)
    for key, most in ends if profile.is_whole else ():
        for entry in schema.get("quality") or ():
            least = key == "mustBeGreaterOrEqualTo"
            if entry.get("metric") == "rowCount" and key in entry and _is_beyond(entry[key], counts, least=least):
                entry[key] = most
                yield f"`rowCount`: the samples have {min(counts):,} to {max(counts):,} records."


def _forget_settings(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Drop the settings of `required` of each property that a change has made optional."""
    optional = {
        f"{new.get('name')}.required"
        for old, new in zip(before["schema"][0]["properties"], after["schema"][0]["properties"], strict=False)
        if old.get("required") and not new.get("required")
    }
    for entry in after.get("customProperties") or ():
        block = entry.get("value")
        checks = (block.get("checks") or {}) if isinstance(block, dict) else {}
        for check in optional & {*checks}:
            del checks[check]


def _is_beyond(limit: Any, counts: list[int], *, least: bool) -> bool:
    return bool(limit > min(counts) if least else limit < max(counts))


def _of_property(own: dict[str, Any], drafted: dict[str, Any], column: ColumnProfile) -> Iterator[str]:
    """Change a property so that it lets a column through; yield the reasons."""
    kind = own.get("logicalType")
    if column.filled and kind != column.type and (kind, column.type) != ("number", "integer") and kind != "string":
        if (kind, column.type) == ("integer", "number"):
            own["logicalType"] = "number"
        yield f"the samples hold values of the type {column.type}, and the contract says {kind}."
    yield from _limits(own, drafted, column)
    values = [text for text, _ in column.values or ()]
    listed = {str(entry.get("value")) for entry in own.get("enum") or ()}
    if listed and column.values is None:
        yield "`enum` has not all of the many values of the samples."
    elif listed and (more := [text for text in values if text not in listed]):
        own["enum"] = [*own["enum"], *({"value": text} for text in more)]
        yield f"`enum` lacks {quoted([visible(text, LONGEST) for text in more], most=5)}."
    if own.get("required") and column.nulls:
        own.pop("required")
        own["quality"] = [*(own.get("quality") or ()), *drafted.get("quality", ())]
        yield f"{column.nulls:,} of {column.records:,} records have no value."
    for entry in own.get("quality") or ():
        limit, share = entry.get("mustBeLessOrEqualTo"), Decimal(100 * column.nulls) / max(column.records, 1)
        if (
            entry.get("metric") == "nullValues"
            and entry.get("unit") == "percent"
            and limit is not None
            and share > limit
        ):
            entry["mustBeLessOrEqualTo"] = proposing.null_limit(column) or 100
            yield f"{share:.1f} % of the values are null."
    if "classification" in drafted and "classification" not in own:
        own["classification"] = drafted["classification"]
        yield "it seems to hold personal data."


def _limits(own: dict[str, Any], drafted: dict[str, Any], column: ColumnProfile) -> Iterator[str]:
    """Widen the bounds and lengths that values of a column are beyond; yield the reasons."""
    limits, wider = own.get("logicalTypeOptions") or {}, drafted.get("logicalTypeOptions") or {}
    seen: dict[str, Decimal] = {}
    if column.least and column.type in ("integer", "number"):
        seen |= {"minimum": Decimal(column.least), "maximum": Decimal(column.most)}
    if column.filled and column.type == "string":
        seen |= {"minLength": Decimal(column.shortest), "maxLength": Decimal(column.longest)}
    for key, value in seen.items():
        limit = limits.get(key)
        if isinstance(limit, int | Decimal) and (value < limit if key.startswith("min") else value > limit):
            limits[key] = wider.get(key, int(value) if value == int(value) else value)
            yield f"`{key}` is {limit}, and the samples reach {value}."
