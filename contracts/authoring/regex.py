r"""Regular expressions of ODCS (ECMA-262) for the job's (java.util.regex): a pattern in; Java's, or why not, out.

Both search, unanchored. Translated, so that a pattern means in Java what the standard says: `$` is the very end
(Java's also matches before a last line end), `.` stops at ECMA's four line ends, `\s` is ECMA's white space (Unicode
blanks included), `\b` goes by ASCII letters, `[` and `&&` within a class are plain characters. `\d` and `\w` are ASCII
in both. What is left: Java counts code points where ECMA without its `u` flag counts UTF-16 units, which differs for
characters outside the basic plane only. Refused is what one of the two does not have, or reads otherwise: look-behind,
back references, flags, possessive repetition, `\p`.

Java calls itself for each round of a repeated group, and some thousand rounds overflow its stack, which ends the JVM:
a pattern with such a group is therefore looked for in texts of up to `LONGEST` characters, and found in no longer one.
Refused is also what takes exponential time (`contracts.authoring.backtracking`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from contracts.authoring.backtracking import is_exponential

SPACE = r"\t\n\x0B\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
NOT_SPACE = (
    r"\x00-\x08\x0E-\x1F!-\x9F\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff"
    r"\u3001-\ufefe\uff00-" + chr(0x10FFFF)
)
OUTSIDE = {
    **{letter: f"\\{letter}" for letter in "dDwWfnrt"},
    "s": f"[{SPACE}]",
    "S": f"[^{SPACE}]",
    "v": r"\x0B",
    "0": r"\x00",
    "b": r"(?:(?<=\w)(?!\w)|(?<!\w)(?=\w))",
    "B": r"(?:(?<=\w)(?=\w)|(?<!\w)(?!\w))",
}
INSIDE = OUTSIDE | {"s": SPACE, "S": NOT_SPACE, "b": r"\x08"}
TOKEN = re.compile(
    r"(?P<code>\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})|\\(?P<escape>.)|\(\?<(?P<name>[A-Za-z_$][\w$]*)>|(?P<group>\(\?(?:[:=!]|<?.?))"
    r"|(?P<count>\{\d+(?:,\d*)?\})|(?P<repeat>[*+?])|(?P<class>\[\^?)|(?P<plain>.)",
    re.DOTALL,
)
LONGEST = 500
"""Characters of a text in which a pattern with repeated groups is looked for; `(A|B)+` overflows 1 MiB at 2,000."""
ATOM = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]", re.DOTALL)
"""An escape or a class, in which brackets stand for themselves."""
REPEATED = re.compile(r"\)(?:[*+]|\{\d+,\}|\{(?:\d+,)?\d{3,}\})")


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a pattern cannot be used, and what to write instead."""

    message: str
    fix: str


class _Refusal(Exception):
    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.refused = Refused(message, fix)


def to_java(pattern: str) -> str | Refused:
    """The Java pattern that finds what an ECMA-262 pattern finds."""
    try:
        found = _translate(pattern)
    except _Refusal as refusal:
        return refusal.refused
    try:
        re.compile(found.replace(r"\z", r"\Z"), re.ASCII)
    except (re.error, RecursionError, OverflowError) as error:
        return Refused(
            f"The pattern cannot be read: {error}.",
            "Mend the pattern; a bracket or a brace that is meant as such is written `\\(` or `\\{`.",
        )
    if is_exponential(found.replace(r"\z", r"\Z")):
        return Refused(
            "A repeated group can read one text in two ways: each character of a text doubles the time that it takes.",
            "Let each round read its text in one way, as `a+` for `(a+)+`, `[ab]+` for `(a|[ab])+`.",
        )
    return rf"^(?=[\s\S]{{0,{LONGEST}}}\z)[\s\S]*?(?:{found})" if is_bounded(pattern) else found


def is_bounded(pattern: str) -> bool:
    """Whether a pattern is looked for in short texts only."""
    return REPEATED.search(ATOM.sub("x", pattern)) is not None


def _translate(pattern: str) -> str:
    out: list[str] = []
    at = 0
    repeated = False
    while at < len(pattern):
        match = _token(pattern, at)
        at = match.end()
        if match["class"]:
            text, at = _class(pattern, at, match["class"] == "[^")
            out.append(text)
            repeated = False
            continue
        text, repeats = _outside(match)
        if repeats and repeated and text != "?":
            raise _Refusal(
                f"`{pattern[: match.end()]}` repeats a repetition, which ECMA-262 does not have.",
                "Keep one of `*`, `+`, `?` and `{n}`.",
            )
        repeated = repeats and not (repeated and text == "?")
        out.append(text)
    return "".join(out)


def _token(pattern: str, at: int) -> re.Match[str]:
    match = TOKEN.match(pattern, at)
    if match is None or match["plain"] == "\\":
        raise _Refusal("The pattern ends in a single `\\`.", "Write `\\\\` for a backslash.")
    return match


def _outside(match: re.Match[str]) -> tuple[str, bool]:
    """The Java text of a token outside classes, and whether it is a repetition."""
    if match["code"]:
        return match["code"], False
    if match["escape"]:
        return _escape(match["escape"], OUTSIDE), False
    if match["name"]:
        return "(?:", False
    if match["group"]:
        return _group(match["group"]), False
    if match["count"] or match["repeat"]:
        return match["count"] or match["repeat"], True
    plain = match["plain"]
    if plain == "{":
        raise _Refusal("A `{` stands here that does not begin a count such as `{2,5}`.", "Write `\\{` for a brace.")
    return {"$": r"\z", ".": r"[^\n\r\u2028\u2029]", "]": r"\]", "}": r"\}"}.get(plain, plain), False


def _group(text: str) -> str:
    if text in ("(?:", "(?=", "(?!"):
        return text
    if text.startswith("(?<"):
        raise _Refusal(
            "Look-behind `(?<` is not supported.",
            "Write the pattern without it; it is not in the edition of ECMA-262 that ODCS names.",
        )
    raise _Refusal(
        f"`{text}` is not ECMA-262.", "Groups are `(`, `(?:`, `(?=` and `(?!`; for any case write both, as `[Aa]`."
    )


def _escape(letter: str, meanings: dict[str, str]) -> str:
    if letter in meanings:
        return meanings[letter]
    if letter.isdigit() or letter == "k":
        raise _Refusal(f"The back reference `\\{letter}` is not supported.", "Write the pattern without it.")
    if letter in "pP":
        raise _Refusal(f"`\\{letter}` is not supported.", "Write the letters as a class, as `[A-Za-z\\u00C0-\\u017F]`.")
    if letter.isascii() and letter.isalpha():
        raise _Refusal(
            f"`\\{letter}` means nothing in ECMA-262.",
            "The beginning is `^`, the end `$`; a letter stands for itself without a backslash.",
        )
    return "\\" + letter if letter.isascii() and not letter.isspace() else letter


def _class(pattern: str, at: int, negated: bool) -> tuple[str, int]:
    """The Java text of a class whose content begins at `at`, and where the pattern goes on."""
    parts: list[str] = []
    while at < len(pattern) and pattern[at] != "]":
        match = _token(pattern, at)
        text, at, single = _member(pattern, at, match)
        if single and pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("]", ""):
            text, at = _range(pattern, text, at)
        parts.append(text)
    if at >= len(pattern) or pattern[at] != "]":
        raise _Refusal("A class `[` is not closed.", "Close it with `]`, or write `\\[` for a bracket.")
    if not parts:
        raise _Refusal(
            "An empty class `[]` is not supported.", "Write the characters that are meant; `[\\s\\S]` is any."
        )
    return ("[^" if negated else "[") + "".join(parts) + "]", at + 1


def _member(pattern: str, at: int, match: re.Match[str]) -> tuple[str, int, bool]:
    """One member of a class in Java, where the next begins, and whether it may begin a range."""
    if match["code"]:
        return match["code"], match.end(), True
    if (letter := match["escape"]) is not None:
        if letter == "B":
            raise _Refusal("`\\B` within a class means nothing.", "Write the characters that are meant.")
        return _escape(letter, INSIDE), match.end(), letter not in "dDwWsS"
    char = pattern[at]
    return ("\\" + char if char in "[&^-~" else char), at + 1, True


def _range(pattern: str, low: str, at: int) -> tuple[str, int]:
    match = _token(pattern, at + 1)
    high, end, single = _member(pattern, at + 1, match)
    return (f"{low}-{high}", end) if single else (f"{low}\\-{high}", end)
