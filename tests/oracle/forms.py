"""Cells in the form of a file, a second time: read sign by sign, without a pattern; and written in each way.

Written from docs/reference/drop-block.md, "Values".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from contracts.plan import Property
from contracts.terms.value_form import ValueForm

BLANKS_OF_PERCENT = (" ", "\u00a0", "\u202f")


def bare(text: str, prop: Property) -> str:
    """A cell without the blanks around it, if they do not count."""
    if prop.form is None or not prop.form.trim:
        return text
    while text and _is_blank(text[0]):
        text = text[1:]
    while text and _is_blank(text[-1]):
        text = text[:-1]
    return text


def _is_blank(sign: str) -> bool:
    return unicodedata.category(sign) in {"Zs", "Zl", "Zp"} or sign in "\t\n\v\f\r\ufeff"


def plain(text: str, prop: Property) -> str | None:
    """A bare cell as a contract writes values; None if it is none in the property's form."""
    form = prop.form
    if form is None:
        return text
    if prop.type == "boolean" and (form.true or form.false):
        return {**dict.fromkeys(form.true, "true"), **dict.fromkeys(form.false, "false")}.get(text)
    if prop.type not in ("integer", "number") or not _has_own_numbers(form):
        return text
    readings = set(_numbers(text, form, prop))
    assert len(readings) <= 1, (text, form, readings)
    return next(iter(readings), None)


def _has_own_numbers(form: ValueForm) -> bool:
    beside = form.prefixes or form.suffixes or form.percent or form.negatives
    return bool(form.decimal != "." or form.group or beside or form.decimals is not None)


def _numbers(text: str, form: ValueForm, prop: Property) -> Iterator[str]:
    """All that a text may stand for: there must be no more than one."""
    for outer, sign in _signed(text, form):
        for prefix in ("", *form.prefixes):
            for suffix in ("", *form.suffixes):
                rest = outer.removeprefix(prefix).removesuffix(suffix) if suffix else outer.removeprefix(prefix)
                if len(rest) != len(outer) - len(prefix) - len(suffix):
                    continue
                for inner, own in _signed(rest, form) if not sign else [(rest, sign)]:
                    for digits in _without_percent(inner, form):
                        number = _digits(digits, form, prop)
                        if number is not None:
                            yield own.replace("+", "") + number


def _signed(text: str, form: ValueForm) -> Iterator[tuple[str, str]]:
    """The text without a sign of its own, and the sign: none, in front, behind, around."""
    signs = {"+": "+", "-": "-"} | ({"\u2212": "-"} if "typographic" in form.negatives else {})
    yield text, ""
    if text[:1] in signs and text:
        yield text[1:], signs[text[0]]
    if "trailing" in form.negatives and text[-1:] in signs and text:
        yield text[:-1], signs[text[-1]]
    if "brackets" in form.negatives and len(text) > 1 and text[0] + text[-1] == "()":
        yield text[1:-1], "-"


def _without_percent(text: str, form: ValueForm) -> Iterator[str]:
    if form.percent != "divide":
        yield text
    if form.percent and text.endswith("%"):
        rest = text[:-1]
        yield rest[:-1] if rest.endswith(BLANKS_OF_PERCENT) else rest


def _digits(text: str, form: ValueForm, prop: Property) -> str | None:
    """Digits with their marks as a number with a point."""
    power, head = "", text
    for sign in "eE":
        if sign in text and prop.type == "number" and not prop.exact and not form.decimals and form.percent != "divide":
            head, _, power = text.partition(sign)
            if not _all_digits(power.removeprefix("+").removeprefix("-") if power[:2] not in ("+-", "-+") else ""):
                return None
            power = "E" + power
            break
    has_fraction = prop.type == "number" and form.decimals is None
    whole, mark, fraction = head.partition(form.decimal) if has_fraction else (head, "", "")
    if form.group and form.group in whole:
        parts = whole.split(form.group)
        if power or not 1 <= len(parts[0]) <= 3 or parts[0][0] == "0" or any(len(part) != 3 for part in parts[1:]):
            return None
        whole = "".join(parts)
    if not (whole or fraction) or not all(not part or _all_digits(part) for part in (whole, fraction)):
        return None
    places = (form.decimals or 0) + (2 if form.percent == "divide" else 0)
    if places:
        whole = whole.rjust(places + 1, "0")
        return f"{whole[:-places]}.{whole[-places:]}{fraction}"
    return whole + ("." if mark else "") + fraction + power


def _all_digits(text: str) -> bool:
    return bool(text) and all(sign in "0123456789" for sign in text)


def ways(text: str, prop: Property) -> tuple[str, ...]:
    """A published text as a file of the form may write it; itself, where it is no such value."""
    form = prop.form
    if form is None:
        return (text,)
    around = (f" {text}", f"{text}\u00a0") if form.trim else ()
    if prop.type == "date" and form.formats and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return (*(_day(text, pattern) for pattern in form.formats), text)
    if prop.type == "boolean" and form.true:
        return (*{"true": form.true, "false": form.false}.get(text.lower(), ()), text)
    number = text.removeprefix("-")
    if prop.type not in ("integer", "number") or not _all_digits(number.replace(".", "", 1)):
        return (text, *around)
    minus = "-" if text != number else ""
    return tuple(dict.fromkeys((*_written(minus, number, form), text, *around)))


def _day(text: str, pattern: str) -> str:
    """A day in a notation of digits."""
    year, month, day = text.split("-")
    parts = {"yyyy": year, "MM": month, "dd": day, "M": month.lstrip("0"), "d": day.lstrip("0")}
    return re.sub("y+|M+|d+", lambda match: parts.get(match[0], match[0]), pattern)


def _written(minus: str, number: str, form: ValueForm) -> Iterator[str]:
    whole, _, fraction = number.partition(".")
    places = (form.decimals or 0) + (2 if form.percent == "divide" else 0)
    if places:
        fraction = fraction.ljust(places, "0")
        whole, fraction = whole + fraction[:places], fraction[places:]
    digits = whole + (form.decimal + fraction if fraction else "") + ("%" if form.percent == "divide" else "")
    yield minus + digits
    if form.group and whole.isdigit() and whole[:1] != "0" and len(whole) > 3:
        grouped = f"{int(whole):,}".replace(",", form.group)
        yield minus + digits.replace(whole, grouped, 1)
    yield from (minus + prefix + digits for prefix in form.prefixes)
    yield from (prefix + minus + digits for prefix in form.prefixes)
    yield from (minus + digits + suffix for suffix in form.suffixes)
    if form.percent == "keep":
        yield f"{minus}{digits} %"
    if minus and "trailing" in form.negatives:
        yield f"{digits}-"
    if minus and "brackets" in form.negatives:
        yield f"({digits})"
    if minus and "typographic" in form.negatives:
        yield f"\u2212{digits}"
