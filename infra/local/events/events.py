"""Events as AWS services send them: a change in, messages in the queues of the matching rules out."""

import json
import secrets
import time
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import count
from typing import Any

from moto.events.models import events_backends
from moto.sqs.models import sqs_backends

from infra.local.loopback import ACCOUNT

Event = dict[str, Any]

# S3 promises that a later write of a key has the greater number: counting up from the clock keeps that over restarts.
_sequencer = count(time.time_ns())


def object_created(
    bucket: str, region: str, key: str, size: int, etag: str, version_id: str | None, reason: str
) -> Event:
    """Build S3's Object Created event: key not encoded, ETag without quotes, version id only if there is one.

    Sequencers are of different lengths, as S3's may be.

    docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html
    """
    version = {} if version_id is None else {"version-id": version_id}
    detail = {
        "version": "0",
        "bucket": {"name": bucket},
        "object": {
            "key": key,
            "size": size,
            "etag": etag.strip('"'),
            **version,
            "sequencer": f"{next(_sequencer):016x}".rstrip("0"),
        },
        "request-id": secrets.token_hex(8).upper(),
        "requester": ACCOUNT,
        "source-ip-address": "127.0.0.1",
        "reason": reason,
    }
    return event("aws.s3", "Object Created", region, [f"arn:aws:s3:::{bucket}"], detail, datetime.now(UTC))


def event(
    source: str, detail_type: str, region: str, resources: list[str], detail: Mapping[str, Any], at: datetime
) -> Event:
    """Put a detail into EventBridge's envelope, with an id of its own.

    docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html
    """
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": detail_type,
        "source": source,
        "account": ACCOUNT,
        "time": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": region,
        "resources": resources,
        "detail": dict(detail),
    }


def deliver(occurred: Event) -> None:
    """Send an event of an AWS service to the queues of each enabled rule on the default bus that matches it.

    Services use the default bus only, and PutEvents refuses `aws.*` as a source: so the event is put in directly. A
    message of a fair queue carries its group, which a target may take from the event.
    """
    region = occurred["region"]
    queues = sqs_backends[ACCOUNT][region]
    for rule in list(events_backends[ACCOUNT][region].event_buses["default"].rules.values()):
        if rule.state == "ENABLED" and rule.event_pattern.matches_event(occurred):  # type: ignore[arg-type]
            for target in rule.targets:
                group = target.get("SqsParameters", {}).get("MessageGroupId")
                name = target["Arn"].rpartition(":")[2]
                queues.send_message(name, json.dumps(occurred), group_id=group and value_at(group, occurred))


def value_at(path: str, occurred: Event) -> str:
    """Return the value of a path such as `$.detail.requester` in an event; any other text is its own value."""
    if not path.startswith("$."):
        return path
    value: Any = occurred
    for key in path.removeprefix("$.").split("."):
        value = value[key]
    return str(value)
