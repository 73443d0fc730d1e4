"""Changes of service levels and descriptions, which are not in plans: two versions in, the changes out."""

from __future__ import annotations

from collections.abc import Iterator

from contracts.authoring.diff import descriptive, directions
from contracts.authoring.diff.change import Change
from contracts.authoring.diff.contract_version import ContractVersion, was
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path, dotted


def changes(old: ContractVersion, new: ContractVersion, others: list[Change]) -> Iterator[Change]:
    """All of them; `others` are the changes that come from the plans."""
    exact = {c.path for c in others if c.kind == "exact"}
    for one in descriptive.differences(old.document, new.document):
        path = _path(new.document, one.path)
        if path not in exact:
            yield new.change(one.kind, path, was(path, one.before, one.now), one.path)
    # Options that are written otherwise, and of which no rule comes
    paths = {c.path for c in others}
    sources = {place.name: place.source.get("logicalTypeOptions") or {} for place in old.places()}
    for place in (place for place in new.places() if place.name in sources):
        name, now = place.name, place.source.get("logicalTypeOptions") or {}
        before = sources[name]
        for key in (key for key in dict.fromkeys((*before, *now)) if before.get(key) != now.get(key)):
            path = f"{name}.{key}"
            other_end = f"{name}.{directions.OTHER_END.get(key)}"
            if key != "required" and path not in paths and other_end not in paths:  # its properties report `required`
                at = (*new.property_path(name), "logicalTypeOptions", key)
                yield new.change("words", path, was(path, before.get(key), now.get(key)), at)


def _path(document: Document, path: Path) -> str:
    """A path for people, with the names of the entries that have one: `slaProperties[latency].value`."""
    name = document.name(path)
    for end in range(len(path), 0, -1):
        item = document.value(path[:end])
        if isinstance(path[end - 1], int) and isinstance(item, dict) and path[:1] != ("schema",):
            called = next((item[k] for k in descriptive.NAMES if isinstance(item.get(k), str)), None)
            if called:
                return f"{dotted(path[: end - 1])}[{called}]" + (f".{dotted(path[end:])}" if path[end:] else "")
    return name
