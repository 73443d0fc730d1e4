"""The formats that ODCS names for values of text and numbers: a name in, its pattern or range out.

Patterns are Java's, for a whole text, only ASCII. Their repetitions are possessive (`++`, `*+`), so they take linear
time, and no stack however long the text is.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextFormat:
    """A format of text: a pattern of the whole text, its name for people, an example."""

    pattern: str
    words: str
    example: str


LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
TOP = rf"(?![0-9]++\z){LABEL}"
"""The last label of a host name is not all digits (RFC 3696, section 2): `1.2.3.4` is no name."""
ATEXT = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
IPV4 = rf"(?:{OCTET}\.){{3}}{OCTET}"
H16 = "[0-9A-Fa-f]{1,4}"
LS32 = f"(?:{H16}:{H16}|{IPV4})"


def _left(most: int) -> str:
    """Return the pattern of up to `most` groups of an IPv6 address before its `::`."""
    return f"(?:(?:{H16}:){{0,{most - 1}}}{H16})?" if most else ""


IPV6 = "|".join(
    [
        f"(?:{H16}:){{6}}{LS32}",
        *(f"{_left(most)}::(?:{H16}:){{{5 - most}}}{LS32}" for most in range(6)),
        f"{_left(6)}::{H16}",
        f"{_left(7)}::",
    ]
)
SUB = r"A-Za-z0-9._~!$&'()*+,;=\-"
"""Unreserved characters and sub-delims of RFC 3986."""
ESCAPED = "%[0-9A-Fa-f]{2}"
PATH = f"(?:[{SUB}:@/]++|{ESCAPED})*+"
HOST = rf"(?:\[(?:{IPV6}|[vV][0-9A-Fa-f]++\.[{SUB}:]++)\]|(?:[{SUB}]++|{ESCAPED})*+)"
AUTHORITY = f"(?:(?:[{SUB}:]++|{ESCAPED})*+@)?{HOST}(?::[0-9]*+)?"
BASE64 = "[A-Za-z0-9+/]"

TEXT: dict[str, TextFormat] = {
    # RFC 5321, section 4.1.2 (Dot-string, Domain) and 4.5.3.1, with a fully qualified domain (2.3.5)
    "email": TextFormat(
        rf"^(?=.{{1,254}}\z)(?=[^@]{{1,64}}@){ATEXT}++(?:\.{ATEXT}++)*+@(?:{LABEL}\.)++{TOP}\z",
        "an email address",
        "name@example.org",
    ),
    # RFC 3986, section 3: a scheme and what follows; no relative reference
    "uri": TextFormat(
        rf"^[A-Za-z][A-Za-z0-9+.-]*+:(?://{AUTHORITY}(?:/{PATH})?|(?!//){PATH})"
        rf"(?:\?(?:[{SUB}:@/?]++|{ESCAPED})*+)?(?:#(?:[{SUB}:@/?]++|{ESCAPED})*+)?\z",
        "a URI",
        "https://example.org/a",
    ),
    # RFC 9562, section 4
    "uuid": TextFormat(
        r"^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\z",
        "a UUID",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    ),
    # RFC 3986, section 3.2.2 (IPv4address): four numbers without leading zeros
    "ipv4": TextFormat(rf"^{IPV4}\z", "an IPv4 address", "192.0.2.1"),
    # RFC 4291, section 2.2, in the grammar of RFC 3986, section 3.2.2
    "ipv6": TextFormat(rf"^(?:{IPV6})\z", "an IPv6 address", "2001:db8::1"),
    # RFC 1123, section 2.1: labels of up to 63 letters, digits and inner hyphens; 253 characters in all (RFC 1035)
    "hostname": TextFormat(rf"^(?=.{{1,253}}\z)(?:{LABEL}\.)*+{TOP}\z", "a host name", "www.example.org"),
    # RFC 4648, section 4, with the padding and without the stray bits of section 3.5; OpenAPI's `byte`
    "byte": TextFormat(
        rf"^(?:{BASE64}{{4}})*+(?:{BASE64}[AQgw]==|{BASE64}{{2}}[AEIMQUYcgkosw048]=)?\z",
        "text in base64",
        "ZHJvcA==",
    ),
}

UNCHECKED = ("binary", "password")
"""Formats that do not constrain the text: any octets, and a hint not to show it (OpenAPI 3.0, data types)."""

INTEGERS: dict[str, tuple[int, int]] = {
    f"{sign}{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if sign == "i" else (0, 2**bits - 1)
    for sign in "iu"
    for bits in (8, 16, 32, 64, 128)
}
"""The least and the greatest value of each format of integers."""

BEYOND_F32 = float(2**128 - 2**103)
"""The least number that rounds to an infinite `f32` (IEEE 754, section 4.3.1)."""
