"""The metadata of a contract: id, version, status, description, and the sections that are not checked."""

from __future__ import annotations

import re
from pathlib import Path as File
from typing import Literal

from contracts.authoring.document.document import Document
from contracts.problem import nearest

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
VERSION = re.compile(r"v?(\d{1,9})(\.\d{1,9}){0,2}([-+][0-9A-Za-z.+-]{1,100})?", re.ASCII)
IN_FORCE = ("active", "deprecated")
WAITING = ("proposed", "draft", "retired")
UNUSED = (
    "servers", "price", "roles", "slaDefaultElement", "tags",
    "authoritativeDefinitions", "context",
)  # fmt: skip
"""Sections that describe and are not checked; a note names each that is present."""


DESCRIPTION = ("purpose", "limitations", "usage", "authoritativeDefinitions", "customProperties")


def description(document: Document) -> None:
    """Warn of keys of the description that the standard does not name; its schema allows any."""
    for key in document.data["description"] if isinstance(document.data.get("description"), dict) else ():
        if key not in DESCRIPTION:
            close = nearest(key, DESCRIPTION)
            fix = f"Write `{close}`." if close else "Put it under `customProperties`, or into `usage`."
            message = f"ODCS speaks of no key `{key}` in `description`."
            document.warning(("description", key), "unknown-key", message, fix, on_key=True)


def unused_sections(document: Document) -> None:
    """Add a note for each section that dropgate does not use."""
    for key in UNUSED:
        if key in document.data:
            document.note(
                (key,), "not-used", f"`{key}` is not used.", "It may stay, for people and tools.", on_key=True
            )


def status(document: Document) -> Literal["active", "deprecated"] | None:
    """Return the status of a contract that matches files; None, and a finding, if it matches none."""
    written = document.data.get("status")
    current = written.casefold() if isinstance(written, str) else written
    if current != written and current in (*IN_FORCE, *WAITING):
        document.note(("status",), "other-case", f"`{written}` is read as `{current}`.", f"Write `{current}`.")
    in_force = "Write `status: active` to put it in force."
    if current == "active":
        return "active"
    if current == "deprecated":
        message = "The contract is deprecated; it still matches files."
        document.warning(("status",), "deprecated", message, "Write `status: retired` when it is to match no more.")
        return "deprecated"
    if current is None:
        document.note((), "not-active", "The contract has no `status`; it matches no files.", in_force)
    elif current in WAITING:
        document.note(("status",), "not-active", f"The contract is `{current}`; it matches no files.", in_force)
    else:
        close = nearest(str(current), [*IN_FORCE, *WAITING])
        fix = f"Write `{close}` if that is meant; `active` puts it in force." if close else in_force
        message = f"`{written!s:.40}` is no status that dropgate knows; the contract matches no files."
        document.warning(("status",), "unknown-value", message, fix)
    return None


def contract_name(document: Document) -> str | None:
    """Return `<id>.v<major>`, the name of the contract in keys; None, and findings, if it has none."""
    id_, version = document.id, document.data.get("version")
    if not isinstance(id_, str) or not isinstance(version, str):
        return None
    match = VERSION.fullmatch(version)
    if not match:
        fix = 'Write it as "1.0.0"; the first number goes into the contract\'s name.'
        document.error(("version",), "bad-version", f"`{version:.40}` is not a version.", fix)
    if id_ != document.data["id"] and not ID.fullmatch(id_):
        return None  # the block has a finding of its own
    if not ID.fullmatch(id_):
        fix = f"Add a name for files and folders to the `drop` block, as `alias: {readable(id_)}`."
        document.error(("id",), "bad-id", f"The id `{id_:.90}` cannot be part of a key.", fix)
        return None
    return f"{id_}.v{int(match[1])}" if match else None


def readable(id_: str) -> str:
    """Return a name for files and folders made of a free id: the part behind its last colon or slash, if that has any.

    Letters, digits, `.`, `_` and `-` stay, at most 80 of them.
    """
    parts = [re.sub(r"[^A-Za-z0-9._-]+", "-", part).strip("-._") for part in re.split(r"[:/#]", id_)]
    return next((part for part in reversed(parts) if part), "contract")[:80].rstrip("-._")


def file_name(document: Document, contract: str) -> None:
    """Warn of a file that is not named for its contract."""
    if File(document.file).name not in {f"{contract}.yaml", f"{contract}.yml"}:
        message = f"The contract is {contract}; its file has another name."
        document.warning(("id",), "file-name", message, f"Name it `{contract}.yaml`.")
