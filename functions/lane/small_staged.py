"""Lambda function: ids of small staged drops in, the ids of messages to come again out.

Whatever is not sure here, fails, or comes a second time, is left to Spark.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.job import JobRequest, JobResult
from functions.aws.sqs import small_drop_in
from functions.flow.fast_lane import judge_small, leave_to_spark
from functions.handlers import runtime
from functions.handlers.runtime import logger
from spark_jobs import fast_lane

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
    from aws_lambda_powertools.utilities.typing import LambdaContext


def judged(request: JobRequest, body: bytes) -> JobResult | None:
    """Return the result of a request for one file; None if Spark has to judge it."""
    (drop,) = request.drops
    with tempfile.TemporaryDirectory(prefix="dropgate-") as folder:
        path = Path(folder) / "file"
        path.write_bytes(body)
        result = fast_lane.judge(replace(request, drops=(replace(drop, uri=path.as_uri()),)), drop.size)
    return result and replace(result, header=replace(result.header, engine="function"))


def take(record: SQSRecord) -> None:
    """Judge one drop, or leave it to Spark."""
    runtime.about()
    drop = small_drop_in(record.body)
    runtime.about(drop=drop)
    if int(record.attributes.approximate_receive_count or 1) > 1:
        leave_to_spark(runtime.ports(), drop)
        logger.info("small drop left to Spark: its message came a second time")
        return
    try:
        batch = judge_small(runtime.ports(), drop, judged)
    except Exception as error:  # noqa: BLE001 (whatever it is, Spark can judge the drop)
        leave_to_spark(runtime.ports(), drop)
        logger.warning("small drop left to Spark: judging it here failed", reason=type(error).__name__)
        return
    logger.info("small drop looked at", batch=batch and batch.id, judged=batch is not None)


@logger.inject_lambda_context(clear_state=True)
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Judge small drops."""
    return runtime.work_off(event, take, context)
