"""The first bytes of lines of fixed width: a plan and the bytes in, what is wrong with them out. Pure."""

from __future__ import annotations

import re
from dataclasses import replace

from contracts.files import csv_top, encodings, fixed_cells
from contracts.files.csv_top import LINE, MARK, Top
from contracts.place import FIRST, HEADER, Place
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.terms.leader import differences, missing
from functions.admission.heads import csv_head, foreign_forms, text_forms
from functions.admission.heads.problems import Head, may_be_lost, other_text, undecodable, wrong_format

LOOKED_AT = 20
"""Lines by which a file of another format is recognised."""
BEGINS = "a line that begins with"
LINE_END = re.compile(rb"[\r\n]")


def look(plan: Plan, size: int, sample: bytes) -> Head:
    """Return what is wrong in the first bytes of a file; its leader is the header line."""
    names, whole = fixed_cells.layout(plan).names, len(sample) == size
    text = sample.decode(encodings.read_as(plan.csv.encoding), "replace")
    lines = [line.rstrip("\r\n") for line in LINE.findall(text.removeprefix(MARK))]
    lines = lines if whole else lines[:-1]  # the last may be cut
    if problem := _other(plan, text, lines[:LOOKED_AT]) or _endless(plan, sample, lines, whole=whole):
        return Head((problem,), names)
    top = csv_top.read(plan.csv, text, whole=whole)
    above = top.filled if isinstance(top, Top) else ()
    if plan.csv.leader and (problem := missing(plan.csv.leader, fixed_cells.leader(plan, "".join(above)), BEGINS)):
        return Head((problem,), names)
    leader = top.text if isinstance(top, Top) else ""
    problems = csv_head.no_records(plan, size, sample, leader.encode(encodings.read_as(plan.csv.encoding)))
    filled = [(number, line) for number, line in enumerate(lines, 1) if line][len(above) :]
    if bad := _bad_text(plan, sample, whole=whole):
        problems.append(bad)
    elif filled and (problem := _length(plan, *filled[0])):
        problems.append(problem)
    return Head(tuple(problems), names, leader)


def leader_problems(plan: Plan, key: str, header_line: str) -> list[Problem]:
    """Return the problems of a leader whose stretches are not what the contract has for a key."""
    if not plan.csv.leader or not (lines := csv_top.again(plan.csv, header_line).filled):
        return []
    names = [f"Position {stretch.words}" for stretch in fixed_cells.layout(plan).leader]
    return differences(plan.csv.leader, plan.files, key, fixed_cells.leader(plan, lines[-1]), names)


def _other(plan: Plan, text: str, lines: list[str]) -> Problem | None:
    """Return the problem of a text that is in another format: its first lines do not all have the agreed length."""
    filled = [line for line in lines if line]
    fitting = sum(_fits(plan, line) for line in filled)
    if fitting == len(filled):
        return None
    if (problem := other_text(plan, text[: 4 * foreign_forms.HEAD])) or fitting:
        return problem
    form = text_forms.of(plan, "\n".join(filled), whole=True)
    return None if form in (None, text_forms.FIXED) else wrong_format(plan, form)


def _endless(plan: Plan, sample: bytes, lines: list[str], *, whole: bool) -> Problem | None:
    """Return the problem of a file without line ends, whose records follow each other."""
    agreed, line = fixed_cells.layout(plan), lines[0] if lines else ""
    if LINE_END.search(sample) or (whole and fixed_cells.length(plan, line) < 2 * agreed.length):
        return None
    text = f"No line ends within {len(sample):,} bytes: the records follow each other without line ends."
    if whole:
        text = f"The file is one line of {fixed_cells.length(plan, line):,} {agreed.unit}: no line end is in it."
    fix = f"Write a line end behind each record of {agreed.wanted}."
    return Problem("no-line-ends", text, fix)


def _fits(plan: Plan, line: str) -> bool:
    """Return True if a line has the agreed length, or is agreed to be none of the records."""
    begins = [rule.begins for rule in (plan.csv.leader, plan.csv.trailer) if rule]
    return fixed_cells.layout(plan).fits(fixed_cells.length(plan, line)) or any(map(line.startswith, begins))


def _bad_text(plan: Plan, sample: bytes, *, whole: bool) -> Problem | None:
    """Return the problem of the first bytes that are no text; without a tolerance the job would reject the file."""
    if may_be_lost(plan, "text"):
        return None
    problem = undecodable(plan, sample, whole=whole)
    if problem is None or problem.place is None or not plan.csv.leader:
        return problem
    place = HEADER if problem.place.record == 1 else replace(problem.place, record=problem.place.record - 1)
    return replace(problem, place=place)


def _length(plan: Plan, number: int, line: str) -> Problem | None:
    """Return the problem of a first record of another length than agreed."""
    if _fits(plan, line) or may_be_lost(plan, "lineLength"):
        return None
    agreed, seen = fixed_cells.layout(plan), fixed_cells.length(plan, line)
    unit = agreed.unit if seen != 1 else agreed.unit[:-1]
    text = f"The first record has {seen:,} {unit}; the contract requires {agreed.wanted}."
    fix = "Write each field in its positions, filled up to its length, and nothing behind the last one."
    if "\t" in line:
        fix = f"Write blanks in place of tabs. {fix}"
    elif not agreed.short and seen < agreed.length and agreed.fits(seen) is False:
        fix += " If only blanks are missing at the end, ask for `fixed.shortLines: accept` in the contract."
    return Problem("line-length", text, fix, place=FIRST if number == 1 else Place(1, number))
