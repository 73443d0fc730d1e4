"""Changes of columns between two versions: two versions in, the changes of their properties out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from contracts import rules
from contracts.authoring.diff import check_changes, conditions, directions
from contracts.authoring.diff.change import Change, Direction, direction, joined
from contracts.authoring.diff.contract_version import OBJECT, ContractVersion, shown, was
from contracts.authoring.properties.values import DEFAULT_FORMATS
from contracts.plan import OF_JSON, Plan, Property
from contracts.problem import nearest
from contracts.terms.value_form import PLAIN, ValueForm, words


def changes(old: ContractVersion, new: ContractVersion) -> Iterator[Change]:
    """All of them."""
    before, after = ({p.name: p for p in s.plan.properties} for s in (old, new))
    gone = [p for p in old.plan.properties if p.name not in after]
    more = [p for p in new.plan.properties if p.name not in before]
    for prop in gone:
        if other := _renamed(old, new, prop, more):
            more.remove(other)
            way = joined((_less(old.plan, new.plan, prop), _more(old.plan, new.plan, other)))
            message = f"`{prop.name}` is gone, and `{other.name}` looks like it under another name."
            yield new.change("property-renamed", other.name, message, (*new.property_path(other.name), "name"), way)
        else:
            message = f"The property `{prop.name}` ({prop.type}) is gone."
            at = (*OBJECT, "properties")
            yield new.change("property-removed", prop.name, message, at, _less(old.plan, new.plan, prop))
    for prop in more:
        suffix = ", required" if prop.required else ""
        message = f"The property `{prop.name}` ({prop.type}{suffix}) is new."
        at = (*new.property_path(prop.name), "name")
        yield new.change("property-added", prop.name, message, at, _more(old.plan, new.plan, prop))
    for name, prop in after.items():
        if name in before:
            yield from _property(old, new, before[name], prop)
    if [name for name in before if name in after] != [name for name in after if name in before]:
        counts = any(
            p.columns.order == "exact" or p.columns.match == "byPosition" or _is_headless(p)
            for p in (old.plan, new.plan)
        )
        message = f"The properties have another order: {shown(tuple(after))}."
        kind = "property-order" if counts else "property-order-shown"
        yield new.change(kind, "properties", message, (*OBJECT, "properties"))


def _renamed(old: ContractVersion, new: ContractVersion, prop: Property, more: list[Property]) -> Property | None:
    """The new property that is most likely the one that is gone: of its type, with a like name or the same rules."""
    same = {p.name: p for p in more if p.type == prop.type}
    if close := nearest(prop.name, same):
        return same[close]
    free = {"name", "description", "businessName", "tags"}
    rules = {k: v for k, v in old.document.value(old.property_path(prop.name)).items() if k not in free}
    for name, other in same.items():
        theirs = new.document.value(new.property_path(name))
        if len(rules) > 1 and rules == {k: v for k, v in theirs.items() if k not in free}:
            return other
    return None


def _more(old: Plan, new: Plan, prop: Property) -> Direction:
    """Return the direction of an added property: old files lack the column, new files had an extra column before."""
    if old.columns.match == "byPosition":  # which moves the columns behind it
        return "both"
    return direction(tightens=_is_asked(new, prop) or directions.lets_twins_in(old), loosens=_refuses_others(old))


def _less(old: Plan, new: Plan, prop: Property) -> Direction:
    if new.columns.match == "byPosition":
        return "both"
    return direction(tightens=_refuses_others(new), loosens=_is_asked(old, prop) or directions.lets_twins_in(new))


def _is_asked(plan: Plan, prop: Property) -> bool:
    """Return True if a plan may refuse a file because of a property, present or absent."""
    if any(c.severity == "error" and prop.name in c.properties() for c in plan.checks):
        return True
    if plan.read_as == "jsonl" or plan.fixed:  # a line has each stretch, whether it is read or not
        return prop.required
    typed = plan.file_format == "parquet"
    columns = plan.columns
    return _is_headless(plan) or typed or prop.required or columns.missing == "reject" or columns.order == "exact"


def _refuses_others(plan: Plan) -> bool:
    """Return True if a plan refuses a file that has an unknown column."""
    if plan.read_as == "jsonl":
        return any(isinstance(c.rule, rules.KnownKeys) and c.severity == "error" for c in plan.checks)
    return not plan.fixed and (plan.columns.extra == "reject" or _is_headless(plan))


def _is_headless(plan: Plan) -> bool:
    return plan.read_as == "csv" and not plan.csv.header


VALUE_FORMATS: dict[str, str] = {"format": "format", "zone": "defaultTimezone", "offset": "timezone"}


def _meant(field: str, prop: Property) -> Any:
    """Return a field of a property, or what holds where it is left out, if that can be written."""
    value = getattr(prop, field)
    usual = {"format": DEFAULT_FORMATS["date"] if prop.type == "date" else None, "zone": "UTC"}
    return usual.get(field) if value is None else value


def _form(plan: Plan, prop: Property) -> ValueForm | None:
    """Return the form of a property's cells, without what the file's dialect says already; None is JSON's own."""
    form = prop.form or (None if plan.file_format in OF_JSON else PLAIN)
    if form and form.nulls is not None and plan.has_cells and set(form.nulls) == set(plan.csv.null_values):
        return replace(form, nulls=None)
    return form


def _property(old: ContractVersion, new: ContractVersion, before: Property, after: Property) -> Iterator[Change]:
    name, at = after.name, new.property_path(after.name)
    if before.type != after.type:
        message = was(f"{name}.logicalType", before.type, after.type)
        yield new.change("type", f"{name}.logicalType", message, (*at, "logicalType"))
    yield from _required(old, new, before, after)
    if before.exact != after.exact:
        message = was(f"{name}.physicalType", _digits(before), _digits(after))
        way = directions.of_values(directions.of_exact(before.exact, after.exact), old.plan, new.plan, name)
        yield new.change("exact", f"{name}.physicalType", message, (*at, "physicalType"), way)
    if set(before.headings) != set(after.headings) or (before.key != after.key and new.plan.read_as == "jsonl"):
        message = f"The header has {_texts(after)} for `{name}`, and had {_texts(before)}."
        if new.plan.read_as == "jsonl":
            message = f"Files have `{after.key}` for `{name}`, and had `{before.key}`."
        way = _of_texts(old.plan, new.plan, before, after)
        yield new.change("header-names", f"{name}.physicalName", message, at, way)
    for field, key in VALUE_FORMATS.items():
        was_so, is_so = (_meant(field, prop) for prop in (before, after))
        if was_so != is_so and (before.type == after.type or getattr(before, field) != getattr(after, field)):
            way = directions.of_offsets(was_so, is_so) if field == "offset" else "both"
            way = directions.of_values(way, old.plan, new.plan, name)
            path = f"{name}.{key}"
            yield new.change("value-format", path, was(path, was_so, is_so), (*at, "logicalTypeOptions", key), way)
    was_so, is_so = _form(old.plan, before), _form(new.plan, after)
    if was_so != is_so:
        way = directions.of_values(directions.of_forms(was_so, is_so, after.type), old.plan, new.plan, name)
        before_words, after_words = (
            words(form) or "as the contract writes values" if form else "only as values of JSON"
            for form in (was_so, is_so)
        )
        message = f"Cells of `{name}` are written in another form: {after_words}; it was: {before_words}."
        yield new.change("value-form", f"{name}.values", message, new.block("values", "columns", name), way)
    if before.classification != after.classification:
        message = was(f"{name}.classification", before.classification, after.classification)
        yield new.change("classification", f"{name}.classification", message, (*at, "classification"))


def _required(old: ContractVersion, new: ContractVersion, before: Property, after: Property) -> Iterator[Change]:
    """Yield the change of `required`, which other rules may have as well."""
    name, at = after.name, new.property_path(after.name)
    if before.required != after.required:
        way = direction(tightens=after.required, loosens=before.required)
        message = f"`{name}` {'must be there and not null now' if after.required else 'may be missing or null now'}."
        kind = "required"
        if _is_asked_elsewhere(*((new, old) if after.required else (old, new)), name):
            kind, message = "rewritten", f"`{name}` must be there and not null, as other rules say, too."
        yield new.change(kind, f"{name}.required", message, (*at, "required"), way)


def _is_asked_elsewhere(version: ContractVersion, other: ContractVersion, name: str) -> bool:
    """Return True if the other version, in which a property is not required, refuses the same files as if it were."""
    own = [c for c in version.plan.checks if isinstance(c.rule, rules.Required) and c.property == name]
    is_there = not conditions.may_lack(other.plan, name)
    return is_there and all(not c.refuses or check_changes.is_implied(c, version, other) for c in own)


def _texts(prop: Property) -> str:
    return " or ".join(f"`{text}`" for text in prop.headings)


def _of_texts(old: Plan, new: Plan, before: Property, after: Property) -> Direction:
    """Return the direction of a change of the texts of a header; by its place a column without any has any text.

    Where other columns may be there, one of them may become a second one of the property.
    """
    if old.columns.match == new.columns.match == "byPosition":
        return directions.of_sets(before.header_names or None, after.header_names or None)
    if not (_refuses_others(old) and _refuses_others(new)):
        return "both"
    return directions.of_sets(before.headings, after.headings)


def _digits(prop: Property) -> str:
    return f"decimal({prop.exact[0]},{prop.exact[1]})" if prop.exact else "a double or an integer of 64 bits"
