"""Ends of a command that are not dropgate's fault: an exception or a signal in; a sentence or an orderly end out."""

from __future__ import annotations

import errno
import signal
import sys
from types import FrameType

FULL = "No space left on device"
"""The message of Java and Python for a full disk."""

JVM_ENDED = (
    "Spark's Java process has ended, most likely because it had too little memory: give it more, for example "
    "--memory 4g. .dropgate/spark.log has the reason."
)


def named(error: Exception) -> str | None:
    """Return a sentence for a failure of this machine; None if dropgate itself is at fault."""
    cause: BaseException | None = error
    while cause is not None:  # in this process or in Spark's
        if (isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT)) or FULL in str(cause):
            return "The disk is full: free some space (temporary files are in TMPDIR, or /tmp), and try again."
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, MemoryError):
        return "This machine has too little memory: end other programs, or use a larger machine."
    if isinstance(error, PermissionError) and error.filename:
        return f"{error.filename} cannot be opened: {error.strerror}. Check its permissions, and those of its folder."
    if "pyspark" in sys.modules:
        from infra.setup.spark.session import has_ended

        return JVM_ENDED if has_ended() else None
    return None


def end_in_order() -> None:
    """Let SIGTERM and SIGHUP end the command like an exception, so that its temporary folders are removed."""
    for one in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(one) == signal.SIG_DFL:
            signal.signal(one, _end)


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 (the signature is Python's)
    signal.signal(number, signal.SIG_IGN)
    if "pyspark" in sys.modules:
        from infra.setup.spark.session import end

        end()  # else it writes into folders that are being removed
    raise SystemExit(128 + number)
