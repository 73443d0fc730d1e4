"""Drops, claims, refusals and findings for people: values in, text out. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from dropgate_client.rendering.screen import look_of, moment, named, paint, visible, wrapped
from dropgate_client.rendering.verdict import problem_lines, verdict_text
from dropgate_client.values import Claim, Drop, Finding, Problem, Refusal

TRIED = "This was a trial: consumers got nothing of the file."
HEADS = ("ID", "STATE", "KEY", "READ", "REJECTED", "RECEIVED")


def drops_table(drops: Sequence[Drop], width: int = 80, *, colour: bool = False) -> str:
    """Return drops, one per line; the key is cut in its middle if it does not fit."""
    if not drops:
        return "No drops.\n"
    rows = [HEADS, *map(_row, drops)]
    wide = [max(len(row[n]) for row in rows) for n in range(len(HEADS))]
    wide[2] = max(12, min(wide[2], width - sum(wide) + wide[2] - 2 * (len(HEADS) - 1)))
    lines = []
    for n, row in enumerate(rows):
        cells = [f"{_cut(cell, size):<{size}}" for cell, size in zip(row, wide, strict=True)]
        cells[3:5] = [f"{row[i]:>{wide[i]}}" for i in (3, 4)]
        if n:
            cells[1] = paint(cells[1], look_of(drops[n - 1].state).colour, on=colour)
        lines.append("  ".join(cells).rstrip())
    return "\n".join([paint(lines[0], bold=True, on=colour), *lines[1:]]) + "\n"


def drop_text(drop: Drop, receipt: Mapping[str, Any] | None, width: int = 80, *, colour: bool = False) -> str:
    """Return where a drop stands, and its verdict as `dropgate test` prints it if it has one."""
    if receipt and (receipt["verdict"] or receipt["failure"]):
        note = f"\n{TRIED}\n" if receipt.get("trial") else ""
        return verdict_text(receipt, width, colour=colour) + note
    look = look_of(drop.state)
    title = paint(f"{look.sign} {look.word.upper()}", look.colour, bold=True, on=colour)
    problems = problem_lines("What to fix", [_document(p) for p in drop.problems], width, colour=colour)
    return "\n\n".join([f"{title}  {visible(drop.key, 1100)}", *(["\n".join(problems)] if problems else [])]) + "\n"


def history_text(drop: Drop, width: int = 80, *, colour: bool = False) -> str:
    """Return the facts and the history of a drop."""
    document = drop.document
    rows = drop.rows
    facts = {
        "drop": drop.id,
        "key": drop.key,
        "contract": drop.contract,
        "size": f"{drop.size:,} bytes",
        "received": drop.received_at,
        "decided": document.get("decided_at"),
        "decided by": document.get("decided_by"),
        "records": f"{rows.read:,} read, {rows.valid:,} valid, {rows.rejected:,} rejected" if rows else None,
        "promoted": document.get("promoted"),
    }
    lines = [*named(facts, width), "", paint("History", bold=True, on=colour)]
    for step in document.get("history", ()):
        look = look_of(step["state"])
        note = f"{step['event']} by {step['by']}: {step['because']}" if step["by"] else step["problem"] or step["event"]
        again = f" (attempt {step['attempt']})" if step["attempt"] > 1 else ""
        state = paint(f"{look.sign} {look.word}", look.colour, on=colour)
        lines.append(f"  {moment(step['at'])}  {state}{again}  {visible(note, max(20, width - 50))}")
    return "\n".join(lines) + "\n"


def claim_text(claim: Claim, width: int = 80, *, colour: bool = False) -> str:
    """Return the contract that claims a key, and how far the file was checked."""
    checked = {"name": "its name and size", "head": "its name, size and first bytes", "file": "all of it, but its rows"}
    facts = {"contract": f"{claim.contract} {claim.version}", "checked": checked.get(claim.checked, claim.checked)}
    problems = problem_lines("Warnings", [_document(p) for p in claim.problems], width, colour=colour)
    title = paint("✓ MATCHED", "green", bold=True, on=colour)
    return "\n".join([f"{title}  {visible(claim.key, 1100)}", *named(facts, width), *problems]) + "\n"


def refusal_text(refusal: Refusal, name: str, width: int = 80, *, colour: bool = False) -> str:
    """Return why a file of a name would be refused, as `dropgate test` prints it."""
    problems = [_document(problem) for problem in refusal.problems]
    if not refusal.is_unmatched:
        return verdict_text(
            {
                "verdict": "rejected",
                "contract": None,
                "file": {"name": name, "size": refusal.size},
                "rows": {"read": None, "rejected": None},
                "problems": problems,
                "checks": [],
                "failure": None,
            },
            width,
            colour=colour,
        )
    title = paint("∅ UNMATCHED", "cyan", bold=True, on=colour)
    lines = problem_lines("What to fix", problems, width, colour=colour)
    return "\n".join([f"{title}  {visible(refusal.key, 1100)}", "", *lines]) + "\n"


def findings_text(findings: Sequence[Finding], files: int) -> str:
    """Return findings as a compiler writes them, each with its fix, and a summary."""
    lines: list[str] = []
    for finding in findings:
        place = f"{visible(finding.file, 2000)}:{finding.line}:{finding.column}"
        lines.append(f"{place}: {finding.level}[{visible(finding.code)}]: {visible(finding.message, 2000)}")
        lines.append(f"  fix: {visible(finding.fix, 2000)}")
    levels = Counter(finding.level for finding in findings)
    counts = ", ".join(
        f"{levels[level]} {level}{'' if levels[level] == 1 else 's'}" for level in ("error", "warning", "note")
    )
    summary = f"{files} file{'' if files == 1 else 's'}: {counts}"
    return "\n".join([*lines, *([""] if lines else []), summary]) + "\n"


def error_text(message: str, width: int = 80) -> str:
    """Return the sentence of an error."""
    return "\n".join(wrapped(f"dropgate-client: {visible(message, 2000)}", max(width, 40)))


def _row(drop: Drop) -> tuple[str, ...]:
    look, rows = look_of(drop.state), drop.rows
    state = f"{look.sign} {look.word.removeprefix('accepted ')}"
    counts = (f"{rows.read:,}", f"{rows.rejected:,}") if rows else ("-", "-")
    return (drop.id[:10], state, visible(drop.key, 1100), *counts, moment(drop.received_at))


def _cut(text: str, wide: int) -> str:
    if len(text) <= wide:
        return text
    half = (wide - 1) // 2
    return f"{text[: wide - 1 - half]}…{text[len(text) - half :]}"


def _document(problem: Problem) -> dict[str, Any]:
    """Return a problem as a receipt has it; its place is part of its message already, or put before it."""
    before = f"{problem.place}: " if problem.place else ""
    return {**asdict(problem), "message": f"{before}{problem.message}", "record": None}
