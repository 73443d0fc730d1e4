"""A verdict for people, as `dropgate test` prints it: a receipt in, text out. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from dropgate_client.rendering.screen import NO_BREAK, look_of, paint, visible, wrapped

MOST_PROBLEMS = 12
MASK = "***"
RESULTS = {"failed": "failed", "error": "broken", "warning": "warning", "not_evaluated": "not run", "passed": "passed"}
COLOURS = {"failed": "red", "error": "magenta", "warning": "yellow", "not_evaluated": "cyan", "passed": "green"}
WORST_FIRST = tuple(RESULTS)
EXCUSED = ("allowed-missing", "no-rows", "for-people", "other-engine", "too-little-history")
"""Reasons for which a check that was not made does not count against the file."""
REASONS = {
    "allowed-missing": "the column is missing, which the contract allows",
    "no-rows": "the file has no record",
    "too-little-history": "there are too few earlier files to compare it with",
    "missing-column": "its column is missing",
    "for-people": "people check it, not dropgate",
    "other-engine": "another engine checks it",
    "no-values": "no record has a value",
    "too-few-values": "it needs two values, and there is one",
    "too-large": "the values are too large to compute it",
}
NUMBERS = ("sum", "sql", "statement", "min", "quantile", "stdev", "max", "rowCount", "mean")
"""The kinds of checks that hold a number of their own against a threshold, not failing records."""

Document = Mapping[str, Any]


def verdict_text(document: Document, width: int = 80, *, colour: bool = False) -> str:
    """Return a verdict as text: the verdict first, then the problems, then the checks, worst first."""
    errors = [p for p in document["problems"] if p["level"] == "error"]
    warnings = [p for p in document["problems"] if p["level"] != "error"]
    failed = document["verdict"] is None
    failure = document["failure"] if failed else None
    why = [failure["message"], failure["fix"]] if failure else []
    blocks = [
        _title(document, width, colour),
        [line for text in why for line in wrapped(visible(text, 600), width)],
        problem_lines("What to fix", errors, width, colour=colour, checks=document["checks"]),
        problem_lines(
            "Also check" if errors else "Warnings", warnings, width, colour=colour, checks=document["checks"]
        ),
        [] if failed else _checks(document["checks"], width, colour),
    ]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines) + "\n"


def place_text(document: Document) -> str | None:
    """Return the place of a problem or of a sample: `the header`, `record 3, line 5`, `record 3, b.csv:5`."""
    record, line, member = document["record"], document.get("line"), document.get("member")
    element = document.get("element")
    if not record:
        return None if record is None else "the header"
    within = element or ("" if line is None else f"{line:,}")
    if member is not None:
        within = f"{member}:{within}" if within else member
    elif within and not element:
        within = f"line {within}"
    return f"record {record:,}" + (f", {within}" if within else "")


def problem_lines(
    title: str, problems: Sequence[Document], width: int, *, colour: bool, checks: Sequence[Document] = ()
) -> list[str]:
    """Return problems under a title, each with its place, its first value and its fix."""
    lines = [paint(title, bold=True, on=colour)] if problems else []
    firsts = {c["id"]: c["samples"][0] for c in checks if c["samples"]}
    for problem in problems[:MOST_PROBLEMS]:
        sign, look = ("✕", "red") if problem["level"] == "error" else ("!", "yellow")
        text = visible(problem["message"], 600) + _first(problem, firsts.get(problem["check"]))
        first, *more = wrapped(text, width - 4)
        lines += [f"  {paint(sign, look, on=colour)} {first}", *(f"    {line}" for line in more)]
        first, *more = wrapped(visible(problem["fix"], 600), width - 6)
        lines += [f"    → {first}", *(f"      {line}" for line in more)]
    if len(problems) > MOST_PROBLEMS:
        lines.append(f"  and {len(problems) - MOST_PROBLEMS} more; --format json lists every one")
    return lines


def _title(document: Document, width: int, colour: bool) -> list[str]:
    failed = document["verdict"] is None
    look = look_of(document["verdict"] or "failed")
    word = "NOT JUDGED" if failed else look.word.upper()
    file, contract = document["file"], document["contract"]
    first, *more = wrapped(f"{look.sign} {word}  {visible(file['name'])}: {_summary(document)}", width, "  ")
    cut = len(look.sign) + 1 + len(word)
    facts = [f"{contract['id']} {contract['version']}", f"rules {contract['plan'][7:19]}"] if contract else []
    facts.append(f"{file['size']:,} {'byte' if file['size'] == 1 else 'bytes'}")
    below = wrapped(" · ".join(visible(fact) for fact in facts), width - 2)
    top = paint(first[:cut], look.colour, bold=True, on=colour) + first[cut:]
    return [top, *more, *(f"  {line}" for line in below)]


def _summary(document: Document) -> str:
    read, rejected = document["rows"]["read"], document["rows"]["rejected"]
    is_rejected = document["verdict"] == "rejected"
    if document["verdict"] is None:
        return "we could not judge it; nothing is known to be wrong with the file."
    if read is None:
        return "rejected before its records were read."
    if rejected:
        end = "rejected" if is_rejected else "rejected, which is within the tolerance"
        return f"{_some(rejected, read)} {'is' if rejected == 1 else 'are'} {end}."
    if is_rejected:
        return "the file as a whole breaks its contract."
    if not read:
        return "it holds no records."
    return f"{'its only record is' if read == 1 else f'all {read:,} records are'} valid."


def _some(count: int, of: int) -> str:
    """Return how many records of how many, with the share in percent, cut to one digit after the point."""
    if count == of:
        return "the only record" if of == 1 else f"all {of:,} records"
    share = Decimal(1000 * count // of).scaleb(-1)
    return f"{count:,} of {of:,} record{'' if of == 1 else 's'}" + (f" ({share:f} %)" if share else "")


def _first(problem: Document, sample: Document | None) -> str:
    """Return the sentence about the first record of a problem; empty if its place is not known."""
    place = place_text(problem)
    if not place or not problem["record"]:
        return ""
    if sample and place_text(sample) == place and sample["value"] != MASK:
        mark = ":" if sample["value"] else ""
        return f" First in {place}{mark} {_shown(sample)}".rstrip() + "."
    return f" First in {place}."


def _checks(checks: Sequence[Document], width: int, colour: bool) -> list[str]:
    """Return the lines for checks, worst first; those not run for a reason that is no fault come after, by reason."""
    if not checks:
        return []
    idle = [c for c in checks if c["result"] == "not_evaluated" and c["reason"] in EXCUSED]
    shown = [c for c in checks if c["result"] != "passed" and c not in idle]
    shown.sort(key=lambda c: (WORST_FIRST.index(c["result"]), -(c["failed"] or 0)))
    passed = len(checks) - len(shown) - len(idle)
    wide = max((len(visible(c["id"], 60)) for c in shown), default=0)
    lines = [paint("Checks", bold=True, on=colour)]
    for check in shown:
        lines += _check(check, wide, width, colour)
    lines += _idle(idle, width, colour)
    if passed:
        lines.append(f"  {paint('passed', 'green', on=colour)}    {passed} check{'' if passed == 1 else 's'}")
    return lines


def _check(check: Document, wide: int, width: int, colour: bool) -> list[str]:
    result = paint(f"{RESULTS[check['result']]:<8}", COLOURS[check["result"]], on=colour)
    first, *more = wrapped(f"{visible(check['id'], 60):<{wide}}  {_counted(check)}", width - 12, "  ")
    samples = [f"{place_text(each) or ''} {_shown(each)}".rstrip().replace(" ", NO_BREAK) for each in check["samples"]]
    more += wrapped(f"{NO_BREAK}· ".join(samples), width - 12) if samples else []
    return [f"  {result}  {first}", *(f"            {line}" for line in more)]


def _idle(idle: Sequence[Document], width: int, colour: bool) -> list[str]:
    """Return the checks that were not made for a reason that is no fault, by reason."""
    lines: list[str] = []
    for reason in dict.fromkeys(c["reason"] for c in idle):
        ids = [c["id"] for c in idle if c["reason"] == reason]
        names = ", ".join(visible(i, 60) for i in ids[:3]) + (", ..." if len(ids) > 3 else "")
        text = f"{len(ids)} check{'' if len(ids) == 1 else 's'}: {REASONS[reason]} ({names})"
        first, *more = wrapped(text, width - 12)
        lines += [f"  {paint('not run', 'cyan', on=colour)}   {first}", *(f"            {line}" for line in more)]
    return lines


def _counted(check: Document) -> str:
    expected = visible(check["expected"])
    if check["failed"] is None:
        return visible(f"{expected}: {REASONS.get(check['reason'], check['reason'])}", 200)
    together = check["kind"] == "expectation" and not check["failed"] and check["observed"]
    if together or check["kind"] in NUMBERS:
        return f"{check['observed']}; expected {expected}"
    return f"{check['failed']:,} of {check['evaluated']:,}; expected {expected}"


def _shown(sample: Document) -> str:
    """Return the value of a failing record, if it has one, and the note on it."""
    value = f"“{visible(sample['value'], 40)}”" if sample["value"] else ""
    note = f"({visible(sample['note'], 60)})" if sample["note"] else ""
    return f"{value} {note}".strip()
