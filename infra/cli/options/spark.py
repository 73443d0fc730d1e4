"""Spark for commands that judge local files: a plan and its files in; a function that starts a session out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from contracts.plan import Plan


def starting(app: str, memory: str, brief: Callable[[], bool], *, quiet: bool = False) -> Callable[[], SparkSession]:
    """Return a function that starts Spark; `brief` says if the JVM should compile quickly rather than well."""

    def start() -> SparkSession:
        from infra.setup.spark.session import local_session

        if not quiet:
            click.echo("Starting Spark ...", err=True)
        return local_session(app, memory=memory, brief=brief())

    return start


def are_brief(plan: Plan, files: Sequence[Path]) -> bool:
    """Return True if the files are judged faster than optimized compilation would pay off (`is_brief`).

    Of larger ones most lines must surely pass.
    """
    from contracts.job import SMALL, is_brief

    sized = [(file.stat().st_size, file) for file in files]
    size = sum(own for own, _ in sized)
    if size < SMALL or not is_brief(plan, size):
        return size < SMALL
    from spark_jobs.prefilter import prefilter

    proof = prefilter.pass_condition(plan, tuple(p.name for p in plan.roots), ()) if prefilter.has_arrow() else None
    if proof is None:
        return False
    with max(sized)[1].open("rb") as opened:
        return prefilter.most_pass(opened.read(prefilter.SAMPLE), proof)
