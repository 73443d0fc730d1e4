"""Public ODCS documents against lint: a folder of documents in, a table of those accepted and refused out.

    python -m bench.public_documents DOCUMENTS --schemas SCHEMAS

DOCUMENTS is a folder of files with `kind: DataContract`, from other people's repositories. SCHEMAS has the JSON Schema
of each version, as the folder `schema` of bitol-io/open-data-contract-standard has. Only documents count that are valid
by the schema of their own version; copies of one text count once. The documents are their owners': none is among ours.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs
import yaml

from contracts.authoring.compiler.compile import compile_each

SUFFIXES = {".yaml", ".yml", ".json", ".odcs"}
VERSION = re.compile(r"v?(3\.\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a document: its version, its validity, and the codes and messages of the errors of lint."""

    name: str
    version: str
    is_valid: bool
    errors: tuple[tuple[str, str], ...] = ()


class Plain(yaml.SafeLoader):
    """YAML whose days and times stay the text that JSON would have."""


Plain.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def validators(folder: Path) -> dict[str, jsonschema_rs.Validator]:
    """Return the validator of each version whose schema is in a folder."""
    named = {path: re.fullmatch(r"odcs-json-schema-v(\d+\.\d+\.\d+)\.json", path.name) for path in folder.iterdir()}
    return {m[1]: jsonschema_rs.validator_for(json.loads(path.read_text("utf-8"))) for path, m in named.items() if m}


def outcomes(folder: Path, schemas: dict[str, jsonschema_rs.Validator]) -> Iterator[Outcome]:
    """Yield the outcome of each distinct document of a folder, in the order of their paths."""
    texts: set[str] = set()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file()):
        raw = path.read_bytes()
        digest = hashlib.sha256(raw).hexdigest()
        if digest not in texts:
            texts.add(digest)
            yield outcome(path.relative_to(folder).as_posix(), raw, schemas)


def outcome(name: str, raw: bytes, schemas: dict[str, jsonschema_rs.Validator]) -> Outcome:
    """Return the outcome of a document."""
    try:
        data: Any = yaml.load(raw, Plain)  # noqa: S506 (a safe loader)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError):
        data = None
    match = VERSION.fullmatch(str(data.get("apiVersion"))) if isinstance(data, dict) else None
    version = match[1] if match else ""
    if version not in schemas or not schemas[version].is_valid(data):
        return Outcome(name, version, is_valid=False)
    findings = [finding for compiled in compile_each(raw, name) for finding in compiled.findings]
    errors = dict.fromkeys((f.code, f.message) for f in findings if f.level == "error")
    return Outcome(name, version, is_valid=True, errors=tuple(errors))


REFUSED = {
    "duplicate-key": "a key twice in one mapping",
    "unknown-key": "a misspelt key of ODCS",
}
"""The codes of errors in words, for the table."""


def table(made: list[Outcome]) -> str:
    """Return the outcomes as a table of Markdown, by version; below it the refusals by reason."""
    lines = ["| version | distinct | valid by their schema | accepted | refused |", "|---|---|---|---|---|"]
    for version in [*sorted({each.version for each in made if each.is_valid}), ""]:
        of = [each for each in made if version in ("", each.version)]
        valid = [each for each in of if each.is_valid]
        refused = sum(bool(each.errors) for each in valid)
        counts = (len(of), len(valid), len(valid) - refused, refused)
        lines.append(f"| {version or 'all'} | {' | '.join(f'{n:,}' for n in counts)} |")
    reasons = Counter(each.errors[0][0] for each in made if each.errors)
    listed = [f"{REFUSED.get(code, code)}: {n}" for code, n in reasons.most_common()]
    return "\n".join([*lines, "", f"Refused for {'; '.join(listed)}." if listed else "None is refused."])


def main(arguments: list[str]) -> int:
    """Print the table of a folder, and each refused document with its first errors."""
    parser = argparse.ArgumentParser(prog="python -m bench.public_documents")
    parser.add_argument("documents", type=Path, help="folder of ODCS documents")
    parser.add_argument("--schemas", type=Path, required=True, help="folder `schema` of the standard's repository")
    options = parser.parse_args(arguments)
    made = list(outcomes(options.documents, validators(options.schemas)))
    lines = [f"{each.name}: {message}" for each in made for _, message in each.errors[:3]]
    print("\n".join([table(made), "", *lines]))  # noqa: T201 (a program for the terminal)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
