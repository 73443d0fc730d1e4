"""A reader of untrusted bytes in a process of its own: the arguments of its program in, its answer out.

A reader that dies, or takes all memory or time, ends the file that it reads and nothing else. The program reads a plan
from its input, and then a line of arguments for each file; it answers each with a line on its output: the problem of a
file that is at fault, or nothing.

Starting a process takes longer than reading a small file, so one reads several files, one after another. What it says
of the first file counts. At any other file it only may succeed or find a fault: one at which it ends, or for which it
lacks memory, is read again by a fresh process, as files before it may be the cause.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, NamedTuple, Self

from contracts import codec
from contracts.plan import Plan
from contracts.problem import Problem

NEEDED = ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "PYTHONHOME", "TMPDIR")
"""Names in the environment that a reader may need to start; credentials are none of them."""
SHORT_OF_MEMORY = 12
"""The code with which a reader ends that lacks memory (ENOMEM)."""
CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)
FIX = "Send its records in parts; if it is small, save it again with another program."


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bytes of memory that a reader may take, and the seconds of a processor for each file."""

    memory: int
    seconds: int


def run(module: str, arguments: list[str], plan: Plan, bounds: Bounds) -> Problem | None:
    """Read one file by the program of a module; return its problem. Raise OSError if the reader itself failed."""
    with Readers(module, plan, bounds) as readers:
        return readers.read(arguments)


class Readers:
    """Processes that run the program of a module for files of one plan, as many as are asked at once."""

    def __init__(self, module: str, plan: Plan, bounds: Bounds) -> None:
        self._module, self._plan, self._bounds = module, plan, bounds
        self._idle: list[_Process] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._idle:
            process.end()

    def read(self, arguments: list[str]) -> Problem | None:
        """Read one file; return its problem. Raise OSError if the reader itself failed. For any thread."""
        if used := self._used():
            if answer := self._asked(used, arguments):
                return _problem(answer)
            used.end()
        fresh = _Process.started(self._module, self._plan, self._bounds)
        answer = self._asked(fresh, arguments)
        return _problem(answer) if answer else self._ended(*fresh.end())

    def _used(self) -> _Process | None:
        """Return a process that waits for another file; None if there is none."""
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _asked(self, process: _Process, arguments: list[str]) -> bytes:
        """Return the answer of a process, which then waits for another file; nothing if it ends."""
        if answer := process.answer(json.dumps(arguments)):
            self._idle.append(process)
        return answer

    def _ended(self, code: int, last: str) -> Problem:
        """Return the problem of a file at which a process ended."""
        if -code == signal.SIGXCPU:
            text = f"The file takes more than {self._bounds.seconds:,} seconds to read."
            return Problem("reading-too-long", text, FIX)
        if -code in CRASHES:
            return Problem("reading-fails", "The file makes the program end that reads it; it is damaged.", FIX)
        if code == SHORT_OF_MEMORY:
            text = f"The file takes more than {self._bounds.memory >> 20:,} MiB of memory to read."
            return Problem("reading-too-large", text, FIX)
        why = last.partition(":")[0]  # the rest may quote the file
        raise OSError(f"the reader of {self._plan.file_format} ended with the code {code}: {why}")


class _Process(NamedTuple):
    """A process, and the file of its errors."""

    process: subprocess.Popen[bytes]
    errors: IO[bytes]

    @classmethod
    def started(cls, module: str, plan: Plan, bounds: Bounds) -> Self:
        """Start a process with a plan."""
        environment = {name: os.environ[name] for name in NEEDED if name in os.environ}
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        command = [sys.executable, "-m", module, str(bounds.memory), str(bounds.seconds)]
        errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        pipe = subprocess.PIPE
        process = cls(subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, env=environment), errors)
        process.send(codec.canonical(plan))
        return process

    def send(self, line: str) -> None:
        """Send a line; a process that has ended takes none."""
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()

    def answer(self, line: str) -> bytes:
        """Send a line, and return the whole line of the answer; nothing if the process ends."""
        assert self.process.stdout
        self.send(line)
        answer = self.process.stdout.readline()
        return answer if answer.endswith(b"\n") else b""

    def end(self) -> tuple[int, str]:
        """End the process, if it has not ended; return its code, and the last line of its errors."""
        self.process.communicate()
        with self.errors:
            self.errors.seek(0)
            text = self.errors.read().decode(errors="replace")
        return self.process.returncode, text.strip().rpartition("\n")[2]


def _problem(answer: bytes) -> Problem | None:
    return codec.loads(Problem, answer, "answer of a reader") if answer.strip() else None


def main(read: Callable[[Plan, list[str]], Problem | None]) -> None:
    """Be such a program: read the plan, and then answer each line of arguments by a function of both."""
    memory, seconds = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    source, target = sys.stdin.buffer, sys.stdout
    plan = codec.loads(Plan, source.readline(), "plan")
    try:
        for line in source:
            _, most = resource.getrlimit(resource.RLIMIT_CPU)  # each may take so many more seconds of a processor
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time()) + seconds, most))
            problem = read(plan, json.loads(line))
            target.write(f"{codec.canonical(problem) if problem else ''}\n")
            target.flush()
    except MemoryError:
        sys.exit(SHORT_OF_MEMORY)
