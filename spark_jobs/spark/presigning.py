"""Presigned addresses of objects: URIs of S3A in; for each, an address that reads it for a time, out.

The JVM signs, with the credentials and the endpoint that S3A has for the bucket; neither comes to Python. An address
grants no more than they do: the run's own policy still decides (Amazon S3 user guide, "Sharing objects with presigned
URLs"). Addresses are secrets: they are in no log and in no plan of Spark.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from typing import Any
from urllib.parse import unquote, urlsplit

from pyspark.sql import SparkSession

from spark_jobs.spark.jvm import java_class

SCHEMES = ("s3", "s3a")
MINUTES = 120
"""Minutes that addresses are good for: those that a run may take. With temporary credentials they end with these."""
SDK = "software.amazon.awssdk"
PRESIGNER = f"{SDK}.services.s3.presigner"
PATH_STYLE = "fs.s3a.path.style.access"


def addresses(spark: SparkSession, uris: Iterable[str]) -> dict[str, str]:
    """Return the addresses of objects by their percent-encoded URIs.

    Raises Py4JError if the objects are not read through S3A, or cannot be signed for.
    """
    by_bucket: dict[str, list[str]] = {}
    for uri in uris:
        by_bucket.setdefault(urlsplit(uri).netloc, []).append(uri)
    signed: dict[str, str] = {}
    get_object = java_class(spark, f"{SDK}.services.s3.model.GetObjectRequest")
    request = java_class(spark, f"{PRESIGNER}.model.GetObjectPresignRequest")
    duration = java_class(spark, "java.time.Duration").ofMinutes(MINUTES)
    for bucket, own in by_bucket.items():
        with closing(_presigner(spark, own[0])) as presigner:
            for uri in own:
                key = unquote(urlsplit(uri).path).removeprefix("/")
                wanted = get_object.builder().bucket(bucket).key(key).build()
                asked = request.builder().getObjectRequest(wanted).signatureDuration(duration).build()
                signed[uri] = str(presigner.presignGetObject(asked).url().toString())
    return signed


def _presigner(spark: SparkSession, uri: str) -> Any:
    """Return a presigner like the client that S3A has for the bucket of an object."""
    settings = spark._jsc.hadoopConfiguration()
    path = java_class(spark, "org.apache.hadoop.fs.Path")(uri)
    internals = path.getFileSystem(settings).getS3AInternals()
    client = internals.getAmazonS3Client("presigned reads").serviceClientConfiguration()
    style = java_class(spark, f"{SDK}.services.s3.S3Configuration").builder()
    style = style.pathStyleAccessEnabled(settings.getBoolean(PATH_STYLE, False)).build()
    builder = java_class(spark, f"{PRESIGNER}.S3Presigner").builder()
    builder = builder.region(client.region()).serviceConfiguration(style)
    builder = builder.credentialsProvider(internals.shareCredentials("presigned reads"))
    endpoint = client.endpointOverride()
    return (builder.endpointOverride(endpoint.get()) if endpoint.isPresent() else builder).build()
