"""Validation against the JSON Schema of ODCS v3.2: a document in, findings and the paths to skip out.

All errors are reported, not only the first. Two keywords of the schema give poor errors. `oneOf` lists the faults of
every branch, so the branch that was probably meant is selected. `unevaluatedProperties` blames all keys once one part
fails, and takes most of the time, so it is read as "keys that no part of the schema names".
"""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any

import jsonschema_rs
from jsonschema.exceptions import ValidationError
from jsonschema.validators import Draft201909Validator, extend

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.plan import OPERATORS
from contracts.problem import nearest, quoted

TYPES = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
}
COMBINED = ("allOf", "anyOf", "oneOf", "if", "then", "else")
UNDER_OPTIONS = ("minimum", "maximum", "minLength", "maxLength", "format", "pattern", "multipleOf")
HINTS = {
    **dict.fromkeys(UNDER_OPTIONS, "Write it under `logicalTypeOptions`; of a quality entry, under `arguments`."),
    "validValues": "Write it under `arguments`.",
    "nullable": "Write `required: true` for a property that must not be null.",
    "type": "Write `logicalType`.",
}
DESCRIBING = ("team", "roles", "slaProperties", "servers")
"""Sections for people and other tools, whose keys the standard left free until 3.1."""
ELSEWHERE = "Leave it out; what the standard has no room for goes under `customProperties`."


@cache
def _schema() -> dict[str, Any]:
    text = importlib.resources.files("open_data_contract_standard").joinpath("schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def _unevaluated(_validator: Any, refused: Any, instance: Any, schema: dict[str, Any]) -> Iterator[ValidationError]:
    if refused is False and isinstance(instance, dict) and not _allowed_keys(schema).issuperset(instance):
        yield ValidationError("unknown keys")


VALIDATOR = extend(Draft201909Validator, {"unevaluatedProperties": _unevaluated})  # type: ignore[no-untyped-call]


@cache
def _fast_validator() -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(_schema())


def check(document: Document) -> list[Path]:
    """Report everything that does not fit the standard; return the paths whose values must not be read further."""
    with suppress(ValueError):  # of values that JSON cannot hold, or nesting that is too deep
        if _fast_validator().is_valid(document.data):
            return []
    reported: dict[tuple[Path, str], None] = {}
    for error in _intended(VALIDATOR(_schema()).iter_errors(document.data)):
        path = tuple(error.absolute_path)
        is_option = path[:1] == ("schema",) and "logicalTypeOptions" in path
        prop = document.value(path[: path.index("logicalTypeOptions")]) if is_option else None
        if isinstance(prop, dict) and "logicalType" not in prop:
            continue  # the schema tests the options of a property without a type for all types
        reported |= dict.fromkeys(_report(error, document))
    return [path for path, _ in reported]


def _intended(errors: Iterator[ValidationError]) -> Iterator[ValidationError]:
    """Yield the errors; for alternatives, those of the branch that was most likely meant."""
    for error in errors:
        branches: dict[Any, list[ValidationError]] = {}
        if error.validator in {"oneOf", "anyOf"} and not _is_operators(error):
            for inner in error.context or ():
                branches.setdefault(inner.schema_path[0], []).append(inner)
        meant = [
            branch for branch in branches.values() if not any(e.validator == "type" and not e.path for e in branch)
        ]
        if len(meant) == 1:
            yield from _intended(iter(meant[0]))
        else:
            yield error


def _wanted(error: ValidationError) -> Any:
    """Return the value of the schema keyword that the error is about."""
    return error.validator_value


def _is_operators(error: ValidationError) -> bool:
    return error.validator == "oneOf" and any("mustBe" in branch.get("required", ()) for branch in _wanted(error))


def _report(error: ValidationError, document: Document) -> Iterator[tuple[Path, str]]:
    """Report one error; yield the paths and keys that it concerns."""
    path: Path = tuple(error.absolute_path)
    if error.validator in {"additionalProperties", "unevaluatedProperties", "required"}:
        yield from _report_keys(error, path, document)
        return
    if _is_operators(error):
        _operators(error, path, document)
    elif error.validator == "type":
        _wrong_type(error, path, document)
    elif error.validator in {"enum", "const"}:
        allowed = [str(v) for v in (_wanted(error) if error.validator == "enum" else [_wanted(error)])]
        close = nearest(str(error.instance), allowed)
        fix = f"Write `{close}`." if close else f"Write one of {quoted(allowed, most=12)}."
        message = f"`{error.instance!s:.60}` is not a value of `{document.name(path)}`."
        document.error(path, "unknown-value", message, fix)
    else:
        _other(error, path, document)
    yield path, ""


def _report_keys(error: ValidationError, path: Path, document: Document) -> Iterator[tuple[Path, str]]:
    """Report the keys that a mapping lacks, or those that it has and the standard does not; yield each."""
    if not isinstance(error.instance, dict):
        return
    allowed = _allowed_keys(error.schema)
    for key in _wanted(error) if error.validator == "required" else ():
        if key in error.instance or (key == "map" and "logicalType" not in error.instance):
            continue  # the schema wants a map of every property without a logicalType
        close = nearest(key, [k for k in error.instance if k not in allowed])
        if close and nearest(close, allowed) == key:
            yield path, key
            continue  # the misspelt key has the one finding
        close = "rule" if key == "metric" and "rule" in error.instance else close
        fix = f"Rename `{close}` to `{key}`." if close else f"Add `{key}: ...`."
        where = f"`{document.name(path)}`" if path else "The document"
        document.error(path, "missing-key", f"{where} lacks `{key}`.", fix)
        yield path, key
    for key in list(error.instance) if error.validator != "required" else ():
        if key not in allowed:
            close = nearest(key, allowed)
            if close is None and path[:1] and path[0] in DESCRIBING:
                message = f"`{key}` in `{document.name(path)}` is no key of the standard, and is not used."
                document.note((*path, key), "not-used", message, "It may stay, for people and tools.", on_key=True)
                continue
            fix = f"Write `{close}`." if close else HINTS.get(key, ELSEWHERE)
            where = f"`{document.name(path)}`" if path else "the document"
            message = f"ODCS has no key `{key}` in {where}."
            document.error((*path, key), "unknown-key", message, fix, on_key=True)
            yield (*path, key), "unknown-key"


KEYS_BY_SCHEMA: dict[int, frozenset[str]] = {}
"""The allowed keys of each part of the schema, by the identity of its dict: the schema is loaded once."""


def _allowed_keys(schema: Any) -> frozenset[str]:
    if id(schema) not in KEYS_BY_SCHEMA:
        KEYS_BY_SCHEMA[id(schema)] = frozenset(_keys_of(schema))
    return KEYS_BY_SCHEMA[id(schema)]


def _keys_of(schema: Any) -> set[str]:
    """Return all keys that a part of the schema names, directly or in combined parts."""
    if not isinstance(schema, dict):
        return set()
    keys = set(schema.get("properties", ()))
    if ref := schema.get("$ref"):
        keys |= _keys_at(ref)
    for word in COMBINED:
        inner = schema.get(word, ())
        for part in inner if isinstance(inner, list) else (inner,):
            keys |= _keys_of(part)
    return keys


@cache
def _keys_at(ref: str) -> frozenset[str]:
    target: Any = _schema()
    for part in ref.removeprefix("#/").split("/"):
        target = target[part]
    return frozenset(_keys_of(target))


def _operators(error: ValidationError, path: Path, document: Document) -> None:
    if not isinstance(error.instance, dict):
        return
    there = [k for k in error.instance if k in OPERATORS]
    if len(there) > 1:
        message = f"The entry has {quoted(there)}; it can have one."
        fix = "Keep one, and write a second entry for the other."
        document.error((*path, there[1]), "two-operators", message, fix, on_key=True)
    elif there:
        inner = next((e for e in error.context or () if e.validator != "required"), error)
        at: Path = (*path, *inner.path)
        _wrong_type(inner, at, document) if inner.validator == "type" else _other(inner, at, document)
    else:
        allowed = _keys_at("#/$defs/DataQuality")
        if any(k not in allowed and nearest(k, OPERATORS) for k in error.instance):
            return  # the misspelt key is already reported
        message = "The entry does not say what its metric is held against."
        document.error(path, "no-operator", message, "Add an operator, as `mustBe: 0`.")


def _wrong_type(error: ValidationError, path: Path, document: Document) -> None:
    wanted = _wanted(error) if isinstance(_wanted(error), list) else [_wanted(error)]
    document.wrong_type(path, " or ".join(TYPES.get(w, str(w)) for w in wanted), text="string" in wanted)


def _other(error: ValidationError, path: Path, document: Document) -> None:
    wanted = _wanted(error)
    if path[-1] in ("from", "to") and "relationships" in path and isinstance(error.instance, str):
        own = f"{error.instance}.<property>" if error.instance.isidentifier() else "object.property"
        fix = f"Write `{own}`, or `file.yaml#/schema/object/properties/property` of another contract."
        document.error(path, "bad-reference", f"`{error.instance!s:.60}` names no property.", fix)
        return
    message, fix = {
        "pattern": ("has characters that are not allowed", f"Write it so that it matches `{wanted}`."),
        "minItems": ("has too few entries", f"Write at least {wanted}."),
        "maxItems": ("has too many entries", f"Write at most {wanted}."),
        "uniqueItems": ("has an entry twice", "Keep each entry once."),
        "minimum": (f"is below {wanted}", f"Write {wanted} or more."),
        "exclusiveMinimum": (f"is not above {wanted}", f"Write more than {wanted}."),
    }.get(
        str(error.validator),
        ("has none of the shapes that the standard allows", "See its section in the ODCS standard."),
    )
    document.error(path, "not-odcs", f"`{document.name(path)}` {message}.", fix)


def unknown_keys(data: Any) -> list[tuple[Path, str, bool]]:
    """Return the keys in the sections for people and other tools that the standard lacks.

    Each has the path of its mapping, and whether that may have custom properties.
    """
    strangers = []
    for error in _intended(Draft201909Validator(_schema()).iter_errors(data)):
        path: Path = tuple(error.absolute_path)
        if path[:1] and path[0] in DESCRIBING and error.validator in {"additionalProperties", "unevaluatedProperties"}:
            has_others = "customProperties" in _allowed_keys(error.schema)
            owner = error.instance if isinstance(error.instance, dict) else {}
            strangers += [(path, key, has_others) for key in owner if repr(key) in error.message]
    return strangers
