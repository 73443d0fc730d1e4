"""A reader of untrusted bytes in a process of its own: the arguments of its program in, its answer out.

A reader that dies, or takes all memory or time, ends the file that it reads and nothing else. The program reads a plan
from its input, and answers on its output: with the problem of a file that is at fault, or nothing.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from contracts import codec
from contracts.plan import Plan
from contracts.problem import Problem

NEEDED = ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "PYTHONHOME", "TMPDIR")
"""Names in the environment that a reader may need to start; credentials are none of them."""
CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)
FIX = "Send its records in parts; if it is small, save it again with another program."


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bytes of memory and the seconds of a processor that a reader may take."""

    memory: int
    seconds: int


def run(module: str, arguments: list[str], plan: Plan, bounds: Bounds) -> Problem | None:
    """Run the program of a module; return the problem of the file. Raise OSError if the reader itself failed."""
    environment = {name: os.environ[name] for name in NEEDED if name in os.environ}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    limits = [str(bounds.memory), str(bounds.seconds)]
    command = [sys.executable, "-m", module, *limits, *arguments]
    sent = codec.canonical(plan).encode()
    done = subprocess.run(command, check=False, input=sent, capture_output=True, env=environment)
    if done.returncode == 0:
        return codec.loads(Problem, done.stdout, "answer of a reader") if done.stdout else None
    if -done.returncode == signal.SIGXCPU:
        return Problem("reading-too-long", f"The file takes more than {bounds.seconds:,} seconds to read.", FIX)
    if -done.returncode in CRASHES:
        return Problem("reading-fails", "The file makes the program end that reads it; it is damaged.", FIX)
    last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    why = last.partition(":")[0]  # the rest may quote the file
    raise OSError(f"the reader of {plan.file_format} ended with the code {done.returncode}: {why}")


def main(read: Callable[[Plan, list[str]], Problem | None]) -> None:
    """Be such a program: read the plan and the arguments, and write the answer of a function of them."""
    memory, seconds, *arguments = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    plan = codec.loads(Plan, sys.stdin.buffer.read(), "plan")
    try:
        problem = read(plan, arguments)
    except MemoryError:
        text = f"The file takes more than {int(memory) >> 20:,} MiB of memory to read."
        problem = Problem("reading-too-large", text, FIX)
    if problem:
        sys.stdout.write(codec.canonical(problem))
