"""Flaws of lines that are not JSON objects: a text in, the flaw in words out. Pure; patterns suit Java and Python.

Most patterns are searched in the text without its strings, so that no word of a string counts as a flaw.
"""

from __future__ import annotations

import re
from typing import Literal

from contracts.values import long_lines

Part = Literal["line", "bare"]
STRING = r'"[^"\\]*+(?:\\[\s\S][^"\\]*+)*+"'
HOLDER = "\ue000"
"""A sign in place of a string."""
FLAWS: tuple[tuple[Part, str, str], ...] = (
    ("bare", '"', "a text in it is never closed"),
    (
        "line",
        r'(?<!\\)(?:\\\\)*+\\(?:(?!["\\/bfnrtu])|u(?![0-9a-fA-F]{4}))',
        r"a backslash precedes a character that JSON does not escape; a backslash itself is `\\`",
    ),
    ("line", r"[\x00-\x08\x0b-\x1f]", r"it has a control character; a string has it as an escape, such as `\u0001`"),
    ("bare", r"^\s*\[", "it is an array"),
    ("bare", r"^[ \t\r\n]*[^{ \t\r\n]", "it does not begin with `{`"),
    ("bare", rf"[^\x00-\x7f{HOLDER}]", "it has a character outside of strings that JSON allows only in strings"),
    ("bare", r"\}\s*,\s*$", "a comma follows it"),
    ("bare", r"\}\s*\{", "it has more than one object"),
    ("bare", r"(?<![A-Za-z0-9_])-?(?:NaN|Infinity)(?![A-Za-z0-9_])", "`NaN` and `Infinity` are not JSON; write `null`"),
    (
        "bare",
        r"(?<![A-Za-z0-9_])(?:True|TRUE|False|FALSE|None|NULL|undefined)(?![A-Za-z0-9_])",
        "JSON has no such words but `true`, `false` and `null`",
    ),
    ("bare", r"'", "a string has single quotes; JSON has double quotes"),
    ("bare", r"//|/\*|#", "it has a comment, which JSON does not allow"),
    ("bare", r",\s*[}\]]", "a comma precedes a closing bracket"),
    ("bare", r",\s*,", "it has two commas in a row"),
    ("bare", r"[:\[,]\s*-?0[0-9]", "a number begins with zeros"),
    ("bare", r"[:\[,]\s*(?:\+|-?\.)|[0-9]\.(?![0-9])", "a number has a plus, or no digit next to its point"),
    ("bare", r"[{,]\s*[A-Za-z0-9_$][A-Za-z0-9_$.-]*\s*:", "a key has no quotes"),
    ("bare", r"[^}\s]\s*$", "it does not end with `}`"),
    ("line", r'"[^"]*\t', r"a string has a tab; it is written `\t`"),
    ("bare", ";", "it has a semicolon; JSON has commas between members"),
    ("bare", r"[{\[]\s*,", "a comma follows an opening bracket"),
    ("bare", r":\s*:", "it has two colons in a row"),
    ("bare", rf":\s*[,}}\]]|\{{\s*{HOLDER}\s*[,}}]|:[^:,{{}}\[\]]*,\s*{HOLDER}\s*[,}}]", "a key has no value"),
    ("bare", r"[0-9](?![eE][-+]?[0-9])[A-Za-z_]", "a number has a letter in it"),
    ("bare", r"[:\[,]\s*-?(?!(?:true|false|null)(?![A-Za-z0-9_]))[A-Za-z_$]", "a word has no quotes"),
    (
        "bare",
        rf"[{HOLDER}\]}}A-Za-z0-9]\s*[{HOLDER}{{\[]|[{HOLDER}\]}}]\s*[-A-Za-z0-9]|[A-Za-z0-9]\s+[-A-Za-z0-9]",
        "a comma or a colon is missing between two values",
    ),
    ("bare", r"[0-9][0-9.eE+-]{1000}", "a number in it is longer than 1,000 characters"),
)
"""The searched part of a line, a pattern, and the flaw in words; the first match counts."""


def flaw(line: str) -> str | None:
    """Return the flaw of a line that is not a JSON object, in words; None if no pattern matches."""
    if len(line.encode("utf-8", "surrogatepass")) > long_lines.LONGEST:
        return too_long()
    parts: dict[Part, str] = {"line": line, "bare": re.sub(STRING, HOLDER, line)}
    return next((words for part, pattern, words in FLAWS if re.search(pattern, parts[part])), None)


def unbalanced(line: str) -> bool:
    """Return True if brackets of a line are not closed, or closed too often."""
    bare = re.sub(STRING, HOLDER, line)
    return any(bare.count(opening) != bare.count(closing) for opening, closing in ("{}", "[]"))


def too_long() -> str:
    """Return the flaw of a line that is too long to be read."""
    return f"it has {long_lines.WORDS}"
