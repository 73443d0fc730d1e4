"""Receipts as pages of ours: a receipt's HTML in, the policy that lets its one style in and nothing else out. Pure."""

from __future__ import annotations

import base64
import hashlib
import re

STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
"""The style of a receipt, which stands before all texts of others."""


def policy_of(receipt: str) -> str:
    """Return the content security policy of a receipt: its style by its hash, no script, and no frame around it."""
    match = STYLE.search(receipt.partition("</head>")[0])
    digest = base64.b64encode(hashlib.sha256((match[1] if match else "").encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'; sandbox allow-downloads allow-top-navigation-by-user-activation"
    )
