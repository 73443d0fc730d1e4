"""Presigned requests to S3: a request and the secret that it should be signed with in, S3's refusal or None out.

docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html: the canonical request has the method, the path
(encoded once), the query without the signature, the signed headers as they came, and UNSIGNED-PAYLOAD.
"""

import hashlib
import hmac
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, quote

from infra.local.s3.request import S3Request
from infra.local.s3.rules import Refusal

_UNRESERVED = "-_.~"
_EXPIRED = Refusal("403 Forbidden", "AccessDenied", "Request has expired")
_NO_MATCH = Refusal(
    "403 Forbidden",
    "SignatureDoesNotMatch",
    "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
)


def presigned_refused(request: S3Request, secret: str | None, now: datetime) -> Refusal | None:
    """Refuse a presigned request after its time, or with another method, key, query or signed header.

    Without a secret only its time is checked: users of the embedded cloud have any.
    """
    query = request.query
    if "X-Amz-Signature" not in query:
        return None
    signed_at = datetime.strptime(query["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    if now > signed_at + timedelta(seconds=int(query["X-Amz-Expires"])):
        return _EXPIRED
    if secret is None or hmac.compare_digest(_signature(request, secret), query["X-Amz-Signature"]):
        return None
    return _NO_MATCH


def _signature(request: S3Request, secret: str) -> str:
    _, day, region, service, end = request.query["X-Amz-Credential"].split("/")
    canonical = hashlib.sha256(_canonical(request).encode()).hexdigest()
    scope = f"{day}/{region}/{service}/{end}"
    text = "\n".join(("AWS4-HMAC-SHA256", request.query["X-Amz-Date"], scope, canonical))
    key = f"AWS4{secret}".encode()
    for part in (day, region, service, end, text):
        key = hmac.digest(key, part.encode(), "sha256")
    return key.hex()


def _canonical(request: S3Request) -> str:
    names = request.query["X-Amz-SignedHeaders"].split(";")
    pairs = parse_qsl(request.environ.get("QUERY_STRING", ""), keep_blank_values=True)
    encoded = sorted((quote(n, _UNRESERVED), quote(v, _UNRESERVED)) for n, v in pairs if n != "X-Amz-Signature")
    headers = "".join(f"{name}:{_header(request, name)}\n" for name in names)
    return "\n".join(
        (
            request.method,
            f"/{request.bucket}/{quote(request.key, f'/{_UNRESERVED}')}",
            "&".join(f"{name}={value}" for name, value in encoded),
            headers,
            ";".join(names),
            "UNSIGNED-PAYLOAD",
        )
    )


def _header(request: S3Request, name: str) -> str:
    plain = {"content-length": "CONTENT_LENGTH", "content-type": "CONTENT_TYPE"}.get(name)
    value = request.environ.get(plain, "") if plain else request.header(name) or ""
    return " ".join(str(value).split())
