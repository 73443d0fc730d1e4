"""Names: a drop's id, the URIs of its bytes and documents in each zone, batches and tokens. Pure.

Zones and folders are URIs that end in `/`; an object's key is part of its URI unchanged, never percent-encoded.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from contracts.plan import Plan

LONGEST = 1024
"""Bytes of an object's key (Amazon S3 user guide, "Naming Amazon S3 objects")."""

ID_LENGTH = 32
"""Characters of a drop's id: 160 bits in base32."""

OF_TABLE = re.compile(
    rf"_delta_log/.+|data/[a-z2-7]{{{ID_LENGTH}}}/[0-9]+-[^/]+|part-[0-9]+-[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}"
    r"-[0-9a-f]{12}(-c[0-9]+)?(\.[a-z0-9]+)?\.parquet"
)
"""The names of the files of a table below its folder."""

HIDDEN = re.compile(r"\.(?!\.?$)|_[^=]*$", re.DOTALL)
"""Parts of a key that readers of folders leave out; `.` and `..` are refused for another reason."""

CONTENT_TYPES = {
    "json": "application/json",
    "html": "text/html; charset=utf-8",
    "csv": "text/csv",
    "txt": "text/plain",
    "jsonl": "application/jsonl",
    "gz": "application/gzip",
    "bz2": "application/x-bzip2",
    "zst": "application/zstd",
    "zip": "application/zip",
    "xml": "application/xml",
    "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xls": "application/vnd.ms-excel",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
}
"""Media types by what a name of ours ends in. Those of producers' files come from the contract's format."""
BYTES = "application/octet-stream"
TRIAL = "_trial/"
"""The folder of trials below landing, stage, held, jobs, evidence and reports.

Names of contracts and producers begin with a letter or a digit, so that nothing else is in these folders.
"""
HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
"""The value of a partition that stands for null (Hive, `hive.exec.default.partition.name`; Spark writes it as well)."""


@dataclass(frozen=True, slots=True)
class Zones:
    """The zones: one folder URI for each."""

    landing: str
    stage: str
    held: str
    promoted: str
    evidence: str
    results: str
    reports: str
    catalog: str
    jobs: str

    @property
    def trial(self) -> bool:
        """Return True if these are the zones of trials."""
        return self.landing.endswith(f"/{TRIAL}")

    def of(self, *, trial: bool) -> Zones:
        """Return the zones of trials if asked for them: the folders of trials, and as they are those that none enters.

        Nothing of a trial is in the zones `promoted`, `results` and `catalog`.
        """
        if self.trial or not trial:
            return self
        return replace(
            self,
            landing=f"{self.landing}{TRIAL}",
            stage=f"{self.stage}{TRIAL}",
            held=f"{self.held}{TRIAL}",
            evidence=f"{self.evidence}{TRIAL}",
            reports=f"{self.reports}{TRIAL}",
            jobs=f"{self.jobs}{TRIAL}",
        )


def digest(*parts: str) -> str:
    """The first 160 bits of the SHA-256 of the parts, NUL between them, in lower-case base32."""
    hashed = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(hashed).decode()[:ID_LENGTH].lower()


def drop_id(bucket: str, key: str, version: str) -> str:
    """The id of a drop; every repeat of an event has the same."""
    return digest(bucket, key, version)


def split(uri: str) -> tuple[str, str]:
    """Bucket and key of an `s3://` URI."""
    bucket, _, key = uri.removeprefix("s3://").partition("/")
    return bucket, key


def name_in(zone: str, bucket: str, key: str) -> str | None:
    """Return the key below a zone's folder; None for an object elsewhere."""
    home, folder = split(zone)
    return key.removeprefix(folder) if bucket == home and key.startswith(folder) else None


def is_marker(name: str, size: int) -> bool:
    """Return True if an object is not a file but the marker of a folder."""
    return not name or (name.endswith("/") and not size)


def stage_folder(zones: Zones, plan: Plan, drop: str, received_at: str) -> str:
    """The folder of a staged drop, in one of its minute's, so that few beginnings name the drops of a batch."""
    return f"{minute_folder(zones, plan.contract, received_at)}{drop}/"


def minute_folder(zones: Zones, contract: str, received_at: str) -> str:
    """The folder of what was received of a contract in a minute."""
    minute = received_at[:16].replace("-", "").replace(":", "")
    return f"{zones.stage}{contract}/{minute}/"


def stage_uri(zones: Zones, plan: Plan, drop: str, attempt: int, received_at: str) -> str:
    """Return the URI where the job reads a drop; Spark could read the producer's own name as hidden or as a pattern."""
    return f"{stage_folder(zones, plan, drop, received_at)}{attempt}{plan.suffix}"


def media_type(name: str) -> str:
    """Return the media type of an object by our own name for it; a producer's name is no evidence."""
    return CONTENT_TYPES.get(name.rpartition(".")[2], BYTES)


def held_uri(zones: Zones, drop: str) -> str:
    """Return the URI where a refused or unmatched drop is kept."""
    return f"{zones.held}{drop}"


def promoted_key(plan: Plan, drop: str, name: str) -> str:
    """Return a drop's key in the promoted zone, or that of its table; `name` is its key below landing."""
    if plan.promote == "table":
        return f"{plan.contract}/"
    if plan.same_key == "version":
        return f"{plan.contract}/{drop}/{name.rsplit('/', 1)[-1]}"
    return f"{plan.contract}/{name}"


def hidden_part(plan: Plan, promoted: str) -> str | None:
    """The part of a promoted key that readers of folders skip as hidden, if any; rows in a table have no key.

    Spark and Hive skip files and folders that begin with `_`, but for partitions as `_day=1`, or with `.`, and read a
    folder with `_delta_log` as a table (Spark, `HadoopFSUtils.shouldFilterOutPathName`).
    """
    if plan.promote == "table":
        return None
    parts = promoted.split("/")[1:]
    return next((p for p in parts if HIDDEN.match(p)), None)


def table_folder(zones: Zones, contract: str) -> str:
    """The folder of a contract's table."""
    return f"{zones.promoted}{contract}/"


def is_table(key: str) -> bool:
    """Return True if a key in the promoted zone is a table's folder; a producer's key may end in `/` as well (`a/`)."""
    return key.find("/") == len(key) - 1


def data_folder(drop: str) -> str:
    """Return the folder for files with rows of only this drop, relative to its contract's table."""
    return f"data/{drop}/"


def data_file(drop: str, attempt: int, name: str) -> str:
    """Return the path of a file with a drop's rows, relative to its contract's table."""
    return f"{data_folder(drop)}{attempt}-{name}"


def is_of_table(name: str) -> bool:
    """Return True if a path in a table's folder has the form of one of the table's own files.

    Its own files are the log, the rows of one drop, and files of a rewrite (Delta protocol, "Data Files": by convention
    `part-<number>-<UUID>-c<number>`). The same folder may hold files of a contract that was promoted as objects before.
    """
    return bool(OF_TABLE.fullmatch(name))


def report_folder(zones: Zones, producer: str, drop: str, attempt: int) -> str:
    """The folder of one attempt's receipt."""
    return f"{zones.reports}{producer}/{drop}/{attempt}/"


def attempt_results_uri(zone: str, contract: str | None, received_at: str, drop: str, attempt: int) -> str:
    """Return the URI of the results of one attempt, in the table of results, the zone `results`.

    The partitions are named as Hive names them; that of drops without a contract is Hive's own for null.
    """
    folder = f"month={received_at[:7]}/contract={contract or HIVE_NULL}"
    return f"{zone}{folder}/{drop}.{attempt}.jsonl.gz"


def batch_id(plan_sha: str, window: str, *, trial: bool = False) -> str:
    """The id of the batch that a window ends in: a repeated message finds the batch that the first one made."""
    return digest(plan_sha, window, *(("trial",) if trial else ()))


def half_id(batch: str, number: int) -> str:
    """The id of a half of a batch, 0 or 1: who splits it again finds the halves that were made."""
    return digest(batch, str(number))


def job_token(batch: str, try_: int) -> str:
    """The token (and name) of one try of a batch: within the 64 characters that StartJobRun allows."""
    return f"{batch}-{try_}"


def job_folder(zones: Zones, batch: str, try_: int) -> str:
    """The folder of one try's request, result and scratch."""
    return f"{zones.jobs}{batch}/{try_}/"


def scratch_folder(zones: Zones, batch: str, try_: int) -> str:
    """Return the scratch folder of a try of a batch; a run that crashes leaves its files there."""
    return f"{job_folder(zones, batch, try_)}scratch/"


def request_uri(zones: Zones, batch: str, try_: int) -> str:
    """Return the URI of the request for a try of a batch."""
    return f"{job_folder(zones, batch, try_)}request.json"


def result_uri(zones: Zones, batch: str, try_: int) -> str:
    """Return the URI of the result of a try of a batch."""
    return f"{job_folder(zones, batch, try_)}result.jsonl"


def rejected_folder(zones: Zones, batch: str, try_: int, drop: str) -> str:
    """Return the folder where a try of a batch leaves a drop's rejected rows, until they are copied to its receipt."""
    return f"{job_folder(zones, batch, try_)}rejected/{drop}/"


def valid_folder(zones: Zones, batch: str, try_: int, drop: str) -> str:
    """Return the folder where a try of a batch leaves a drop's valid rows, until a verdict promotes them."""
    return f"{job_folder(zones, batch, try_)}valid/{drop}/"


def evidence_folder(zones: Zones, contract: str, claimed_at: str, batch: str) -> str:
    """Return a batch's own folder of evidence: the rows that fail."""
    return f"{zones.evidence}rows/contract={contract}/month={claimed_at[:7]}/batch={batch}/"


def lineage_hash(bucket: str, key: str, contract: str) -> str:
    """The name of the record that the uploads of one key under one contract share."""
    return digest(bucket, key, contract)


def set_id(contract: str, parts: Mapping[str, str]) -> str:
    """The id of a set of files: the values of the parts that name it."""
    return digest("set", contract, *(text for part in sorted(parts.items()) for text in part))


def content_hash(sha256: str, contract: str) -> str:
    """The name of the record that uploads with one content under one contract share."""
    return digest(sha256, contract)
