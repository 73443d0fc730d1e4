"""Messages for producers: a check and its counts in; what is wrong, where, and how to fix it out.

Names and values stand in backticks. Values of classified properties never enter a sentence.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

from contracts import rules
from contracts.decision import EXCUSED
from contracts.plan import REPEATING, Check, Csv, FileFormat, Limit, Plan, Property, Threshold
from contracts.problem import Level, Problem, quoted, visible
from contracts.sentences import Sentence, bound_in_words, of_elements, sentence
from contracts.terms.value_form import words
from contracts.values import long_lines
from contracts.values.text_formats import TEXT

if TYPE_CHECKING:
    from contracts.decision import CheckResult
    from contracts.job import Sample


REASONS = {
    "missing-column": "its column is missing",
    "for-people": "people check it, not dropgate",
    "other-engine": "another engine checks it",
    "no-values": "no record has a value",
    "too-few-values": "it needs two values, and there is one",
    "too-large": "the values are too large to compute it",
}
"""Why a check was not made, in words."""
OF_NO_CHECK = "Fix the other errors of the file; this check runs when you send it again."
OF_NO_FIGURE = {
    "no-values": "Fill in {name} where you can.",
    "too-few-values": "Fill in {name} where you can, and check that the export is whole.",
    "too-large": "Look for wrong values and other units in {name}.",
}
"""The fix where a check was not run."""

CELLS = {
    "string": "Write it as plain text.",
    "integer": "Write digits only, without blanks, thousands separators, decimal places or units.",
    "number": "Write digits with a decimal point, not a comma, without blanks, thousands separators or units.",
    "decimal": "Write digits with a decimal point, not a comma, no more of them than agreed on either side of it, "
    "without blanks, thousands separators, exponent or units.",
    "boolean": "Write `true` or `false` and nothing else.",
    "date": "Write every date in that form, without blanks, and only days that the calendar has.",
    "timestamp": "Write every timestamp in that form, without blanks, and only moments that exist.",
    "time": "Write every time in that form, without blanks, from 00:00 to before 24:00.",
}
"""The form of the text of a cell, by type."""
HOW_TO_WRITE: dict[FileFormat, dict[str, str]] = {
    "csv": CELLS,
    "fixed": CELLS,
    "jsonl": {
        "string": "Write it as a text in quotes.",
        "integer": "Write a number without quotes, fraction or exponent.",
        "number": "Write a number without quotes.",
        "decimal": "Write a number without quotes, of no more digits than agreed, without exponent.",
        "boolean": "Write `true` or `false` without quotes.",
        "date": "Write every date in that form, as a text in quotes, and only days that the calendar has.",
        "timestamp": "Write every timestamp in that form, as a text in quotes, and only moments that exist.",
        "time": "Write every time in that form, as a text in quotes, from 00:00 to before 24:00.",
        "object": "Write an object, from `{` to `}`.",
        "array": "Write an array, from `[` to `]`, also of one element or none.",
        "map": "Write an object, from `{` to `}`.",
    },
    "xml": {
        "string": "Write it as the text of one element, without elements within.",
        "integer": "Write digits only, without thousands separators, decimal places or units.",
        "number": "Write digits with a decimal point, not a comma, without thousands separators or units.",
        "decimal": "Write digits with a decimal point, no more of them than agreed on either side of it, without "
        "exponent.",
        "boolean": "Write `true` or `false`, or 1 or 0.",
        "date": "Write every date in that form, and only days that the calendar has.",
        "timestamp": "Write every timestamp in that form, and only moments that exist.",
        "time": "Write every time in that form, from 00:00 to before 24:00.",
        "object": "Write one element with elements or attributes.",
        "array": "Write an element for each value.",
        "map": "Write one element with an element for each value.",
    },
    "parquet": {
        "string": "Write it as text in UTF-8.",
        "integer": "Write whole numbers within 64 bits.",
        "decimal": "Write numbers of no more digits than agreed.",
        "time": "Write every time in that form, from 00:00 to before 24:00.",
        "number": "Write numbers only, neither NaN nor infinite ones.",
    },
}
"""The form of a value, by type; the other types of Parquet's columns cannot hold anything else."""
OF_CELLS: dict[str, str] = {
    "string": "Write it as text.",
    "integer": "Write it as a number without decimal places, not as text.",
    "number": "Write it as a number, not as text with units or marks.",
    "decimal": "Write it as a number of no more digits than agreed, not as text.",
    "boolean": "Write TRUE or FALSE.",
    "date": "Write it as a date, without a time of day, in a format of dates.",
    "timestamp": "Write it as a date with a time of day, in a format of both.",
    "time": "Write it as a time of day, from 00:00 to before 24:00, in a format of times.",
}
"""The same for cells of a sheet."""

LIMITS = {
    "mustBe": "exactly {0}",
    "mustNotBe": "any number but {0}",
    "mustBeGreaterThan": "more than {0}",
    "mustBeGreaterOrEqualTo": "at least {0}",
    "mustBeLessThan": "less than {0}",
    "mustBeLessOrEqualTo": "at most {0}",
    "mustBeBetween": "more than {0} and less than {1}",
    "mustNotBeBetween": "at most {0}, or at least {1}",
}

FIGURES_AND_ROWS = rules.RowCount | rules.Limited
"""The rules whose threshold is for a number of their own, not for failing records."""
OF_THEIR_OWN = rules.DuplicateValues | rules.Expectation | FIGURES_AND_ROWS
"""The rules with a sentence of their own for a threshold."""
WITH_TEXT = rules.Expression | rules.ForeignKey | rules.Sql | rules.Statement
"""The rules whose condition, query or reference is shown as the contract has it."""
WITH_VALUE = rules.Bound | rules.Count | rules.MultipleOf | rules.Quantile
"""The rules with a limit of single values, or the share of a quantile."""
NULLS_LIMITED = "Find out why records lack {name}, and fill it in where you can."
LIMITED = "{name} {ails} in {some}; the contract allows that in {limit}."
"""The sentence of a metric with a threshold: single such rows are fine, so many are not."""
UNTRUE = "{text} is not true in {some}; the contract allows that in {limit}."


LAST_EMPTY = ", the last of them empty"
"""The note for a record whose line ends with a delimiter."""
FIX_LAST_EMPTY = (
    "Leave out the `{mark}` at the end of each row, or give the header a name for that column, "
    "or ask for `csv.trailingDelimiter: true` in the contract."
)
TOO_LONG = Sentence(
    f"{{some}} {{have}} {long_lines.WORDS}, the most that is read of a line.",
    "Look for a quote or a line end that is missing, or shorten the texts. Rejected rows hold the start of each line.",
)
"""The sentence where all records that fail a rule of whole lines seem to be too long to be read."""
OF_SHEETS: dict[type[rules.Rule], Sentence] = {
    rules.Fields: Sentence(
        "{some} {have} a cell beside the columns of the header.",
        "Clear these cells, or give their column a name if it is agreed.",
    ),
    rules.Text: Sentence(
        "{some} {have} an error in a cell, such as `#N/A`, or a formula without its result.",
        "Correct the formulas, let the spreadsheet calculate them, and save the workbook again.",
    ),
}
"""The sentences for rows of a sheet, where they are others than for lines."""
FIX_MORE_CELLS = (
    "Give the header a name for each cell, or ask for `csv.headerLacks` in the contract. "
    "Else look for cells with a `{mark}` in them{unquoted}."
)
"""The fix where all records seem to have as many cells more than the header has names."""
MET = {
    True: "Correct {name} in {rows}, or leave such rows out.",
    False: "Compare {name} with earlier files: look for what has changed, lost or repeated rows, and outliers.",
}
"""The fix for an expectation that is not met: True if it finds single records, False if it judges all together."""

AS_IT_IS = " If the file is right, ask for it to be accepted as it is."
"""The fix where a file is only unlike others."""
MOST_PLACES = 9
"""Digits that a share may need beyond those of the limit next to it."""


def reason(check: Check) -> str:
    """Return why a row is rejected, in the shortest form: the check's id and its rule.

    What the plan has in signs is said in words.
    """
    wanted = check.expected
    if isinstance(check.rule, rules.Bound):
        wanted = bound_in_words(check.rule)
    elif isinstance(check.rule, rules.ForbidsNull):
        wanted = "a value in every record"
    warned = "; only a warning" if check.severity == "warning" else ""
    return f"{check.id} ({visible(wanted)}{_at_most(check)}{warned})"


def explain(plan: Plan, check: Check, outcome: CheckResult, read: int, spoilt: bool = False) -> Problem | None:
    """The problem that an outcome means for the producer; None if nothing is wrong.

    `spoilt` is True if more rows are rejected than the file may have: every check that rejects rows is then an error.
    """
    if outcome.result == "not_evaluated":
        if outcome.reason in EXCUSED:
            return None
        why = REASONS.get(outcome.reason or "", outcome.reason or "no reason given")
        text = f"The check `{outcome.id}` could not be made: {why}."
        advice = OF_NO_FIGURE.get(outcome.reason or "", OF_NO_CHECK).format(name=f"`{outcome.property}`")
        level: Level = "error" if outcome.severity == "error" else "warning"
        return Problem("not-evaluated", text, advice, level, property=outcome.property, check=outcome.id)
    if outcome.result not in ("failed", "warning"):
        return None
    words = _words_of_rule(plan, check) | _words_of_counts(plan, check, outcome, read) | _words_of_format(plan)
    if isinstance(check.rule, rules.KnownKeys):  # for each check of a wide file it would take seconds
        words["known"] = quoted((p.name for p in plan.properties if p.route[-1] not in REPEATING), most=12)
    words |= _words_of_history(check, outcome)
    # In words of the form of the file, if it has its own
    own = of_elements(check.rule) if plan.xml else OF_SHEETS.get(type(check.rule)) if plan.sheet else None
    message, fix = own or sentence(check.rule)
    if check.threshold and not isinstance(check.rule, OF_THEIR_OWN):
        message = UNTRUE if isinstance(check.rule, rules.Expression) else LIMITED
        fix = NULLS_LIMITED if _ails(check.rule) else fix
    if outcome.samples and all(sample.note == long_lines.WORDS for sample in outcome.samples):
        message, fix = TOO_LONG
    elif isinstance(check.rule, rules.Fields) and outcome.samples and not plan.sheet:
        one_more = f"{len(plan.roots) + 1:,} cells{LAST_EMPTY}"
        fix = FIX_LAST_EMPTY if all(sample.note == one_more for sample in outcome.samples) else fix
        fix = FIX_MORE_CELLS if _has_more_cells(plan, outcome, read) else fix
    adds = spoilt and outcome.result == "warning" and check.severity == "error" and check.scope != "set"
    level = "error" if outcome.result == "failed" or adds else "warning"
    limit = None if adds else _limit_of_rows(plan, check)
    tolerated = f"; the contract tolerates {tolerated_in_words(limit)}" if limit else ""
    text = f"{message.format(**words).removesuffix('.')}{tolerated}."
    text = text[0].upper() + text[1:]
    advice = fix.format(**words).strip()
    if outcome.history:
        advice += AS_IT_IS
    if described := " ".join((check.description or "").split()):
        advice += f" The contract says: {visible(described, 300)}"
    first = outcome.samples[0].place if outcome.samples else None
    return Problem(f"check-{outcome.kind}", text, advice, level, first, outcome.property, outcome.id)


def _has_more_cells(plan: Plan, outcome: CheckResult, read: int) -> bool:
    """Return True if all records of a file have a number of cells for which its header has too few names."""
    notes = {sample.note for sample in outcome.samples}
    cells = re.fullmatch(r"([0-9,]+) cells", notes.pop() or "") if len(notes) == 1 else None
    is_each = plan.csv.header and outcome.failed == read > 1
    return is_each and cells is not None and int(cells[1].replace(",", "")) > len(plan.roots)


QUOTED = {"integer": r"-?(0|[1-9][0-9]{0,17})", "number": r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", "boolean": "true|false"}
"""Values that are right except for the quotes around them, in formats that distinguish texts from other values."""


def noted(plan: Plan, check: Check, samples: tuple[Sample, ...]) -> tuple[Sample, ...]:
    """The samples of a check; a value that would be right without its quotes says that it has them."""
    prop = plan.property_named(check.property) if check.property else None
    if plan.read_as != "jsonl" or not isinstance(check.rule, rules.LogicalType) or prop is None or prop.exact:
        return samples
    right = QUOTED.get(prop.type)
    return tuple(
        replace(s, note=f"{s.note}, in quotes" if s.note else "in quotes")
        if right and s.value and re.fullmatch(right, s.value)
        else s
        for s in samples
    )


def limit_in_words(threshold: Threshold) -> str:
    """A threshold as a person says it: less than 10 %, at least 1,000, at least 50 % above a median of others."""
    unit = " %" if threshold.unit == "percent" else ""
    if threshold.relative:
        limits = LIMITS[threshold.operator].format(*(f"{v:+,f} {threshold.relative.unit}" for v in threshold.values))
        return f"{limits} away from {threshold.relative.words}"
    return LIMITS[threshold.operator].format(*(_figure(v) + unit for v in threshold.values))


def tolerated_in_words(limit: Limit) -> str:
    """A tolerance as a person says it: 1 %, 1 row, 2,000 rows."""
    unit = "%" if limit.unit == "percent" else "row" if limit.value == 1 else "rows"
    return f"{_figure(limit.value)} {unit}"


def some(count: int, of: int, bounds: tuple[Decimal, ...] = (), what: str = "record") -> str:
    """Return in words how many records of how many, with the share if it adds information.

    `bounds` are percents that the share is held against: it is cut to one digit after the point, or to as many as
    distinguish it from them.
    """
    noun = what if of == 1 else f"{what}s"
    if count == of:
        return f"the only {what}" if of == 1 else f"all {of:,} {noun}"
    share = Decimal(0)
    least = max((1, *(-int(b.as_tuple().exponent) for b in bounds)))
    for places in range(least, least + MOST_PLACES) if of else ():
        share = Decimal(100 * count * 10**places // of).scaleb(-places)
        if share not in bounds or share * of == 100 * count:
            break
    return f"{count:,} of {of:,} {noun}" + (f" ({share:f} %)" if share else "")


def percents(limit: Limit | Threshold | None) -> tuple[Decimal, ...]:
    """The percents that a limit or a threshold names."""
    if limit is None or limit.unit != "percent" or (isinstance(limit, Threshold) and limit.relative):
        return ()
    return limit.values if isinstance(limit, Threshold) else (limit.value,)


def _words_of_rule(plan: Plan, check: Check) -> dict[str, str]:
    """Return the words about what a check is of, and what it expects there."""
    rule = check.rule
    prop = plan.property_named(check.property) if check.property else None
    names = quoted(check.properties(), most=12)
    text = rule.text if isinstance(rule, WITH_TEXT) else check.expected
    value = str(rule.value) if isinstance(rule, WITH_VALUE) else check.expected
    limit = check.expected
    if check.threshold and isinstance(rule, rules.Limited) and not check.threshold.relative:  # dates as in the contract
        limit = LIMITS[check.threshold.operator].format(*(f"`{text}`" for text in rule.limits))
    elif check.threshold:
        limit = limit_in_words(check.threshold)
        if check.threshold.unit != "percent" and not isinstance(rule, rules.RowCount):
            limit += f" record{'' if check.threshold.values[-1] == 1 else 's'}"
    missing = ""
    if isinstance(rule, rules.MissingValues):
        empty = "no value" if rule.null or "" in rule.values else ""
        texts = quoted((text for text in rule.values if text), most=12)
        missing = " or ".join(part for part in (empty, texts) if part)
    return {
        "name": names or "The file",
        "each": names if prop else f"combination of {names}",
        "where": check.where,
        "expected": check.expected,
        "text": f"`{text}`",
        "rule": f"`{check.id}` ({check.expected})",
        "limit": limit,
        "ails": _ails(rule) or "is not valid",
        "missing": missing,
        "value": value,
        "characters": _counted(check, "character"),
        "or_longer": f", or is longer than {_longest(check):,} characters," if _longest(check) else "",
        "elements": _counted(check, "element"),
        "keys": _counted(check, "key"),
        "write": _how_to_write(plan, prop) if prop else "",
        "agreed": _agreed(check, prop) if prop else "",
        "unknown": _unknown(plan, prop) if prop else "",
    }


def _words_of_counts(plan: Plan, check: Check, outcome: CheckResult, read: int) -> dict[str, str]:
    """Return the words about the records that fail a check, and what was seen in them."""
    prop = plan.property_named(check.property) if check.property else None
    name = quoted(check.properties(), most=12) or "the file"
    failed = outcome.failed or 0
    bounds = (*percents(check.threshold), *percents(_limit_of_rows(plan, check)))
    # a share is of all records, or only of those that a percentage or a filter is about
    evaluated = read if outcome.evaluated is None else outcome.evaluated
    of_readable = not check.filter and bool(bounds) and evaluated < read
    of = evaluated if check.filter or of_readable else read
    some_records = some(failed, of, bounds, "readable record" if of_readable else "record")
    records = (outcome.evaluated or 0) if check.filter else read
    rows = "this row" if failed == 1 else "these rows"
    # within an object or an array, the observed value is only the first, not the worst of all
    has_worst = outcome.observed is not None and prop is not None and not prop.masked and not prop.path
    first = outcome.samples[0] if isinstance(check.rule, rules.Object) and outcome.samples else None
    seen = ""
    if isinstance(check.rule, rules.Expectation):
        if outcome.failed:  # it finds single records
            seen = f" in {some_records}"
        elif outcome.observed and not plan.masks(check):
            seen = f": Great Expectations found `{visible(outcome.observed)}`"
    return {
        "some": some_records + check.where,
        "rows": rows,
        "them": "it" if failed == 1 else "them",
        "are": "is" if failed == 1 else "are",
        "have": "has" if failed == 1 else "have",
        "records": ("1 record" if records == 1 else f"{records:,} records") + check.where,
        "is_figure": _figure_in_words(plan, check, outcome),
        "seen": seen,
        "met": MET[bool(failed)].format(name=name, rows=rows),
        "worst": f"; the worst is `{outcome.observed}`" if has_worst else "",
        "flaw": f" ({first.place}: {first.note})" if first and first.note else "",
    }


def _words_of_history(check: Check, outcome: CheckResult) -> dict[str, str]:
    """Return the words about the earlier files that a check was held against; none if it was not."""
    history, threshold = outcome.history, check.threshold
    if history is None or threshold is None:
        return {}
    percent = " %" if threshold.unit == "percent" else ""
    records = "" if percent or isinstance(check.rule, FIGURES_AND_ROWS) else " records"
    limits = LIMITS[threshold.operator].format(*(f"{text}{percent}" for text in history.limits))
    return {"limit": f"{limits}{records}, as {history.of} is {history.middle}{percent}"}


def in_digits(exact: Fraction) -> str:
    """A figure as a person reads it: a whole number in full, else with six digits or two decimal places."""
    if exact.denominator == 1:
        return f"{exact.numerator:,}"
    with localcontext(prec=max(6, len(str(abs(int(exact)))) + 2)):
        rounded = Decimal(exact.numerator) / Decimal(exact.denominator)
    return f"{rounded.normalize():,f}"


def _words_of_format(plan: Plan) -> dict[str, str]:
    """Return the words about what the files of a contract are written like."""
    misplaced = "a quote that is not closed in its line, or not around a whole cell"
    if escape := plan.csv.unquoted_escape:
        misplaced = f"{'a quote or ' if plan.csv.quote else ''}a `{escape}` where the dialect has none"
    return {
        "encoding": plan.csv.encoding.upper(),
        "halves": "halves of characters (as `\\ud83d` alone), " if plan.read_as == "jsonl" else "",
        "whole": ", and both escapes of a character that takes two" if plan.read_as == "jsonl" else "",
        "apart": "on each line" if plan.has_lines else "for each record",
        "between": "without commas between the lines, " if plan.has_lines else "",
        "mark": visible(plan.csv.delimiter),
        "columns": "the header" if plan.csv.header else "the contract has columns",
        "beginning": "beginning" if plan.fixed else "first cell",
        "unquoted": " and no quotes around them" if plan.csv.quote else "",
        "misplaced": misplaced,
        "whole_quotes": _whole_quotes(plan.csv),
    }


def _whole_quotes(csv: Csv) -> str:
    """Return how quotes and escapes are written."""
    close, escape = "Close" if csv.multi_line else "Take line breaks out of cells, close", csv.unquoted_escape
    quotes = f"{close} every quote, quote whole cells, and write a quote inside one as `{csv.escape}{csv.quote}`"
    if not escape:
        return quotes
    only = f"`{escape}` only before what it escapes, which is the delimiter, another `{escape}`"
    letters = " or a letter as in `\\n`" if escape == "\\" else ""
    return f"{quotes}, and {only}{letters}" if csv.quote else f"Write {only}{letters}"


def _figure_in_words(plan: Plan, check: Check, outcome: CheckResult) -> str:
    if isinstance(check.rule, FIGURES_AND_ROWS) and plan.masks(check):
        return "is not as agreed"
    figure = f"`{outcome.observed}`"
    if isinstance(check.rule, rules.Statement):
        return f"finds {figure} row{'' if outcome.observed == '1' else 's'}"
    return f"gives {figure}" if isinstance(check.rule, rules.Sql) else f"is {figure}"


def _how_to_write(plan: Plan, prop: Property) -> str:
    """Return the advice for a cell that is not of its type, in words of the form of the file."""
    written: FileFormat = "xml" if plan.xml else plan.read_as
    own = OF_CELLS if plan.sheet else HOW_TO_WRITE[written]
    if prop.form and prop.form.dates:  # the sentence before has the form, which may have blanks
        return own[prop.type].replace(", without blanks", "")
    if prop.form and (agreed := words(prop.form.of_values)):
        return f"Write it in the agreed form, and nothing else: {agreed}."
    return own.get("decimal" if prop.exact else prop.type, "")


def _agreed(check: Check, prop: Property) -> str:
    match check.rule:
        case rules.Enum(values) | rules.InvalidValues(values=values) if values:
            return f"Write one of {quoted([prop.as_cell(text) for text in values], most=12)}, exactly so."
        case rules.Format(name) if name in TEXT:
            return f"Write it in full and without blanks, like `{TEXT[name].example}`."
    wanted = check.expected.removesuffix(check.where)
    if wanted.startswith("matching "):
        return f"Write a value that matches `{wanted.removeprefix('matching ')}`{_at_most(check)}."
    return f"Write it as agreed ({wanted})."


def _ails(rule: rules.Rule) -> str | None:
    """Return the fault of a record whose value is missing under a metric with a threshold; None for other rules."""
    match rule:
        case rules.NullValues():
            return "has no value"
        case rules.MissingValues():
            return "is missing"
        case rules.NotBlank():
            return "is blank"
    return None


def _longest(check: Check) -> int | None:
    """The length of texts that a pattern is searched in, if it is bounded: longer ones could take too long."""
    return check.rule.longest if isinstance(check.rule, rules.Matching) else None


def _at_most(check: Check) -> str:
    return f", in at most {_longest(check):,} characters" if _longest(check) else ""


def _unknown(plan: Plan, prop: Property) -> str:
    """Return the advice for a value that the producer does not have."""
    if prop.required:
        return "Leave the row out where the value is unknown."
    if plan.xml:
        return "Leave the element out where the value is unknown."
    if not plan.has_cells:
        return "Write `null` where the value is unknown."
    nulls = plan.csv.nulls_of(prop)
    if "" in nulls:
        empty = "the field blank" if plan.fixed else "the cell empty"
        return f"Leave {empty} where the value is unknown."
    return f"Write {quoted(nulls[:1])} where the value is unknown." if nulls else ""


def _counted(check: Check, noun: str) -> str:
    number = check.rule.value if isinstance(check.rule, rules.Count) else 0
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _limit_of_rows(plan: Plan, check: Check) -> Limit | None:
    """Return the limit of the rows that may fail a check: its own tolerance, else that of the file."""
    general = plan.tolerance if check.severity == "error" and check.scope != "set" else None
    return check.tolerance or general


def _figure(value: Decimal) -> str:
    return f"{value:,f}"
