"""The range server as a process of its own: a folder in; the endpoint, URIs of files, and its own rate out."""

from __future__ import annotations

import http.client
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from bench.deployed.listing import BUCKET
from infra.setup.spark.jars import ROOT

CONNECTIONS = 2
"""Readers at a time in the measurement of the rate: as many as Spark has cores."""
PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Storage:
    """A folder that the server at an endpoint serves."""

    folder: Path
    endpoint: str

    def uri(self, file: Path) -> str:
        """Return the URI of a file of the folder, as the functions write it into requests."""
        return f"s3://{BUCKET}/{quote(file.relative_to(self.folder).as_posix())}"

    def rates(self, file: Path) -> tuple[float, float]:
        """Return the MiB a second of a file, from the disk's cache and from the server, by as many readers."""
        return _rate(file, _read_local), _rate(file, self._read)

    def _read(self, file: Path, start: int, length: int) -> None:
        connection = http.client.HTTPConnection(urlsplit(self.endpoint).netloc)
        path = f"/{BUCKET}/{quote(file.relative_to(self.folder).as_posix())}"
        connection.request("GET", path, headers={"Range": f"bytes={start}-{start + length - 1}"})
        answer, buffer = connection.getresponse(), bytearray(PIECE)
        while answer.readinto(buffer):
            pass
        connection.close()


@contextmanager
def serving(folder: Path) -> Iterator[Storage]:
    """Serve a folder in a process of its own while the context is open."""
    command = [sys.executable, "-m", "bench.deployed.server", str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin
        assert process.stdout
        yield Storage(folder, f"http://127.0.0.1:{int(process.stdout.readline())}")
        process.stdin.close()


def _rate(file: Path, read: Callable[[Path, int, int], None]) -> float:
    size = file.stat().st_size
    part = -(-size // CONNECTIONS)
    began = time.perf_counter()
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        for done in [pool.submit(read, file, n * part, min(part, size - n * part)) for n in range(CONNECTIONS)]:
            done.result()
    return size / 2**20 / (time.perf_counter() - began)


def _read_local(file: Path, start: int, length: int) -> None:
    buffer, left = bytearray(PIECE), length
    with file.open("rb", buffering=0) as opened:
        opened.seek(start)
        while left > 0 and (count := opened.readinto(buffer)):
            left -= count
