"""Spark for the commands that judge at home: a plan and the size of its files in; how to start a session out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from contracts.plan import Plan

SMALL = 64 * 1024**2
"""Bytes below which the JVM takes longer to compile code well than that saves."""
SMALL_SIFTED = 256 * 1024**2
"""The same where most lines never reach the JVM: 202 MiB take two thirds to four fifths of the time."""


def starting(app: str, plan: Plan, size: int, memory: str, *, quiet: bool = False) -> Callable[[], SparkSession]:
    """How to start Spark for files of so many bytes under one plan."""

    def start() -> SparkSession:
        from infra.setup.session import local_session

        if not quiet:
            click.echo("Starting Spark ...", err=True)
        return local_session(app, memory=memory, brief=is_brief(plan, size))

    return start


def is_brief(plan: Plan, size: int) -> bool:
    """Whether the JVM is to compile quickly rather than well."""
    return size < SMALL or (size < SMALL_SIFTED and _is_sifted(plan))


def _is_sifted(plan: Plan) -> bool:
    """Whether Python tells of the lines of files as the plan has them."""
    from spark_jobs import sieve

    plain = plan.file_format == "csv" and plan.compression == "none"
    return plain and sieve.proof(plan, tuple(p.name for p in plan.roots), ()) is not None
