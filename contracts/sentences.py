"""Sentences for producers, by kind of rule: a rule in; the fault and its fix out, with names in braces.

`contracts.messages` puts words and figures in place of the names.
"""

from __future__ import annotations

from typing import NamedTuple, assert_never

from contracts import rules


class Sentence(NamedTuple):
    """The message of a failing check, and the fix."""

    message: str
    fix: str


CORRECT = "Correct {name} in {rows}, or leave {them} out."
FILL_IN = "Fill in {name}, or leave {rows} out."
AGREED = "{agreed} {unknown}"


def sentence(rule: rules.Rule) -> Sentence:
    """Return the sentence of a rule that records or the file fail."""
    match rule:
        case rules.Fields():
            return Sentence(
                "{some} {have} more or fewer cells than {columns}.",
                "Look for cells with a `{mark}` or a line break in them{unquoted}, and for rows that were cut.",
            )
        case rules.Quotes():
            return Sentence(
                "{some} {have} {misplaced}.",
                "{whole_quotes}.",
            )
        case rules.Text():
            return Sentence(
                "{some} {have} NUL characters, {halves}or bytes that are not text in {encoding}.",
                "Write the whole file in {encoding}, without NUL characters{whole}.",
            )
        case rules.RecordType():
            return Sentence(
                "{some} {have} another {beginning} than records have.",
                "Leave other kinds of rows out, or ask for them to be agreed.",
            )
        case rules.LineLength():
            return Sentence(
                "{some} {have} another length than the agreed one ({expected}).",
                "Look for lines that were cut or joined, for tabs, and for fields that are not filled up.",
            )
        case rules.WholeCharacters():
            return Sentence(
                "{some} {have} a character across the end of a field, which is counted in bytes.",
                "Cut values at whole characters, and fill each field up to its bytes.",
            )
        case rules.Object():
            return Sentence(
                "{some} {are} not exactly one JSON object{flaw}.",
                "Write one object {apart}, from `{{` to `}}`, {between}and no key twice within.",
            )
        case rules.Keys():
            return Sentence("{some} {have} a key twice.", "Write every key of an object once.")
    return _of_rows(rule) if isinstance(rule, rules.RowRule) else _of_files(rule)


def of_elements(rule: rules.Rule) -> Sentence | None:
    """Return the sentence of a rule whose words for XML are others; None for other rules."""
    match rule:
        case rules.Object():
            return Sentence(
                "{some} {have} an element with both text and other elements{flaw}.",
                "Write text and elements apart, each text in an element of its own.",
            )
        case rules.KnownKeys():
            return Sentence(
                "{some} {have} elements or attributes that the contract does not know.",
                "Name them exactly as the contract does ({known}), or ask for new ones to be added to it.",
            )
    return None


def _of_rows(  # noqa: C901, PLR0912 (a case for each kind)
    rule: rules.KnownKeys | rules.ValueRule | rules.Expression | rules.ForeignKey,
) -> Sentence:
    match rule:
        case rules.KnownKeys():
            return Sentence(
                "{some} {have} keys that the contract does not know.",
                "Write the keys exactly as the contract names them ({known}), or ask for new ones to be added to it.",
            )
        case rules.LogicalType():
            return Sentence("{name} is not {expected} in {some}.", "{write} {unknown}")
        case rules.Required() | rules.NullValues():
            return Sentence("{name} has no value in {some}.", FILL_IN)
        case rules.MissingValues():
            return Sentence("{name} is missing ({missing}) in {some}.", FILL_IN)
        case rules.InvalidValues():
            return Sentence("{name} is not one of the valid values{or_longer} in {some}.", AGREED)
        case rules.NotBlank():
            return Sentence("{name} is blank in {some}.", "Fill in {name} with more than blanks. {unknown}")
        case rules.Pattern() | rules.Regex():
            return Sentence("{name} does not match the agreed pattern{or_longer} in {some}.", AGREED)
        case rules.AllowedPrefixes():
            return Sentence("{name} begins with none of the agreed prefixes in {some}.", AGREED)
        case rules.Format():
            return Sentence("{name} is not {expected} in {some}.", AGREED)
        case rules.Enum():
            return Sentence("{name} is not one of the agreed values in {some}.", AGREED)
        case rules.Minimum():
            return Sentence("{name} is below the minimum of `{value}` in {some}{worst}.", CORRECT)
        case rules.Maximum():
            return Sentence("{name} is above the maximum of `{value}` in {some}{worst}.", CORRECT)
        case rules.ExclusiveMinimum():
            return Sentence("{name} is not above `{value}` in {some}{worst}.", CORRECT)
        case rules.ExclusiveMaximum():
            return Sentence("{name} is not below `{value}` in {some}{worst}.", CORRECT)
        case rules.MultipleOf():
            return Sentence("{name} is not a multiple of `{value}` in {some}.", CORRECT)
        case rules.MinLength():
            return Sentence(
                "{name} is shorter than {characters} in {some}.",
                "Write {name} in full; look for cells that were cut. {unknown}",
            )
        case rules.MaxLength():
            return Sentence(
                "{name} is longer than {characters} in {some}.",
                "Shorten {name}; look for cells that ran together.",
            )
        case rules.MinItems():
            return Sentence(
                "{name} has fewer than {elements} in {some}.",
                "Write all elements of {name}; look for lists that were cut.",
            )
        case rules.MaxItems():
            return Sentence(
                "{name} has more than {elements} in {some}.",
                "Shorten {name}; look for lists that ran together.",
            )
        case rules.MinProperties():
            return Sentence("{name} has fewer than {keys} with a value in {some}.", "Fill in more of {name}.")
        case rules.MaxProperties():
            return Sentence(
                "{name} has more than {keys} with a value in {some}.",
                "Remove from {name} everything that is not agreed.",
            )
        case rules.UniqueItems():
            return Sentence("{name} has an element twice in {some}.", "Write each element of {name} once.")
        case rules.Deprecated():
            return Sentence(
                "{name} has a value in {some}; it is deprecated, and the next version may drop it.",
                "Leave {name} out, or write null, when your readers no longer need it.",
            )
        case rules.Expression():
            return Sentence(
                "{text} is not true in {some}.",
                "Correct {name} in {rows}, so that {text}; or leave {them} out.",
            )
        case rules.ForeignKey():
            return Sentence(
                "{some} {have} a value of {name} that is not in {text}.",
                "Correct {name} in {rows}, or have the missing values added to {text} and send the file again.",
            )
    assert_never(rule)


def _of_files(rule: rules.SetRule) -> Sentence:  # noqa: C901 (a case for each kind)
    match rule:
        case rules.Unique():
            return Sentence(
                "{some} {have} a value of {name} that another record also has.",
                "Send each {name} once: remove the repeated rows, or correct {name} in them.",
            )
        case rules.PrimaryKey(properties) if properties:
            return Sentence(
                "{some} {have} no whole key ({name}), or one that another record also has.",
                "Fill in {name} in every record, give each record a combination of its own, and remove repeated rows.",
            )
        case rules.PrimaryKey():
            return Sentence(
                "{some} {have} no {name}, or one that another record also has; it is the key.",
                "Give every record its own {name}, and remove repeated rows.",
            )
        case rules.DuplicateValues():
            return Sentence(
                "{some} {have} the same {name} as another record; the contract allows that in {limit}.",
                "Send each {each} once: remove the repeated rows, or correct them.",
            )
        case rules.RowCount():
            return Sentence(
                "The file has {records}; the contract asks for {limit}.",
                "Check that the export is whole, and neither cut nor written twice.",
            )
        case rules.Mean() | rules.Stdev() | rules.Min() | rules.Max() | rules.Sum():
            return Sentence(
                f"The {figure_in_words(rule)} of {{name}} {{is_figure}}{{where}}; the contract asks for {{limit}}.",
                "Compare {name} with earlier files: look for other units, lost or repeated rows, and outliers.",
            )
        case rules.Sql():
            return Sentence(
                "The query {text} {is_figure}{where}; the contract asks for {limit}.",
                "Compare {name} with earlier files: look for lost or repeated rows, and wrong values.",
            )
        case rules.Statement():
            return Sentence(
                "The statement {text} {is_figure}{where}; the contract asks for {limit}.",
                "Correct {name} in the records that are listed here, and in others like them.",
            )
        case rules.Quantile():
            return Sentence(
                "The {value} quantile of {name} {is_figure}{where}; the contract asks for {limit}.",
                "Compare {name} with earlier files: look for other units, and outliers.",
            )
        case rules.Expectation():
            return Sentence("The expectation {text} is not met{seen}.", "{met}")
        case rules.ForPeople() | rules.OtherEngine():
            return Sentence("{name} fails the rule {rule} in {some}.", CORRECT)
    assert_never(rule)


def figure_in_words(rule: rules.Aggregate) -> str:
    """Return the name of a figure of all values."""
    match rule:
        case rules.Mean():
            return "mean"
        case rules.Stdev():
            return "standard deviation"
        case rules.Min():
            return "least value"
        case rules.Max():
            return "greatest value"
        case rules.Sum():
            return "sum"
    assert_never(rule)


def bound_in_words(rule: rules.Bound) -> str:
    """Return a bound of single values in words."""
    match rule:
        case rules.Minimum(value):
            return f"at least {value}"
        case rules.Maximum(value):
            return f"at most {value}"
        case rules.ExclusiveMinimum(value):
            return f"more than {value}"
        case rules.ExclusiveMaximum(value):
            return f"less than {value}"
    assert_never(rule)
