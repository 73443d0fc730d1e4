"""Samples that are JSON documents: their paths in, their records as samples of lines, and how to profile these, out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from contracts.authoring.draft.profile import Profile, SampleRefused
from contracts.files.json_document import Damaged, Records
from contracts.plan import Compression, Json
from functions.admission.heads.packed_head import PACKINGS
from infra.sampling.sample_heads import HEAD, OPEN, UNPACKABLE, broken

LARGEST = 128 << 20
"""Bytes of an object around records, which is read whole to find them."""
DEEPEST = 5
"""Keys that may lead to the records."""
ARRAY = re.compile(r"\s*\[\s*[{\]]")
OBJECT = re.compile(r"\s*\{\s*[\"}]")


def form_of(path: Path) -> Json | None:
    """Return the form of a JSON document; None for JSON Lines, and for any other file. Raises SampleRefused."""
    with path.open("rb") as file:
        packed = _packing(file.read(HEAD))
    try:
        with OPEN[packed](path, "rb") as file:
            head = file.read(HEAD).decode("utf-8-sig", "ignore")
            if ARRAY.match(head):
                return Json()
            if not OBJECT.match(head) or _is_in_lines(head, 2):
                return None
            first, is_alone = _first_object(path, head + file.read(LARGEST).decode(errors="replace"))
    except UNPACKABLE as error:
        if packed == "none":
            raise
        raise broken(path, packed, error) from None
    if is_alone and (lists := sorted(_lists(first), key=lambda one: -len(one[1]))):
        keys, records = lists[0]
        if len(records) > 1 or first.get("type") == "FeatureCollection":
            return Json.under(keys)
    return None if first is None or _is_in_lines(head, 1) else Json()


def _packing(begin: bytes) -> Compression:
    return next((p.name for p in PACKINGS.values() if begin.startswith(p.signs)), "none")


def _is_in_lines(head: str, count: int) -> bool:
    """Return True if so many lines at the beginning of a file are objects."""
    lines = [line for line in head.splitlines() if line.strip()][:count]
    try:
        return [type(json.loads(line, parse_int=str)) for line in lines] == [dict] * count
    except (ValueError, RecursionError):
        return False


def _first_object(path: Path, text: str) -> tuple[Any, bool]:
    """Return the first object of a text, if there is one, and whether there is nothing else."""
    text = text.lstrip()
    try:
        first, end = json.JSONDecoder(parse_int=str).raw_decode(text)
    except RecursionError:
        raise SampleRefused(f"{path.name} is nested too deeply") from None
    except ValueError:
        if len(text) > LARGEST:
            raise SampleRefused(
                f"{path.name} is a JSON object of more than {LARGEST >> 20} MiB; give a part of it"
            ) from None
        return None, False
    return first, not text[end:].strip()


def _lists(value: Any, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Yield the lists of objects within objects, and the keys that lead to them."""
    if isinstance(value, dict) and len(keys) < DEEPEST:
        for key, inner in value.items():
            if key and not key.endswith("\\"):
                yield from _lists(inner, (*keys, key))
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        yield keys, value


def profile(
    paths: Sequence[Path], form: Json, most: int | None, of_lines: Callable[[Sequence[Path]], Profile]
) -> Profile:
    """Return the profile of the first records of documents, of about so many bytes. Raises SampleRefused."""
    with TemporaryDirectory(prefix="dropgate-") as folder:
        lines = [Path(folder) / f"{n}.jsonl" for n, _ in enumerate(paths)]
        are_whole = [_transcribed(path, form, most, to) for path, to in zip(paths, lines, strict=True)]
        whole = of_lines(lines)
    samples = tuple(
        replace(sample, name=path.name, whole=is_whole)
        for sample, path, is_whole in zip(whole.samples, paths, are_whole, strict=True)
    )
    with paths[0].open("rb") as file:
        packed = _packing(file.read(HEAD))
    return replace(whole, samples=samples, format="json", json=form, compression=packed)


def _transcribed(path: Path, form: Json, most: int | None, to: Path) -> bool:
    """Write the first records of a document as lines, about `most` bytes of them; return True if they are all."""
    with path.open("rb") as file:
        packed = _packing(file.read(HEAD))
    try:
        with OPEN[packed](path, "rb") as file, to.open("wb") as target:
            for batch in Records(form, file.read).batches():
                if most is not None and target.tell() >= most:
                    return False
                target.write(b"\n".join(batch) + b"\n")
    except Damaged as damaged:
        problem = damaged.problem
        raise SampleRefused(f"{path.name}: {problem.message} {problem.fix}".rstrip(".")) from None
    except UNPACKABLE as error:
        raise broken(path, packed, error) from None
    if not to.stat().st_size:
        raise SampleRefused(f"{path.name} holds no records; give a file with records")
    return True
