"""Samples that are zip archives: their paths in, the files within them as samples, and how to profile these, out."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Literal

from contracts.authoring.draft import names
from contracts.authoring.draft.profile import Profile, Sample, SampleRefused
from contracts.plan import Archive
from contracts.problem import Problem
from functions.admission.heads import foreign_forms, zip_head
from infra.files import read_at

HIDDEN = ("__MACOSX/", ".")
"""What the names of members begin with that a system adds by itself."""


def is_archive(path: Path) -> bool:
    """Return True if a file is a zip archive, and no document of a form that is one inside."""
    with path.open("rb") as file:
        return foreign_forms.of_bytes(file.read(foreign_forms.HEAD)) is foreign_forms.ZIP


def profile(paths: Sequence[Path], of_files: Callable[[Sequence[Path]], Profile]) -> Profile:
    """Return the profile of the files within archives, as one sample for each archive. Raises SampleRefused."""
    with TemporaryDirectory(prefix="dropgate-") as folder:
        own = [_unpacked(path, Path(folder) / str(n)) for n, path in enumerate(paths)]
        whole = of_files([file for files in own for file in files.values()])
    samples, left = [], list(whole.samples)
    for path, files in zip(paths, own, strict=True):
        parts, left = left[: len(files)], left[len(files) :]
        records, lines = sum(part.records for part in parts), sum(part.broken for part in parts)
        samples.append(Sample(path.name, records, lines, all(part.whole for part in parts)))
    listed = list(dict.fromkeys(name for files in own for name in files))
    pattern = names.pattern(listed, "").removeprefix("/")
    others: Literal["reject", "ignore"] = "ignore" if any(_others(path) for path in paths) else "reject"
    return replace(whole, samples=tuple(samples), archive=Archive("zip", pattern, others))


def _unpacked(path: Path, folder: Path) -> dict[str, Path]:
    """Unpack the members of an archive that no system adds; return their files by their names."""
    every = Archive("zip", "**", "ignore")
    with path.open("rb") as file:
        members = zip_head.unpack(every, partial(read_at, file), path.stat().st_size, 0)
    if isinstance(members, Problem):
        raise SampleRefused(f"{path.name}: {members.message} {members.fix}".rstrip("."))
    files: dict[str, Path] = {}
    with zipfile.ZipFile(path) as archive:
        for n, (member, _) in enumerate(m for m in members.members if m[0].size and not m[0].name.startswith(HIDDEN)):
            place = folder / str(n) / PurePosixPath(member.name).name
            place.parent.mkdir(parents=True)
            place.write_bytes(archive.read(member.name))
            files[member.name] = place
    if not files:
        raise SampleRefused(f"{path.name} is a zip archive without a file that holds anything")
    return files


def _others(path: Path) -> bool:
    with zipfile.ZipFile(path) as archive:
        return any(name.startswith(HIDDEN) for name in archive.namelist())
