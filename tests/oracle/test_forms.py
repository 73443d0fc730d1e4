"""Cells in the form of a file: the kernel, the job and the oracle read the same texts alike."""

from __future__ import annotations

from random import Random

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from contracts.plan import Property
from contracts.terms.value_form import PLAIN, ValueForm, published
from spark_jobs.rules import value_forms
from tests.oracle.forms import plain

Texts = tuple[str, ...]
MARKS = ((".", ""), (",", ""), (",", "."), (".", ","), (",", " "), (".", "'"), (",", "\u202f"))
PREFIXES: tuple[Texts, ...] = ((), ("€",), ("$", "US$ "), ("Rs.",), ("(", "a|b"))
SUFFIXES: tuple[Texts, ...] = ((), (" €",), (",-", "kg"), (" EUR", "\\", "[x]"))
NEGATIVES = ((), ("trailing",), ("brackets",), ("typographic",), ("trailing", "brackets", "typographic"))
PIECES = (
    "0",
    "5",
    "12",
    "123",
    "000",
    "1234",
    ".",
    ",",
    " ",
    "'",
    "-",
    "+",
    "(",
    ")",
    "\u2212",
    "%",
    " %",
    "€",
    "$",
    "US$ ",
)
MORE = ("Rs.", "a|b", " €", ",-", "kg", " EUR", "\\", "[x]", "e", "E5", "\u202f", "x", "\n", "٣")


def drawn_form(chance: Random) -> ValueForm:
    """A form by chance, such as lint lets pass."""
    decimal, group = chance.choice(MARKS)
    negatives = chance.choice(NEGATIVES)
    prefixes, suffixes = chance.choice(PREFIXES), chance.choice(SUFFIXES)
    if "brackets" in negatives:
        prefixes = tuple(text for text in prefixes if "(" not in text)
    if "trailing" in negatives:
        suffixes = tuple(text for text in suffixes if "-" not in text)
    percent = chance.choice((None, None, "keep", "divide"))
    decimals = chance.choice((None, None, None, 0, 2, 5))
    return ValueForm(
        decimal=decimal, group=group, prefixes=prefixes, suffixes=suffixes, negatives=negatives,  # type: ignore[arg-type]
        percent=percent, decimals=decimals,  # type: ignore[arg-type]
    )  # fmt: skip


def drawn_text(chance: Random, form: ValueForm) -> str:
    """A text of pieces of numbers: often nearly in the form."""
    digits = "".join(chance.choice(PIECES[:8]) for _ in range(chance.randint(1, 3)))
    if chance.random() < 0.5:
        grouped = f"{chance.choice((5, 12, 999, 1234, 12345, 1234567)):,}"
        digits = grouped.replace(",", form.group or chance.choice(PIECES)) + chance.choice(("", ",5", ".5"))
    sign = chance.choice(("", "", "-", "+", "\u2212", "("))
    beside = [chance.choice(("", *form.prefixes)), sign, digits, chance.choice(("", "%", " %")), *[""] * 3]
    beside[4:] = [{"(": ")"}.get(sign, chance.choice(("", "", "-"))), chance.choice(("", *form.suffixes)), ""]
    if chance.random() < 0.3:
        beside[chance.randrange(len(beside))] = chance.choice((*PIECES, *MORE))
    if chance.random() < 0.2:
        chance.shuffle(beside)
    return "".join(beside)


def drawn(seed: int, forms: int, texts: int) -> list[tuple[Property, list[str]]]:
    chance, made = Random(seed), []
    for _ in range(forms):
        form, kind = drawn_form(chance), chance.choice(("integer", "number", "number"))
        exact = chance.choice((None, (12, 3))) if kind == "number" else None
        form = form.of_type(kind)
        if form != PLAIN:
            prop = Property("x", kind, exact=exact, form=form)  # type: ignore[arg-type]
            made.append((prop, [drawn_text(chance, form) for _ in range(texts)]))
    return made


@pytest.mark.parametrize("seed", range(4))
def test_kernel_reads_what_the_oracle_reads(seed: int) -> None:
    read = 0
    for prop, texts in drawn(seed, 100, 100):
        assert prop.form
        for text in texts:
            number = published(prop.form, text, prop.type, exponent=prop.type == "number" and not prop.exact)
            other = plain(text, prop)
            assert (number is None) == (other is None), (text, prop, number, other)
            read += number is not None
            assert number is None or other is None or _value(number) == _value(other), (text, prop, number, other)
    assert read > 700


def _value(number: str) -> tuple[float, int]:
    """A number, and the digits after its point, which decimals count."""
    head = number.lower().partition("e")[0]
    return float(number), len(head.partition(".")[2])


def test_job_reads_what_the_kernel_reads(spark: SparkSession) -> None:
    made = drawn(9, 60, 150)
    rows = list(zip(*(texts for _, texts in made), strict=True))
    frame = spark.createDataFrame(rows, ", ".join(f"c{n} string" for n in range(len(made))))
    columns = [
        value_forms.published(sf.col(f"c{n}"), prop, prop.form or PLAIN).alias(f"c{n}")
        for n, (prop, _) in enumerate(made)
    ]
    read = zip(*frame.select(*columns).collect(), strict=True)
    for (prop, texts), numbers in zip(made, read, strict=True):
        exponent = prop.type == "number" and not prop.exact
        wanted = [published(prop.form or PLAIN, text, prop.type, exponent=exponent) for text in texts]
        assert (prop, dict(zip(texts, numbers, strict=True))) == (prop, dict(zip(texts, wanted, strict=True)))
