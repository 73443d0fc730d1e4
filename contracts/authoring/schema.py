"""The document against the JSON Schema of ODCS v3.2: values with places in, findings and the places that do not fit out.

Every error is found, not the first alone. Two keywords of the schema speak badly of what is wrong and are said anew here:
`unevaluatedProperties` blames every key of an object once one part of it fails, `oneOf` lists the faults of every branch.
"""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema.exceptions import ValidationError
from jsonschema.validators import Draft201909Validator

from contracts.authoring.finding import Finding, Path, dotted
from contracts.authoring.source import Document
from contracts.problem import nearest, quoted

OPERATORS = (
    "mustBe", "mustNotBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo", "mustBeLessThan", "mustBeLessOrEqualTo", "mustBeBetween", "mustNotBeBetween",
)  # fmt: skip
TYPES = {"string": "text", "number": "a number", "integer": "a whole number", "boolean": "true or false", "array": "a list", "object": "a mapping", "null": "nothing"}
COMBINED = ("allOf", "anyOf", "oneOf", "if", "then", "else")
HINTS = {
    "validValues": "Write it under `arguments`.",
    "pattern": "Write it under `arguments` of a quality entry, under `logicalTypeOptions` of a property.",
    "rule": "Write `metric`.",
    "schema": "Write it at the top of the document, without indentation.",
    "nullable": "Write `required: true` for a property that must not be null.",
    "type": "Write `logicalType`.",
} | dict.fromkeys(("minimum", "maximum", "minLength", "maxLength", "format"), "Write it under `logicalTypeOptions`.")


@cache
def _schema() -> dict[str, Any]:
    text = importlib.resources.files("open_data_contract_standard").joinpath("schema.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def check(document: Document) -> tuple[list[Finding], list[Path]]:
    """What does not fit the standard, and the paths whose values must not be read on."""
    findings: list[Finding] = []
    broken: list[Path] = []
    seen: set[tuple[Path, str]] = set()
    for error in _leaves(Draft201909Validator(_schema()).iter_errors(document.data)):
        for path, finding in _said(error, document):
            if (path, finding.code) not in seen:
                seen.add((path, finding.code))
                findings.append(finding)
                broken.append(path)
    return findings, broken


def _leaves(errors: Iterator[ValidationError]) -> Iterator[ValidationError]:
    """The errors themselves, and of alternatives those of the branch that was most likely meant."""
    for error in errors:
        if error.validator in ("oneOf", "anyOf") and error.context and not _is_operators(error):
            branches: dict[Any, list[ValidationError]] = {}
            for inner in error.context:
                branches.setdefault(inner.schema_path[0], []).append(inner)
            meant = [found for found in branches.values() if not any(e.validator == "type" and e.path == error.path for e in found)]
            if len(meant) == 1:
                yield from _leaves(iter(meant[0]))
                continue
        yield error


def _is_operators(error: ValidationError) -> bool:
    return error.validator == "oneOf" and any("mustBe" in branch.get("required", ()) for branch in error.validator_value)


def _said(error: ValidationError, document: Document) -> Iterator[tuple[Path, Finding]]:
    path: Path = tuple(error.absolute_path)
    if error.validator in ("additionalProperties", "unevaluatedProperties"):
        yield from _unknown_keys(error, path, document)
    elif error.validator == "required":
        yield from _missing_key(error, path, document)
    elif _is_operators(error):
        yield path, _operators(error, path, document)
    elif error.validator == "type":
        yield path, _wrong_type(error, path, document)
    elif error.validator in ("enum", "const"):
        yield path, _wrong_word(error, path, document)
    else:
        yield path, _other(error, path, document)


def _unknown_keys(error: ValidationError, path: Path, document: Document) -> Iterator[tuple[Path, Finding]]:
    if not isinstance(error.instance, dict):
        return
    known = _known(error.schema)
    for key in error.instance:
        if key in known:
            continue
        close = nearest(key, known)
        fix = f"Write `{close}`." if close else HINTS.get(key, "Leave it out; what the standard has no room for goes under `customProperties`.")
        where = f"`{dotted(path)}`" if path else "the document"
        yield (*path, key), document.finding("error", (*path, key), "unknown-key", f"ODCS has no key `{key}` in {where}.", fix, on_key=True)


def _known(schema: Any) -> set[str]:
    """All keys that a place of the schema speaks of, in whichever of its parts."""
    if not isinstance(schema, dict):
        return set()
    found = set(schema.get("properties", ()))
    if ref := schema.get("$ref"):
        found |= _known_at(ref)
    for word in COMBINED:
        inner = schema.get(word, ())
        for part in inner if isinstance(inner, list) else (inner,):
            found |= _known(part)
    return found


@cache
def _known_at(ref: str) -> frozenset[str]:
    target: Any = _schema()
    for part in ref.removeprefix("#/").split("/"):
        target = target[part]
    return frozenset(_known(target))


def _missing_key(error: ValidationError, path: Path, document: Document) -> Iterator[tuple[Path, Finding]]:
    if not isinstance(error.instance, dict):
        return
    for key in error.validator_value:
        if key in error.instance or (key == "map" and "logicalType" not in error.instance):
            continue  # the schema wants a map of every property without a logicalType
        close = nearest(key, [k for k in error.instance if k not in _known(error.schema)])
        fix = f"Rename `{close}` to `{key}`." if close else f"Add `{key}: ...`."
        where = f"`{dotted(path)}`" if path else "The document"
        yield path, document.finding("error", path, "missing-key", f"{where} lacks `{key}`.", fix)


def _operators(error: ValidationError, path: Path, document: Document) -> Finding:
    there = [k for k in error.instance if k in OPERATORS]
    if len(there) > 1:
        return document.finding("error", (*path, there[1]), "two-operators", f"The entry has {quoted(there)}; it can have one.", "Keep one, and write a second entry for the other.", on_key=True)
    if there:
        inner = next((e for e in error.context or () if e.validator != "required"), error)
        at: Path = (*path, there[0])
        return _wrong_type(inner, at, document) if inner.validator == "type" else _other(inner, at, document)
    close = next((c for k in error.instance if k not in _known_at("#/$defs/DataQuality") and (c := nearest(k, OPERATORS))), None)
    fix = f"Write `{close}`." if close else "Add one, as `mustBe: 0`."
    return document.finding("error", path, "no-operator", "The entry does not say what its metric is held against.", fix)


def _wrong_type(error: ValidationError, path: Path, document: Document) -> Finding:
    wanted = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
    expected = " or ".join(TYPES.get(w, str(w)) for w in wanted)
    return wrong_type(document, path, expected, "string" in wanted)


def wrong_type(document: Document, path: Path, expected: str, text: bool) -> Finding:
    """The finding about a value of another type than `expected`; `text` tells that quotes would mend it."""
    mark = document.place(path)
    if word := document.word(path):
        message = f"`{dotted(path)}` must be {expected}; YAML reads the bare `{word}` as true or false."
        return document.finding("error", path, "wrong-type", message, f'Write "{word}" in quotes.' if text else f"Write {expected}.")
    if mark.text is None or not mark.text:
        return document.finding("error", path, "wrong-type", f"`{dotted(path)}` must be {expected}.", f"Write {expected} here.")
    fix = f'Write "{mark.text}" in quotes.' if text else f"Write {expected}, without quotes." if not mark.plain else f"Write {expected}."
    return document.finding("error", path, "wrong-type", f"`{dotted(path)}` must be {expected}, not `{mark.text:.60}`.", fix)


def _wrong_word(error: ValidationError, path: Path, document: Document) -> Finding:
    allowed = [str(v) for v in (error.validator_value if error.validator == "enum" else [error.validator_value])]
    close = nearest(str(error.instance), allowed)
    fix = f"Write `{close}`." if close else f"Write one of {quoted(allowed, most=12)}."
    return document.finding("error", path, "unknown-value", f"`{str(error.instance):.60}` is not a value of `{dotted(path)}`.", fix)


def _other(error: ValidationError, path: Path, document: Document) -> Finding:
    wanted = {
        "pattern": ("has characters that are not allowed", f"Write it so that it matches `{error.validator_value}`."),
        "minItems": ("has too few entries", f"Write at least {error.validator_value}."),
        "maxItems": ("has too many entries", f"Write at most {error.validator_value}."),
        "uniqueItems": ("has an entry twice", "Keep each entry once."),
        "minimum": (f"is below {error.validator_value}", f"Write {error.validator_value} or more."),
        "exclusiveMinimum": (f"is not above {error.validator_value}", f"Write more than {error.validator_value}."),
    }
    message, fix = wanted.get(str(error.validator), ("has none of the shapes that the standard allows", "See the ODCS v3.2 schema for this key."))
    return document.finding("error", path, "not-odcs", f"`{dotted(path)}` {message}.", fix)
