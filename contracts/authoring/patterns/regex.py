r"""Regular expressions of ODCS (ECMA-262) for the job (java.util.regex): a pattern in; Java's, or the refusal, out.

Both search, unanchored. Patterns are translated so that they mean in Java what the standard defines: `$` is the very
end (Java's also matches before a last line end), `.` stops at ECMA's four line ends, `\s` is ECMA's white space
(Unicode blanks included), `\b` goes by ASCII letters, `[` and `&&` within a class are plain characters. `\d` and `\w`
are ASCII in both. One difference remains: Java counts code points where ECMA without its `u` flag counts UTF-16 units,
which differs only for characters outside the basic plane. Constructs that one of the two lacks or reads differently
are refused: look-behind, back references, flags, possessive repetition, `\p`.

Java recurses for each round of a repeated group, and some thousand rounds overflow its stack, which ends the JVM; and
it backtracks, so the time of a pattern may grow with a power of a text's length. If neither can be ruled out for texts
of any length, the pattern is only searched in texts up to a bound, and longer texts fail it. If even that takes too
long, or its time has no known bound (`contracts.authoring.patterns.backtracking`), the pattern is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, product

from contracts.authoring.patterns import automaton, backtracking, earliest, stack_depth
from contracts.authoring.patterns.backtracking import Doubling, Steps

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
"""Characters of a text in which a pattern with repeated groups is searched; `(A|B)+` overflows 1 MiB at 1,200."""
LONGEST_SLOW = (1_000, LONGEST, 254)
"""The same for a pattern whose time grows with the square of a text's length: the first that its steps allow.

The last is that of an e-mail address."""
SHORTER = (200, 150, 100, 64, 50, 40, 32, 20)
"""Lengths of texts that are advised for a pattern that is too slow: the first that its steps allow."""
LONGEST_PATTERN = 10_000
MOST_NESTED = 30
"""Groups within each other."""
MOST_STEPS = 4_000_000
"""Steps of the engine that one text may take at worst, some nanoseconds each."""
MOST_STEPS_EACH = 500
"""Steps that each character may take of a text of any length."""
MOST_CALLS = 6_000
"""Nested calls of Java; 7,500 overflow a stack of 1 MiB before they are compiled."""
ENDLESS = 1_000_000
"""The width that `re` reports for endless patterns is above this."""
ATOM = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]", re.DOTALL)
"""An escape or a class, in which brackets are literal."""
REPEATED = re.compile(r"\)(?:[*+]|\{\d+,\}|\{(?:\d+,)?\d{3,}\})")
COUNT = re.compile(r"\{(\d+)")
PYTHON = {"\\z": "\\Z", OUTSIDE["b"]: r"\b", OUTSIDE["B"]: r"\B"}
"""Java's constructs that Python's `re` writes differently."""
NO_ATOMS = ("^", "|", "(", ")", "(?:", "(?=", "(?!", *PYTHON)
NO_SIGNS = ("^", "$", "|", "(", ")", "[", ".", "*", "+", "?", "{")
WHOLE = {".": "", r"\S": r"\s", r"[\s\S]": ""}
"""Atoms that match nearly any character, and the characters that they exclude."""
MOST_PIECES = 60
"""Pieces of a pattern for which other spellings are tried."""
LONGEST_SINGLE = 500
"""Characters of a pattern for which an equal one is tried."""
OF_RANGE = re.compile(r"-\0|\0-|\\\0")
"""A sign, written as NUL, that ends a range of a class or is a part of an escape."""
MOST_TRIED = 4
LONGER = "For longer texts, repeat a class, as `[A-Z0-9-]+`, that does not hold the sign after it."
GENERIC = "Let each repetition end where the next part begins, as `^[^-]*-[^-]*$` for `^.*-.*$`"


@dataclass(frozen=True, slots=True)
class PatternRefused:
    """The reason that a pattern cannot be used, and the fix."""

    message: str
    fix: str


@dataclass(frozen=True, slots=True)
class Java:
    """A pattern for Java; texts of more than `longest` characters, if there is a bound, fail it.

    With `open`, the original pattern may match a longer text.
    """

    text: str
    longest: int | None = None
    open: bool = False


class _Refusal(Exception):
    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.refused = PatternRefused(message, fix)


class _Doubled(_Refusal):
    """A repeated group reads one text in two ways."""


class _Slow(Exception):
    """The pattern takes too many steps."""

    def __init__(self, steps: Steps) -> None:
        super().__init__(steps)
        self.steps = steps


def to_java(pattern: str, most: int | None = None) -> str | PatternRefused:
    """Return the Java pattern equal to an ECMA-262 pattern, for texts of at most `most` characters."""
    java = read(pattern, most)
    return java if isinstance(java, PatternRefused) else java.text


def longest(pattern: str, most: int | None = None) -> int | None:
    """Return the length beyond which no text matches a pattern that would match longer ones; None if there is none."""
    java = read(pattern, most)
    return java.longest if isinstance(java, Java) and java.open else None


@lru_cache(maxsize=1_000)
def read(pattern: str, most: int | None = None) -> Java | PatternRefused:
    """Return a pattern for Java with its bound; `most` is the length of the texts if another rule limits it."""
    if len(pattern) > LONGEST_PATTERN:
        fix = "Write the allowed values as an `enum`, or several shorter patterns."
        return PatternRefused(f"The pattern is longer than {LONGEST_PATTERN:,} characters.", fix)
    try:
        return _java(pattern, most)
    except _Slow as slow:
        power = max((n for n, factor in enumerate(slow.steps) if factor), default=0)
        growth = f"its time grows with the length of a text to the power of {power}"
        why = growth if power >= 2 else f"a character of a text may take {sum(slow.steps):,.0f} steps"
        fits = [length for length in SHORTER if backtracking.at(slow.steps, length) <= MOST_STEPS]
        shorter = f"; or limit the property by `maxLength: {fits[0]}`" if fits else ""
        return PatternRefused(f"The pattern is too slow: {why}.", f"{_cheaper(pattern) or GENERIC}{shorter}.")
    except _Doubled as doubled:
        return PatternRefused(doubled.refused.message, _single(pattern) or doubled.refused.fix)
    except _Refusal as refusal:
        return refusal.refused


def _java(pattern: str, most: int | None) -> Java:
    tokens = _translate(pattern)
    depths = accumulate(piece.startswith("(") - (piece[:1] == ")") for piece in tokens)
    if max(depths, default=0) > MOST_NESTED:
        raise _Refusal(f"More than {MOST_NESTED} groups lie within each other.", "Take groups out that say nothing.")
    try:
        re.compile(_python(tokens), re.ASCII)
    except (re.error, RecursionError, OverflowError) as error:
        raise _Refusal(
            f"The pattern cannot be read: {error}.",
            "Correct the pattern; a literal bracket or brace is written `\\(` or `\\{`.",
        ) from error
    try:
        return _limited(pattern, tokens, most)
    except _Slow:
        plain = earliest.without_groups(tokens)
        spellings = (earliest.rewritten(plain), earliest.rewritten(_trimmed(plain)))
        for spelling in (spelling for spelling in spellings if spelling != tokens):
            with suppress(_Slow, _Refusal):
                return _limited(pattern, spelling, most)
        raise


def lengths(pattern: str) -> tuple[int, int | None]:
    """Return the least length of a matching text, and the greatest, if there is one."""
    tokens = _translate(pattern)
    least = int(automaton.parsed(_python(tokens)).getwidth()[0])
    return least, _width(tokens)


def matches(java: str, text: str) -> bool:
    """Return True if a pattern for Java matches in a short text."""
    return re.search(java.replace(r"\z", r"\Z"), text, re.ASCII) is not None


def _python(tokens: list[str]) -> str:
    return "".join(PYTHON.get(token, token) for token in tokens)


def _limited(pattern: str, tokens: list[str], most: int | None) -> Java:
    steps = _steps(tokens)
    if not backtracking.is_linear(steps, MOST_STEPS_EACH):
        trimmed = _trimmed(tokens)
        if trimmed != tokens and backtracking.is_linear(fewer := _steps(trimmed), MOST_STEPS_EACH):
            tokens, steps = trimmed, fewer
    width = _width(tokens)
    calls = stack_depth.calls(_python(tokens))
    fits = (MOST_CALLS - calls.fixed) / calls.each if calls.each else LONGEST
    if calls.fixed > MOST_CALLS or fits < 1:
        raise _Refusal(
            "The pattern repeats so much that Java's stack overflows.", "Write smaller counts, or repeat a class."
        )
    limits = []
    looks = {"(?=", "(?!"} & set(tokens)
    # A pattern with a width does not read the rest of a longer text, unless it looks ahead.
    is_in_time = backtracking.is_linear(steps, MOST_STEPS_EACH) or (
        width is not None and not looks and backtracking.at(steps, width + 1) <= MOST_STEPS
    )
    if not is_in_time:
        shorter = [length for length in (width, most) if length is not None]
        longest_read = (min([limit, *shorter]) for limit in LONGEST_SLOW)
        in_time = next((limit for limit in longest_read if backtracking.at(steps, limit) <= MOST_STEPS), None)
        if in_time is None:
            raise _Slow(steps)
        limits.append(in_time)
    if calls.each or REPEATED.search(ATOM.sub("x", pattern)):
        limits.append(min(LONGEST, int(fits)))
    java = "".join(tokens)
    if not limits:
        return Java(java)
    limit = min(limits)
    return Java(rf"^(?=[\s\S]{{0,{limit}}}\z)[\s\S]*?(?:{java})", limit, width is None or width > limit)


def _steps(tokens: list[str]) -> Steps:
    try:
        steps = backtracking.steps(_python(tokens))
    except Doubling as error:
        raise _Doubled(
            "A repeated group can read one text in two ways: each character of a text doubles the time that it takes.",
            "Let each round read its text in one way, as `a+` for `(a+)+`, `[ab]+` for `(a|[ab])+`.",
        ) from error
    if steps is None:
        raise _Refusal(
            "No bound can be given for the time of the pattern: it is too large, or can read texts in too many ways.",
            "Write fewer optional parts behind each other and smaller counts, or the allowed values as an `enum`.",
        )
    return steps


def _width(tokens: list[str]) -> int | None:
    """Return the length of the longest text that a pattern matches as a whole; None of a search, or without bound."""
    items = automaton.parsed(_python(tokens))
    try:
        whole = automaton.of(items, 1).whole
    except automaton.TooLarge:
        return None
    if whole.first or whole.empty or whole.begun or whole.last:
        return None
    width = int(items.getwidth()[1])
    return width if width < ENDLESS else None


def _trimmed(tokens: list[str]) -> list[str]:
    """Return a search with the fewest repetitions at its ends, which matches the same texts."""
    if "|" in tokens:
        return tokens
    rest = list(tokens)
    while len(rest) > 1 and _is_atom(rest[0]) and _is_repetition(rest[1]):
        lazy = rest[2:3] == ["?"]
        rest = [*_fewest(rest[0], rest[1]), *rest[3 if lazy else 2 :]]
        if rest[:1] and rest[1:2] and not _shrinks(rest[1]):
            break
    while True:
        lazy = len(rest) > 2 and rest[-1] == "?" and _is_repetition(rest[-2])
        at = len(rest) - 2 - lazy
        if at < 0 or not _is_repetition(rest[at + 1]) or not _is_atom(rest[at]) or not _shrinks(rest[at + 1]):
            return rest
        rest = [*rest[:at], *_fewest(rest[at], rest[at + 1])]


def _fewest(atom: str, repetition: str) -> list[str]:
    """Return an atom as often as a repetition asks for it at least."""
    count = COUNT.match(repetition)
    least = int(count[1]) if count else int(repetition == "+")
    return [] if least == 0 else [atom] if least == 1 else [atom, f"{{{least}}}"]


def _shrinks(repetition: str) -> bool:
    return re.fullmatch(r"\{\d+\}", repetition) is None


def _is_atom(token: str) -> bool:
    return token not in NO_ATOMS and not _is_repetition(token)


def _is_repetition(token: str) -> bool:
    return token in ("*", "+", "?") or COUNT.match(token) is not None


# ---- a cheaper spelling


def _cheaper(pattern: str) -> str | None:
    """Return the advice to end some repetitions at the sign after them, as few as make the pattern cheap."""
    if "(?!" in pattern or "(?<!" in pattern:  # fewer texts within a negation are more texts as a whole
        return None
    pieces, bounded, tried = list(_pieces(pattern)), None, 0
    for n in range(len(pieces) - 2 if len(pieces) <= MOST_PIECES else 0):
        atom, repetition = pieces[n : n + 2]
        sign = next((piece for piece in pieces[n + 2 :] if piece != ")"), "$")
        if tried == MOST_TRIED:
            break
        if repetition not in ("*", "+") or (changed := _without(atom, sign)) == atom:
            continue
        pieces[n], tried = changed, tried + 1
        try:
            java = _java("".join(pieces), None)
        except (_Refusal, _Slow):
            continue
        bounded = "".join(pieces)
        if java.longest is None:
            break
    return f"Write `{bounded}`, which matches fewer texts: a repetition ends at the sign after it" if bounded else None


def _single(pattern: str) -> str | None:
    """Return the advice to write an equal pattern whose repeated groups read each text in one way, if there is one.

    It has `a*` for `(a*)*`, `a+` for `(a+)+`, and `a+(-a+)*` for `a+(-?a+)*`, where a round without its sign continues
    the round before.
    """
    pieces = list(_pieces(pattern)) if len(pattern) <= LONGEST_SINGLE else []
    for n, width in product(reversed(range(len(pieces))), (5, 9)):
        match pieces[n : n + width]:
            case ["(" | "(?:", atom, ("*" | "+") as inner, ")", ("*" | "+") as outer] if _is_piece(atom):
                pieces[n : n + width] = [atom, "+" if inner == outer == "+" else "*"]
            case [atom, "+", ("(" | "(?:") as group, sign, "?", again, "+", ")", "*"] if atom == again:
                if _is_piece(atom):
                    pieces[n : n + width] = [atom, "+", group, sign, atom, "+", ")", "*"]
    spelling = "".join(pieces)
    try:
        _java(spelling, None)
    except (_Refusal, _Slow):
        return None
    return f"Write `{spelling}`, which matches the same texts in fewer ways."


def _is_piece(piece: str) -> bool:
    """Return True if a piece of a pattern stands for a character."""
    return piece == "." or piece not in (*NO_SIGNS, ")", "(?:", "(?=", "(?!")


def _pieces(pattern: str) -> Iterator[str]:
    """Yield the atoms and signs of a pattern, classes whole."""
    at = 0
    while at < len(pattern):
        match = _token(pattern, at)
        end = _class(pattern, match.end(), match["class"] == "[^")[1] if match["class"] else match.end()
        yield pattern[at:end]
        at = end


def _without(atom: str, sign: str) -> str:
    """Return a class without the sign after it; unchanged if the sign is not a plain character."""
    plain = sign[-1]
    if sign in NO_SIGNS or len(sign.removeprefix("\\")) != 1 or (sign[0] == "\\" and plain.isalnum()):
        return atom
    inner = f"\\{plain}" if plain in "]\\^" else plain
    if atom in WHOLE:
        return f"[^{inner}{WHOLE[atom]}]"
    if atom.startswith("[^"):
        return atom if inner in atom else f"[^{inner}{atom[2:]}"
    if not atom.startswith("[") or plain in "]\\^-" or OF_RANGE.search(atom.replace(sign, "\0")):
        return atom
    return atom.replace(sign, "")


def _translate(pattern: str) -> list[str]:
    """Return the tokens of a pattern in Java's notation, classes whole."""
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
    return out


def _token(pattern: str, at: int) -> re.Match[str]:
    match = TOKEN.match(pattern, at)
    if match is None or match["plain"] == "\\":
        raise _Refusal("The pattern ends in a single `\\`.", "Write `\\\\` for a backslash.")
    return match


def _outside(match: re.Match[str]) -> tuple[str, bool]:
    """Return the Java text of a token outside classes, and whether it is a repetition."""
    if match["code"]:
        return match["code"], False
    if match["escape"]:
        return _escape(match["escape"], OUTSIDE), False
    if match["name"]:
        return "(?:", False
    if match["group"]:
        if match["group"] in ("(?:", "(?=", "(?!"):
            return match["group"], False
        if match["group"].startswith("(?<"):
            raise _Refusal(
                "Look-behind `(?<` is not supported.",
                "Write the pattern without it; it is not in the edition of ECMA-262 that ODCS names.",
            )
        message = f"`{match['group']}` is not ECMA-262."
        raise _Refusal(message, "Groups are `(`, `(?:`, `(?=` and `(?!`; for any case write both, as `[Aa]`.")
    if match["count"] or match["repeat"]:
        return match["count"] or match["repeat"], True
    plain = match["plain"]
    if plain == "{":
        raise _Refusal("A `{` here does not begin a count such as `{2,5}`.", "Write `\\{` for a brace.")
    return {"$": "\\z", ".": r"[^\n\r\u2028\u2029]", "]": r"\]", "}": r"\}"}.get(plain, plain), False


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
            "The beginning is `^`, the end `$`; a literal letter has no backslash.",
        )
    return "\\" + letter if letter.isascii() and not letter.isspace() else letter


def _class(pattern: str, at: int, negated: bool) -> tuple[str, int]:
    """Return the Java text of a class whose content begins at `at`, and where the pattern goes on."""
    parts: list[str] = []
    while at < len(pattern) and pattern[at] != "]":
        match = _token(pattern, at)
        text, at, single = _member(pattern, at, match)
        if single and pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("]", ""):
            high, at, single = _member(pattern, at + 1, _token(pattern, at + 1))
            text = f"{text}-{high}" if single else f"{text}\\-{high}"
        parts.append(text)
    if at >= len(pattern) or pattern[at] != "]":
        raise _Refusal("A class `[` is not closed.", "Close it with `]`, or write `\\[` for a bracket.")
    if not parts:
        raise _Refusal(
            "An empty class `[]` is not supported.", "Write the characters that are meant; `[\\s\\S]` is any."
        )
    return ("[^" if negated else "[") + "".join(parts) + "]", at + 1


def _member(pattern: str, at: int, match: re.Match[str]) -> tuple[str, int, bool]:
    """Return a member of a class in Java, where the next begins, and whether it may begin a range."""
    if match["code"]:
        return match["code"], match.end(), True
    if (letter := match["escape"]) is not None:
        if letter == "B":
            raise _Refusal("`\\B` within a class means nothing.", "Write the characters that are meant.")
        return _escape(letter, INSIDE), match.end(), letter not in "dDwWsS"
    char = pattern[at]
    return ("\\" + char if char in "[&^-~" else char), at + 1, True
