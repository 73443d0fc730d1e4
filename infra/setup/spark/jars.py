"""Spark's jars for S3 and Delta: coordinates and hashes in, a folder of jars out, resolved once by Spark's own Ivy."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from infra.errors import SetupMissing

ROOT = Path(__file__).resolve().parents[3]
LOCK = ROOT / "locks" / "jars.txt"
HADOOP = "3.4.2"  # the Hadoop inside pyspark 4.1.1
SDK = "2.29.52"  # the AWS SDK that hadoop-aws 3.4.2 was built with
DELTA = "4.2.0"  # the Delta of EMR release emr-spark-8.1.0
PACKAGES = (
    f"org.apache.hadoop:hadoop-aws:{HADOOP}",
    f"software.amazon.awssdk:s3:{SDK}",
    f"software.amazon.awssdk:s3-transfer-manager:{SDK}",
    f"software.amazon.awssdk:sts:{SDK}",
    f"io.delta:delta-spark_4.1_2.13:{DELTA}",
)
EXCLUDED = (
    "software.amazon.awssdk:bundle",  # 600 MB; the three modules above are all that s3a calls
    # What Delta asks for and pyspark brings.
    "com.fasterxml.jackson.core:*",
    "com.fasterxml.jackson.datatype:*",
    "com.github.luben:*",
    "org.apache.hadoop:hadoop-client-*",
    "org.apache.logging.log4j:*",
    "org.apache.parquet:*",
    "org.xerial.snappy:*",
)
LOADED = (".jar", ".so")  # what a Java on Linux loads


def folder() -> Path:
    """Return the folder of the jars: DROPGATE_JARS, or .dropgate/jars in the checkout."""
    return Path(os.environ.get("DROPGATE_JARS") or ROOT / ".dropgate" / "jars").absolute()


def spark_jars() -> str:
    """Return the value of `spark.jars` for a local session, or raise SetupMissing."""
    place, names = folder(), [*pinned()]
    missing = [name for name in names if not (place / name).is_file()]
    if missing:
        raise SetupMissing(f"{len(missing)} of Spark's {len(names)} jars are not in {place}: run `make setup`.")
    return ",".join(str(place / name) for name in names)


def pinned(lock: Path = LOCK) -> dict[str, str]:
    """Return the SHA-256 of every jar by file name, from a lock (the format of sha256sum)."""
    lines = lock.read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in (line.split() for line in lines if not line.startswith("#"))}


def resolve(java_home: Path) -> int:
    """Fetch the jars, check each against the lock, and put them into the folder; return their number."""
    return bring(java_home, folder(), pinned(), PACKAGES, EXCLUDED)


def bring(
    java_home: Path, place: Path, expected: dict[str, str], packages: tuple[str, ...], excluded: tuple[str, ...] = ()
) -> int:
    """Fetch packages, check each file against the expected hash, and put them into a place; return their number."""
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ivy-", dir=place.parent) as scratch:
        hashes = fetch(java_home, Path(scratch), packages, excluded)
        wrong = sorted(expected.items() ^ hashes.items())
        if wrong:
            raise SetupMissing(f"{wrong[0][0]} is not the file that its lock in locks/ names: run `make setup` again.")
        for name in hashes:
            (Path(scratch) / "jars" / name).replace(place / name)
    return len(hashes)


def fetch(
    java_home: Path, scratch: Path, packages: tuple[str, ...] = PACKAGES, excluded: tuple[str, ...] = EXCLUDED
) -> dict[str, str]:
    """Let Ivy resolve packages into scratch/jars; return name and SHA-256 of each file."""
    program = ["--class", "org.apache.hadoop.util.VersionInfo", "spark-internal"]  # which only prints Hadoop's version
    wanted = ["--packages", ",".join(packages), "--exclude-packages", ",".join(excluded)]
    quiet = ["--master", "local[1]", "--conf", f"spark.jars.ivy={scratch}"]
    spark = {"JAVA_HOME": str(java_home), "SPARK_HOME": str(_spark_home()), "SPARK_LOCAL_IP": "127.0.0.1"}
    log = ROOT / ".dropgate" / "jars.log"
    log.parent.mkdir(exist_ok=True)
    with log.open("wb") as out:
        done = subprocess.run(
            [str(_spark_home() / "bin" / "spark-submit"), *quiet, *wanted, *program],
            env={**os.environ, **spark},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            check=False,
        )
    if done.returncode != 0:
        raise SetupMissing(
            f"Jars did not come from Maven Central: {log} gives the reason; correct it and run `make setup` again."
        )
    jars = sorted(path for path in (scratch / "jars").iterdir() if path.suffix in LOADED)
    return {jar.name: hashlib.sha256(jar.read_bytes()).hexdigest() for jar in jars}


def _spark_home() -> Path:
    """Return the path of Spark in the pyspark wheel, without importing it: .venv has the Python that runs this."""
    python = "python{}.{}".format(*sys.version_info)
    return ROOT / ".venv" / "lib" / python / "site-packages" / "pyspark"
