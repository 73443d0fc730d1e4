"""The values that break a rule: the rule and a value in, true where it fails out. One line for each kind of check.

A new row check is a function and its line in `FAILS`; a new figure of a whole file stands in `judging.FIGURES`.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from contracts.plan import Property
from tests.oracle.values import Value, value_of

SPACES = "\t\n\x0b\x0c\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
"""White space of ECMA-262."""
Fails = Callable[[Any, Any, Property], bool]
"""A value, the rule of its check and its property in, true where it fails out."""


@cache
def _value(text: str, prop: Property) -> Any:
    value = value_of(text, prop)
    assert value is not None, (text, prop)
    return value


def _outside(value: Value, rule: Any, prop: Property) -> bool:
    return value not in [_value(text, prop) for text in rule.values]


def _unfound(value: str, rule: Any, _: Property) -> bool:
    return re.search(rule.pattern.replace(r"\z", r"\Z"), value, re.ASCII) is None


def _no_multiple(value: Any, rule: Any, prop: Property) -> bool:
    times: Fraction = Fraction(value) / Fraction(_value(rule.value, prop))
    return times.denominator != 1


def _invalid(value: Any, rule: Any, prop: Property) -> bool:
    outside = rule.values is not None and _outside(value, rule, prop)
    return outside or (rule.pattern is not None and _unfound(value, rule, prop))


def _is_ipv4(text: str) -> bool:
    parts = text.split(".")
    return len(parts) == 4 and all(re.fullmatch("0|[1-9][0-9]{0,2}", p) and int(p) < 256 for p in parts)


def _is_ipv6(text: str) -> bool:
    if not text.isascii() or "%" in text or "/" in text:
        return False
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _is_hostname(text: str) -> bool:
    labels = text.split(".")
    good = all(re.fullmatch(r"[A-Za-z0-9-]{1,63}", x) and x[0] != "-" and x[-1] != "-" for x in labels)
    return good and len(text) <= 253 and not re.fullmatch("[0-9]+", labels[-1])


def _is_email(text: str) -> bool:
    name, at, host = text.partition("@")
    atoms = all(re.fullmatch(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+", part) for part in name.split("."))
    return bool(at) and atoms and len(name) <= 64 and len(text) <= 254 and "." in host and _is_hostname(host)


def _is_base64(text: str) -> bool:
    try:
        return base64.b64encode(base64.b64decode(text, validate=True)).decode() == text
    except (binascii.Error, ValueError):
        return False


def _is_uri(text: str) -> bool:
    """RFC 3986, appendix B, and the characters of each part."""
    parts = re.fullmatch(r"([A-Za-z][A-Za-z0-9+.-]*):(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?", text, re.DOTALL)
    if not parts:
        return False
    plain = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@{}-]|%[0-9A-Fa-f]{{2}})*"
    path, query = plain.format("/"), plain.format("/?")
    if not re.fullmatch(path, parts[4]) or not all(re.fullmatch(query, parts[n] or "") for n in (6, 8)):
        return False
    return parts[3] is None or _is_authority(parts[3])


def _is_authority(text: str) -> bool:
    user, at, rest = text.rpartition("@")
    unit = r"(?:[A-Za-z0-9._~!$&'()*+,;={}-]|%[0-9A-Fa-f]{{2}})*"
    if at and not re.fullmatch(unit.format(":"), user):
        return False
    if rest.startswith("["):
        inner = re.fullmatch(r"\[(.*)\](:[0-9]*)?", rest)
        future = r"[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+"
        return inner is not None and (_is_ipv6(inner[1]) or re.fullmatch(future, inner[1]) is not None)
    return re.fullmatch(unit.format("") + "(:[0-9]*)?", rest) is not None


TEXTS: dict[str, Callable[[str], bool]] = {
    "email": _is_email,
    "uri": _is_uri,
    "uuid": lambda text: re.fullmatch("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", text) is not None,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "hostname": _is_hostname,
    "byte": _is_base64,
}


def _not_of_format(value: Any, rule: Any, prop: Property) -> bool:
    name: str = rule.format
    if prop.type == "string":
        return not TEXTS[name](value)
    if name == "f32":
        return bool(abs(value) >= 2**128 - 2**103)
    bits = int(name[1:])
    least, most = (0, 2**bits) if name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    return not least <= value < most


FAILS: dict[str, Fails] = {
    "enum": _outside,
    "minimum": lambda value, rule, prop: value < _value(rule.value, prop),
    "maximum": lambda value, rule, prop: value > _value(rule.value, prop),
    "exclusiveMinimum": lambda value, rule, prop: value <= _value(rule.value, prop),
    "exclusiveMaximum": lambda value, rule, prop: value >= _value(rule.value, prop),
    "multipleOf": _no_multiple,
    "minLength": lambda value, rule, _: len(value) < rule.value,
    "maxLength": lambda value, rule, _: len(value) > rule.value,
    "format": _not_of_format,
    "pattern": _unfound,
    "regex": _unfound,
    "invalidValues": _invalid,
    "allowedPrefixes": lambda value, rule, _: not value.startswith(rule.prefixes),
    "notBlank": lambda value, *_: not value.strip(SPACES),
}
"""Rules about values: a null, and what is no value of its type, breaks none of them."""
