"""Addresses of the API and of the issuer: a text in, the address to ask out. Pure.

Tokens and secrets go over https alone, or to this machine.
"""

from __future__ import annotations

from urllib.parse import quote, urlencode, urlsplit

from dropgate_client.errors import NotConfigured

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def is_loopback(host: str | None) -> bool:
    """Return True if a host is this machine."""
    return host in LOOPBACK


def address(text: str, name: str) -> str:
    """Return an address without a slash at its end; `name` is the setting that it comes from; raise NotConfigured."""
    try:
        parts = urlsplit(text.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise NotConfigured(f"{name} {text!r} is no address: {error}.") from None
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment or "@" in parts.netloc:
        raise NotConfigured(f"{name} {text!r} is no address: write it as https://drops.example.com.")
    if parts.scheme == "http" and not is_loopback(host):
        raise NotConfigured(f"{name} {text!r} has no encryption: a token goes over https alone. Write https://{host}.")
    return text.strip().rstrip("/")


def path(*parts: str) -> str:
    """Return a path of parts, in each of which any character may be."""
    return "".join(f"/{quote(part, safe='')}" for part in parts)


def query(**values: str | int | None) -> str:
    """Return a query with the values that are not None."""
    asked = {name: value for name, value in values.items() if value is not None}
    return f"?{urlencode(asked)}" if asked else ""
