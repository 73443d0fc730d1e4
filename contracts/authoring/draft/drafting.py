"""A first contract: the profile of some files in, the text of an ODCS document with marked proposals out.

The same profile gives the same text. A comment after each proposal gives its basis.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from contracts.authoring.document import source
from contracts.authoring.document.finding import Path
from contracts.authoring.draft import blocks, names, proposing, readings
from contracts.authoring.draft.columns.column import ZEROS
from contracts.authoring.draft.columns.dates import CENTURY
from contracts.authoring.draft.columns.nearly import Nearly
from contracts.authoring.draft.columns.spread import LEAST
from contracts.authoring.draft.profile import ColumnProfile, Profile
from contracts.authoring.drop_block import parse
from contracts.authoring.imports import writing
from contracts.authoring.imports.imported import contract
from contracts.files.columns import OURS
from contracts.plan import Csv
from contracts.problem import quoted, visible
from contracts.values.calendar_names import IN_WORDS

BLOCK = ("customProperties", 0, "value")
OBJECT = ("schema", 0)
LONGEST_PRODUCER = 63
LONGEST_LINE = 90
LONGEST_TEXT = 30
AROUND = {
    "separatorLine": "the first line of a sample names the delimiter",
    "commentChar": "lines of a sample begin with it and have other cells",
    "skipRows": "lines above the header of a sample have other cells",
    "headerRows": "these rows name the columns together, above values",
    "commentRows": "it has words where the records have values",
    "leader": "the samples begin with it",
    "record": "all rows between the first and the last begin with it",
    "trailer": "the samples end with it",
    "footer": "the samples end with it",
    "headerLacks": "the header has fewer names than the records have cells",
}
"""Why rows around the records are proposed, by key."""
OF_LINES = {
    "unit": "with letters of several bytes in them lines have one length in bytes, and several in characters",
    "leader": "the first line begins otherwise than all records, or names their fields",
    "record": "all lines between the first and the last begin with it",
    "trailer": "the last line begins otherwise than all records, and no other does so",
}
"""Why types of lines of fixed width are proposed, by key."""
OF_SHEET = {
    "sheetName": "of several sheets the one with the most rows",
    "range": "the column names and the records are there",
    "header": "the first row has values in place of names",
    "skipRows": "the column names are in other rows of other samples",
    "commentRows": AROUND["commentRows"],
    "footer": AROUND["footer"],
}
"""Why a place in a workbook is proposed, by key."""
Status = Literal["draft", "active"]
SIDES = {"~": "key", "*": "value"}
"""The keys of a map, by the last step of a path."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A contract's name, `<id>.v<major>`, and its text."""

    name: str
    text: str


def draft(profile: Profile, wanted: str | None = None, producer: str | None = None, status: Status = "draft") -> Draft:
    """Return the contract proposed from the samples; it is in force once published only if its status is `active`."""
    name = wanted or names.id_of(profile.samples[0].name)
    whose = producer or name[:LONGEST_PRODUCER]
    pattern = names.pattern([sample.name for sample in profile.samples], whose)
    notes: dict[Path, str] = {}
    columns, checks = _columns(profile, notes)
    document = contract(name, {"name": name, "properties": columns, **_counts(profile, notes)}, status=status)
    block = {"property": "drop", "vendor": parse.VENDOR, "value": _block(profile, pattern, whose, notes) | checks}
    document["customProperties"] = [block]
    head = _head(profile, pattern, whose, status, is_named=producer is not None)
    text = writing.text(document, head).replace('{? "" : ', '{"": ')  # the prefix of no prefix, as people write it
    return Draft(f"{document['id']}.v1", annotated(text, notes))


def _counts(profile: Profile, notes: dict[Path, str]) -> dict[str, Any]:
    """Return the checks of the number of records, if all of the samples were read."""
    if not profile.is_whole or profile.records < LEAST:
        return {}
    least, most = proposing.rows(profile)
    counts = sorted({sample.records + sample.broken for sample in profile.samples})
    seen = " to ".join(f"{count:,}" for count in dict.fromkeys((counts[0], counts[-1])))
    files = f"{len(profile.samples)} file{'s' * (len(profile.samples) > 1)} of {seen} records"
    notes[(*OBJECT, "quality", 0, "id")] = notes[(*OBJECT, "quality", 1, "id")] = f"{files}, and room"
    entry = {"metric": "rowCount", "severity": "warning"}
    quality = [
        {"id": "rowCount-least", **entry, "mustBeGreaterOrEqualTo": least},
        {"id": "rowCount-most", **entry, "mustBeLessOrEqualTo": most},
    ]
    return {"quality": quality}


def annotated(text: str, notes: dict[Path, str]) -> str:
    """Return a document with a comment after each key that has a note, or above it if a comment would split a value."""
    document = source.read(text.encode(), "draft")
    notes_by_line: dict[int, list[str]] = {}
    for path, note in notes.items():
        notes_by_line.setdefault(document.place(path, on_key=True).line - 1, []).append(note)
    comments = {line: f"# proposed: {visible('; '.join(remarks), 400)}" for line, remarks in notes_by_line.items()}
    lines = text.split("\n")
    behind = "\n".join(f"{line}  {comments[n]}" if n in comments else line for n, line in enumerate(lines))
    if source.read(behind.encode(), "draft").data == document.data:
        return behind
    return "\n".join(f"{comments[n]}\n{line}" if n in comments else line for n, line in enumerate(lines))


def _columns(profile: Profile, notes: dict[Path, str]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the properties of the contract, and the setting of the checks that only warn."""
    key = proposing.key_of(profile)
    whole, samples = profile.is_whole, len(profile.samples)
    proposals = [
        proposing.property_of(c, is_primary=c.name == key, is_whole=whole, samples=samples) for c in profile.columns
    ]
    columns: list[dict[str, Any]] = []
    root: dict[str, Any] = {"properties": columns}
    texts = profile.headings.stated
    placed: dict[tuple[str, ...], tuple[dict[str, Any], Path]] = {}
    for column, proposal in zip(profile.columns, proposals, strict=True):
        route, value = column.path or (column.name,), proposal.value
        if column.name in texts:
            value["physicalName"] = texts[column.name]
        step = route[-1] if len(route) > 1 else None  # a column of the file may be named like a step
        owner, path = placed[route[:-1]] if step else (root, OBJECT)
        if step == "[]":
            owner["items"] = value
            path = (*path, "items")
        elif side := SIDES.get(step or ""):
            owner.setdefault("map", {})[side] = value
            path = (*path, "map", side)
        else:
            siblings = owner.setdefault("properties", [])
            siblings.append(value)
            path = (*path, "properties", len(siblings) - 1)
        placed[route] = value, path
        for part, note in proposal.notes.items():
            at: Path = (*path, part)
            notes[(*at, 0, "metric") if part == "quality" else at] = note
    warned = [f"{c.name}.{kind}" for c, one in zip(profile.columns, proposals, strict=True) for kind in one.warnings]
    if not warned:
        return columns, {}
    notes[(*BLOCK, "checks")] = "these rules are based on values alone; delete the line of each that is to reject"
    return columns, {"checks": {check: {"severity": "warning"} for check in warned}}


def _packing(profile: Profile, block: dict[str, Any], notes: dict[Path, str]) -> None:
    """Add how the samples are packed to the block."""
    if profile.compression != "none":
        block["compression"] = profile.compression
        notes[(*BLOCK, "compression")] = "by the first bytes of the samples"
    if archive := profile.archive:
        block["archive"] = {"format": archive.format, "members": archive.members}
        block["archive"] |= {"others": archive.others} if archive.others != "reject" else {}
        notes[(*BLOCK, "archive")] = "by the names of the files in the samples, which are one drop"


def _block(profile: Profile, pattern: str, producer: str, notes: dict[Path, str]) -> dict[str, Any]:
    block: dict[str, Any] = {"files": pattern, "producer": producer, "format": profile.format}
    notes[(*BLOCK, "format")] = "the samples are written so"
    if len(pattern) < LONGEST_LINE:  # a longer one may take several lines, which no comment may split
        notes[(*BLOCK, "files")] = f"by the name{'s' * (len(profile.samples) > 1)} of the samples"
    _packing(profile, block, notes)
    _elements(profile, block, notes)
    if profile.csv and not (profile.sheet or profile.fixed):
        _dialect(profile, profile.csv, block, notes)
    if formed := blocks.values(profile):
        block["values"] = formed
        notes[(*BLOCK, "values")] = "values of the samples are written so, and no cell contradicts"
        if profile.xml and "nullValues" in formed:
            notes[(*BLOCK, "values", "nullValues")] = "they are null words where all other values have a type"
    if profile.csv and profile.words:
        place = "fixed" if profile.fixed else "csv"
        notes[(*BLOCK, place, "encoding")] = readings.note(profile.words, profile.language)
    if columns := _found(profile, notes):
        block["columns"] = columns
    if limit := blocks.broken_limit(profile):
        block["tolerance"] = {"rows": limit}
        notes[(*BLOCK, "tolerance")] = _broken(profile)
    return block


def _dialect(profile: Profile, csv: Csv, block: dict[str, Any], notes: dict[Path, str]) -> None:
    """Add the dialect of CSV to the block."""
    block["csv"] = dict(blocks.dialect(profile))
    notes[(*BLOCK, "csv")] = "read so, the samples have as many cells in every line"
    if profile.broken:
        notes[(*BLOCK, "csv")] = "read so, the most lines of the samples have as many cells"
    notes |= {(*BLOCK, "csv", key): note for key, note in AROUND.items() if key in block["csv"]}
    if len(csv.null_values) > 1:
        notes[(*BLOCK, "csv", "nullValues")] = "they are null words where all other values have a type"
    if csv.trailing_delimiter:
        notes[(*BLOCK, "csv", "trailingDelimiter")] = "lines of the samples end with a delimiter and nothing behind it"


def _elements(profile: Profile, block: dict[str, Any], notes: dict[Path, str]) -> None:
    """Add the way to the records of a document or a workbook to the block."""
    if lines := blocks.layout(profile):
        block["fixed"] = lines
        notes[(*BLOCK, "fixed")] = "all records of the samples have one length"
        notes |= {(*BLOCK, "fixed", key): note for key, note in OF_LINES.items() if key in lines}
        notes[(*BLOCK, "fixed", "fields")] = "all lines have blanks between them; compare them with the sender's layout"
    if place := blocks.sheet(profile):
        block["sheet"] = place
        notes |= {(*BLOCK, "sheet", key): note for key, note in OF_SHEET.items() if key in place}
    if profile.json and profile.json.property:
        block["json"] = {"property": profile.json.property}
        notes[(*BLOCK, "json")] = "it leads to the longest list of objects in the first sample"
    if (xml := profile.xml) is None:
        return
    block["xml"] = {"record": xml.record} | ({"namespaces": dict(xml.namespaces)} if xml.namespaces else {})
    notes[(*BLOCK, "xml", "record")] = "the elements that repeat most"


def _found(profile: Profile, notes: dict[Path, str]) -> dict[str, Any]:
    """Return the settings of columns: what becomes of others, and how they are found."""
    is_more = any(name not in OURS for name, _ in profile.left)
    columns: dict[str, Any] = {"extra": "ignore"} if is_more else {}
    if profile.headings.stated:
        columns["source"] = "physicalName"
        notes[(*BLOCK, "columns", "source")] = "some texts of the header are no names of properties"
    if profile.headings.has_twins:
        notes[(*BLOCK, "columns", "source")] = "the header has these texts, in their places"
        notes[(*BLOCK, "columns", "match")] = "only their places tell columns with one name apart"
        return columns | {"match": "byPosition"}
    if profile.order == "exact":
        columns["order"] = "exact"
        notes[(*BLOCK, "columns")] = "the order of all samples; without it columns are found by name"
    return columns


def _head(profile: Profile, pattern: str, producer: str, status: Status, *, is_named: bool) -> list[str]:
    """Return the comment above the contract: its source, and the points that a person must review."""
    files = quoted([visible(sample.name) for sample in profile.samples], most=3)
    lines = [f"A first contract, by dropgate init, out of {files}: {profile.records:,} records."]
    then = ", then write `status: active`" if status == "draft" else ""
    lines += [
        "Rules marked `proposed` are based only on these records. Types reject; rules about values warn. To let one",
        f"reject, delete its line under `checks`, or its `severity`. Review these points{then}:",
    ]
    look = [
        f"`files` and `producer`: that keys are like {pattern}, and that {producer} uploads them"
        + ("." if is_named else "; no --producer was given."),
        _on_values_of_all(profile) if profile.is_whole else _on_begins(profile),
    ]
    sets = [c.name for c in profile.columns if proposing.value_set(c)]
    if sets and profile.is_whole:
        look.append(f"`enum` of {quoted(sets)}: whether these are all values that there are.")
    key = proposing.key_of(profile)
    look.append(
        f"`primaryKey`: whether {quoted([key])} names a record." if key else "No column names a record: say which do."
    )
    if others := [c.name for c in proposing.keys_of(profile) if c.name != key]:
        look.append(f"{quoted(others)}: no value twice as well; `unique: true`, if that is a rule and no chance.")
    look += [*_on_values(profile), *_on_lines(profile)]
    look += profile.remarks
    look += [f"`{visible(name)}` is left out: {why}." for name, why in profile.left]
    return [*lines, *(f"  - {line}" for line in look)]


def _on_values_of_all(profile: Profile) -> str:
    """Return what is left open about the values of samples that were read whole."""
    if profile.records < LEAST:
        return f"Fewer than {LEAST} records carry no rule about values: give more, or several files."
    return "`rowCount`, `minimum`, `maximum`, lengths and null rates: whether the next file keeps to them."


def _on_begins(profile: Profile) -> str:
    """Return what is left open as only the first records of large samples were read."""
    large = quoted([visible(sample.name) for sample in profile.samples if not sample.whole], most=3)
    return (
        f"Only the first records of {large} were read, so that neither `required`, `enum`, bounds, lengths, null rates "
        "nor numbers of records are proposed: `dropgate init --whole` reads all, which takes longer."
    )


def _on_values(profile: Profile) -> Iterator[str]:
    """Yield the points to review about values of columns that could mean something else."""
    yield from _on_dates(profile)
    if plus := [c.name for c in profile.columns if c.is_plus_alone]:
        yield f"{quoted(plus)}: text, as phone numbers with `+` are; if they count something, write `integer`."
    if padded := [c.name for c in profile.columns if c.name in profile.padded]:
        yield f"`trim` of {quoted(padded)}: their values have a type only without the blanks around them."
    if shares := [name for name, form in profile.forms.columns.items() if form.percent]:
        yield f"`percent` of {quoted(shares)}: `5 %` is 5 as proposed; write `divide` if it is to be 0.05."
    if unsure := [c.name for c in profile.columns if c.unsure]:
        yield f"{quoted(unsure)}: whether their marks stand before fractions or between groups of digits."
    if zeros := [name for name, form in profile.forms.columns.items() if any(map(ZEROS.fullmatch, form.nulls or ()))]:
        yield f"`nullValues` of {quoted(zeros)}: that days of zeros stand for none."
    for column in profile.columns:
        if column.nearly:
            yield _on_nearly(column, column.nearly)
    if empty := [c.name for c in profile.columns if not c.filled]:
        yield f"{quoted(empty)}: no value was seen."


def _on_dates(profile: Profile) -> Iterator[str]:
    """Yield the points to review about dates that could mean others."""
    if twofold := [c.name for c in profile.columns if c.others]:
        yield f"`format` of {quoted(twofold)}: day and month could be in the other order."
    if short := [c.name for c in profile.columns if c.dates and c.dates.century]:
        yield f"`century` of {quoted(short)}: that years of two digits are {CENTURY} to {CENTURY + 99}."
    for names_of, columns in _by_languages(profile).items():
        yield f"`language` of {quoted(columns)}: the names of its months and days could be {names_of}."


def _by_languages(profile: Profile) -> dict[str, list[str]]:
    """Return the columns whose names of months and days are also those of other languages, by these in words."""
    columns: dict[str, list[str]] = {}
    for column in profile.columns:
        if column.languages:
            columns.setdefault(" or ".join(IN_WORDS[one] for one in column.languages), []).append(column.name)
    return columns


def _on_nearly(column: ColumnProfile, nearly: Nearly) -> str:
    """Return the point to review about a text column with a few other texts than values of one form."""
    others = quoted([visible(text, LONGEST_TEXT) for text in nearly.others], most=3)
    more = ", and other notations in its `formats`" if nearly.is_dated else ""
    return (
        f"`{visible(column.name)}` is proposed as text: {nearly.count:,} of {column.filled:,} values are "
        f"{'dates or times' if nearly.is_dated else 'numbers'} as `{visible(nearly.example, LONGEST_TEXT)}`, but not "
        f"{others}. Give it its type, with words for null in `nullValues` of the column{more}, or ask for other values."
    )


def _on_lines(profile: Profile) -> Iterator[str]:
    """Yield the points to review about the header and the lines of CSV."""
    if profile.csv and profile.words:
        yield readings.remark(profile.words, profile.csv.encoding)
    if profile.csv and profile.csv.lacks_first:
        yield "`headerLacks`: that the first cells are the ones without a name, as row names of R are."
    if profile.csv and profile.csv.lacks_last:
        yield "`headerLacks`: that the last cells are the ones without a name."
    if profile.csv and profile.csv.leader:
        yield "`leader`, `trailer`: what their other cells are (`is`, `rows`, `sums`)."
    fields = profile.fixed.fields if profile.fixed else ()
    if profile.csv and not profile.csv.header and all(field.name.startswith("field") for field in fields):
        yield "The files have no header: name the columns."
    if profile.broken:
        yield f"{_broken(profile)}; `tolerance` lets so many through."


def _broken(profile: Profile) -> str:
    few = profile.broken == 1
    if profile.sheet:
        rows = "1 row of the samples has" if few else f"{profile.broken:,} rows of the samples have"
        return f"{rows} an error, or a cell beside the columns of the header"
    return (
        "1 line of the samples is not a record" if few else f"{profile.broken:,} lines of the samples are not records"
    )
