"""S3, EventBridge, SQS, DynamoDB and SNS on loopback: moto's services behind a thin layer that adds what moto lacks.

In: requests of any AWS client. Out: moto's answers, except where a rule of S3 refuses first; DynamoDB requests and S3
writes one at a time; true Object Created events. moto keeps its state per process: one Cloud per process.
"""

import io
import json
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from moto.core.common_models import BaseModel
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.s3.exceptions import MissingBucket
from moto.s3.models import FakeBucket, FakeKey, S3Backend, s3_backends
from moto.sts.models import AssumedRole, sts_backends

from infra.local.events.events import deliver, object_created
from infra.local.iam.calls import Call, Credential, Request, credential, look_call, request_of, s3_calls, service_calls
from infra.local.iam.guard import Guard, because
from infra.local.loopback import ACCOUNT, Environ, LoopbackServer, StartResponse, read_body
from infra.local.moto_patches.faster_moto import spare
from infra.local.moto_patches.fault_injection import Outages
from infra.local.moto_patches.large_objects import keep_in_files
from infra.local.s3.cors import FORBIDDEN, PREFIX, CorsRule, answered
from infra.local.s3.encoding import encode_lists
from infra.local.s3.presigned import presigned_refused
from infra.local.s3.request import CopySource, S3Request, parse_request
from infra.local.s3.rules import (
    CONFLICT,
    CREATING,
    Refusal,
    access_denied,
    bad_digest,
    copy_too_large,
    destination_refused,
    is_conditional_write,
    key_disabled,
    key_too_long,
    names_customers_key,
    source_refused,
    unreadable,
)
from infra.local.state.moto_state import Memory
from infra.local.state.sqlite_store import NotKept

_REMEMBERED_CALLS = 200_000
LARGEST_COPY = 5 * 1024**3
"""Bytes; docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html."""


class _Moto(DomainDispatcherApplication):
    """All of moto's services; moto searches its folders for a host's service at each request, this does it once.

    For a page of its own moto keeps all that it ever made: after days, every copy of a table and every deleted object.
    Here it keeps nothing of that.
    """

    def __init__(self, create_app: Callable[[Any], Any]) -> None:
        super().__init__(create_app)
        model: Any = BaseModel
        model.__new__ = lambda cls, *_args, **_more: object.__new__(cls)
        spare()
        keep_in_files()
        encode_lists()
        self._backends: dict[str | None, Any] = {}

    def get_backend_for_host(self, host: str | None) -> Any:
        """Return the service of a host; moto takes it under a lock."""
        if host not in self._backends:
            self._backends[host] = super().get_backend_for_host(host)
        return self._backends[host]


def _backend_app(service: Any) -> Any:
    """Make moto's application of a service without Flask's debugging.

    That ties each request into a cycle, so that large bodies stay until Python looks for cycles.
    """
    app = create_backend_app(service)
    app.debug = False
    app.config["PROPAGATE_EXCEPTIONS"] = True
    return app


class Cloud(LoopbackServer):
    """The embedded AWS; `calls` lists the calls that it received, oldest first, `requests` the requests.

    `guard` refuses calls that a role may not make, `outages` make services fail for a while, `disabled_keys` are ARNs
    of keys that somebody has disabled, `memory` keeps everything that must last, `largest_copy` is the number of bytes
    that one copy moves, `cors` are the rules for pages by bucket.
    """

    def __init__(self, port: int = 0, guard: Guard | None = None) -> None:
        super().__init__(self._answer, port)
        self.guard = guard or Guard()
        self.calls: deque[Call] = deque(maxlen=_REMEMBERED_CALLS)
        self.requests: deque[Request] = deque(maxlen=_REMEMBERED_CALLS)
        self._moto = _Moto(_backend_app)
        # moto checks a DynamoDB condition and writes in two steps, and a failing transaction is undone afterwards.
        self._dynamodb = Lock()
        self._s3 = Lock()
        self._conflicts: set[tuple[str, str]] = set()
        self._customers: set[tuple[str, str, str | None]] = set()
        self.outages = Outages()
        self.disabled_keys: set[str] = set()
        self.memory: Memory | None = None
        self.largest_copy = LARGEST_COPY
        self.cors: dict[str, tuple[CorsRule, ...]] = {}

    def let_in(self, cors: Mapping[str, tuple[CorsRule, ...]]) -> None:
        """Let pages of the origins that buckets allow ask, by the rules of each bucket."""
        self.cors |= cors
        self.origins.update(origin for rules in cors.values() for rule in rules for origin in rule.origins)

    def conflict_next(self, bucket: str, key: str) -> None:
        """Make the next conditional write of a key lose a race: 409 ConditionalRequestConflict, and no change."""
        self._conflicts.add((bucket, key))

    def _answer(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        try:
            return self._answer_kept(environ, start_response)
        except NotKept:  # nobody may believe what a later start will not find
            start_response("503 Service Unavailable", [("Content-Length", "0")], sys.exc_info())
            return []

    def _answer_kept(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer once all changes of the request are saved, if a folder keeps the state."""
        who, body = credential(environ), read_body(environ)
        environ["wsgi.input"] = io.BytesIO(body)
        if who.service == "s3" and not environ["PATH_INFO"].startswith("/moto-api"):
            request = parse_request(environ, body)
            if "HTTP_ORIGIN" in environ:
                return self._answer_page(who, request, start_response)
            return self._answer_s3(who, request, start_response)
        self.requests.append(asked := request_of(who, environ, body))
        if failure := self.outages.befalls(asked):
            return failure.answer(start_response)
        self.calls.extend(calls := list(service_calls(who, environ, body)))
        denied = self.guard.refused(calls)
        if denied:  # as services with JSON protocols do: DynamoDB with 400, SQS with 403 and its older code
            refusal = {"__type": "com.amazon.coral.service#AccessDeniedException", "Message": because(denied)}
            document = json.dumps(refusal).encode()
            headers = [("Content-Type", "application/x-amz-json-1.0"), ("Content-Length", str(len(document)))]
            headers += [("x-amzn-query-error", "AccessDenied;Sender")] if who.service == "sqs" else []
            if who.service == "sts":  # its protocol is the older one
                document = access_denied(because(denied)).document_of_query()
                headers = [("Content-Type", "text/xml"), ("Content-Length", str(len(document)))]
            start_response("400 Bad Request" if who.service == "dynamodb" else "403 Forbidden", headers)
            return [document]
        turn = self._dynamodb if who.service == "dynamodb" else nullcontext()
        target = environ.get("HTTP_X_AMZ_TARGET", "")
        with turn:
            answer = list(self._moto(environ, start_response))
            if who.service == "sts" and asked.operation == "sts:AssumeRole":
                for session in _sessions(answer):
                    self.guard.assumed(session.role_arn, session.policy, session.access_key_id)
            if self.memory and who.service == "dynamodb":
                self.memory.after_dynamodb(target, body)
            elif self.memory and who.service in {"events", "sqs"}:  # an event is a message of each rule's queue
                self.memory.queues()
            return answer

    def _answer_page(self, who: Credential, request: S3Request, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request to S3 that a browser sends for a page."""
        headers = answered(self.cors.get(request.bucket, ()), request.environ)
        if request.method != "OPTIONS":
            return self._answer_s3(who, request, _for_page(headers or [], start_response))
        if headers is None:
            return _refuse(request, FORBIDDEN, start_response)
        start_response("200 OK", [*headers, ("Content-Length", "0")])
        return [b""]

    def _answer_s3(self, who: Credential, request: S3Request, start_response: StartResponse) -> Iterable[bytes]:
        self.requests.append(asked := Request(who.caller, f"s3:{request.operation}"))
        if failure := self.outages.befalls(asked):
            return _refuse(request, Refusal(failure.status, failure.code, failure.message), start_response)
        if refusal := presigned_refused(request, _secret(who.caller), datetime.now(UTC)):
            return _refuse(request, refusal, start_response)
        self.calls.extend(calls := list(s3_calls(who, request)))
        denied = self.guard.refused(calls)
        read = _read_by(request) if not denied and self.guard.knows(who.caller) else None
        if read and not _stored(read.bucket, read.key, read.version_id):  # who asks for it must be allowed to list
            denied = self.guard.refused([look_call(who, read.bucket, read.key)])
        if denied:
            return _refuse(request, access_denied(because(denied)), start_response)
        if refusal := key_too_long(request) or bad_digest(request):
            return _refuse(request, refusal, start_response)
        # Reads of an object pass; other requests take turns, so that a condition holds until its write.
        with nullcontext() if request.key and request.method in {"GET", "HEAD"} else self._s3:
            if refusal := self._refusal(request):
                return _refuse(request, refusal, start_response)
            answer = _perform(self._moto, request, start_response)
            upload = request.bucket, request.key, request.query.get("uploadId")
            # Objects under the uploader's own key are recorded; each part of an upload in parts names that key.
            if names_customers_key(request) or upload in self._customers:
                made = _stored(request.bucket, request.key) if request.operation in CREATING else None
                self._customers.add((request.bucket, request.key, made.version_id) if made else upload)
            if self.memory and request.method not in {"GET", "HEAD"}:
                self.memory.after_s3(request)
            return answer

    def _refusal(self, request: S3Request) -> Refusal | None:
        """Refuse a request that loses a race, whose keys cannot be used, or whose conditions do not hold.

        Metadata alone needs no key: docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html.
        """
        if is_conditional_write(request) and (request.bucket, request.key) in self._conflicts:
            self._conflicts.remove((request.bucket, request.key))
            return CONFLICT
        read = _read_by(request)
        there = read and _stored(read.bucket, read.key, read.version_id)
        own = _backend().buckets.get(request.bucket) if request.operation in CREATING else None
        encryption = own.encryption["Rule"]["ApplyServerSideEncryptionByDefault"] if own and own.encryption else {}
        refused, keys = None, [encryption.get("KMSMasterKeyID")]
        if read and there:
            is_metadata = request.operation == "HeadObject" and not request.header("x-amz-checksum-mode")
            used = None if is_metadata else there.kms_key_id
            customers = (read.bucket, read.key, there.version_id) in self._customers
            refused, keys = unreadable(request, used, customers=customers), [used, *keys]
        refused = refused or next((r for key in keys if (r := key_disabled(key, self.disabled_keys))), None)
        if request.source and there and not refused:
            refused = source_refused(request, there.etag) or copy_too_large(request, there.size, self.largest_copy)
        if refused or request.operation not in CREATING:
            return refused
        current = _stored(request.bucket, request.key)
        return destination_refused(request, current.etag if current else None)


def _read_by(request: S3Request) -> CopySource | None:
    """Return the object whose bytes or metadata a request reads."""
    if request.operation in {"GetObject", "HeadObject"}:
        return CopySource(request.bucket, request.key, request.query.get("versionId"))
    return request.source


def _perform(moto: DomainDispatcherApplication, request: S3Request, start_response: StartResponse) -> Iterable[bytes]:
    """Let moto answer; if that made an object, add the parts that moto leaves out and send the event."""
    if request.operation == "GetObject":
        answer: Iterable[bytes] = moto(request.environ, start_response)  # it may be larger than the memory
        return answer
    if request.operation not in CREATING:
        return list(moto(request.environ, start_response))
    statuses: list[str] = []

    def started(status: str, *rest: Any) -> Any:
        statuses.append(status)
        return start_response(status, *rest)

    # S3 keeps any x-amz-checksum-*, moto only that of a named algorithm.
    prefix = "HTTP_X_AMZ_CHECKSUM_"
    sent = [name.removeprefix(prefix) for name in request.environ if name.startswith(prefix)]
    for algorithm in {"CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"}.intersection(sent):
        request.environ.setdefault("HTTP_X_AMZ_SDK_CHECKSUM_ALGORITHM", algorithm)
    with _without_moto_events(request.bucket) as watched:
        answer = list(moto(request.environ, started))
    made = _stored(request.bucket, request.key)
    is_composite = made and request.operation == "CompleteMultipartUpload" and made.checksum_type == "COMPOSITE"
    if made and is_composite and made.checksum_value and made.multipart:
        # A checksum of checksums, with the number of parts ("composite checksums"):
        # docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
        made.checksum_value = f"{made.checksum_value}-{len(made.multipart.parts)}"
    if made and watched and statuses[0].startswith("200"):
        version = made.version_id if watched.is_versioned else None
        place = watched.name, watched.region_name, request.key
        deliver(object_created(*place, made.size, made.etag, version, request.operation))
    return answer


@contextmanager
def _without_moto_events(bucket_name: str) -> Iterator[FakeBucket | None]:
    """Hold back moto's own event (fixed id and sequencer, `eTag`, no reason); return the bucket if one is due."""
    bucket = _backend().buckets.get(bucket_name)
    configuration = bucket.notification_configuration if bucket else None
    if not bucket or not configuration or configuration.event_bridge is None:
        yield None
        return
    switched_on, configuration.event_bridge = configuration.event_bridge, None
    try:
        yield bucket
    finally:
        configuration.event_bridge = switched_on


def _refuse(request: S3Request, refusal: Refusal, start_response: StartResponse) -> Iterable[bytes]:
    body = b"" if request.method == "HEAD" else refusal.document()
    start_response(refusal.status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
    return [body]


def _for_page(headers: list[tuple[str, str]], start_response: StartResponse) -> StartResponse:
    """Add a rule's headers to an answer, in the place of moto's, which let any page read it."""

    def started(status: str, own: list[tuple[str, str]], *more: Any) -> Any:
        kept = [(name, value) for name, value in own if not name.lower().startswith(PREFIX)]
        return start_response(status, [*kept, *headers], *more)

    return started


def _session(key: str) -> AssumedRole | None:
    """Return the session of a role with this access key; None if it is a user's."""
    return sts_backends[ACCOUNT]["aws"].get_assumed_role_from_access_key(key)


def _secret(key: str) -> str | None:
    """Return the secret of a session's access key; None for a user, who may have any."""
    session = _session(key)
    return session.secret_access_key if session else None


def _sessions(answer: list[bytes]) -> Iterator[AssumedRole]:
    """Yield the session that STS has answered with, unless it refused."""
    for key in re.findall(r"<AccessKeyId>(\w+)</AccessKeyId>", b"".join(answer).decode()):
        if session := _session(key):
            yield session


def _stored(bucket: str, key: str, version_id: str | None = None) -> FakeKey | None:
    """Return an object; None if bucket, key or version is missing, or a delete marker is on top."""
    try:
        return _backend().get_object(bucket, key, version_id=version_id)
    except MissingBucket:
        return None


def _backend() -> S3Backend:
    return s3_backends[ACCOUNT]["aws"]
