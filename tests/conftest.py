"""The one Spark session of a test run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from infra.setup.session import local_session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A local Spark as the command line starts it."""
    session = local_session("dropgate-tests", s3_endpoint="http://127.0.0.1:9", brief=True)  # led on by who needs S3
    yield session
    session.stop()
