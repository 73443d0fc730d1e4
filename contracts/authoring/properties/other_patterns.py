"""Date patterns of other tools (strptime, SQL, .NET, spreadsheets, JSON Schema): one in, java.time's letters out."""

from __future__ import annotations

import re

STRPTIME = {
    "Y": "yyyy", "m": "MM", "d": "dd", "H": "HH", "M": "mm", "S": "ss", "f": "SSSSSS", "z": "XXX", "F": "yyyy-MM-dd",
    "T": "HH:mm:ss", "R": "HH:mm", "%": "%", "3f": "SSS", "6f": "SSSSSS", "L": "SSS", ":z": "XXX", "D": "MM/dd/yyyy",
    "-d": "dd", "-m": "MM", "-H": "HH", "e": "dd", "y": "yyyy", "s": "ss", "i": "mm",
}  # fmt: skip
"""Directives of strptime, of strftime in C and of MySQL, and java.time's letters for them."""
NAMED = {
    "date": "yyyy-MM-dd",
    "date-time": "yyyy-MM-dd'T'HH:mm:ssX",
    "datetime": "yyyy-MM-dd'T'HH:mm:ssX",
    "time": "HH:mm:ss",
    "iso": "yyyy-MM-dd",
    "iso8601": "yyyy-MM-dd'T'HH:mm:ssX",
    "iso-8601": "yyyy-MM-dd'T'HH:mm:ssX",
    "rfc3339": "yyyy-MM-dd'T'HH:mm:ssX",
}
"""Names of formats, and their patterns."""
DATE_ALONE, TIME_ALONE = "yyyy-MM-dd", "HH:mm:ss"
TOKEN = re.compile(
    r"'(?:[^']|'')*'|\"[^\"]*\"|HH24|HH12|MI|SSXFF|FF[0-9]?|TZH:TZM|TZHTZM"
    r"|[Yy]+|u{4}|[Mm]+|[Dd]+|[Hh]+|[Kk]+|[Ss]+|f+|[Zz]+|[Xx]+|T|[^A-Za-z]|[A-Za-z]+"
)
FIXED = {"HH24": "HH", "HH12": "HH", "MI": "mm", "FF": "SSSSSS", "TZH:TZM": "XXX", "TZHTZM": "XXX", "T": "'T'"}
LOCAL = re.compile(
    r"(?:(?:tt|jj|gg|dd)(?P<a>[./ -]+)mm(?P<b>[./ -]+)(?:jjjj|aaaa|rrrr|yyyy)"
    r"|(?:jjjj|aaaa|rrrr)(?P<c>[./ -]+)mm(?P<d>[./ -]+)(?:tt|jj|gg|dd))",
    re.IGNORECASE,
)
"""Date patterns of spreadsheets in other languages: `TT.MM.JJJJ`, `jj/mm/aaaa`, `gg/mm/aaaa`, `dd-mm-jjjj`."""
SAMPLE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:(?P<t>[T ])[0-9]{2}:[0-9]{2}:[0-9]{2}(?P<z>Z?))?")
"""An example value in place of a pattern, as in layouts of Go."""
IN_CSV = " In CSV they may stand so: see `formats` under `values` in docs/reference/drop-block.md."
UNREADABLE: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"%-?[Ilpr]|(?<![A-Za-z])(?:a|tt|[AaPp]\.?[Mm]\.?)(?![A-Za-z])"),
        "Hours from 1 to 12 are not read: send hours from 00 to 23, and write `HH`." + IN_CSV,
    ),
    (
        re.compile(r"%[bBh]|MMM|mmm|LLL|MON|[Mm]on(?:th)?(?![A-Za-z])"),
        "Names of months are not read: send months as digits, and write `MM`." + IN_CSV,
    ),
    (re.compile(r"%[aA]|E+|ddd|DY|DAY"), "Names of days are not read: leave them out of the values." + IN_CSV),
    (
        re.compile(r"%[jUWVGgu]|DDD|[Ww]{2}|IW|q|Q"),
        "Weeks, quarters and days of a year are not read: send dates with months and days." + IN_CSV,
    ),
    (
        re.compile(r"(?i)\A(?:%s|epoch.*|unix.*|posix.*|milli.*|seconds?)\Z"),
        "A count of seconds is a number: write `logicalType: integer`, without a format." + IN_CSV,
    ),
)
"""Parts of patterns that dropgate does not read, and the fix."""
BOTH = re.compile(r"(?:%(?:[yY]{4}|[yY]{2}|[mM]{2}|[dD]{2}|[hH]{2}|[sS]{2})|[^%A-Za-z])+")
"""Letters of java.time behind the sign of a directive."""
DIRECTIVE = re.compile(r"%(?P<name>[-:]?[A-Za-z%]|[36]f)|(?P<text>[A-Za-z]+)|(?P<sign>.)", re.DOTALL)


def translated(pattern: str, logical_type: str) -> str | None:
    """Return a pattern of another tool in java.time's letters; None if it cannot be expressed."""
    if name := NAMED.get(pattern.casefold()):
        return {"date": DATE_ALONE, "time": TIME_ALONE}.get(logical_type, name)
    if value := SAMPLE.fullmatch(pattern):
        between = {None: "", "T": "'T'HH:mm:ss", " ": " HH:mm:ss"}[value["t"]]
        return f"yyyy-MM-dd{between}{'XXX' if value['z'] else ''}"
    if local := LOCAL.match(pattern):
        date = "dd{a}MM{b}yyyy" if local["a"] else "yyyy{c}MM{d}dd"
        pattern = date.format(**local.groupdict()) + pattern[local.end() :]
    if "%" not in pattern or is_of_both(pattern):
        return _of_letters(pattern.replace("%", ""))
    parts = []
    for piece in DIRECTIVE.finditer(pattern):
        if piece["name"]:
            parts.append(STRPTIME.get(piece["name"]))
        else:
            parts.append(f"'{piece['text']}'" if piece["text"] else piece["sign"])
    return None if None in parts else "".join(part for part in parts if part)


def unreadable(pattern: str) -> str | None:
    """Return the fix for a pattern whose values dropgate cannot read; None if it can read them."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", pattern)
    return next((fix for sign, fix in UNREADABLE if sign.search(bare)), None)


def is_of_directives(pattern: str) -> bool:
    """Return True if a pattern is written with the directives of strptime."""
    return any(directive["name"] in STRPTIME for directive in DIRECTIVE.finditer(pattern) if directive["name"] != "%")


def is_of_both(pattern: str) -> bool:
    """Return True if each sign of a directive stands before letters of java.time, as in `%dd.%mm.%yyyy`."""
    return BOTH.fullmatch(pattern) is not None


def _of_letters(pattern: str) -> str | None:
    """Translate a pattern of letters in any case: `mm` next to hours or seconds is minutes, elsewhere months."""
    tokens = TOKEN.findall(pattern)
    kinds = [_unit(token) for token in tokens]
    parts: list[str] = []
    for n, (token, kind) in enumerate(zip(tokens, kinds, strict=True)):
        if kind == "m":
            before = next((k for k in reversed(kinds[:n]) if k), "")
            after = next((k for k in kinds[n + 1 :] if k), "")
            parts.append("mm" if before == "h" or (after == "s" and before != "d") else "MM")
        elif kind:
            long = min(len(token), 6)
            parts.append({"y": "yyyy", "d": "dd", "h": "HH", "s": "ss", "f": "S" * long, "x": "XXX"}[kind])
        elif token in FIXED or re.fullmatch(r"FF[0-9]", token):
            parts.append(FIXED.get(token) or "S" * max(1, min(int(token[2]), 6)))
        elif token.isalpha():
            return None
        else:
            parts.append(token.replace('"', "'"))
    return "".join(parts)


def _unit(run: str) -> str:
    """Return the unit of a run of letters, as one letter; empty if the run is not a unit."""
    if run in ("HH24", "HH12"):
        return "h"
    if run == "MI" or not run.isalpha() or run == "T" or run.startswith(("FF", "TZ")):
        return ""
    if len(run) > 4 and run[0] not in "Sf":
        return ""
    if re.fullmatch("S{1,6}", run) and run != "SS":
        return "f"
    if run == "K":
        return "x"
    first = run[0].casefold()
    same = set(run.casefold()) == {first}
    if not same or (first in "md" and len(run) > 2):
        return ""
    return {"y": "y", "u": "y", "m": "m", "d": "d", "h": "h", "k": "h", "s": "s", "f": "f", "z": "x", "x": "x"}.get(
        first, ""
    )
