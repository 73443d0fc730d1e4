"""The verdict: a plan and the counts of the job in, a decision out. Pure: it can be taken again without Spark.

*Rejected* is the data's fault. *Failed* is ours: a crashed rule, figures that do not add up; then there is no verdict.
The rules are in docs/reference/semantics.md, one test for each line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from contracts import codec, rules
from contracts.decision import EXCUSED, CheckResult, Decision, File, HeldAgainst, Result, Rows, VerdictName
from contracts.files import mojibake as files_mojibake
from contracts.job import Count, DropResult
from contracts.messages import explain, in_digits, noted, percents, some, tolerated_in_words
from contracts.plan import Check, Plan, Threshold
from contracts.problem import Level, Problem
from contracts.terms import trailer
from contracts.terms.file_sets import Totals
from contracts.terms.history import NO_HISTORY, Figure, Past
from contracts.terms.trailer import Trailer

ALLOWED_MISSING, NO_ROWS, _, _, TOO_LITTLE_HISTORY = EXCUSED
ROUGHLY = Decimal("1e-12")
"""The greatest difference of a sum of doubles from the stated sum, as a share of the greater of both."""
IN_FULL, IN_SHORT = 40, 15
"""Characters of a sum that is shown in full, and digits of a longer one."""
OURS = "You need not do anything: the file has no known error; we find the cause and judge it again."


def refuse(problems: tuple[Problem, ...]) -> Decision:
    """The decision of admission: rejected without a look at the rows."""
    return Decision("rejected", Rows(), problems=_worst_first(problems, ()))


def unclaimed(problems: tuple[Problem, ...]) -> Decision:
    """Return the decision on a file that no contract claims: neither a verdict nor a failure."""
    return Decision(None, Rows(), problems=problems)


def fail(failure: Problem) -> Decision:
    """The decision when we could not judge."""
    return Decision(None, Rows(), failure=failure)


def decide(
    plan: Plan, facts: DropResult, checks: tuple[str, ...], history: Mapping[str, Past] = NO_HISTORY
) -> Decision:
    """Judge one drop; `checks` are the ids in the order of `facts.counts`, as the result's header names them.

    `history` are the figures of earlier files, by the ids of the checks that are held against them.
    """
    if facts.failure:
        return fail(facts.failure)
    if facts.refusal:
        return refuse((*facts.notes, facts.refusal))
    if sorted(checks) != sorted(c.id for c in plan.checks) or len(facts.counts) != len(checks):
        return fail(Problem("checks-do-not-match", "The job's result does not answer the checks of the plan.", OURS))
    counts = dict(zip(checks, facts.counts, strict=True))
    outcomes = tuple(_outcome(plan, check, counts[check.id], facts, history.get(check.id)) for check in plan.checks)
    each_errors = ((c.id, _errors(c, counts[c.id], o)) for c, o in zip(plan.checks, outcomes, strict=True))
    errors = {check: n for check, n in each_errors if n is not None}
    if fault := _own_fault(plan, facts, outcomes):
        return Decision(None, Rows(), outcomes, failure=fault, errors=errors)
    of_file = (*facts.notes, *_totals(plan, facts), *_file_problems(plan, facts))
    spoilt = not _tolerable(plan, facts)
    each = [(c, explain(plan, c, o, facts.read, spoilt)) for c, o in zip(plan.checks, outcomes, strict=True)]
    # a warning is left out if an error reports the same
    reported = [_subject(c) for c, p in each if p and p.level == "error"]
    of_checks = (p for c, p in each if p and (p.level == "error" or not c.threshold or _subject(c) not in reported))
    problems = _worst_first((*of_file, *of_checks), outcomes)
    # a check that was not made for no good reason has its problem among these
    results, levels = {o.result for o in outcomes}, {p.level for p in problems}
    verdict: VerdictName = "accepted"
    if "failed" in results or "error" in levels:
        verdict = "rejected"
    elif facts.rejected or "warning" in results or "warning" in levels:
        verdict = "accepted_with_warnings"
    rows = Rows(facts.read, facts.valid, facts.rejected)
    held_against = ((c, _counted(c, counts[c.id], facts)) for c in plan.checks if c.id in plan.relative)
    figures = {c.id: figure for c, count in held_against if (figure := _figure(c, count))}
    return Decision(
        verdict,
        rows,
        outcomes,
        problems,
        marks=facts.marks,
        figures=figures,
        errors=errors,
        evidence=facts.outputs.get("evidence_rows"),
    )


def document(decision: Decision, plan: Plan | None, file: File) -> dict[str, Any]:
    """The JSON document of a verdict, the same in `dropgate test` and in the receipt."""
    contract = None if plan is None else {"id": plan.id, "version": plan.version, "plan": f"sha256:{plan.sha}"}
    if contract and plan and plan.mode == "observe":
        contract["mode"] = plan.mode
    body: Mapping[str, Any] = codec.encode(decision)
    about = {c.id: {"about": c.about} for c in plan.checks if c.about is not None} if plan else {}
    return {
        "verdict": body["verdict"],
        "contract": contract,
        "file": codec.encode(file),
        "rows": body["rows"],
        "checks": [check | about.get(check["id"], {}) for check in body["checks"]],
        "problems": body["problems"],
        "failure": body["failure"],
    }


def _own_fault(plan: Plan, facts: DropResult, outcomes: tuple[CheckResult, ...]) -> Problem | None:
    """Return the first fault of ours, with which nothing may be decided: a crash, or figures that do not add up."""
    for one in outcomes:
        if one.result == "error":
            text = f"The check `{one.id}` could not run: {one.reason or 'no reason given'}."
            return Problem("check-crashed", text, OURS, property=one.property, check=one.id)
    if facts.read != facts.valid + facts.rejected:
        text = f"Of {facts.read:,} records read, {facts.valid:,} are valid and {facts.rejected:,} rejected"
        return Problem("rows-do-not-add-up", f"{text}: they do not add up.", OURS)
    for one in outcomes:
        figures = (one.evaluated, one.success, one.failed, one.null)
        if any(n is not None and not 0 <= n <= facts.read for n in figures):
            text = f"The figures of the check `{one.id}` do not add up."
            return Problem("figures-do-not-add-up", text, OURS, property=one.property, check=one.id)
    errors = sum(1 << n for n, c in enumerate(plan.row_checks()) if c.severity == "error")
    rejected = sum(rows for mask, rows in facts.masks if int(mask, 16) & errors)
    if rejected > facts.rejected or (rejected != facts.rejected and not facts.overflow):
        text = f"{rejected:,} records fail a check, {facts.rejected:,} lie in evidence: they do not add up."
        return Problem("rows-do-not-add-up", text, OURS)
    for name in (name for _, stated in _stated(plan, facts) for name in stated.sums):
        if name not in (facts.sums or {}) and name not in facts.endless:
            text = f"The values of `{name}` could not be added up, so that its total was not compared."
            return Problem("sum-missing", text, OURS, property=name)
    return None


def made(check: Check, count: Count) -> Count:
    """A count as it is judged: without a record no check was made but that of their number, or has a figure."""
    if (
        isinstance(check.rule, rules.RowCount)
        or count.state != "counted"
        or count.evaluated
        or count.failed
        or count.null
    ):
        return count
    if count.figure is not None:
        return count
    return replace(count, state="not_evaluated", reason=NO_ROWS)


def _counted(check: Check, count: Count, facts: DropResult) -> Count:
    """Return the count of a check as it is judged; the records of a file are counted by a plain scan."""
    count = made(check, count)
    if isinstance(check.rule, rules.RowCount) and not check.filter and count.state == "counted":
        return Count(facts.read, observed=str(facts.read))
    return count


def _figure(check: Check, count: Count) -> Figure | None:
    """Return the figure of a check with a threshold: a value, a number of records, or their share."""
    if count.state != "counted" or (isinstance(check.rule, rules.Limited) and count.figure is None):
        return None
    if isinstance(check.rule, rules.RowCount):
        return Figure(Decimal(count.evaluated))
    if count.figure is not None:
        return Figure(count.figure)
    is_share = check.threshold is not None and check.threshold.unit == "percent"
    return Figure(Decimal(count.failed), count.evaluated if is_share else None)


def _outcome(plan: Plan, check: Check, count: Count, facts: DropResult, past: Past | None) -> CheckResult:
    count, threshold = _counted(check, count, facts), check.threshold
    against, lacks = None, None
    if threshold and threshold.relative and _figure(check, count):
        past = past or Past(threshold.relative)
        if past.is_enough:
            limits = tuple(map(in_digits, past.ends(threshold.values)))
            against = HeldAgainst(past.words, in_digits(past.middle), limits)
        else:
            lacks = past.missing
    evaluated, failed, null = count.evaluated, count.failed, count.null
    counted = count.state == "counted"
    return CheckResult(
        id=check.id,
        kind=check.kind,
        property=check.property,
        dimension=check.dimension,
        severity=check.severity,
        result="not_evaluated" if lacks else _result(plan, check, count, past),
        evaluated=evaluated if counted else None,
        success=evaluated - failed - null if counted else None,
        failed=failed if counted else None,
        null=null if counted else None,
        observed=count.observed,
        expected=check.expected,
        reason=TOO_LITTLE_HISTORY if lacks else count.reason,
        samples=noted(plan, check, count.samples),
        against=count.against,
        history=against,
        lacks=lacks,
    )


def _result(plan: Plan, check: Check, count: Count, past: Past | None) -> Result:
    if count.state != "counted":
        return count.state
    if isinstance(check.rule, rules.Limited | rules.Expectation) and count.figure is None:
        return "error"
    if check.threshold and check.scope == "set":
        within = _holds(check, check.threshold, count, past)
        return "passed" if within else "failed" if check.severity == "error" else "warning"
    limit = check.tolerance or (plan.tolerance if check.severity == "error" and check.scope != "set" else None)
    within = count.failed == 0 if limit is None else limit.allows(count.failed, count.evaluated)
    if check.severity == "warning":
        return "passed" if within else "warning"
    quiet = check.quiet.allows(count.failed, count.evaluated) if check.quiet else not count.failed
    return "failed" if not within else "passed" if quiet else "warning"


def _errors(check: Check, count: Count, outcome: CheckResult) -> int | None:
    """Return the errors of a set check as CloudDQ counts them; None if it counts records, or was not made.

    A statement over no records finds none. A figure that does not hold has one error.
    """
    is_statement = isinstance(check.rule, rules.Statement)
    if check.scope != "set":
        return None
    if outcome.evaluated is None or outcome.lacks:
        return 0 if is_statement and outcome.reason == NO_ROWS else None
    if outcome.result == "passed" if check.threshold else not count.failed:
        return 0
    return int(count.figure or 0) if is_statement else count.failed or 1


def _holds(check: Check, threshold: Threshold, count: Count, past: Past | None) -> bool:
    """Return True if a figure meets the threshold of its check, by itself or against enough earlier ones."""
    if past and threshold.relative and (figure := _figure(check, count)):
        return threshold.holds_against(past, figure)
    seen: int | Decimal = count.failed if count.figure is None else count.figure
    return threshold.holds(count.evaluated if isinstance(check.rule, rules.RowCount) else seen, count.evaluated)


def _subject(check: Check) -> tuple[object, ...]:
    """Return the subject of a check; checks of one subject differ only in threshold and severity."""
    return check.rule, check.scope, check.property, check.filter, check.quiet, check.reference, check.about


def _tolerable(plan: Plan, facts: DropResult) -> bool:
    """Return True if the rejected rows of the file are within its tolerance."""
    return plan.tolerance is None or plan.tolerance.allows(facts.rejected, facts.read)


def _file_problems(plan: Plan, facts: DropResult) -> list[Problem]:
    problems = []
    if mojibake := files_mojibake.problem(plan.csv, facts.letters):
        problems.append(mojibake)
    if not facts.read and plan.empty != "accept":
        level: Level = "error" if plan.empty == "reject" else "warning"
        headed = plan.read_as == "csv" and plan.csv.header
        text = f"The file holds {'a header and ' if headed else ''}no records."
        problems.append(Problem("no-records", text, "Send the file with its records.", level))
    if plan.tolerance and not _tolerable(plan, facts):
        some_rows = some(facts.rejected, facts.read, percents(plan.tolerance))
        verb, limit = "is" if facts.rejected == 1 else "are", tolerated_in_words(plan.tolerance)
        text = f"{some_rows} {verb} rejected; the contract tolerates {limit}."
        fix = "Correct the rejected rows; their faults follow, the most frequent first."
        problems.append(Problem("too-many-rejected", text[0].upper() + text[1:], fix))
    return problems


def _stated(plan: Plan, facts: DropResult) -> Iterator[tuple[str, Totals]]:
    """Yield the totals that were stated for the file, each with its source."""
    if facts.totals:
        yield "manifest", facts.totals
    if plan.csv.trailer and isinstance(stated := _at_the_end(plan, plan.csv.trailer, facts), Totals):
        yield "trailer", stated


def _at_the_end(plan: Plan, rule: Trailer, facts: DropResult) -> Totals | tuple[Problem, ...]:
    """Return the totals that the file's trailer states, or the problems with it."""
    summed = [plan.property_named(name) for name in rule.sums]
    masked, forms = [p.name for p in summed if p.masked], {p.name: p.form for p in summed if p.form}
    names = [f"Position {stretch.words}" for stretch in plan.fixed.trailer] if plan.fixed else ()
    return trailer.totals_of(rule, facts.ending, masked, forms, names)


def _totals(plan: Plan, facts: DropResult) -> Iterator[Problem]:
    """Yield the faults of the trailer or footer, and the differences from the totals of a manifest or a trailer."""
    if plan.csv.footer:
        yield from trailer.footer_problems(plan.csv.footer, facts.ending)
    if rule := plan.csv.trailer:
        totals = _at_the_end(plan, rule, facts)
        yield from (*trailer.early(rule, facts.ending), *(() if isinstance(totals, Totals) else totals))
    for by, stated in _stated(plan, facts):
        fix = f"Upload the file that was meant, whole; if the {by} is wrong, ask for the file to be accepted as it is."
        if stated.rows not in (None, facts.read):
            text = f"The file has {facts.read:,} records; its {by} says {stated.rows:,}."
            yield Problem("rows-differ", text, fix)
        for name, total in stated.sums.items():
            hidden = plan.property_named(name).masked
            failed = [c for c, n in zip(plan.checks, facts.counts, strict=True) if n.failed]
            what = ["malformed records"] if any(c.scope == "record" for c in failed) else []
            misfits = (c for c in failed if isinstance(c.rule, rules.LogicalType) and c.property == name)
            what += ["values that are no numbers"] if any(misfits) else []
            left_out = f" {' and '.join(what).capitalize()} were not added." if what else ""
            if name in facts.endless:
                says = "" if hidden else f"; its {by} says {_shown(total)}"
                text = f"The sum of `{name}` is too large to be added up{says}.{left_out}"
                yield Problem("sum-differs", text, fix, property=name)
                continue
            seen = (facts.sums or {})[name]
            # The last digits of a rough sum may differ.
            allowed = Fraction(ROUGHLY) * max(map(abs, (Fraction(seen), Fraction(total)))) if name in facts.rough else 0
            if abs(Fraction(seen) - Fraction(total)) > allowed:
                figures = "another than" if hidden else f"{_shown(seen)};"
                says = f"its {by} says; the property is classified" if hidden else f"its {by} says {_shown(total)}"
                yield Problem("sum-differs", f"The sum of `{name}` is {figures} {says}.{left_out}", fix, property=name)


def _shown(total: Decimal) -> str:
    """A sum for people: in full, or its first digits if it is too long to read."""
    if len(text := f"{total:f}") <= IN_FULL:
        return text
    with localcontext(prec=IN_SHORT):
        return str((+total).normalize())


def _worst_first(problems: tuple[Problem, ...], outcomes: tuple[CheckResult, ...]) -> tuple[Problem, ...]:
    """Problems as a producer should read them: errors first, of the file before of its rows, the most rows first."""
    failed = {o.id: o.failed or 0 for o in outcomes}
    rows = {p: failed.get(p.check or "", 0) for p in problems}
    return tuple(sorted(problems, key=lambda p: (p.level != "error", rows[p] > 0, -rows[p])))
