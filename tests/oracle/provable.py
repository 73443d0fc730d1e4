"""Contracts whose lines vectors may tell, and lines that people send for them: what hypothesis draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from contracts.authoring.patterns.regex import to_java
from contracts.plan import Check, Csv, Plan, Property
from contracts.terms.value_form import ValueForm
from tests.integration.spark_jobs.world import a_check, a_plan, a_property
from tests.oracle import hostile, judging, records
from tests.oracle.contracts import OF_FORMAT, PATTERNS, WORDS
from tests.oracle.forms import ways

NULLS = ("", "NA", "-9999", "0", "true", "2024-01-31", "12:30", "a", "é", " ", "\ufeff", "1.5")
GOOD = {
    "string": WORDS,
    "integer": ("0", "1", "-1", "7", "12", "127", "128", "-128", "-9999", "007", "999999999999999999", "-0"),
    "number": ("0", "1", "-1.5", "1.50", "0.07", "00.5", "360", "99.99", "-0", "-0.0", "123456789012345678.5"),
    "boolean": ("true", "false", "TRUE", "False"),
    "date": ("2024-01-31", "2024-02-28", "2024-02-29", "1000-01-01", "9999-12-31", "2023-12-30", "1582-10-10"),
    "timestamp": ("2024-01-31T10:00:00", "2024-01-31 10:00:00.5Z", "2024-01-31T23:59:59.123456-03:00"),
    "time": ("12:30", "00:00:00", "23:59:59.999999"),
}
"""Cells by type that are of it, unless a dialect says otherwise."""
TRIM, GROUPED = ValueForm(trim=True), ValueForm(decimal=",", group=".")
FORMS: dict[str, tuple[ValueForm | None, ...]] = {
    "string": (TRIM,),
    "integer": (TRIM, ValueForm(group="."), ValueForm(group="'", trim=True)),
    "number": (TRIM, ValueForm(decimal=","), GROUPED, ValueForm(group="'"), ValueForm(decimal=",", trim=True)),
    "boolean": (ValueForm(true=("J", "ja"), false=("N",)), ValueForm(true=("1",), false=("0", "x"), trim=True)),
    "date": (
        *(TRIM, ValueForm(formats=("d.M.yyyy",)), ValueForm(formats=("MM/dd/yyyy",), trim=True)),
        *(ValueForm(formats=("yyyyMMdd",)), ValueForm(formats=("dd.MM.yyyy", "d/M/yyyy"))),
    ),
    "timestamp": (TRIM,),
    "time": (TRIM,),
}
"""Forms by type that vectors know; a number may also have a mark that is a sign of the dialect."""
DAYS = ("2024-01-31", "2024-02-29", "1582-10-10")
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
TEXT_FORMATS = ("uuid", "ipv4", "ipv6")
ODD = ("\0", "\ufffd", "\ufeff", "\udcff", "\udcc0\udcaf", "\udced\udca0\udc80", "\udcf4\udc90\udc80\udc80", "\u2028")
"""What may stand anywhere in a line; bytes that are no text as Python's `surrogateescape` has them."""


@dataclass(frozen=True)
class Made:
    """A plan, the header of files of it, and cells that their columns may have."""

    plan: Plan
    header: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    texts: tuple[str, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "texts", (self.plan.csv.delimiter.join(self.header),))

    def record(self, line: str) -> records.Record | None:
        """A line as a record; None if it is none."""
        row = records._row(self.plan, self.header, line)
        return None if line in ("", *self.texts) or row.broken else row

    def failing(self, record: records.Record) -> int:
        """The row checks that a record fails, as a mask."""
        content = records.Content(names=frozenset(self.header))
        ids = judging._failing(self.plan, content, record)
        return sum(1 << n for n, c in enumerate(self.plan.row_checks()) if c.id in ids)

    def nulls(self, record: records.Record | None) -> list[int]:
        """Return as 0 and 1 which cells of a record are null and counted by no check; all 0 without a record."""
        checked = {c.property for c in self.plan.checks}
        names = [p.name for p in self.plan.properties if p.name in checked and not self.plan.forbidding_null(p.name)]
        cells = record.cells if record else {}
        return [int(name in cells and cells[name].text is None) for name in names]


@st.composite
def contracts(draw: st.DrawFn) -> Made:
    """Plans of one to four properties of any type with any checks; files may lack columns and have others."""
    quote = draw(st.sampled_from(['"', "'", ""]))
    csv = Csv(
        delimiter=draw(st.sampled_from([",", ";", "|", "\t", "^"])),
        quote=quote,
        escape=draw(st.sampled_from([quote or '"', "\\"])),
        null_values=tuple(draw(st.lists(st.sampled_from(NULLS), max_size=3, unique=True))),
    )
    props = [draw(properties(f"c{n}")) for n in range(draw(st.integers(1, 4)))]
    checks = [check for prop in props for check in draw(st.lists(checks_of(prop), max_size=3))]
    named = [replace(check, id=f"{check.id}.{n}") for n, check in enumerate(checks)]
    names = draw(st.permutations([p.name for p in props]))[draw(st.sampled_from([0, 0, 0, 1])) :]
    header = (*names, *draw(st.sampled_from([(), (), ("more",), ("_record", "_reasons")]))) or ("more",)
    by_name = {p.name: p for p in props}
    cells = tuple((*csv.null_values, *_cells(by_name.get(name, a_property(name)))) for name in header)
    return Made(a_plan(props, named, csv), header, cells)


def _cells(prop: Property) -> tuple[str, ...]:
    formats = [text for name in TEXT_FORMATS for text in OF_FORMAT[name]] if prop.type == "string" else []
    good = tuple(way for text in GOOD[prop.type] for way in ways(text, prop))
    return (*(good * 3), *formats, *hostile.CELLS[prop.type], *hostile.ANY)


@st.composite
def properties(draw: st.DrawFn, name: str) -> Property:
    """Properties of any type."""
    kind = draw(st.sampled_from(sorted(GOOD)))
    exact = {"number": [None, (5, 2), (38, 10)], "integer": [None, None, (3, 0)]}.get(kind, [None])
    offset = draw(st.sampled_from([None, True, False])) if kind == "timestamp" else None
    form = draw(st.sampled_from((*[None] * len(FORMS[kind]), *FORMS[kind])))
    prop = a_property(name, kind, exact=draw(st.sampled_from(exact)), offset=offset)  # type: ignore[arg-type]
    return replace(prop, form=form)


def checks_of(prop: Property) -> st.SearchStrategy[Check]:
    """Checks of a property."""
    texts = (*GOOD[prop.type], *NULLS)
    missing = st.builds(
        lambda values, null: a_check("missingValues", prop.name, values=values, null=null),
        st.lists(st.sampled_from(texts), min_size=1, max_size=2),
        st.booleans(),
    )
    plain = st.sampled_from([a_check(kind, prop.name) for kind in ("required", "nullValues", "deprecated")])
    return st.one_of(plain, missing, *_of_values(prop))


def _of_values(prop: Property) -> Sequence[st.SearchStrategy[Check]]:
    match prop.type:
        case "string":
            return _of_texts(prop.name)
        case "integer" if not prop.exact:
            formats = st.sampled_from(["i8", "u8", "i16", "i64", "u64", "i128"])
            made = formats.map(lambda name: a_check("format", prop.name, format=name))
            return [_bounds(prop, ["-128", "0", "7", "12", str(2**63 - 1)]), _values(prop.name, GOOD["integer"]), made]
        case "integer" | "number":
            small = [] if prop.exact else [st.just(a_check("format", prop.name, format="f32"))]
            return [_bounds(prop, ["-1", "0", "7", "360" if prop.type == "number" else "127"]), *small]
        case "date":
            return [_bounds(prop, DAYS)]
    return []


def _bounds(prop: Property, texts: Sequence[str]) -> st.SearchStrategy[Check]:
    return st.builds(
        lambda kind, text: a_check(kind, prop.name, value=text), st.sampled_from(BOUNDS), st.sampled_from(texts)
    )


def _values(name: str, texts: Sequence[str]) -> st.SearchStrategy[Check]:
    chosen = st.lists(st.sampled_from(texts), max_size=6, unique=True)
    return st.builds(lambda kind, v: a_check(kind, name, values=v), st.sampled_from(["enum", "invalidValues"]), chosen)


def _of_texts(name: str) -> Sequence[st.SearchStrategy[Check]]:
    patterns = st.sampled_from([str(to_java(one)) for one in PATTERNS])
    lengths = st.builds(
        lambda kind, n: a_check(kind, name, value=n), st.sampled_from(["minLength", "maxLength"]), st.integers(0, 4)
    )
    searched = st.builds(
        lambda kind, one: a_check(kind, name, pattern=one),
        st.sampled_from(["pattern", "regex", "invalidValues"]),
        patterns,
    )
    blank = st.just(a_check("notBlank", name, pattern=str(to_java(r"\S"))))
    formats = st.sampled_from(TEXT_FORMATS).map(lambda one: a_check("format", name, format=one))
    return [lengths, searched, _values(name, WORDS), blank, formats]


@st.composite
def lines(draw: st.DrawFn, made: Made) -> str:
    """Lines of a file: most are records, some nearly so."""
    csv = made.plan.csv
    kind = draw(st.sampled_from(["record"] * 6 + ["odd", "odd", "header", "any", "empty"]))
    if kind == "empty":
        return ""
    if kind == "header":
        return made.texts[0]
    if kind == "any":
        signs = st.sampled_from([*"0123456789-+.eT: aé", csv.delimiter, csv.quote or '"', *ODD])
        return "".join(draw(st.lists(signs, max_size=20)))
    line = csv.delimiter.join(draw(_cell(csv, cells)) for cells in made.cells)
    return draw(_damaged(made, line)) if kind == "odd" else line


def _cell(csv: Csv, cells: Sequence[str]) -> st.SearchStrategy[str]:
    """A cell, quoted or not; within quotes also with a delimiter, an escape or a blank that it then holds."""
    plain = st.sampled_from(cells)
    within = st.builds(str.__add__, plain, st.sampled_from(["", "", "", csv.delimiter, csv.escape, " "]))
    return st.one_of(plain, plain, within.map(lambda text: f"{csv.quote}{text}{csv.quote}"))


@st.composite
def _damaged(draw: st.DrawFn, made: Made, line: str) -> str:
    """A line with something put into it, or without some of it."""
    csv = made.plan.csv
    at = draw(st.integers(0, len(line)))
    quote = csv.quote or '"'
    new = draw(st.sampled_from(["", csv.delimiter, quote, f"{quote}{quote}", " ", "0", "+", "-", *ODD, "\uff11"]))
    return line[:at] + new + line[at + draw(st.sampled_from([0, 0, 1, 3])) :]
