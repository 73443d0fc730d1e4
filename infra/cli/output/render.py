"""Documents for people at a terminal: a verdict, a list of drops or one drop as plain JSON types in; text out.

Nothing is read and nothing printed here. Lines fit `width`, texts of strangers cannot command the terminal, and without
`colour` the text has the same meaning. Rejected (the fault of the data) and failed (ours) never have the same form.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import click

from contracts import rules
from contracts.decision import EXCUSED
from contracts.messages import REASONS as WHY
from contracts.messages import some
from contracts.place import Place
from contracts.problem import visible

MOST_PROBLEMS = 12
MASK = "***"
NO_BREAK = "\u00a0"
RESULTS = {"failed": "failed", "error": "broken", "warning": "warning", "not_evaluated": "not run", "passed": "passed"}
WORST_FIRST = tuple(RESULTS)
REASONS = {
    "allowed-missing": "the column is missing, which the contract allows",
    "no-rows": "the file has no record",
    "too-little-history": "there are too few earlier files to compare it with",
} | WHY


@dataclass(frozen=True, slots=True)
class Look:
    """The display of a state or result: a sign, a word and a colour, so that colour is never the only signal."""

    sign: str
    word: str
    colour: str


LOOKS = {
    "accepted": Look("✓", "accepted", "green"),
    "accepted_with_warnings": Look("!", "accepted with warnings", "yellow"),
    "observed": Look("✕", "rejected, promoted", "yellow"),
    "rejected": Look("✕", "rejected", "red"),
    "failed": Look("?", "failed", "magenta"),
    "unmatched": Look("∅", "unmatched", "cyan"),
    "superseded": Look("↷", "superseded", "bright_black"),
    "noted": Look("·", "noted", "bright_black"),
    "tried": Look("·", "tried", "bright_black"),
    "vanished": Look("↷", "vanished", "bright_black"),
}
RESULT_COLOURS = {"failed": "red", "error": "magenta", "warning": "yellow", "not_evaluated": "cyan", "passed": "green"}


def verdict_text(document: Mapping[str, Any], width: int = 80, colour: bool = False) -> str:
    """Return a verdict as text: the verdict first, then the problems, then the checks, worst first."""
    paint = _paint(colour)
    problems = document["problems"]
    errors = [p for p in problems if p["level"] == "error"]
    warnings = [p for p in problems if p["level"] != "error"]
    failed = document["verdict"] is None
    look = _look(document["verdict"] or "failed")
    word = "NOT JUDGED" if failed else look.word.upper()
    file, contract = document["file"], document["contract"]
    text = f"{look.sign} {word}  {visible(file['name'])}: {_summary(document)}"
    first, *more = _wrapped(text, width, "  ")
    cut = len(look.sign) + 1 + len(word)
    facts = [f"{contract['id']} {contract['version']}", f"rules {contract['plan'][7:19]}"] if contract else []
    facts.append(f"{file['size']:,} {'byte' if file['size'] == 1 else 'bytes'}")
    named = _wrapped(" · ".join(visible(f) for f in facts), width - 2)
    why = [document["failure"]["message"], document["failure"]["fix"]] if failed and document["failure"] else []
    blocks = [
        [paint(first[:cut], look.colour, bold=True) + first[cut:], *more, *(f"  {line}" for line in named)],
        [line for text in why for line in _wrapped(visible(text, 600), width)],
        _problems("What to fix", errors, document["checks"], width, paint),
        _problems("Also check" if errors else "Warnings", warnings, document["checks"], width, paint),
        [] if failed else _checks(document["checks"], width, paint),
    ]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines) + "\n"


def drops_table(rows: Sequence[Mapping[str, Any]], width: int = 80, colour: bool = False) -> str:
    """Return drops, one per line; columns that do not fit are left out, the key is cut in its middle.

    A row has id, state, contract, key, size, received_at, changed_at, read and rejected; unknown values are None.
    """
    if not rows:
        return "No drops.\n"
    paint = _paint(colour)
    cells = {name: [name.upper(), *(show(row) for row in rows)] for name, show in COLUMNS.items()}
    wide = {name: max(map(len, column)) for name, column in cells.items()}
    names = list(COLUMNS)
    for spare in ("size", "changed", "read", "contract", "received"):  # until a key of a useful length fits as well
        if sum(wide[n] + 2 for n in names if n != "key") + min(wide["key"], 28) <= width:
            break
        names.remove(spare)
    wide["key"] = max(12, width - sum(wide[n] + 2 for n in names if n != "key"))
    lines = []
    for nth in range(len(rows) + 1):
        parts = [_padded(name, cells[name][nth], wide[name]) for name in names]
        look = _look(rows[nth - 1]["state"]) if nth else None
        parts[1] = paint(parts[1], look.colour) if look else parts[1]
        lines.append("  ".join(parts).rstrip())
    return "\n".join([paint(lines[0], bold=True), *lines[1:]]) + "\n"


def stuck_text(rows: Sequence[Mapping[str, Any]], minutes: int, width: int = 80, colour: bool = False) -> str:
    """Return the items without progress, each with its cause and what to do.

    A row has what, id, state, key, minutes (None if unknown), waits_for and do.
    """
    if not rows:
        return f"Everything has made progress in the last {minutes} minutes.\n"
    paint, lines = _paint(colour), list[str]()
    for row in rows:
        since = "" if row["minutes"] is None else f", for {row['minutes']:,} minutes"
        title = f"{row['what']} {row['id'][:10]}  {row['state']}{since}"
        lines += [paint(title, bold=True) + (f"  {visible(row['key'], width)}" if row["key"] else "")]
        lines += [f"  {line}" for line in _wrapped(f"waits for  {visible(row['waits_for'], 600)}", width - 2, " " * 11)]
        lines += [f"  {line}" for line in _wrapped(f"what to do {visible(row['do'], 600)}", width - 2, " " * 11)]
    return "\n".join(lines) + "\n"


def sets_text(rows: Sequence[Mapping[str, Any]], width: int = 80, colour: bool = False) -> str:
    """Return sets of files, one sentence each. A row has parts, files, signal and lacks (None if complete)."""
    paint, lines = _paint(colour), list[str]()
    for row in rows:
        named = ", ".join(f"{name} {visible(value, 80)}" for name, value in row["parts"].items())
        files = "1 file" if len(row["files"]) == 1 else f"{len(row['files']):,} files"
        state = f"waits: {visible(row['lacks'], 600)}" if row["lacks"] else f"complete, {files} are processed together"
        title = paint("… set" if row["lacks"] else "✓ set", "yellow" if row["lacks"] else "green")
        first, *rest = _wrapped(f"({named}) {state}", width - 6, "")
        lines += [f"{title} {first}", *(f"      {line}" for line in rest)]
    return "\n".join(lines) + "\n"


def missing_table(rows: Sequence[Mapping[str, Any]], colour: bool = False) -> str:
    """Return missing files, one line for each contract and day.

    A row has contract, day, files, came, due_at, state and changed_at.
    """
    if not rows:
        return "Nothing is missing.\n"
    paint = _paint(colour)
    cells = [("CONTRACT", "DAY", "DUE", "CAME", "STATE")]
    for row in rows:
        came = f"{row['came']:,} of {row['files']:,}"
        state = "✕ missing" if row["state"] == "missing" else f"! all came by {_moment(row['changed_at'])}"
        cells.append((row["contract"], row["day"], _moment(row["due_at"]), came, state))
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(f"{cell:<{n}}" for cell, n in zip(line, wide, strict=True)).rstrip() for line in cells]
    colours = ["red" if row["state"] == "missing" else "yellow" for row in rows]
    shown = [paint(line, one) for line, one in zip(lines[1:], colours, strict=True)]
    return "\n".join([paint(lines[0], bold=True), *shown]) + "\n"


MARKS = {"met": ("✓", "green"), "at_risk": ("!", "yellow"), "missed": ("✕", "red"), "unknown": ("?", None)}
"""The mark and the colour of each state of a promise."""
LOOK = "the schedule does not look at it, so nobody knows (dropgate doctor)"


def promises_text(rows: Sequence[Mapping[str, Any]], colour: bool = False) -> str:
    """Return the promises of contracts, with a mark for each of their last periods, the oldest first.

    A row has contract, judged_at, is_late if that is too long ago, and promises: name, state, changed_at, promised,
    figure, and periods (state, begin, end), the newest first.
    """
    paint, lines = _paint(colour), list[str]()
    for row in rows:
        judged = f"judged at {_moment(row['judged_at'])}" if row["judged_at"] else "never judged"
        late = paint(f", and not since: {LOOK}", "yellow") if row["is_late"] else ""
        lines.append(f"{paint(row['contract'], bold=True)}  {judged}{late}")
        wide = max((len(one["name"]) for one in row["promises"]), default=0)
        for one in row["promises"]:
            mark, look = MARKS[one["state"]]
            state = paint(f"{mark} {one['state'].replace('_', ' '):<7}", look)
            lines.append(f"  {state}  {one['name']:<{wide}}  {one['promised']}")
            so = "so it was then" if row["is_late"] else f"so since {_moment(one['changed_at'])}"
            lines.append(f"{'':{wide + 15}}{visible(one['figure'], 200)}; {so}")
            marks = "".join(paint(*MARKS.get(p["state"], (".", None))) for p in reversed(one["periods"]))
            if marks:
                last = _moment(one["periods"][0]["end"])
                lines.append(f"{'':{wide + 15}}{marks}  periods up to {last}")
    return "\n".join(lines) + "\n"


def trial_table(rows: Sequence[Mapping[str, Any]], width: int = 80, colour: bool = False) -> str:
    """Return drops under a tried contract, one per line: both verdicts, and the reason if the verdict changes.

    A row has drop, key, received_at, change, then (verdict, rows) and now (verdict, rows, problems, failure), or None
    where the bytes are gone.
    """
    paint = _paint(colour)
    wide = max((len(_ended(row[when])) for row in rows for when in ("then", "now")), default=0)
    room = max(12, width - 2 * (wide + 2) - 35)
    lines = [f"{'DROP':<10}  {'RECEIVED':<19}  {'KEY':<{room}}  {'THEN':<{wide}}  NOW"]
    for row in rows:
        then, now = (f"{_ended(row[when]):<{wide}}" for when in ("then", "now"))
        looks = [
            _look(row[when]["verdict"] or "failed") if row[when] else LOOKS["vanished"] for when in ("then", "now")
        ]
        key = _padded("key", visible(row["key"], 1100), room)
        cells = [row["drop"][:10], _moment(row["received_at"]), key, paint(then, looks[0].colour)]
        lines.append("  ".join([*cells, paint(now.rstrip(), looks[1].colour)]))
        if row["change"] in ("worse", "failed"):
            why = [row["now"]["failure"]] if row["now"]["failure"] else row["now"]["problems"]
            shown = [
                f"            {line}" for p in why[:3] for line in _wrapped(visible(p["message"]), width - 12, "  ")
            ]
            lines += [*shown, *([f"            and {len(why) - 3} more"] if len(why) > 3 else [])]
    return "\n".join([paint(lines[0], bold=True), *lines[1:]]) + "\n"


def _ended(how: Mapping[str, Any] | None) -> str:
    """Return a verdict with the number of rejected rows."""
    if how is None:
        return "no longer kept"
    look = _look(how["verdict"] or "failed")
    rejected = (how["rows"] or {}).get("rejected")
    return f"{look.sign} {look.word}" + (f", {rejected:,} row{'s' if rejected > 1 else ''}" if rejected else "")


def drop_detail(
    drop: Mapping[str, Any],
    history: Iterable[Mapping[str, Any]],
    links: Mapping[str, str],
    width: int = 80,
    colour: bool = False,
) -> str:
    """Return one drop: its record, its history, and the places of its objects.

    `drop` has at least state and key, other entries are shown in their order; history entries have at, state and
    perhaps attempt and note; `links` are names with URIs or commands.
    """
    paint = _paint(colour)
    look = _look(drop["state"])
    title = paint(f"{look.sign} {look.word}", look.colour, bold=True)
    facts = {k.replace("_", " "): _plain(v) for k, v in drop.items() if k not in ("state", "key") and v is not None}
    steps = [paint("History", bold=True)]
    for one in history:
        then = _look(one["state"])
        note = f"  {visible(one['note'], max(20, width - 50))}" if one.get("note") else ""
        again = f" (attempt {one['attempt']})" if one.get("attempt", 1) > 1 else ""
        steps.append(f"  {_moment(one['at'])}  {paint(f'{then.sign} {then.word}', then.colour)}{again}{note}")
    blocks = [
        [f"{title}  {visible(drop['key'], max(12, width - len(look.word) - 4))}", *_named(facts, width)],
        steps,
        [paint("Where to look", bold=True), *_named(links, width)] if links else [],
    ]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines) + "\n"


def _paint(colour: bool) -> Any:
    def paint(text: str, fg: str | None = None, bold: bool = False) -> str:
        return click.style(text, fg=fg, bold=bold or None) if colour else text

    return paint


def _look(state: str) -> Look:
    return LOOKS.get(state, Look("…", state, "blue"))


def _summary(document: Mapping[str, Any]) -> str:
    read, rejected = document["rows"]["read"], document["rows"]["rejected"]
    if document["verdict"] is None:
        return "we could not judge it; nothing is known to be wrong with the file."
    if read is None:
        return "rejected before its records were read."
    if rejected:
        end = "rejected" if document["verdict"] == "rejected" else "rejected, which is within the tolerance"
        return f"{some(rejected, read)} {'is' if rejected == 1 else 'are'} {end}."
    if document["verdict"] == "rejected":
        return "the file as a whole breaks its contract."
    return (
        "it holds no records."
        if not read
        else f"{'its only record is' if read == 1 else f'all {read:,} records are'} valid."
    )


def _problems(
    title: str, problems: Sequence[Mapping[str, Any]], checks: Sequence[Mapping[str, Any]], width: int, paint: Any
) -> list[str]:
    if not problems:
        return []
    lines = [paint(title, bold=True)]
    firsts = {c["id"]: c["samples"][0] for c in checks if c["samples"]}
    for one in problems[:MOST_PROBLEMS]:
        sign, fg = ("✕", "red") if one["level"] == "error" else ("!", "yellow")
        place, sample, first_in = Place.of(one), firsts.get(one["check"]), ""
        if place is not None and place.record:
            first_in = f" First in {place}."
            if sample and Place.of(sample) == place and sample["value"] != MASK:
                mark = ":" if sample["value"] else ""
                first_in = f" First in {place}{mark} {_shown(sample)}".rstrip() + "."
        first, *more = _wrapped(visible(one["message"], 600) + first_in, width - 4)
        lines += [f"  {paint(sign, fg)} {first}", *(f"    {line}" for line in more)]
        first, *more = _wrapped(visible(one["fix"], 600), width - 6)
        lines += [f"    → {first}", *(f"      {line}" for line in more)]
    if len(problems) > MOST_PROBLEMS:
        lines.append(f"  and {len(problems) - MOST_PROBLEMS} more; --format json lists every one")
    return lines


def _checks(checks: Sequence[Mapping[str, Any]], width: int, paint: Any) -> list[str]:
    """Return the lines for checks, worst first; those not run for a reason that is no fault come after, by reason."""
    idle = [c for c in checks if c["result"] == "not_evaluated" and c["reason"] in EXCUSED]
    shown = [c for c in checks if c["result"] != "passed" and c not in idle]
    shown.sort(key=lambda c: (WORST_FIRST.index(c["result"]), -(c["failed"] or 0)))
    passed = len(checks) - len(shown) - len(idle)
    if not checks:
        return []
    wide = max((len(visible(c["id"], 60)) for c in shown), default=0)
    lines = [paint("Checks", bold=True)]
    for one in shown:
        result = paint(f"{RESULTS[one['result']]:<8}", RESULT_COLOURS[one["result"]])
        first, *more = _wrapped(f"{visible(one['id'], 60):<{wide}}  {_counted(one)}", width - 12, "  ")
        samples = [f"{Place.of(each)} {_shown(each)}".rstrip().replace(" ", NO_BREAK) for each in one["samples"]]
        more += _wrapped(f"{NO_BREAK}· ".join(samples), width - 12) if samples else []
        lines += [f"  {result}  {first}", *(f"            {line}" for line in more)]
    for reason in dict.fromkeys(c["reason"] for c in idle):
        ids = [c["id"] for c in idle if c["reason"] == reason]
        named = ", ".join(visible(i, 60) for i in ids[:3]) + (", ..." if len(ids) > 3 else "")
        text = f"{len(ids)} check{'' if len(ids) == 1 else 's'}: {REASONS[reason]} ({named})"
        first, *more = _wrapped(text, width - 12)
        lines += [f"  {paint('not run', 'cyan')}   {first}", *(f"            {line}" for line in more)]
    if passed:
        lines.append(f"  {paint('passed', 'green')}    {passed} check{'' if passed == 1 else 's'}")
    return lines


NUMBERS = {rule.kind for rule in (rules.RowCount, *get_args(rules.Limited))}
"""The kinds of checks that hold a number of their own against a threshold, not failing records."""


def _counted(check: Mapping[str, Any]) -> str:
    expected = visible(check["expected"])
    if check["failed"] is None:
        return visible(f"{expected}: {REASONS.get(check['reason'], check['reason'])}", 200)
    together = check["kind"] == rules.Expectation.kind and not check["failed"] and check["observed"]
    if together or check["kind"] in NUMBERS:
        return f"{check['observed']}; expected {expected}"
    return f"{check['failed']:,} of {check['evaluated']:,}; expected {expected}"


def _shown(sample: Mapping[str, Any]) -> str:
    """Return the value of a failing record, if it has one, and the note on it."""
    value = f"“{visible(sample['value'], 40)}”" if sample["value"] else ""
    note = f"({visible(sample['note'], 60)})" if sample["note"] else ""
    return f"{value} {note}".strip()


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Return lines of at most `width`; a no-break space joins its neighbours and becomes a space at the end."""
    kept = text.replace(" %", f"{NO_BREAK}%")
    lines = textwrap.wrap(kept, max(20, width), subsequent_indent=indent, break_on_hyphens=False)
    return [line.replace(NO_BREAK, " ") for line in lines] or [""]


def _named(facts: Mapping[str, str], width: int) -> list[str]:
    wide = max(map(len, facts), default=0)
    return [f"  {name:<{wide}}  {visible(text, max(width, 400))}" for name, text in facts.items()]


def _plain(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _moment(text: str) -> str:
    return text[:19].replace("T", " ")


def _padded(name: str, text: str, wide: int) -> str:
    if name in ("size", "read", "rejected"):
        return text.rjust(wide)
    if len(text) > wide:
        half = (wide - 1) // 2
        text = f"{text[: wide - 1 - half]}…{text[len(text) - half :]}"
    return text.ljust(wide)


COLUMNS: dict[str, Any] = {
    "id": lambda row: row["id"][:10],
    "state": lambda row: f"{(look := _look(row['state'])).sign} {look.word.removeprefix('accepted ')}",
    "contract": lambda row: visible(row["contract"] or "-", 40),
    "key": lambda row: visible(row["key"], 1100),
    "size": lambda row: _plain(row["size"]) if row["size"] is not None else "-",
    "received": lambda row: _moment(row["received_at"]),
    "changed": lambda row: _moment(row["changed_at"]),
    "read": lambda row: _plain(row["read"]) if row["read"] is not None else "-",
    "rejected": lambda row: _plain(row["rejected"]) if row["rejected"] is not None else "-",
}
