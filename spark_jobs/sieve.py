"""The lines of large files sifted in vectors before anything else looks at them; all other lines as they came.

It takes half the time of judging them one by one, and what it says of them is the same: it counts only what passes
beyond doubt. Where Python has no Arrow, or a contract asks for what vectors cannot tell, nothing is sifted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from pyspark.sql import DataFrame
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

from contracts.job import JobDrop
from contracts.plan import Plan

if TYPE_CHECKING:
    from spark_jobs.vectors import Proof


def is_for(drops: Sequence[JobDrop], least: int) -> bool:
    """Whether the lines of files are to be sifted, where their contract allows it."""
    return sum(drop.size for drop in drops) >= least and _is_here()


def _is_here() -> bool:
    """Whether Arrow loads: one that was made for another machine is there, and does not."""
    try:
        import_module("pyarrow.csv")
    except ImportError:
        return False
    return True


def proof(plan: Plan, header: tuple[str, ...], header_texts: Sequence[str]) -> Proof | None:
    """When the lines of files with one header pass; None where vectors cannot tell."""
    from spark_jobs import proving  # noqa: PLC0415 (needs Arrow)

    return proving.proof(plan, header, header_texts)


def sifted(lines: DataFrame, proof: Proof) -> DataFrame:
    """Lines (file, block, id, line) as `vectors.SIFTED`.

    `mapInArrow` does this, but it asks for pandas, which nothing here needs.
    """
    from spark_jobs import vectors  # noqa: PLC0415 (needs Arrow)

    sift = cast("Any", UserDefinedFunction)(
        partial(vectors.sift, proof=proof), vectors.SIFTED, evalType=PythonEvalType.SQL_MAP_ARROW_ITER_UDF
    )
    of_columns = sift(*(lines[name] for name in lines.columns))
    return DataFrame(lines._jdf.mapInArrow(of_columns._jc, False, None), lines.sparkSession)
