"""Links that open a receipt, as the API has them."""

from __future__ import annotations

from functions.api.models.base import Model


class ReceiptLinkAnswer(Model):
    """The path, at this API, of a page that anybody with it can read for so many days."""

    path: str
    days: int


class LinksRevoked(Model):
    """A drop whose links end if they were made until a moment."""

    drop: str
    until: str
