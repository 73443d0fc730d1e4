"""The transfer of one file to S3: a measured file and the API's permission in, the version of the object out.

A file is never sent twice: after a connection that broke, or a fault of S3 that leaves it open if the file is there,
nothing is sent again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dropgate_client.errors import DeliveryUnknown, RequestRefused, Unreachable
from dropgate_client.files import Measured, Progress, Watched
from dropgate_client.transport import Transport


@dataclass(frozen=True)
class Permit:
    """The request with which S3 takes exactly one file; its address is a secret for some minutes."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Permit:
        """Return the permit of the API's answer."""
        return cls(document["method"], document["url"], document["headers"])


def deliver(transport: Transport, permit: Permit, file: Measured, key: str, progress: Progress) -> str:
    """Send a file; return the version id that S3 gave it; raise DeliveryUnknown, RequestRefused or Unreachable."""
    try:
        answer = transport.send(
            permit.method, permit.url, lambda: Watched(file, progress), permit.headers, repeatable=False
        )
    except Unreachable as error:
        if error.may_have_arrived:
            raise _unknown(key, str(error)) from None
        raise
    version = answer.headers.get("x-amz-version-id")
    if answer.status == 200 and version:
        return version
    code = re.search(rb"<Code>(\w{1,60})</Code>", answer.body)
    reason = f"{answer.status} {code[1].decode() if code else ''}".strip()
    if answer.status in (429, 503):
        raise Unreachable(f"S3 does not take files now ({reason}): nothing was sent, try again later.")
    if answer.status >= 500 or answer.status == 200:
        raise _unknown(key, f"S3 answers with {reason}.")
    raise RequestRefused(answer.status, f"S3 refuses the file ({reason}): {_fix(reason)}")


def _fix(reason: str) -> str:
    if "Digest" in reason or "Checksum" in reason:
        return "it changed while it was sent. Wait until nothing writes it, and send it again."
    return "send it again; if it stays so, ask the operator of the stack."


def _unknown(key: str, why: str) -> DeliveryUnknown:
    return DeliveryUnknown(
        f"{why} The file may have arrived, so it is not sent again. Look for it with "
        f"`dropgate-client drops --key {key}` before you send it again."
    )
