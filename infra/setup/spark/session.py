"""The one way to a local Spark: a name and, for S3, an endpoint in; a SparkSession like the one on EMR out."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyspark
from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from infra.errors import SetupMissing
from infra.setup.spark import archive
from infra.setup.spark.jars import ROOT, spark_jars
from infra.setup.spark.java import java_home

LOG = ROOT / ".dropgate" / "spark.log"
LOGGING = Path(__file__).with_name("log4j2.properties")
# The code that Spark generates for many checks is one method of more than 8,000 bytecodes; HotSpot compiles such only
# with the first flag (three times faster, measured). The second saves a seventh of the CPU of a job on 130 MiB.
JAVA_OPTIONS = (
    f"-XX:-DontCompileHugeMethods -XX:+UseParallelGC -Duser.timezone=UTC -Dlog4j2.configurationFile={LOGGING.as_uri()}"
    # A JVM without memory goes on with threads missing, and answers nobody: it ends, so that another can be started.
    " -XX:+ExitOnOutOfMemoryError"
)
# Of little work in the JVM most is the compiler's; its first stage alone halves the time to a verdict. With it HotSpot
# keeps 48 MB of compiled code; hundreds of jobs need more, and lost a sixth of their CPU to its removal (measured).
BRIEF = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m"
PATIENCE = 10.0
"""Seconds that a JVM may take to end after the request."""
S3A = "spark.hadoop.fs.s3a"


def local_session(
    app: str,
    s3_endpoint: str | None = None,
    memory: str = "2g",
    cores: int = 2,
    access_key: str = "dropgate",
    secret_key: str = "dropgate",
    *,
    brief: bool = False,
) -> SparkSession:
    """Start Spark on this machine; with an endpoint, s3:// and s3a:// use it. Raises SetupMissing.

    A process has one JVM: `memory` and `brief` (where it has little to do: it compiles quickly, not well) hold from
    its first session on. The JVM's output goes to .dropgate/spark.log.
    """
    if has_ended():
        _forget()
    settings = local_settings(app, memory, cores)
    if brief:
        settings["spark.driver.extraJavaOptions"] += f" {BRIEF}"
    if s3_endpoint is not None:
        settings |= {"spark.jars": spark_jars(), **s3_settings(s3_endpoint, access_key, secret_key)}
    settings["spark.driver.extraJavaOptions"] += f" {archive.java_options(java_home())}"
    return SparkSession(start(SparkConf(loadDefaults=False).setAll(list(settings.items()))))


def lead_s3(session: SparkSession, endpoint: str, access_key: str, secret_key: str) -> SparkSession:
    """Direct a running session's s3:// and s3a:// to another endpoint; it must have been started with one."""
    hadoop: Any = session.sparkContext._jsc.hadoopConfiguration()  # noqa: SLF001 (pyspark has no public way to it)
    for name, value in s3_settings(endpoint, access_key, secret_key).items():
        hadoop.set(name.removeprefix("spark.hadoop."), value)
    return session


def local_settings(app: str, memory: str, cores: int) -> dict[str, str]:
    """Return the settings of every local session, with S3 or without."""
    return {
        "spark.app.name": app,
        "spark.master": f"local[{cores}]",
        "spark.driver.memory": memory,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        "spark.ui.enabled": "false",
        "spark.python.sql.dataFrameDebugging.enabled": "false",  # as spark_jobs.validate sets it on EMR
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        # As on EMR (functions/aws/emr_serverless.py): no SQL text finds a file, a catalog or the environment.
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.runSQLOnFiles": "false",
        "spark.sql.variable.substitute": "false",
        "spark.sql.shuffle.partitions": str(2 * cores),
        "spark.sql.codegen.cache.maxEntries": "1000",  # of 100 a second job in the same JVM finds none left
    }


def s3_settings(endpoint: str, access_key: str, secret_key: str) -> dict[str, str]:
    """Return the settings that direct s3:// and s3a:// to one S3 endpoint other than AWS's."""
    return {
        "spark.hadoop.fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
        "spark.hadoop.fs.AbstractFileSystem.s3.impl": "org.apache.hadoop.fs.s3a.S3A",
        f"{S3A}.endpoint": endpoint,
        f"{S3A}.endpoint.region": "us-east-1",
        f"{S3A}.path.style.access": "true",
        f"{S3A}.connection.ssl.enabled": str(endpoint.startswith("https:")).lower(),
        f"{S3A}.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        f"{S3A}.access.key": access_key,
        f"{S3A}.secret.key": secret_key,
        f"{S3A}.attempts.maximum": "3",  # a server on loopback that does not answer will not answer later
        f"{S3A}.fast.upload.buffer": "bytebuffer",  # no spill files next to the system's own
        f"{S3A}.performance.flags": "create,mkdir",  # no look for what lies in the way: jobs write new prefixes
        "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "2",  # one copy for each file instead of two
    }


def has_ended() -> bool:
    """Return True if the JVM of this process was started and has ended."""
    gateway: Any = SparkContext._gateway  # noqa: SLF001 (pyspark has no public way to its JVM)
    return gateway is not None and gateway.proc is not None and gateway.proc.poll() is not None


def end() -> None:
    """End the JVM of this process, even if it is active; the next session starts another one."""
    gateway: Any = SparkContext._gateway  # noqa: SLF001
    if gateway is None or gateway.proc is None:
        return
    gateway.proc.terminate()  # it removes its folders then
    try:
        gateway.proc.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait()
    _forget()


def _forget() -> None:
    """Remove an ended JVM from pyspark's state, so that it starts another one."""
    gateway: Any = SparkContext._gateway  # noqa: SLF001
    SparkContext._active_spark_context = None  # noqa: SLF001
    SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001
    SparkSession._instantiatedSession = SparkSession._activeSession = None  # noqa: SLF001
    with suppress(Py4JError, OSError):
        gateway.shutdown()


def mute_py4j() -> None:
    """Keep py4j from logging a trace of each call that a JVM does not answer: the caller gets an error as well."""
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    # It also logs as the root logger.
    logging.getLogger().addFilter(lambda record: Path(record.pathname).parent.name != "py4j")


def start(conf: SparkConf) -> SparkContext:
    """Start the context, in the JVM of this process or else in a new one under our Java."""
    mute_py4j()
    spark_home = str(Path(pyspark.__file__).parent)
    os.environ |= {
        "JAVA_HOME": str(java_home()),
        "SPARK_HOME": spark_home,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,  # of Python workers; what else is called python3 need not have Arrow
    }
    LOG.parent.mkdir(exist_ok=True)
    with LOG.open("ab") as log:
        try:
            # pyspark has no public way to ask for the JVM it has, or to send what the JVM says to a file.
            gateway = SparkContext._gateway or launch_gateway(  # type: ignore[no-untyped-call]  # noqa: SLF001
                conf,
                {"stderr": log, "stdout": log},  # who reads what we print need not wait for the JVM's end
            )
        except PySparkRuntimeError as error:
            raise SetupMissing(f"Spark did not start: {LOG} has the reason.") from error
    return SparkContext(conf=conf, gateway=gateway)
