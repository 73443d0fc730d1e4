"""The receipt: the meaning of a decision for the producer in; a JSON document and one self-contained page out. Pure.

Values of classified properties are masked here, in addition to the job's own masks, and text of strangers is made
harmless: the page has no script, loads nothing, and its only style is the one that its policy names by hash.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from contracts import codec, rules
from contracts.decision import EXCUSED, CheckResult, Decision, File
from contracts.job import Sample
from contracts.messages import percents, some
from contracts.plan import Plan
from contracts.problem import Problem, visible
from contracts.terms.notices import Contact
from contracts.verdict import document
from functions.drop import ABOUT_OTHERS, Override

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

MASK = "***"
WORST_FIRST = ("failed", "error", "warning", "not_evaluated", "passed")
MOST_PROBLEMS = 20
"""The number of problems that are open on the page; the others are folded."""
MOST_ROWS = 100_000
"""So many rows the job writes into rejected.csv at most."""
WITHDRAWN = " Readers had the file and no longer have it."
TRIED_IN_VAIN = " This was a trial. If you send it like this, it is rejected."
TRIED = {
    "accepted": "The file meets its contract. This was a trial: readers did not get the file, so send it now.",
    "accepted_with_warnings": (
        "The file would be accepted with warnings. This was a trial: readers did not get the file."
    ),
}
"""The sentences for trials that pass: nobody may take such a receipt for that of a delivery."""
FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Receipt:
    """A decision and its facts for the producer; times are ISO text in UTC.

    `rejected_rows` is the name of the file with the rejected rows, next to the receipt; `promoted` is the URI where
    consumers find the data; `override` is the person who decided against the checks. Each is None if there is none.
    `withdrawn` is True if consumers had the file until this decision. `sent` is False for a file that was judged by
    `dropgate test`: it was not sent, and its producer decides about it. `trial` is True for a file that was only tried:
    the checks are all there is. `contact` is whom to ask about the contract.

    A decision without a verdict and without a failure is that of a file that no contract claims.
    """

    drop: str
    attempt: int
    key: str
    received_at: str
    decided_at: str
    decision: Decision
    plan: Plan | None
    file: File
    rejected_rows: str | None = None
    promoted: str | None = None
    override: Override | None = None
    withdrawn: bool = False
    sent: bool = True
    contact: Contact | None = None
    trial: bool = False


def render_json(receipt: Receipt) -> bytes:
    """Return the receipt for machines: the document of `dropgate test`, with the drop that it belongs to."""
    body = {
        "format": 1,
        "drop": receipt.drop,
        "attempt": receipt.attempt,
        "key": receipt.key,
        "received_at": receipt.received_at,
        "decided_at": receipt.decided_at,
        **document(masked(receipt.decision, receipt.plan), receipt.plan, receipt.file),
        "rejected_rows": receipt.rejected_rows,
        "promoted": receipt.promoted,
        "override": codec.encode(receipt.override),
        "withdrawn": receipt.withdrawn,
        **({"trial": True} if receipt.trial else {}),
        "contact": {"name": receipt.contact.name, "url": receipt.contact.url} if receipt.contact else None,
    }
    # A lone surrogate of a key becomes \udxxx, which is how JSON writes it.
    return (json.dumps(body, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def render_html(receipt: Receipt) -> bytes:
    """Return the receipt for people: one page that opens anywhere, and prints."""
    decision = masked(receipt.decision, receipt.plan)
    checks = worst_first(decision.checks)
    errors = [p for p in decision.problems if p.level == "error"]
    rows = decision.rows
    share = max(1.0, 100 * rows.rejected / rows.read) if rows.read and rows.rejected else 0.0  # any row is visible
    page = _template().render(
        receipt=receipt,
        verdict=decision.verdict or ("failed" if decision.failure else "unmatched"),
        decision=decision,
        lead=_lead(decision, receipt),
        firsts=firsts(decision.checks),
        errors=errors,
        others=bool(errors) and errors[0].code in ABOUT_OTHERS,
        warnings=[p for p in decision.problems if p.level != "error"],
        most_problems=MOST_PROBLEMS,
        most_rows=MOST_ROWS,
        shown=[c for c in checks if c.result != "passed" and not excused(c)],
        idle=[c for c in checks if excused(c)],
        passed=[c for c in checks if c.result == "passed"],
        rejected_share=round(share, 2),
        style=_style(),
    )
    return page.encode("utf-8", "backslashreplace")


def masked(decision: Decision, plan: Plan | None) -> Decision:
    """Return the decision without the values of classified properties."""
    secret = {c.id for c in plan.checks if plan.masks(c)} if plan else set()
    figures = rules.Limited | rules.Expectation
    metrics = {c.id for c in plan.checks if c.threshold and not isinstance(c.rule, figures)} if plan else set()
    shown = (_without_values(c, c.id in metrics) if c.id in secret else c for c in decision.checks)
    return replace(decision, checks=tuple(shown))


def worst_first(checks: Iterable[CheckResult]) -> list[CheckResult]:
    """Return checks in reading order: by result, then those with the most failing rows."""
    return sorted(checks, key=lambda c: (WORST_FIRST.index(c.result), -(c.failed or 0)))


def excused(check: CheckResult) -> bool:
    """Return True if a check was not run for a reason that is no fault."""
    return check.result == "not_evaluated" and check.reason in EXCUSED


def firsts(checks: Iterable[CheckResult]) -> dict[str, Sample]:
    """Return the first failing record of each check that shows more of it than its number."""
    each = ((c.id, c.samples[0]) for c in checks if c.samples)
    bare = ((name, replace(sample, value=None) if sample.value == MASK else sample) for name, sample in each)
    return {name: sample for name, sample in bare if sample.value or sample.note}


def _without_values(check: CheckResult, metric: bool) -> CheckResult:
    """Return a check result without the values that it shows; the number of records of a metric is not a value."""
    samples = tuple(replace(s, value=None if s.value is None else MASK) for s in check.samples)
    hidden = check.observed is not None and not metric
    return replace(check, observed=MASK if hidden else check.observed, samples=samples)


def _lead(decision: Decision, receipt: Receipt) -> str:
    """Return the sentence under the verdict."""
    verdict, rows = decision.verdict, decision.rows
    if receipt.trial and verdict in TRIED:
        return TRIED[verdict]
    if verdict is None:
        if decision.failure is None:
            return "No contract covers a file of this name. Readers did not get any part of it."
        return (
            "We could not judge this file. That is our fault, not yours. Nothing is lost, and you need not do anything."
        )
    if receipt.override:
        return _overruled(receipt.override.by, receipt)
    without = (
        " without the rejected rows" if rows.rejected and receipt.plan and receipt.plan.promote != "object" else ""
    )
    passed_on = f", and readers have it{without}" if receipt.promoted else ""
    if verdict == "accepted":
        return f"The file meets its contract{passed_on}."
    if verdict == "accepted_with_warnings":
        return f"The file is accepted with warnings{passed_on}. Fix the warnings before your next file."
    if receipt.promoted:
        return (
            "The file breaks its contract. The contract is only observed, not enforced: readers have the file. Once "
            "the contract is enforced, a file like this is rejected."
        )
    nobody = (
        " Readers did not get any part of the file." if receipt.sent else " If you send it like this, it is rejected."
    )
    nobody = WITHDRAWN if receipt.withdrawn else TRIED_IN_VAIN if receipt.trial else nobody
    if rows.read is None:
        return f"The file was rejected before its records were read.{nobody}"
    if rows.rejected:
        text = some(rows.rejected, rows.read, percents(receipt.plan.tolerance if receipt.plan else None))
        verb = "breaks" if rows.rejected == 1 else "break"
        return f"{text[0].upper()}{text[1:]} {verb} the contract.{nobody}"
    return f"The file as a whole breaks the contract.{nobody}"


def _overruled(who: str, receipt: Receipt) -> str:
    if receipt.promoted:
        return f"The file breaks its contract. {who} accepted it, and readers have it."
    return f"{who} rejected the file.{WITHDRAWN if receipt.withdrawn else ''}"


@cache
def _template() -> Template:
    """Return the page's template; the library is loaded with the first receipt, not at a cold start."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    world = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    world.filters |= {"visible": visible, "sentence": sentence, "figure": _figure, "when": _when, "size": _size}
    world.filters["where"] = where
    return world.get_template("receipt.html.jinja")


@cache
def _style() -> dict[str, Markup]:
    """Return the style sheet, and the hash by which the page's policy permits it and nothing else."""
    from markupsafe import Markup  # noqa: PLC0415

    text = (FOLDER / "receipt.css.jinja").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return {"text": Markup(text), "policy": Markup(f"sha256-{digest}")}  # noqa: S704 - our own file


def sentence(text: str) -> Markup:
    """Return a sentence of ours as HTML; text in backticks is set as code."""
    from markupsafe import Markup, escape  # noqa: PLC0415

    parts = visible(text, 600).split("`")
    if len(parts) % 2 == 0:
        return escape("`".join(parts))
    return Markup().join(Markup("<code>{}</code>").format(p) if n % 2 else escape(p) for n, p in enumerate(parts))


def _figure(value: int | None) -> str:
    return "\u2013" if value is None else f"{value:,}"


def _when(moment: str) -> str:
    return datetime.fromisoformat(moment).astimezone(UTC).strftime("%d %B %Y, %H:%M:%S UTC").lstrip("0")


def _size(count: int) -> str:
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 1 << power:
            return f"{count / (1 << power):,.1f} {unit}"
    return "1 byte" if count == 1 else f"{count:,} bytes"


def where(problem: Problem) -> str:
    """Return the place of a problem in the file, for people; empty if the message has it or there is none."""
    named = problem.property is None or f"`{problem.property}`" in problem.message
    column = "" if named else f"column `{problem.property}`"
    record = "" if problem.place is None else f"{'first ' if problem.place.record else ''}in {problem.place}"
    text = ", ".join(part for part in (column, record) if part)
    return text[:1].upper() + text[1:]
