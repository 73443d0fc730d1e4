"""Files of a person's command: bytes written below a folder, never through a symbolic link; parts of files read.

A link in a folder that somebody else has filled (a checkout, a shared disk) could redirect the output to another file
of the caller. So each step below the current folder is opened separately, without following links.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from contracts.errors import DropgateError

STEP = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
IS_LINK = (errno.ELOOP, errno.EMLINK)
"""The errors of O_NOFOLLOW at a link, by system (open(2))."""


class NotWritten(DropgateError):
    """A file cannot be written; the text names it, the reason and the fix."""


def write(folder: Path, name: str, body: bytes | str) -> Path:
    """Write a whole file below a folder or nothing, and replace a former one; raise NotWritten."""
    place = folder / name
    try:
        with _opened(folder, PurePosixPath(name).parent.parts) as home:
            _write(home, PurePosixPath(name).name, body.encode() if isinstance(body, str) else body)
    except OSError as error:
        raise _refused(place, error) from error
    return place


def refuse_links(folder: Path) -> None:
    """Check, before the work starts, that a folder can be written without following a link; raise NotWritten."""
    base, steps = _steps(folder)
    for n in range(len(steps)):
        step = base.joinpath(*steps[: n + 1])
        if step.is_symlink():
            raise _refused(step, OSError(errno.ELOOP, "")) from None
        if step.exists() and not step.is_dir():
            raise _refused(step, OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))) from None


def refuse_link(place: Path) -> None:
    """Raise NotWritten if a file is a link."""
    if place.is_symlink():
        raise _refused(place, OSError(errno.ELOOP, "")) from None


def no_link(path: str, flags: int) -> int:
    """Open a file as `open` does, but refuse a link: an opener for `open`."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


def read_at(file: BinaryIO, start: int, length: int) -> bytes:
    """Return a part of an open file, as admission and readers of footers ask for it."""
    file.seek(start)
    return file.read(length)


def _steps(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """Return the start folder and the steps from there: from the current folder, else only the last step."""
    below = folder
    if folder.is_absolute():
        try:
            below = folder.relative_to(Path.cwd())
        except ValueError:
            return folder.parent, (folder.name,) if folder.name else ()
    return Path(), below.parts


@contextmanager
def _opened(folder: Path, more: tuple[str, ...]) -> Iterator[int]:
    """Return the descriptor of a folder, or of a folder in it, which is created if missing."""
    base, steps = _steps(folder)
    base.mkdir(parents=True, exist_ok=True)
    if ".." in more:
        raise OSError(errno.EINVAL, "its name leads out of the folder")
    at = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for step in (*steps, *more):
            with suppress(FileExistsError):
                os.mkdir(step, dir_fd=at)
            following = os.open(step, STEP, dir_fd=at)
            os.close(at)
            at = following
        yield at
    finally:
        os.close(at)


def _write(home: int, name: str, body: bytes) -> None:
    """Write a file of a folder under a temporary name, then rename it; refuse a link."""
    if name in ("", ".", ".."):
        raise OSError(errno.EINVAL, "it has no name")
    with suppress(FileNotFoundError):
        os.close(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=home))
    part = f".{os.getpid()}-{os.urandom(4).hex()}.part"
    try:
        with os.fdopen(os.open(part, NEW, 0o666, dir_fd=home), "wb") as file:
            file.write(body)
        os.replace(part, name, src_dir_fd=home, dst_dir_fd=home)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(part, dir_fd=home)
        raise


def _refused(place: Path, error: OSError) -> NotWritten:
    linked = any(p.is_symlink() for p in (place, *place.parents))  # Linux says ENOTDIR of one that is to be a folder
    if error.errno in IS_LINK or (error.errno == errno.ENOTDIR and linked):
        return NotWritten(f"{place} is a symbolic link or behind one, and links are not followed: name another path.")
    return NotWritten(f"{place} cannot be written: {error.strerror}. Name another folder, or make room there.")
