"""The rules of S3 that moto leaves out and dropgate relies on: a request and ETags in, S3's refusal or None out.

Each rule names the AWS page it rests on, and has a test that fails on bare moto.
"""

import hashlib
import re
import zlib
from base64 import b64encode
from collections.abc import Callable, Collection
from dataclasses import dataclass
from xml.sax.saxutils import escape

from infra.local.loopback import ACCOUNT
from infra.local.s3.request import S3Request

CREATING = frozenset({"PutObject", "CopyObject", "CompleteMultipartUpload"})
"""The operations that make an object: they take destination conditions and cause Object Created events."""

CUSTOMERS_KEY = "x-amz-server-side-encryption-customer-algorithm"

_MAX_KEY_BYTES = 1024


# CRC32C and CRC64NVME are not checked: the standard library has neither, and plain Python takes seconds per file.
_CHECKSUMS: dict[str, Callable[[bytes], bytes]] = {
    "content-md5": lambda payload: hashlib.md5(payload, usedforsecurity=False).digest(),
    "x-amz-checksum-crc32": lambda payload: zlib.crc32(payload).to_bytes(4, "big"),
    "x-amz-checksum-sha1": lambda payload: hashlib.sha1(payload, usedforsecurity=False).digest(),
    "x-amz-checksum-sha256": lambda payload: hashlib.sha256(payload).digest(),
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error answer of S3."""

    status: str
    code: str
    message: str

    def document(self) -> bytes:
        """Write the error as S3 does (docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html)."""
        return (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{self.code}</Code>'
            f"<Message>{escape(self.message)}</Message></Error>"
        ).encode()

    def document_of_query(self) -> bytes:
        """Write the error as services with AWS's query protocol do (smithy.io, "AWS query protocol")."""
        error = f"<Code>{self.code}</Code><Message>{escape(self.message)}</Message>"
        return f"<ErrorResponse><Error><Type>Sender</Type>{error}</Error></ErrorResponse>".encode()


CONFLICT = Refusal(
    "409 Conflict",
    "ConditionalRequestConflict",
    "The conditional request cannot succeed due to a conflicting operation against this resource.",
)
_PRECONDITION_FAILED = Refusal(
    "412 Precondition Failed", "PreconditionFailed", "At least one of the pre-conditions you specified did not hold"
)
_NO_SUCH_KEY = Refusal("404 Not Found", "NoSuchKey", "The specified key does not exist.")


def access_denied(message: str) -> Refusal:
    """Refuse a call that its caller may not make (docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html)."""
    return Refusal("403 Forbidden", "AccessDenied", message)


def key_too_long(request: S3Request) -> Refusal | None:
    """Refuse keys beyond 1,024 bytes of UTF-8 (docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html)."""
    if len(request.key.encode()) <= _MAX_KEY_BYTES:
        return None
    return Refusal("400 Bad Request", "KeyTooLongError", "Your key is too long")


def bad_digest(request: S3Request) -> Refusal | None:
    """Refuse a body whose checksum differs from the announced one.

    docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
    """
    if request.operation not in {"PutObject", "UploadPart"}:
        return None
    for name, digest in _CHECKSUMS.items():
        announced = request.header(name) or request.trailers.get(name)
        if announced and announced != b64encode(digest(request.payload)).decode():
            algorithm = name.rpartition("-")[2].upper()
            message = f"The {algorithm} you specified did not match the calculated checksum."
            return Refusal("400 Bad Request", "BadDigest", message)
    return None


def names_customers_key(request: S3Request) -> bool:
    """Return True if an upload is encrypted with a key that its uploader keeps (SSE-C)."""
    return request.header(CUSTOMERS_KEY) is not None


def unreadable(request: S3Request, kms_key: str | None, *, customers: bool) -> Refusal | None:
    """Refuse to read an object under a key that its uploader keeps, or under a key of another account.

    docs.aws.amazon.com/AmazonS3/latest/userguide/ServerSideEncryptionCustomerKeys.html; that a key of another account
    must let us in by its own policy: docs.aws.amazon.com/kms/latest/developerguide, "Allowing users in other accounts".
    """
    sent = f"x-amz-copy-source-{CUSTOMERS_KEY.removeprefix('x-amz-')}" if request.source else CUSTOMERS_KEY
    if customers and not request.header(sent):
        stored = "The object was stored using a form of Server Side Encryption. The correct parameters must be provided"
        return Refusal("400 Bad Request", "InvalidRequest", f"{stored} to retrieve the object.")
    if kms_key and kms_key.startswith("arn:") and kms_key.split(":")[4] != ACCOUNT:
        who = f"User: arn:aws:sts::{ACCOUNT}:assumed-role/embedded is not authorized to perform: kms:Decrypt"
        why = "because the resource does not exist in this Region, no resource-based policies allow access"
        return access_denied(f"{who} on the resource associated with this ciphertext {why}")
    return None


def key_disabled(key: str | None, disabled: Collection[str]) -> Refusal | None:
    """Refuse a request that needs a disabled key, with S3's error.

    docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html; the code: localstack/localstack, issue 8422.
    """
    if key is None or key not in disabled:
        return None
    return Refusal("400 Bad Request", "KMS.DisabledException", f"{key} is disabled.")


def copy_too_large(request: S3Request, size: int, most: int) -> Refusal | None:
    """Refuse to copy more bytes at once than S3 does, whole objects and parts alike.

    docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html, .../API_UploadPartCopy.html
    """
    part = re.fullmatch(r"bytes=(\d+)-(\d+)", request.header("x-amz-copy-source-range") or "")
    if part and int(part[2]) >= size:
        text = f"Range specified is not valid for source object of size: {size}"
        return Refusal("400 Bad Request", "InvalidArgument", text)
    if (int(part[2]) - int(part[1]) + 1 if part else size) <= most:
        return None
    text = f"The specified copy source is larger than the maximum allowable size for a copy source: {most}"
    return Refusal("400 Bad Request", "InvalidRequest", text)


def is_conditional_write(request: S3Request) -> bool:
    """Return True if a request makes an object only under a condition on its key's current object."""
    conditions = request.header("if-match"), request.header("if-none-match")
    return request.operation in CREATING and any(conditions)


def destination_refused(request: S3Request, current: str | None) -> Refusal | None:
    """Check If-Match and If-None-Match against the ETag of the key's current version; None: there is none.

    docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html; for copies also
    docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
    """
    if request.operation not in CREATING:
        return None
    if request.header("if-none-match") == "*" and current is not None:
        return _PRECONDITION_FAILED
    wanted = request.header("if-match")
    if wanted and current is None:
        return _NO_SUCH_KEY
    if wanted and not _same_etag(wanted, current):
        return _PRECONDITION_FAILED
    return None


def source_refused(request: S3Request, source: str) -> Refusal | None:
    """Check x-amz-copy-source-if-match and -if-none-match against the ETag of the copied version.

    docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
    """
    wanted = request.header("x-amz-copy-source-if-match")
    unwanted = request.header("x-amz-copy-source-if-none-match")
    if (wanted and not _same_etag(wanted, source)) or (unwanted and _same_etag(unwanted, source)):
        return _PRECONDITION_FAILED
    return None


def _same_etag(left: str, right: str | None) -> bool:
    return right is not None and left.strip('"') == right.strip('"')
