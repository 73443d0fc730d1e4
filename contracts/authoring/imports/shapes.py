"""A source against the shape that its importer reads: a JSON Schema in, findings about the differences out.

`description` of a part of the schema gives the expected value in words.
"""

from __future__ import annotations

from typing import Any

from jsonschema.exceptions import ValidationError
from jsonschema.validators import Draft201909Validator

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.problem import nearest, quoted

TYPES = {
    "string": "text", "number": "a number", "integer": "a whole number", "boolean": "true or false", "array": "a list",
    "object": "a mapping", "null": "null",
}  # fmt: skip
MOST_REPORTED = 100
"""Findings about one source; more would add nothing new."""


def fits(document: Document, schema: dict[str, Any]) -> bool:
    """Return True if a document has the shape; report findings where it does not."""
    errors = list(Draft201909Validator(schema).iter_errors(document.data))
    for error in errors[:MOST_REPORTED]:
        path: Path = tuple(error.absolute_path)
        kind, wanted = str(error.validator), error.validator_value
        name = f"`{document.name(path)}`" if path else "the document"
        words = error.schema.get("description") if isinstance(error.schema, dict) else None
        if kind in {"required", "additionalProperties"}:
            _keys(document, path, name, error)
        elif kind == "type" and not words:
            listed = wanted if isinstance(wanted, list) else [wanted]
            document.wrong_type(path, " or ".join(TYPES[str(w)] for w in listed), text="string" in listed)
        elif kind in {"enum", "const"} and not words:
            allowed = [str(v) for v in (wanted if isinstance(wanted, list) else [wanted])]
            close = nearest(str(error.instance), allowed)
            fix = f"Write `{close}`." if close else f"Write {'one of ' * (len(allowed) > 1)}{quoted(allowed, most=12)}."
            document.error(path, "unknown-value", f"`{error.instance!s:.60}` is not a value of {name}.", fix)
        elif error.schema is False or wanted is False:
            document.error(path, "unknown-key", f"{name} says nothing here.", "Leave it out.", on_key=True)
        else:
            words = words or f"right by `{kind}: {wanted!s:.60}`"
            document.error(path, "bad-value", f"{name} is not {words}.", f"Write {words}.")
    return not errors


def _keys(document: Document, path: Path, name: str, error: ValidationError) -> None:
    """Report the keys that a mapping lacks, or those that it has and the schema does not."""
    instance = error.instance if isinstance(error.instance, dict) else {}
    allowed = list(error.schema.get("properties", {})) if isinstance(error.schema, dict) else []
    if error.validator == "required":
        wanted = error.validator_value if isinstance(error.validator_value, list) else ()
        for key in (key for key in wanted if key not in instance):
            close = nearest(key, [str(k) for k in instance if k not in allowed])
            fix = f"Rename `{close}` to `{key}`." if close else f"Add `{key}: ...`."
            document.error(path, "missing-key", f"{name[:1].upper()}{name[1:]} lacks `{key}`.", fix)
        return
    for key in (key for key in instance if key not in allowed):
        close = nearest(str(key), allowed)
        fix = f"Write `{close}`." if close else f"Leave it out; the keys are {quoted(allowed, most=12)}."
        document.error((*path, key), "unknown-key", f"{name} has no key `{key}`.", fix, on_key=True)
