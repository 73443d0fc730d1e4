"""The bucket of the range server: a folder and the parameters of ListObjectsV2 in, its answer out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote
from xml.sax.saxutils import escape

BUCKET = "bench"
NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
MOST_KEYS = 1000
"""The most keys of one answer: docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html, `max-keys`."""


def listing(folder: Path, query: Mapping[str, str]) -> str:
    """List keys: docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html.

    Keys are in the order of their UTF-8 bytes. Keys with the delimiter behind the prefix are rolled up into one common
    prefix, which counts as a key. The token for more is the last name of the answer.
    """
    prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
    after = query.get("continuation-token") or query.get("start-after", "")
    most = min(int(query.get("max-keys", MOST_KEYS)), MOST_KEYS)
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    keys = sorted((key for key in paths if key.startswith(prefix)), key=str.encode)
    names = [name for name in dict.fromkeys(rolled_up(key, prefix, delimiter) for key in keys) if name > after]
    coded = quote if query.get("encoding-type") == "url" else escape
    parts = [
        _contents(coded(name), paths[name].stat())
        if name in paths
        else f"<CommonPrefixes><Prefix>{coded(name)}</Prefix></CommonPrefixes>"
        for name in names[:most]
    ]
    token = f"<NextContinuationToken>{escape(names[most - 1])}</NextContinuationToken>" if len(names) > most else ""
    encoding = "<EncodingType>url</EncodingType>" if coded is quote else ""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="{NAMESPACE}"><Name>{BUCKET}</Name>'
        f"<Prefix>{coded(prefix)}</Prefix><KeyCount>{len(parts)}</KeyCount><MaxKeys>{most}</MaxKeys>{encoding}"
        f"<IsTruncated>{str(len(names) > most).lower()}</IsTruncated>{token}{''.join(parts)}</ListBucketResult>"
    )


def rolled_up(key: str, prefix: str, delimiter: str) -> str:
    """Return a key, or its common prefix if the delimiter is in the part behind the prefix."""
    inner, cut, _ = key[len(prefix) :].partition(delimiter) if delimiter else ("", "", "")
    return f"{prefix}{inner}{cut}" if cut else key


def etag_of(status: os.stat_result) -> str:
    """Return an entity tag that changes with the file; S3 promises no more for objects of several parts.

    docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html, `ETag`.
    """
    return f'"{status.st_mtime_ns:x}-{status.st_size:x}"'


def _contents(key: str, status: os.stat_result) -> str:
    modified = datetime.fromtimestamp(status.st_mtime, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return (
        f"<Contents><Key>{key}</Key><LastModified>{modified}</LastModified><ETag>{escape(etag_of(status))}</ETag>"
        f"<Size>{status.st_size}</Size><StorageClass>STANDARD</StorageClass></Contents>"
    )
