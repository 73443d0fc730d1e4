"""A folder in, the stack's persistent data in it out: the data survive any stop of the stack.

One SQLite file with a row for each thing (a version of an object, an item, a message, a run). The changes
of a request are one transaction, written before the answer: a killed process leaves all that it has confirmed.
"""

from __future__ import annotations

import fcntl
import pickle
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from threading import RLock
from typing import Any, Literal

from contracts.errors import DropgateError
from infra.files import NotWritten, no_link, refuse_link, refuse_links

RowKind = Literal["object", "item", "notice", "record", "message", "run"]
"""A version of an object, an item of the ledger or of notices, an unsent record of the stream, a message, a run."""

FORMAT = f"dropgate 1, moto {version('moto')}"
"""The version that wrote a folder, whose values are moto's own."""
DATA = ("data.sqlite", "data.sqlite-wal", "data.sqlite-shm", "data.sqlite-journal", "lock")
"""The files of a folder; SQLite follows links."""


class NotKept(DropgateError):
    """A folder cannot be used; the text names the reason and the fix."""


class Kept:
    """The rows of a folder; one stack at a time."""

    def __init__(self, folder: Path) -> None:
        """Open a folder, or create it; raise NotKept."""
        try:
            refuse_links(folder)
            folder.mkdir(parents=True, exist_ok=True)
            for name in DATA:
                refuse_link(folder / name)
            self._lock_file = open(folder / "lock", "w", encoding="utf-8", opener=no_link)  # noqa: SIM115 (kept)
            fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._lock_file.close()
            raise NotKept(f"{folder} is in use by another stack: stop that one, or name another folder.") from error
        except NotWritten as error:
            raise NotKept(str(error)) from error
        except OSError as error:
            raise NotKept(f"{folder} cannot be used: {error.strerror}. Name a folder that you may write to.") from error
        self._folder = folder
        self._turn = RLock()
        self._broken: NotKept | None = None
        self._rows = sqlite3.connect(folder / DATA[0], check_same_thread=False, isolation_level=None)
        try:
            self._open(folder)
        except NotKept:
            self.close()
            raise
        except sqlite3.DatabaseError as error:
            self.close()
            raise NotKept(f"{folder} cannot be used: {error}. Free some space, or name another folder.") from error

    def _open(self, folder: Path) -> None:
        # The system keeps what a killed process has written: only a machine that stops would ask for more than OFF.
        self._rows.execute("PRAGMA journal_mode = WAL")
        self._rows.execute("PRAGMA synchronous = OFF")
        self._rows.execute("CREATE TABLE IF NOT EXISTS about (format TEXT)")
        self._rows.execute(
            "CREATE TABLE IF NOT EXISTS thing (kind TEXT, place TEXT, name TEXT, n INTEGER, body BLOB,"
            " PRIMARY KEY (kind, place, name)) WITHOUT ROWID"
        )
        row = self._rows.execute("SELECT format FROM about").fetchone()
        if row is None:
            self._rows.execute("INSERT INTO about VALUES (?)", (FORMAT,))
        elif row[0] != FORMAT:
            raise NotKept(f"{folder} was written by {row[0]}, and this is {FORMAT}: name another folder.")
        (self._n,) = self._rows.execute("SELECT coalesce(max(n), 0) FROM thing").fetchone()

    def close(self) -> None:
        """Close the folder."""
        self._rows.close()
        self._lock_file.close()

    @contextmanager
    def one(self) -> Iterator[None]:
        """Write all changes in one transaction, or none."""
        with self._turn:
            if self._rows.in_transaction:  # within another one
                yield
                return
            with self._written():
                self._rows.execute("BEGIN")
                try:
                    yield
                    self._rows.execute("COMMIT")
                except BaseException:
                    with suppress(sqlite3.OperationalError):  # SQLite has rolled it back where the disk was full
                        self._rows.execute("ROLLBACK")
                    raise

    def check(self) -> None:
        """Raise NotKept after a failed write: the memory then differs from the folder."""
        if self._broken:
            raise self._broken

    @contextmanager
    def _written(self) -> Iterator[None]:
        """Make a failed write permanent: every later use raises NotKept."""
        self.check()
        try:
            yield
        except sqlite3.DatabaseError as error:
            text = f"{self._folder} cannot be written any more ({error}), so the stack stops."
            self._broken = NotKept(
                f"{text} Free some space and start it again: all answered requests are kept, and work continues."
            )
            raise self._broken from error

    def put(self, kind: RowKind, place: str, name: str, thing: Any) -> None:
        """Save a thing, after all others unless it is saved already."""
        with self._turn, self._written():
            self._n += 1
            self._rows.execute(
                "INSERT INTO thing VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
                (kind, place, name, self._n, pickle.dumps(thing)),
            )

    def drop(self, kind: RowKind, place: str, names: Iterable[str]) -> None:
        """Delete things."""
        with self._turn, self._written():
            self._rows.executemany(
                "DELETE FROM thing WHERE kind = ? AND place = ? AND name = ?", [(kind, place, n) for n in names]
            )

    def names(self, kind: RowKind, place: str) -> set[str]:
        """Return the names that are kept at a place."""
        with self._turn:
            rows = self._rows.execute("SELECT name FROM thing WHERE kind = ? AND place = ?", (kind, place))
            return {name for (name,) in rows}

    def all(self, kind: RowKind) -> Iterator[tuple[str, Any]]:
        """Yield all kept values of a kind, each with its place, in the order of arrival."""
        rows = self._rows.execute("SELECT place, body FROM thing WHERE kind = ? ORDER BY n", (kind,))
        for place, body in rows:
            yield place, pickle.loads(body)  # noqa: S301 (our own file, in a folder that its user names)
