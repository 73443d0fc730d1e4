"""An HTTP request to S3 (path style) in; its operation, bucket, key, source, payload and trailers out."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import parse_qs, unquote

from infra.local.loopback import Environ

_OBJECT_OPERATIONS = {
    ("PUT", "tagging"): "PutObjectTagging",
    ("PUT", "acl"): "PutObjectAcl",
    ("PUT", "retention"): "PutObjectRetention",
    ("PUT", "legal-hold"): "PutObjectLegalHold",
    ("GET", "tagging"): "GetObjectTagging",
    ("GET", "acl"): "GetObjectAcl",
    ("GET", "attributes"): "GetObjectAttributes",
    ("GET", "uploadId"): "ListParts",
    ("DELETE", "tagging"): "DeleteObjectTagging",
    ("DELETE", "uploadId"): "AbortMultipartUpload",
    ("POST", "uploads"): "CreateMultipartUpload",
    ("POST", "uploadId"): "CompleteMultipartUpload",
}
_BUCKET_OPERATIONS = {
    ("GET", "versions"): "ListObjectVersions",
    ("GET", "uploads"): "ListMultipartUploads",
    ("GET", "list-type"): "ListObjectsV2",
    ("POST", "delete"): "DeleteObjects",
}
_SETTINGS = frozenset(
    {"encryption", "lifecycle", "notification", "policy", "publicAccessBlock", "tagging", "versioning"}
)
_PLAIN = {"GET": "GetObject", "HEAD": "HeadObject", "PUT": "PutObject", "DELETE": "DeleteObject", "POST": "PostObject"}


@dataclass(frozen=True, slots=True)
class CopySource:
    """The source of a copy: an object, or one version of it."""

    bucket: str
    key: str
    version_id: str | None


@dataclass(frozen=True)
class S3Request:
    """A request to S3 with its whole body, still encoded."""

    method: str
    bucket: str
    key: str
    query: Mapping[str, str]
    environ: Environ
    body: bytes

    def header(self, name: str) -> str | None:
        """Return a header's value; None if it was not sent."""
        header = self.environ.get("HTTP_" + name.upper().replace("-", "_"))
        return None if header is None else str(header)

    @cached_property
    def operation(self) -> str:
        """Return the API operation, as AWS's API reference names it."""
        if not self.key:
            setting = next((name[0].upper() + name[1:] for name in self.query if name in _SETTINGS), "")
            return _named(_BUCKET_OPERATIONS, self.method, self.query) or f"{self.method.capitalize()}Bucket{setting}"
        copies = self.header("x-amz-copy-source") is not None
        if self.method == "PUT" and "partNumber" in self.query:
            return "UploadPartCopy" if copies else "UploadPart"
        if self.method == "PUT" and copies:
            return "CopyObject"
        return _named(_OBJECT_OPERATIONS, self.method, self.query) or _PLAIN.get(self.method, self.method)

    @cached_property
    def source(self) -> CopySource | None:
        """Return the source of a copy; None for other requests."""
        text = self.header("x-amz-copy-source")
        if text is None:
            return None
        path, _, version = text.partition("?versionId=")
        bucket, _, key = unquote(path).lstrip("/").partition("/")
        return CopySource(bucket, key, version or None)

    @cached_property
    def payload(self) -> bytes:
        """Return the object's bytes, without aws-chunked framing."""
        return self._decoded[0]

    @cached_property
    def trailers(self) -> Mapping[str, str]:
        """Return the headers that followed the body."""
        return self._decoded[1]

    @cached_property
    def _decoded(self) -> tuple[bytes, Mapping[str, str]]:
        if (self.header("x-amz-content-sha256") or "").startswith("STREAMING-"):
            return decode_chunks(self.body)
        return self.body, {}


def parse_request(environ: Environ, body: bytes) -> S3Request:
    """Read a WSGI environment as a request to S3 (virtual-hosted names do not occur: our host is an IP address)."""
    # WSGI hands the decoded path over as latin-1 text (PEP 3333).
    path = str(environ["PATH_INFO"]).encode("latin-1").decode("utf-8", "replace")
    bucket, _, key = path.removeprefix("/").partition("/")
    query = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True)
    return S3Request(
        environ["REQUEST_METHOD"], bucket, key, {name: values[0] for name, values in query.items()}, environ, body
    )


def decode_chunks(body: bytes) -> tuple[bytes, dict[str, str]]:
    """Remove the aws-chunked framing (docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html)."""
    chunks, position = [], 0
    while True:
        line_end = body.index(b"\r\n", position)
        size = int(body[position:line_end].split(b";")[0], 16)
        position = line_end + 2
        if size == 0:
            break
        chunks.append(body[position : position + size])
        position += size + 2
    lines = (line.partition(":") for line in body[position:].decode("ascii").splitlines() if ":" in line)
    return b"".join(chunks), {name.strip().lower(): value.strip() for name, _, value in lines}


def _named(table: Mapping[tuple[str, str], str], method: str, query: Mapping[str, str]) -> str | None:
    return next((name for (verb, mark), name in table.items() if verb == method and mark in query), None)
