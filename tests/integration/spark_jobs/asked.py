"""A Spark of its own that tries a failed task again, as EMR's does: an endpoint in, then requests, one URI a line.

After each job a line of JSON: how many tasks failed in it, and the evidence of rows.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pyspark import SparkConf
from pyspark.sql import SparkSession

from contracts.job import JobRequest
from infra.setup.spark import archive
from infra.setup.spark.jars import spark_jars
from infra.setup.spark.java import java_home
from infra.setup.spark.session import S3A, local_settings, s3_settings, start
from spark_jobs import validate
from spark_jobs.spark import storage

TASK_TRIES = 4
"""`spark.task.maxFailures` on a cluster, by default; Spark on one machine has to be told."""


def main(endpoint: str) -> None:
    """Run one job after the other."""
    settings = local_settings("dropgate-tasks", "2g", 2) | s3_settings(endpoint, "dropgate", "dropgate")
    settings |= {"spark.master": f"local[2,{TASK_TRIES}]", "spark.jars": spark_jars()}
    settings |= {f"{S3A}.retry.limit": "1", f"{S3A}.retry.interval": "10ms", f"{S3A}.attempts.maximum": "1"}
    settings["spark.driver.extraJavaOptions"] += f" {archive.java_options(java_home())}"
    spark = SparkSession(start(SparkConf(loadDefaults=False).setAll(list(settings.items()))))
    for line in sys.stdin:
        before = failed_tasks(spark)
        uri = line.strip()
        validate.run(spark, uri)
        request = JobRequest.loads(storage.read_text(spark, uri))
        rows = spark.read.parquet(request.evidence_rows).orderBy("file", "record").toJSON().collect()
        sys.stdout.write(json.dumps({"failed": failed_tasks(spark) - before, "rows": rows}) + "\n")
        sys.stdout.flush()


def failed_tasks(spark: SparkSession) -> int:
    """Return the number of tasks that have failed since Spark began."""
    context: Any = spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    executors = context.statusStore().executorList(True)
    return sum(int(executors.apply(n).failedTasks()) for n in range(executors.size()))


if __name__ == "__main__":
    main(sys.argv[1])
