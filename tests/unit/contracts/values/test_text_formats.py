"""Formats of text against Python's own parsers: after any change to a valid text, both must agree."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.values.text_formats import TEXT


def matches(name: str, text: str) -> bool:
    return re.search(TEXT[name].pattern.replace(r"\z", r"\Z"), text) is not None


@st.composite
def changed(draw: st.DrawFn, texts: st.SearchStrategy[str], characters: str) -> str:
    """Return a valid text in which one to four characters are replaced by as many others."""
    text = draw(texts)
    at = draw(st.integers(0, len(text)))
    new = draw(st.text(characters, max_size=4))
    return text[:at] + new + text[at + draw(st.integers(0, 4)) :]


ADDRESSES = st.ip_addresses(v=6).flatmap(
    lambda a: st.sampled_from([a.compressed, a.exploded, f"::{a.packed[0]}.2.3.4"])
)


@given(changed(ADDRESSES, "0123456789aF:.g"))
@settings(derandomize=True, max_examples=2000, deadline=None)
def test_ipv6_agrees_with_python(text: str) -> None:
    try:
        ipaddress.IPv6Address(text)
        good = True
    except ValueError:
        good = False
    assert matches("ipv6", text) is good


@given(changed(st.ip_addresses(v=4).map(str), "0123456789."))
@settings(derandomize=True, max_examples=1000, deadline=None)
def test_ipv4_agrees_with_python(text: str) -> None:
    try:
        ipaddress.IPv4Address(text)
        good = True
    except ValueError:
        good = False
    assert matches("ipv4", text) is good


@given(changed(st.binary(max_size=12).map(lambda b: base64.b64encode(b).decode()), "AQgw=+/-_ "))
@settings(derandomize=True, max_examples=1000, deadline=None)
def test_base64_is_what_encoders_write(text: str) -> None:
    try:
        good = base64.b64encode(base64.b64decode(text, validate=True)).decode() == text
    except binascii.Error:
        good = False
    assert matches("byte", text) is good
