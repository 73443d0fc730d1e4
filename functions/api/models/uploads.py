"""Uploads as the API has them: a file that is about to come in, the way to send it out."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from functions.api.models.base import Model
from functions.api.models.drops import DropProblem
from functions.ports.web.links import LARGEST_UPLOAD, Checked

LONGEST_HEAD = 90_000
"""Characters of a head in base64: 64 KiB take 87,384."""


class UploadRequest(Model):
    """A file that is about to be uploaded: its key, its size in bytes, its SHA-256 in small hexadecimal digits.

    `head` is base64 of its first 65,536 bytes, or of all if it has fewer; without it name and size alone are checked.
    A `trial` is judged as any file, and then thrown away: consumers get nothing of it, and no file is replaced.
    """

    key: Annotated[str, Field(min_length=1, max_length=1024)]
    size: Annotated[int, Field(ge=0, le=LARGEST_UPLOAD)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    head: Annotated[str | None, Field(max_length=LONGEST_HEAD)] = None
    trial: bool = False


class UploadTarget(Model):
    """The request that uploads the file, with all of its headers; it must begin before `expires`.

    The address needs no token, so keep it to yourself.
    """

    method: Literal["PUT"]
    url: str
    headers: dict[str, str]
    expires: str
    seconds: int


class UploadAnswer(Model):
    """The way to upload a file, the contract that claims it, and warnings that are known before the transfer.

    `checked` is `name` for name and size, `head` if the first bytes were checked too, `file` if all bytes were.
    """

    upload: UploadTarget
    key: str
    contract: str
    version: str
    checked: Checked
    problems: list[DropProblem]
    trial: bool
