"""The sheet of a drop block: what stands beside it."""

from __future__ import annotations

import pytest

from contracts.plan import SHEETS, FileFormat
from contracts.terms.value_form import ValueForm
from tests.unit.contracts.authoring.documents import a_document, a_plan, compiled

VALUES = {
    "number": ("decimalChar: ',', groupChar: '.'", ValueForm(decimal=",", group=".")),
    "boolean": ("trueValues: [J], falseValues: [N]", ValueForm(true=("J",), false=("N",))),
    "date": ("formats: [d.M.yyyy]", ValueForm(formats=("d.M.yyyy",))),
    "string": ("trim: true", ValueForm(trim=True)),
}


def text(form: FileFormat, kind: str, values: str) -> str:
    """A contract of a sheet with one column."""
    block = f"files: a/*\nproducer: a\nformat: {form}\nvalues: {{{values}}}\n"
    return a_document(f"- {{name: x, logicalType: {kind}}}", drop=block)


@pytest.mark.parametrize("form", SHEETS)
@pytest.mark.parametrize("kind", VALUES)
def test_values_of_a_sheet_have_the_agreed_form(form: FileFormat, kind: str) -> None:
    values, expected = VALUES[kind]

    assert a_plan(text(form, kind, values)).property_named("x").form == expected


def test_values_of_a_column_that_is_not_there_are_named() -> None:
    (finding,) = (f for f in compiled(text("xlsx", "string", "columns: {y: {trim: true}}")).findings)

    assert (finding.code, finding.level) == ("unknown-property", "error")
