"""A contract as one page for people: the data, the sender, the columns, the rules and what happens to a file.

The page has no script and loads nothing; its policy allows one style sheet, by hash. All text is escaped, and
invisible characters are written out.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from contracts import rules
from contracts.authoring.drop_block.pattern_overlap import shared_key
from contracts.authoring.exports import page_agreements, sample
from contracts.authoring.exports.exported import IN_PLAN, METADATA, Contract, Exported, ExportedColumn
from contracts.authoring.exports.page_agreements import READERS
from contracts.authoring.exports.rules_in_words import (
    form_in_words,
    how_limited,
    how_many,
    in_words,
    of_breaking,
    type_in_words,
)
from contracts.authoring.imports.writing import COMMAND
from contracts.files import record_ends
from contracts.files.xml_documents.xml_shape import TEXT
from contracts.messages import tolerated_in_words
from contracts.plan import Archive, Check, Csv, Plan, Sheet, Xml
from contracts.problem import visible
from contracts.terms.fixed_width import Fixed
from contracts.terms.key_pattern import captures
from contracts.terms.notices import Audience, Occasion

if TYPE_CHECKING:
    from jinja2 import Template

FOLDER = Path(__file__).parent
LONGEST = 2_000
"""Most characters of one text on the page."""
FOUND = {
    "exact": "the first line names the columns",
    "trimmed": "the first line names the columns; blanks around a name do not matter",
    "anyCase": "the first line names the columns; blanks around a name and the case of its letters do not matter",
    "byPosition": "the first line is not read as data; the columns are in the order below",
}
"""The ways to find the columns of a file, in words."""
SIGNS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
POLICIES = {
    "reject": "The file is rejected.",
    "warn": "The file is accepted with a warning.",
    "ignore": "Nothing happens.",
    "accept": "Nothing happens.",
}
REJECTED = (
    "The whole file is rejected: readers do not get it and keep the data they had before. The sender gets a receipt "
    "with the rejected rows, the reasons and the fixes, and sends the corrected file again under the same name."
)
OBSERVED = (
    "Readers get the file unchanged: the contract is only observed so far. The sender gets a receipt with the rows "
    "that break it, the reasons and the fixes."
)
BREAKS = "The file breaks the contract. Readers still get it."
"""The meaning of `reject` in a contract in observe mode."""
BY_PERSON = "Readers get the file unchanged. A new receipt names the person, the time and the reason."
NOT_INTO_TABLES = "That is not possible: no rejected file gets into the table."
AUDIENCES: dict[Audience, str] = {
    "producer": "The sender",
    "consumer": "The readers",
    "operator": "The people who run the checks",
}
OCCASIONS: dict[Occasion, str] = {
    "rejected": "a file is rejected",
    "failed": "a file could not be judged",
    "warning": "a file has warnings",
    "missing": "files are missing",
    "late": "a file comes at another time than agreed",
    "stale": "a promise about the data over time is not kept",
    "unmatched": "no contract covers the name of a file",
    "accepted": "a file is accepted",
    "recovered": "all is well again",
}
"""The occasions of notices in plain words."""
KEYS = "~"
"""The last step to the keys of a map, which are never null."""
OF_OBJECT = {"name", "id", "properties", "quality", "relationships", "logicalType", "description", "businessName"}
OF_COLUMN = (IN_PLAN - {"id"}) | {"description", "businessName", "deprecated", "classification"}
"""Keys of a property that have a place of their own on the page."""


@dataclass(frozen=True, slots=True)
class ShownRule:
    """A rule in plain words, the consequence of breaking it, and the description by the contract's author."""

    text: str
    breaking: str = ""
    why: str = ""
    exact: str = ""


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column on the page."""

    name: str
    called: str
    meaning: str
    kind: str
    form: str
    rules: tuple[ShownRule, ...]
    example: str | None
    labels: tuple[tuple[str, str], ...]
    deprecated: bool
    classification: str
    may_be_empty: bool
    more: tuple[tuple[str, tuple[str, ...]], ...]

    @classmethod
    def of(cls, contract: Contract, column: ExportedColumn, example: str | None) -> ShownColumn:
        """Return a column in words, with an example of its values."""
        source = column.source
        of_column = [c for c in contract.plan.checks if c.property == column.name]
        # the column already shows its type, unless more is to say of it than that it rejects
        checks = [c for c in of_column if not isinstance(c.rule, rules.LogicalType) or _has_settings(c)]
        labels = tuple((str(e["value"]), str(e["label"])) for e in source.get("enum") or () if e.get("label"))
        counted = any(isinstance(c.rule, rules.PrimaryKey | rules.NullValues) for c in column.checks)
        return cls(
            name=column.name,
            called=str(source.get("businessName") or ""),
            meaning=str(source.get("description") or "").strip(),
            kind=type_in_words(column.prop),
            form=form_in_words(contract.plan, column.prop),
            rules=tuple(_rule(contract.plan, check) for check in checks),
            example=example,
            labels=labels,
            deprecated=bool(source.get("deprecated")),
            classification=column.prop.classification or "",
            more=tuple((title, tuple(lines)) for title, lines in page_agreements.others(source, OF_COLUMN)),
            may_be_empty=not column.never_null and not counted and column.prop.route[-1] != KEYS,
        )


def _has_settings(check: Check) -> bool:
    """Return True if a check does more, or less, than to reject any record that fails it."""
    return check.severity != "error" or bool(check.tolerance or check.quiet or check.reference)


def write(contract: Contract) -> Exported:
    """Return the page; nothing is lost."""
    values = sample.row(contract)
    plan = contract.plan
    examples = [(pattern, sample.key(pattern)) for pattern in plan.files]
    description = contract.data.get("description")
    titles = {"purpose": "What it is for", "limitations": "Limits", "usage": "How it is used"}
    parts = description.items() if isinstance(description, dict) else [("", description)]
    about = [("", contract.object.get("description")), *((titles.get(key, ""), text) for key, text in parts)]
    text = _template().render(
        contract=contract,
        plan=plan,
        name=contract.data.get("name") or contract.object.get("businessName") or contract.object["name"],
        about=[(title, text.strip()) for title, text in about if isinstance(text, str) and text.strip()],
        files=[(p, key if captures(p, key) is not None else shared_key(p, p)) for p, key in examples],
        written=[*_written(plan), *page_agreements.agreed(plan)],
        waivers=[] if contract.bare else page_agreements.waivers(contract.data, plan),
        more=page_agreements.others(contract.data, METADATA | {"name", "description"}),
        of_object=page_agreements.others(contract.object, OF_OBJECT),
        rows=[ShownColumn.of(contract, column, values.get(column.name, "")) for column in contract.every],
        rules=[_rule(plan, check) for check in plan.checks if check.scope != "record" and check.property is None],
        records=[in_words(check) for check in plan.checks if check.scope == "record"],
        consequences=list(_consequences(plan)),
        hearing=list(_hearing(contract)),
        contact=contract.routes.contact if contract.routes else None,
        line=sample.line(contract, values),
        unknown=[name for name, text in values.items() if text is None],
        style=_style(),
        longest=LONGEST,
    )
    text = COMMAND.sub(r"\1&#58;", text)
    carried = frozenset(c.id for c in plan.checks)
    return Exported(text + "\n", carried, ())


def _rule(plan: Plan, check: Check) -> ShownRule:
    """Return a rule in plain words, with the part of it that the page shows as code."""
    text, exact = in_words(check), ""
    match check.rule:
        case rules.LogicalType():
            text = f"a valid value of its type ({check.expected})"
        case rules.Quantile(value=share):
            text = f"The {(Decimal(share) * 100).normalize():f} % quantile of all values is {how_limited(check)}"
        case rules.Sql(text=exact):
            text = f"The result of this query is {how_limited(check)}:"
        case rules.Statement(text=exact):
            text = f"The number of rows that this query finds is {how_limited(check)}:"
        case rules.Expression(text=exact):
            text = f"This is false in {how_many(check)}:" if check.threshold else "This is true in every row:"
        case rules.Expectation():
            text, exact = "This Great Expectations expectation is met:", check.expected
        case rules.MissingValues():
            pass
        case _ if "matching " in check.expected and not check.threshold:
            text = f"{text.rpartition('matching ')[0]}matching the pattern"
            exact = check.expected.rpartition("matching ")[2]
    notes = [of_breaking(plan, check)]
    notes += [f"up to {tolerated_in_words(check.quiet)} without a warning"] if check.quiet else []
    notes += [f"of a failing row {', '.join(check.reference)} is shown as well"] if check.reference else []
    return ShownRule(text, "; ".join(filter(None, notes)), " ".join((check.description or "").split()), exact)


def _above(csv: Csv) -> Iterator[tuple[str, str]]:
    """Yield the rows above the header, as pairs of a term and its value."""
    if csv.separator_line:
        yield "First line", f"may be “sep={csv.delimiter}”, a note for spreadsheets"
    if csv.skip_rows:
        yield "Above", f"{csv.skip_rows:,} {'line' if csv.skip_rows == 1 else 'lines'}, which are not read"
    if csv.skip_until is not None:
        yield "Above", f"any lines, which are not read, up to the one that matches “{csv.skip_until}”"
    if csv.comment_rows:
        rows = ", ".join(map(str, csv.comment_rows))
        yield "Comments", f"row {rows}, counted from the first that is read, such as units; no data"


def _header(plan: Plan) -> str:
    """Return where the names of the columns are, and how columns are found by them."""
    if not plan.csv.header:
        return "none; the columns are in the order below"
    found_how = FOUND[plan.columns.match]
    if plan.csv.header_rows == (1,):
        return found_how
    rows = ", ".join(map(str, plan.csv.header_rows))
    return f"{found_how}; these are the cells of rows {rows} together, joined by a blank"


def _below(csv: Csv) -> Iterator[tuple[str, str]]:
    """Yield the rows among and below the records that are none, as pairs of a term and its value."""
    if csv.comment_char:
        yield "Comments", f"lines that begin with “{csv.comment_char}”, which are not read"
    if csv.leader:
        cells = "".join(f"; cell {n}: “{text}”" for n, text in csv.leader.cells.items())
        yield (
            "Leader",
            f"the first line that is read, which begins with “{csv.leader.begins}” and holds no data{cells}",
        )
    if csv.record:
        yield "Records", f"the first cell of each is “{csv.record}”"
    if csv.skip_columns:
        cells = "1 cell" if csv.skip_columns == 1 else f"{csv.skip_columns} cells"
        yield "Not read", f"the first {cells} of each line"
    if csv.footer:
        most = "1 line" if csv.footer.lines == 1 else f"at most {csv.footer.lines} lines"
        yield "Footer", f"the last {most}, from the one that begins with “{csv.footer.begins}”; no data"
    if rule := csv.trailer:
        places = {rule.rows: "the number of rows"} if rule.rows else {}
        places |= {place: f"the sum of {name}" for name, place in rule.sums.items()}
        cells = "".join(f"; cell {place}: {figure}" for place, figure in sorted(places.items()))
        yield "Trailer", f"the last line, which begins with “{rule.begins}” and holds no data{cells}"


def _written(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield how the files are written, as pairs of a term and its value."""
    packed = "" if plan.compression == "none" else f", compressed with {plan.compression}"
    if plan.archive:
        packed = _packed(plan.archive, is_alone=plan.csv.is_alone)
    if plan.file_format == "csv":
        yield from _written_as_csv(plan, packed)
    elif plan.fixed:
        yield "Format", f"text of fixed width{packed}: {plan.fixed.wanted} on each line"
        yield from _layout(plan, plan.fixed)
    elif plan.sheet:
        yield from _of_sheet(plan, plan.sheet)
    elif plan.file_format == "jsonl":
        yield "Format", f"JSON Lines{packed}: one JSON object on each line, in UTF-8"
        yield "Null", "null, or the key is left out"
        yield from _stated(plan)
    elif plan.xml:
        yield "Format", f"XML{packed}, in the encoding that its first line states, without a document type"
        yield from _elements(plan, plan.xml)
    elif plan.json:
        form = "an array of records, or records one after another"
        if plan.json.property:
            form = f"one object, in which {plan.json.property} leads to the array of records"
        yield "Format", f"a JSON document{packed}: {form}; in UTF-8"
        yield "Null", "null, or the key is left out"
        yield from _stated(plan)
    else:
        yield "Format", "Parquet"


def _packed(archive: Archive, *, is_alone: bool) -> str:
    """Return which members of an archive are read, and what becomes of others."""
    files = (
        f"it holds one file like {archive.members}" if is_alone else f"its files like {archive.members} are one drop"
    )
    others = "; other files in it are not read" if archive.others == "ignore" else ""
    return f", in a {archive.format} archive: {files}{others}"


def _stated(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the texts of a header that the contract states, if it states some."""
    if stated := [p for p in plan.properties if p.header_names]:
        shown = (f"{p.name}: {' or '.join(f'“{visible(text)}”' for text in p.header_names)}" for p in stated)
        yield "Names in files" if plan.read_as == "jsonl" else "Names in the header", "; ".join(shown)


def _elements(plan: Plan, xml: Xml) -> Iterator[tuple[str, str]]:
    """Yield what is said of the records, names and values of XML."""
    yield "Records", f"each element {visible(xml.record, 300)}"
    if xml.namespaces:
        shown = (f"{prefix or 'without a prefix'}: {visible(uri)}" for prefix, uri in xml.namespaces.items())
        yield "Namespaces", "; ".join(shown)
    yield from _stated(plan)
    if any(prop.key == TEXT or prop.key.startswith("@") for prop in plan.properties):
        yield "Names", f"@name is an attribute; {TEXT} is the text of an element that has attributes"
    texts = ["an empty element" if text == "" else f"“{visible(text)}”" for text in xml.null_values]
    yield "Null", " or ".join(['the element is left out or has xsi:nil="true"', *texts])
    if xml.trim:
        yield "Blanks", "blanks around a text do not count"


def _written_as_csv(plan: Plan, packed: str) -> Iterator[tuple[str, str]]:
    """Yield the same of CSV."""
    csv = plan.csv
    yield "Format", f"CSV{packed}"
    yield "Delimiter", SIGNS.get(csv.delimiter, f"“{visible(csv.delimiter)}”")
    if csv.record_delimiter:
        yield "End of a record", f"{record_ends.in_words(csv.record_delimiter)} and nothing else"
    yield from _above(csv)
    yield "Header", _header(plan)
    yield from _stated(plan)
    for side, texts in (("first", csv.lacks_first), ("last", csv.lacks_last)):
        if texts:
            names = ", ".join(f"“{visible(text)}”" for text in texts)
            yield "Not in the header", f"the {side} columns, here named {names}; rows have cells for them"
    yield from _below(csv)
    if csv.trailing_delimiter:
        yield "End of lines", "a delimiter may end the header and each row; nothing follows it"
    yield "Encoding", _encoding(csv)
    yield "Null", _nulls(csv.null_values, "an empty cell")
    if csv.unquoted_escape:
        yield (
            "Escape",
            f"{csv.unquoted_escape} before a delimiter or {csv.unquoted_escape} in a cell without quotes",
        )
    if csv.quote:
        breaks = "the delimiter, a line break or a quote" if csv.multi_line else "the delimiter or a quote"
        within = f"a quote within the cell is written {csv.escape}{csv.quote}"
        yield "Quote", f"{csv.quote} around a cell that contains {breaks}; {within}"


def _encoding(csv: Csv) -> str:
    """Return the encoding, and what becomes of files that seem to have another one."""
    end = {"reject": "", "warn": " with a warning"}.get(csv.mojibake, "")
    other = "" if csv.mojibake == "reject" else f"; a file that seems to have another one is accepted{end}"
    return csv.encoding.upper() + other


def _nulls(texts: Sequence[str], empty: str) -> str:
    words = [empty if text == "" else f"“{text}”" for text in texts]
    return " or ".join(words) if words else "cannot be written: every cell has a value"


def _layout(plan: Plan, fixed: Fixed) -> Iterator[tuple[str, str]]:
    """Yield what the lines of fixed width are, and where the fields of a record are."""
    csv, trailer = plan.csv, plan.csv.trailer
    if csv.leader:
        texts = zip(fixed.leader, csv.leader.cells.values(), strict=True)
        parts = "".join(f"; {at.words}: “{text}”" for at, text in texts)
        yield "Leader", f"the first line, which begins with “{csv.leader.begins}” and holds no data{parts}"
    if csv.record:
        yield "Records", f"each begins with “{csv.record}”"
    fields = []
    for field in fixed.fields:
        notes = [f"on the {field.align}"] if field.align != "any" else []
        notes += [f"filled up with “{field.padding}”"] if field.padding != " " else []
        fields.append(f"{field.slice.words}: {field.name}" + (f" ({', '.join(notes)})" if notes else ""))
    yield "Fields", "; ".join(fields)
    if trailer:
        names = [*(["the number of rows"] if trailer.rows else []), *(f"the sum of {name}" for name in trailer.sums)]
        parts = "".join(f"; {at.words}: {name}" for at, name in zip(fixed.trailer, names, strict=True))
        yield "Trailer", f"the last line, which begins with “{trailer.begins}” and holds no data{parts}"
    yield "Encoding", _encoding(csv)
    yield "Null", _nulls(csv.null_values, "a field of nothing but its padding")


def _of_sheet(plan: Plan, sheet: Sheet) -> Iterator[tuple[str, str]]:
    """Yield where a workbook has its records, and how its cells are read."""
    yield "Format", f"{plan.file_format.upper()}, a workbook of a spreadsheet"
    yield "Sheet", f"“{visible(sheet.name)}”" if sheet.name else "the only one that is not hidden"
    yield "Range", f"{sheet.range}, without empty rows"
    if sheet.skip_until is not None:
        yield "Rows above", f"all up to the first that matches {visible(sheet.skip_until)}"
    elif sheet.skip_rows:
        yield "Rows above", f"{sheet.skip_rows:,}, which are not read"
    if plan.csv.header and sheet.header_rows != (1,):
        yield "Rows of the header", f"{', '.join(map(str, sheet.header_rows))}, whose cells name a column together"
    if sheet.comment_rows:
        yield "Comment rows", f"{', '.join(map(str, sheet.comment_rows))}, which are not read"
    yield "Header", _header(plan).replace("first line", "first row")
    yield from _stated(plan)
    if sheet.footer:
        more = f"; at most {sheet.footer.lines:,} rows" if sheet.footer.lines > 1 else ""
        yield "Footer", f"the last rows, from the one that begins with “{visible(sheet.footer.begins)}”{more}"
    yield "Null", _nulls(plan.csv.null_values, "an empty cell")
    yield "Values", "those of the cells, and not what their formats show; dates are cells with a format of dates"


def _consequences(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield pairs of a case and what happens then."""
    end = "get it" if plan.mode == "observe" else f"get {READERS[plan.promote]}"
    yield "The file meets all rules", f"The file is accepted, and its readers {end}."
    limit = tolerated_in_words(plan.tolerance) if plan.tolerance else ""
    share = f"{limit} of its rows" if limit.endswith("%") else limit
    observed = plan.mode == "observe"
    policies = {**POLICIES, "reject": BREAKS} if observed else POLICIES
    yield (f"More than {share} break a rule" if share else "A row breaks a rule"), OBSERVED if observed else REJECTED
    if plan.tolerance:
        kept = "get" if observed or plan.promote == "object" else "do not get"
        yield (
            f"Up to {share} break a rule",
            f"The file is accepted with warnings, and the receipt lists these rows. Readers {kept} them.",
        )
    whole = policies["reject"] if observed else "The file is rejected, and no single row is marked as wrong."
    yield "The file breaks a rule for the whole file", whole
    if any(c.severity == "warning" for c in plan.checks):
        yield "The file breaks a rule that only warns", "The file is accepted with warnings, which the receipt lists."
    headed = plan.read_as == "parquet" or (plan.read_as == "csv" and plan.csv.header)
    if headed or plan.read_as == "jsonl":
        yield "The file has columns that the contract does not name", policies[plan.columns.extra]
    if headed:
        end = "breaks the contract" if observed else "is rejected"
        always = f" A file without a column that must always be filled in {end}."
        always = always if plan.columns.missing != "reject" else ""
        yield "A column is missing", policies[plan.columns.missing] + always
    yield "The file has no rows", policies[plan.empty]
    yield from page_agreements.cases(plan, policies)
    if not observed:
        yield "A person accepts a rejected file", NOT_INTO_TABLES if plan.promote == "table" else BY_PERSON
        yield "The file cannot be read", "The file is rejected, and the receipt says why."
    yield "The name of the file is not the agreed one", "It is set aside, and readers do not get it."


def _hearing(contract: Contract) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the people who hear of files, each with the channels and the occasions in words."""
    routes = contract.routes.routes if contract.routes else ()
    for audience, people in AUDIENCES.items():
        own = [route for route in routes if route.audience == audience]
        if own:
            yield people, [(route.channel.words, ", ".join(OCCASIONS[one] for one in route.on)) for route in own]


@dataclass(frozen=True, slots=True)
class Style:
    """The style sheet and its hash for the page's policy."""

    text: str
    policy: str


@cache
def _style() -> Style:
    from markupsafe import Markup  # noqa: PLC0415

    text = (FOLDER / "page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Style(Markup(text), f"sha256-{digest}")  # noqa: S704


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = lambda text, most=LONGEST: visible(str(text), most)
    return environment.get_template("page.html.jinja")
