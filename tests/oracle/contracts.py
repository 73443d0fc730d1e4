"""Contracts that a steward could write, by chance: a generator in, an ODCS document, its plan and likely cells out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.quality import row_filters, watermarks
from contracts.plan import LogicalType, Plan, Property
from contracts.watermarks import HighMark
from tests.oracle import expressions, figures, fixed, hostile, queries
from tests.oracle.file_dates import GERMAN_DAYS, GERMAN_MONTHS
from tests.oracle.records import Cell
from tests.oracle.values import value_of, value_of_cell

Document = dict[str, Any]
PATTERNS = ("^[a-z]+$", "[0-9]{2}", "^(SP|RJ)?$", r"\s", "^[A-Z]{1,3}(-[0-9]+)*$", "é|€", "^.$")
WORDS = ("SP", "RJ", "a", "ab", "abc", "x1", "A-1", "A-12-3", "7", "07", "é", "€uro", "ß", "", " ", "a b", "😀", "Ab")
OF_FORMAT = {
    "email": ("a@b.org", "a.b@c-d.example", "a@b", "a@@b.org", ".a@b.org", "é@b.org"),
    "uri": ("https://a.org/b?c#d", "a:b", "/a", "http://[::1]/", "http://a b", "x:%zz"),
    "uuid": ("f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae7dec11d0a76500a0c91e6bf6", "x"),
    "ipv4": ("192.0.2.1", "256.1.1.1", "01.1.1.1", "1.2.3"),
    "ipv6": ("::1", "2001:db8::1", "::ffff:1.2.3.4", "1::2::3", "::1%eth0"),
    "hostname": ("a.org", "localhost", "-a.org", "1.2.3.4", "a.org.", "a" * 64),
    "byte": ("ZHJvcA==", "ZHJvcA", "ZHJvcB==", "Zg=="),
}
DATED: dict[str, tuple[tuple[str, str | None], ...]] = {
    "date": (("%Y-%m-%d", None), ("%d.%m.%Y", "dd.MM.yyyy"), ("%Y%m%d", "yyyyMMdd"), ("%m/%d/%Y", "MM/dd/yyyy")),
    "timestamp": (
        ("%Y-%m-%dT%H:%M:%S", None),
        ("%Y-%m-%d %H:%M:%SZ", None),
        ("%Y-%m-%d %H:%M", "yyyy-MM-dd HH:mm"),
        ("%Y%m%dT%H%M%SZ", "yyyyMMdd'T'HHmmssX"),
    ),
    "time": (("%H:%M", None), ("%H:%M:%S.5", None), ("%Hh%M", "HH'h'mm"), ("%H%M%S", "HHmmss")),
}
IN_FILES: dict[str, tuple[tuple[Document, Callable[[datetime], str]], ...]] = {
    "date": (
        ({"formats": ["d.M.yyyy"]}, lambda day: f"{day.day}.{day.month}.{day.year}"),
        ({"formats": ["dd-MMM-yy", "yyyyMMdd"], "century": 1950}, lambda day: f"{day:%d-%b-%y}"),
        ({"formats": ["excelDays"]}, lambda day: str((day - datetime(1899, 12, 30)).days)),  # noqa: DTZ001 (of no zone)
        ({"formats": ["yyyy-DDD"]}, lambda day: f"{day:%Y-%j}"),
        (
            {"formats": ["EEE, d. MMMM yyyy"], "language": "de"},
            lambda day: (
                f"{GERMAN_DAYS[day.weekday()][:2]}, {day.day}. {GERMAN_MONTHS[day.month - 1].upper()} {day.year}"
            ),
        ),
    ),
    "timestamp": (
        ({"formats": ["M/d/yyyy h:mm a"]}, lambda day: f"{day.month}/{day.day}/{day.year} {day:%I:%M %p}"),
        ({"formats": ["epochSeconds"]}, lambda day: f"{day.replace(tzinfo=UTC).timestamp():.1f}"),
        ({"formats": ["epochMilliseconds", "dd.MM.yyyy H:mm"]}, lambda day: f"{day:%d.%m.%Y %H:%M}"),
        ({"formats": ["d.M.yy HH:mm:ss.SSSX"], "century": 1999}, lambda day: f"{day:%d.%m.%y %H:%M:%S.250+02}"),
        ({"formats": ["excelDays"]}, lambda day: str((day - datetime(1899, 12, 30)) / timedelta(days=1))),  # noqa: DTZ001
    ),
    "time": (({"formats": ["h:mm a"]}, lambda day: f"{day:%I:%M %p}"),),
}
"""Forms of dates in files, and how they write a moment."""
EDGES = {
    "date": (
        "31.2.2024",
        "29.02.2023",
        "0",
        "60",
        "61",
        "45292.0",
        "2024-366",
        "01-jan-50",
        "00000000",
        "Mo, 1. Mai 2024",
    ),
    "timestamp": (
        "3/31/2024 2:30 AM",
        "12/1/2024 12:00 am",
        "1.5",
        "-1",
        "60.5",
        "45292.9999999999",
        "1/1/2024 13:00 PM",
    ),
    "time": ("12:00 AM", "12:00 pm", "0:30 AM", "13:00 PM"),
}
SHARES = (0.001, 0.25, 0.5, 0.95, 1)
TRIES = 300
"""Contracts of a form that are drawn until lint takes one."""
ZONES = ("Europe/Berlin", "America/Sao_Paulo", "Asia/Kathmandu")


@dataclass(frozen=True, slots=True)
class Column:
    """A property as it is written, cells that are likely to be at the edges of its rules, and the form of these."""

    written: Document
    cells: tuple[str, ...]
    values: Document = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract: the document, its plan, the cells that its files may have, and how far accepted files reach."""

    document: Document
    plan: Plan
    cells: dict[str, tuple[str, ...]]
    marks: tuple[HighMark, ...] = ()


def a_contract(chance: Random, form: Document, most: int = 6) -> Contract:
    """A contract for files of a form (the `drop` block's keys that say how a file is written)."""
    for _ in range(TRIES):
        columns = [_column(chance, n, form) for n in range(chance.randint(2, most))]
        document = _document(chance, columns, form)
        plan = compiled(document)
        if plan is None:
            continue
        kinds = {c.written["name"]: c.written["logicalType"] for c in columns}
        document["customProperties"][0]["value"]["checks"] = _overrides(chance, plan, kinds)
        if plan := compiled(document):
            cells = {c.written["name"]: c.cells for c in columns}
            return Contract(document, plan, cells, _marks(chance, plan, cells))
    message = f"lint refuses each of {TRIES} contracts that were drawn for {form}"
    raise AssertionError(message)


def _marks(chance: Random, plan: Plan, cells: Mapping[str, Sequence[str]]) -> tuple[HighMark, ...]:
    """Some values that cells have, as high marks; there may be none yet."""
    marks = []
    for name in plan.watermarks:
        prop = plan.property_named(name)
        values: list[Any] = [v for text in cells[name] if (v := value_of_cell(text, prop)) is not None]
        if values and chance.random() < 0.8:
            high = Fraction(chance.choice(values))
            marks.append(HighMark(name, prop.type, figures.decimal(high)))
    return tuple(marks)


def compiled(document: Document) -> Plan | None:
    """The plan of a document; None if lint refuses it."""
    return compile_text(json.dumps(document, ensure_ascii=False).encode(), "things.v1.yaml").plan


def a_document(
    properties: Sequence[Document], block: Document, quality: Sequence[Document] = (), status: str = "active"
) -> Document:
    """A contract of things with these properties, rules of records and settings."""
    return {
        "apiVersion": "v3.2.0",
        "kind": "DataContract",
        "id": "things",
        "version": "1.0.0",
        "status": status,
        "schema": [{"name": "things", "properties": list(properties), "quality": list(quality)}],
        "customProperties": [{"property": "drop", "vendor": "dropgate", "value": block}],
    }


def _document(chance: Random, columns: Sequence[Column], form: Document) -> Document:
    block = {"files": "maker/things/*", "producer": "maker", **form}
    headed = all(form.get(key, {}).get("header", True) for key in ("csv", "sheet"))
    if block["format"] in ("csv", "xlsx", "xls", "ods") and headed:
        block["columns"] = {k: chance.choice(("reject", "warn", "ignore")) for k in ("extra", "missing")}
        block["columns"] |= form.get("columns", {})
    elif block["format"] in ("jsonl", "json", "xml"):
        block["columns"] = {"extra": chance.choice(("reject", "warn", "ignore")), **form.get("columns", {})}
    if "trailer" in form.get("csv", {}):
        whole = [c.written["name"] for c in columns if c.written["logicalType"] == "integer" or is_exact(c.written)]
        trailer = form["csv"]["trailer"] | {"sums": {name: n for n, name in enumerate(whole, 3)}}
        block["csv"] = form["csv"] | {"trailer": trailer}
    _headed(chance, columns, form, block)
    if block["format"] == "fixed":
        block["fixed"] = _layout(chance, columns, form)
    if forms := {c.written["name"]: c.values for c in columns if c.values}:
        block["values"] = block.get("values", {}) | {"columns": forms}
    block["empty"] = chance.choice(("reject", "warn", "accept"))
    if chance.random() < 0.6:
        block["tolerance"] = {"rows": chance.choice((0, 1, 3, "10%", "33.3%", "50%"))}
    counted = [{"metric": "rowCount", "id": "rows", **_threshold(chance)}] if chance.random() < 0.4 else []
    if chance.random() < 0.2 and len(columns) > 1:
        names = [c.written["name"] for c in columns[:2]]
        counted.append({"metric": "duplicateValues", "arguments": {"properties": names}, **_threshold(chance)})
    kinds = {c.written["name"]: c.written["logicalType"] for c in columns}
    for n in range(chance.choice((0, 0, 1, 2))):
        judged = _threshold(chance, percent=True) if chance.random() < 0.3 else {}
        inner = {"metric": "expression", "expression": expressions.an_expression(chance, kinds), **judged}
        counted.append({"id": f"e{n}", "type": "custom", "engine": "dropgate", "implementation": inner})
    asked = range(chance.choice((0, 0, 0, 0, 1, 2)))
    counted += [queries.an_entry(chance, n, kinds, _threshold(chance)) for n in asked]
    status = chance.choice(("active", "active", "active", "deprecated"))
    return a_document([c.written for c in columns], block, counted, status)


def _layout(chance: Random, columns: Sequence[Column], form: Document) -> Document:
    """A layout of lines; where their beginning says what they are, behind it."""
    likely = {c.written["name"]: [*(text for text in c.cells if len(text) < 24), "x"] for c in columns}
    kinds = {c.written["name"]: c.written["logicalType"] for c in columns}
    own: Document = form["fixed"]
    begin = 1 + len(own.get("record", {}).get("begins", ""))
    whole = [c.written["name"] for c in columns if c.written["logicalType"] == "integer" or is_exact(c.written)]
    end = {"trailer": fixed.trailer(own["trailer"]["begins"], whole)} if "trailer" in own else {}
    return own | {"fields": fixed.fields(chance, likely, kinds, begin)} | end


def _headed(chance: Random, columns: Sequence[Column], form: Document, block: Document) -> None:
    """Give columns their names in the header, or none, as a form wants it."""
    if form.get("columns", {}).get("source") == "physicalName":
        over_lines = ("a\nb", "a\n") if form.get("csv", {}).get("multiLine") else ()
        likely = ("Größe",) if form["format"] == "xml" else ("Nr. ", "Größe", *over_lines)
        for n, column in enumerate(columns):
            column.written["physicalName"] = f"{chance.choice(likely)}{n}"
    if lacking := form.get("csv", {}).get("headerLacks"):
        names = [c.written["name"] for c in columns]
        sides = {
            "first": names[: len(lacking.get("first", ()))],
            "last": names[len(names) - len(lacking.get("last", ())) :],
        }
        block["csv"] = form["csv"] | {"headerLacks": sides}


def _overrides(chance: Random, plan: Plan, kinds: Mapping[str, str]) -> Document:
    overrides: Document = {}
    for check in plan.checks:
        wanted: Document = {}
        if check.scope != "record" and chance.random() < 0.25:
            wanted["severity"] = "warning"
        if not check.threshold and chance.random() < 0.25:
            wanted["tolerance"] = chance.choice((0, 1, 2, "5%", "20%", "66.6%", {"warning": 1, "error": "30%"}))
        if check.scope != "record" and check.kind not in ("logicalType", "knownKeys") and chance.random() < 0.1:
            wanted["filter"] = expressions.an_expression(chance, kinds, 1)
        above = [p.name for p in plan.properties if watermarks.unfit(p) is None]
        if (
            above
            and check.scope != "record"
            and not isinstance(check.rule, row_filters.ALWAYS)
            and chance.random() < 0.1
        ):
            wanted["watermark"] = chance.choice(above)
        if wanted:
            overrides[check.id] = wanted
    return overrides


def _threshold(chance: Random, *, percent: bool = False) -> Document:
    operator = chance.choice((*("mustBeLessThan", "mustBeLessOrEqualTo", "mustNotBe") * 2, "mustBeBetween", "mustBe"))
    figure = chance.choice((1, 3, 10, 20, 40))
    threshold: Document = {operator: [figure, figure + 12] if operator == "mustBeBetween" else figure}
    return threshold | ({"unit": "percent"} if percent and chance.random() < 0.5 else {})


def _column(chance: Random, n: int, form: Document) -> Column:
    kind: LogicalType = chance.choice(tuple(MAKERS))
    name = chance.choice((f"c{n}", f"C {n}", f"größe{n}", "c" * (n + 1)))
    name = name.replace(" ", "-") if form["format"] == "xml" else name
    written: Document = {"name": name, "logicalType": kind}
    for flag, share in (("required", 0.2), ("unique", 0.15)):
        if chance.random() < share:
            written[flag] = True
    if n < 2 and chance.random() < 0.2:
        written |= {"primaryKey": True, "primaryKeyPosition": n + 1}
    good = MAKERS[kind](chance, written, form)
    values, sent = _in_files(chance, written, form, good)
    if written.get("logicalTypeOptions") == {}:
        del written["logicalTypeOptions"]
    _quality(chance, written, good)
    written["quality"] += _figures(chance, kind, good)
    cells = (*good, *sent, *hostile.CELLS[kind], *hostile.ANY)
    asked = {e.get("implementation", {}).get("metric") for e in written["quality"]}
    added_up = {"stdev"} if is_exact(written) else {"sum", "mean", "stdev"}
    if kind == "number" and asked & added_up:
        cells = tuple(text for text in cells if not figures.is_rough([figures.counted(_cell(text))]))
    return Column(written, cells, values)


def _in_files(
    chance: Random, written: Document, form: Document, good: tuple[str, ...]
) -> tuple[Document, tuple[str, ...]]:
    """Now and then another form for the dates of files, and the cells in it."""
    kind, options = written["logicalType"], written.get("logicalTypeOptions", {})
    if form["format"] not in ("csv", "fixed") or kind not in IN_FILES or "timezone" in options or chance.random() < 0.5:
        return {}, ()
    shape = next(shape for shape, pattern in DATED[kind] if pattern == options.get("format"))
    try:
        days = [datetime.strptime(text, shape) for text in good]  # noqa: DTZ007 (of no zone)
    except ValueError:  # a moment with an offset
        return {}, ()
    own, write = chance.choice(IN_FILES[kind])
    return own, (*map(write, days), *EDGES[kind])


def is_exact(written: Document) -> bool:
    """Return whether a property is a number of so many digits, not a double."""
    options = written.get("logicalTypeOptions", {})
    return written["logicalType"] == "number" and ("physicalType" in written or "multipleOf" in options)


def _cell(text: str) -> Cell:
    return Cell(text, value_of(text, Property("x", "number")))


def _quality(chance: Random, written: Document, good: Sequence[str]) -> None:
    entries = written["quality"] = []
    for n, metric in enumerate(chance.sample(("nullValues", "missingValues", "invalidValues", "notBlank", "regex"), 2)):
        entry: Document = {"id": f"q{n}-{chance.randrange(10**6)}"}
        judged = {"mustBe": 0} if chance.random() < 0.6 else _threshold(chance, percent=True)
        if chance.random() < 0.3:
            entry["severity"] = "warning"
        if metric in ("notBlank", "regex"):
            if written["logicalType"] != "string":
                continue
            inner = {"metric": metric, **judged} | ({"pattern": chance.choice(PATTERNS)} if metric == "regex" else {})
            if metric == "notBlank" and entry["id"][-1] in "02468":  # no draw of its own: all else stays as it was
                prefixes = sorted({text[:1] for text in good if text} or {"a"})
                inner |= {"metric": "allowedPrefixes", "prefixes": prefixes}
            entries.append(entry | {"type": "custom", "engine": "dropgate", "implementation": inner})
            continue
        entry |= {"metric": metric, **judged}
        if metric == "missingValues":
            entry["arguments"] = {"missingValues": [chance.choice((None, "N/A")), "x", *chance.sample(list(good), 1)]}
        elif metric == "invalidValues":
            entry["arguments"] = _valid(chance, written, good)
        entries.append(entry)


def _figures(chance: Random, kind: str, good: Sequence[str]) -> list[Document]:
    """Entries of metrics that look at all values of a property."""
    entries: list[Document] = []
    if chance.random() < 0.15:
        judged = _threshold(chance, percent=True)
        entries.append({"id": f"d-{chance.randrange(10**6)}", "metric": "duplicateValues", **judged})
    if kind in ("integer", "number") and chance.random() < 0.4:
        metric = chance.choice(("mean", "stdev", "min", "max", "sum", "quantile"))
        figure: Any = 3 if metric == "stdev" else float(chance.choice(good))
    elif kind in ("date", "timestamp") and chance.random() < 0.3:
        metric, figure = chance.choice(("min", "max", "quantile")), chance.choice(good)
    else:
        return entries
    operator = chance.choice(("mustBeLessThan", "mustBeLessOrEqualTo", "mustBeGreaterThan", "mustNotBe"))
    inner = {"metric": metric, operator: figure} | ({"quantile": chance.choice(SHARES)} if metric == "quantile" else {})
    entry = {"id": f"f-{chance.randrange(10**6)}", "type": "custom", "engine": "dropgate", "implementation": inner}
    return [*entries, entry | {"severity": chance.choice(("error", "warning"))}]


def _valid(chance: Random, written: Document, good: Sequence[str]) -> Document:
    if written["logicalType"] == "string" and chance.random() < 0.5:
        return {"pattern": chance.choice(PATTERNS)}
    texts = chance.sample(list(good), min(3, len(good)))
    if written["logicalType"] == "integer":
        return {"validValues": [int(t) for t in texts]}
    if written["logicalType"] == "number":
        return {"validValues": [float(t) for t in texts]}
    return {"validValues": [t == "true" for t in texts] if written["logicalType"] == "boolean" else texts}


def _string(chance: Random, written: Document, _: Document) -> tuple[str, ...]:
    options = written["logicalTypeOptions"] = {}
    if chance.random() < 0.2:
        written["enum"] = [{"value": w} for w in chance.sample(WORDS, 4)]
    if chance.random() < 0.4:
        name = options["format"] = chance.choice(tuple(OF_FORMAT))
        return OF_FORMAT[name]
    if chance.random() < 0.5:
        options["minLength"] = chance.choice((1, 2))
    if chance.random() < 0.5:
        options["maxLength"] = chance.choice((2, 3, 600))
    if chance.random() < 0.3:
        options["pattern"] = chance.choice(PATTERNS)
    return (*WORDS, *("b" * n for n in (1, 2, 3, 4)), "A-1" * 170)


def _bounds(chance: Random, options: Document, low: Any, high: Any) -> None:
    for value, names in ((low, ("minimum", "exclusiveMinimum")), (high, ("maximum", "exclusiveMaximum"))):
        if chance.random() < 0.6:
            options[chance.choice(names)] = value


def _integer(chance: Random, written: Document, _: Document) -> tuple[str, ...]:
    options = written["logicalTypeOptions"] = {}
    low = chance.choice((-7, 0, 1, 126, 2**31 - 3, -(2**63), 2**63 - 9))
    high = low + chance.choice((2, 5, 8))
    _bounds(chance, options, low, high)
    if chance.random() < 0.3:
        options["multipleOf"] = chance.choice((1, 2, 3, 5))
    if chance.random() < 0.3:
        options["format"] = chance.choice(("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"))
    elif chance.random() < 0.2:
        written["physicalType"] = chance.choice(("decimal(3,0)", "numeric(20,0)"))
    return tuple(str(n) for n in range(low - 1, high + 2) if -(2**63) <= n < 2**63)


def _number(chance: Random, written: Document, _: Document) -> tuple[str, ...]:
    options = written["logicalTypeOptions"] = {}
    low = chance.choice((-1.5, 0, 0.07, 10, 360))
    high = low + chance.choice((0.5, 3, 100))
    _bounds(chance, options, low, high)
    if chance.random() < 0.3:
        options["multipleOf"] = chance.choice((0.01, 0.5, 2))
    if chance.random() < 0.3:
        written["physicalType"] = chance.choice(("decimal(10,2)", "numeric(5, 3)", "DECIMAL(38,10)"))
    elif chance.random() < 0.2:
        options["format"] = chance.choice(("f32", "f64"))
    around = [Decimal(str(x)) + Decimal(str(d)) for x in (low, high) for d in (-1, -0.01, 0, 0.01, 0.005, 1)]
    return tuple(str(x) for x in around)


def _boolean(*_: Any) -> tuple[str, ...]:
    return ("true", "false")


def _moments(kind: str, days: Sequence[str]) -> Callable[[Random, Document, Document], tuple[str, ...]]:
    def make(chance: Random, written: Document, form: Document) -> tuple[str, ...]:
        options = written["logicalTypeOptions"] = {}
        shape, pattern = chance.choice(DATED[kind])
        if form["format"] == "parquet":
            shape, pattern = DATED[kind][0]
        if pattern:
            options["format"] = pattern
        texts = [datetime.fromisoformat(day).strftime(shape) for day in days]
        _bounds(chance, options, texts[1], texts[-2])
        if kind == "timestamp" and form["format"] != "parquet" and chance.random() < 0.5:
            has = "Z" in shape
            options[chance.choice(("timezone", "defaultTimezone"))] = has
            if "defaultTimezone" in options:
                options["defaultTimezone"] = chance.choice(ZONES)
        return tuple(texts)

    return make


MAKERS: dict[LogicalType, Callable[[Random, Document, Document], tuple[str, ...]]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _moments(
        "date", ("2023-12-31", "2024-01-01", "2024-01-02", "2024-02-29", "2024-06-29", "2024-06-30", "2024-07-01")
    ),
    "timestamp": _moments(
        "timestamp",
        ("2023-12-31T23:59:59", "2024-01-01", "2024-03-31T02:30", "2024-10-27T02:30", "2024-11-30T12:00", "2024-12-01"),
    ),
    "time": _moments(
        "time", ("1970-01-01T00:00", "1970-01-01T00:01", "1970-01-01T12:00", "1970-01-01T23:58", "1970-01-01T23:59")
    ),
}
"""By type: what writes a property's rules, and gives cells at their edges."""
