"""The `drop` block of a contract: its JSON Schema, and the block as a value once it is read."""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from typing import Any, Literal

from contracts.files import encodings, record_ends
from contracts.plan import (
    OF_JSON,
    ROW_END,
    SHEETS,
    Archive,
    Columns,
    Compression,
    Csv,
    FileFormat,
    Json,
    LaneName,
    Limit,
    Mode,
    Promoted,
    Reference,
    Severity,
    Sheet,
    Xml,
)
from contracts.terms.arrival import WEEKDAYS, Arrival
from contracts.terms.file_sets import SetRule
from contracts.terms.fixed_width import Field, Fixed, Slice
from contracts.terms.leader import Leader
from contracts.terms.notices import AUDIENCES, Audience, Occasion
from contracts.terms.trailer import Footer, Trailer
from contracts.terms.value_form import OF_TYPES, ValueForm


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """The settings of one check that ODCS schema constraints have no place for.

    `quiet` is how many rows may fail without a warning; `other_keys` are keys that quality entries of all kinds have
    (`row_filters.OF_ANY`).
    """

    severity: Severity | None = None
    tolerance: Limit | None = None
    quiet: Limit | None = None
    other_keys: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, wanted: dict[str, Any]) -> CheckSettings:
        """Return the settings of a check as the block has them."""
        rest = {key: value for key, value in wanted.items() if key not in ("severity", "tolerance")}
        tolerance = wanted.get("tolerance")
        both = tolerance if isinstance(tolerance, dict) else {"error": tolerance}
        return cls(wanted.get("severity"), _limit(both.get("error")), _limit(both.get("warning")), rest)


FIELDS = {
    "trim": "trim",
    "nullValues": "nulls",
    "decimalChar": "decimal",
    "groupChar": "group",
    "prefixes": "prefixes",
    "suffixes": "suffixes",
    "percent": "percent",
    "negatives": "negatives",
    "decimals": "decimals",
    "trueValues": "true",
    "falseValues": "false",
    "formats": "formats",
    "century": "century",
    "language": "language",
}
"""The fields of a form of values, by key of the block."""


@dataclass(frozen=True, slots=True)
class Values:
    """The forms of values in a file: of all columns, and whole ones of single columns by name.

    `stated` are the fields that are stated for all columns.
    """

    every: ValueForm = field(default_factory=ValueForm)
    columns: Mapping[str, ValueForm] = field(default_factory=dict)
    stated: frozenset[str] = frozenset()

    def of(self, column: str) -> ValueForm:
        """Return the form of a column."""
        return self.columns.get(column, self.every)

    def concern(self, column: str, kind: str) -> bool:
        """Return True if anything is stated for a column of a type, even if it is what holds without."""
        return column in self.columns or bool(self.stated & {"trim", "nulls", *OF_TYPES.get(kind, ())})


@dataclass(frozen=True, slots=True)
class ReferenceFile:
    """A reference file of the block, and the forms of its values."""

    reference: Reference
    values: Values


@dataclass(frozen=True, slots=True)
class Wanted:
    """A channel of `notify`, by its name or address, and the occasions; None for those that are usual."""

    to: str
    on: tuple[Occasion, ...] | None = None


@dataclass(frozen=True, slots=True)
class DropBlock:
    """The settings that ODCS has no place for: which files, how they are written, how they are promoted."""

    files: tuple[str, ...]
    producer: str
    consumers: tuple[str, ...]
    format: FileFormat
    compression: Compression
    archive: Archive | None
    csv: Csv
    json: Json | None
    xml: Xml | None
    fixed: Fixed | None
    sheet: Sheet | None
    values: Values
    columns: Columns
    source: Literal["name", "physicalName"]
    aliases: dict[str, tuple[str, ...]]
    empty: Literal["reject", "warn", "accept"]
    tolerance: Limit | None
    checks: dict[str, CheckSettings]
    promote: Promoted
    mode: Mode
    lane: LaneName
    same_key: Literal["supersede", "reject", "version"]
    same_content: Literal["allow", "warn", "reject"]
    references: dict[str, ReferenceFile]
    arrival: Arrival | None
    set: SetRule | None
    notify: Mapping[Audience, tuple[Wanted, ...]]
    slo: Literal["enforce", "ignore"]
    slo_zone: str | None


SHORT_FORM = "short form"
"""The `$comment` of a schema of what people write in short, and `normalized` in full."""


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of a normalized block: its keys, their values, the defaults.

    Editors have `drop.schema.json` as it stands, which also takes the short forms, and the `object` of an entry.
    """
    text = importlib.resources.files("contracts.authoring.drop_block").joinpath("drop.schema.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text, object_hook=without_short_forms)
    del loaded["properties"]["object"]  # entries of a list are blocks without it
    return loaded


def without_short_forms(shape: dict[str, Any]) -> dict[str, Any]:
    """Return a part of the schema without the short forms."""
    ways = shape.get("anyOf", ())
    if not any(isinstance(way, dict) and way.get("$comment") == SHORT_FORM for way in ways):
        return shape
    return {**{key: value for key, value in shape.items() if key != "anyOf"}, **ways[0]}


def normalized(value: dict[str, Any]) -> dict[str, Any]:
    """Return the block in the form of the schema: lists of patterns and channels, an encoding by its standard name."""
    settings = dict(value)
    if isinstance(settings.get("notify"), dict):
        settings["notify"] = notify_in_full(settings["notify"])
    if isinstance(settings.get("files"), str):
        settings["files"] = [settings["files"]]
    references = settings.get("references")
    if isinstance(references, dict):
        settings["references"] = {n: _encoded(r) if isinstance(r, dict) else r for n, r in references.items()}
    return _encoded(settings)


def notify_in_full(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings with the channels of each audience as a list of mappings; a text is the name of a channel."""
    whole = dict(settings)
    for audience in AUDIENCES:
        several = [own] if isinstance(own := whole.get(audience), (str, dict)) else own
        if isinstance(several, list):
            whole[audience] = [{"to": one} if isinstance(one, str) else one for one in several]
    return whole


def wishes(settings: dict[str, Any]) -> dict[Audience, tuple[Wanted, ...]]:
    """Return the channels of each audience of settings that fit the schema."""
    return {
        audience: tuple(Wanted(one["to"], tuple(one["on"]) if "on" in one else None) for one in settings[audience])
        for audience in AUDIENCES
        if audience in settings
    }


def _encoded(settings: dict[str, Any]) -> dict[str, Any]:
    for key in ("csv", "fixed"):
        own = settings.get(key)
        if isinstance(own, dict) and isinstance(own.get("encoding"), str):
            settings = {**settings, key: {**own, "encoding": encodings.named(own["encoding"])}}
    return settings


def from_value(value: dict[str, Any]) -> DropBlock:
    """Return the block of a value that fits the schema."""
    whole = _with_defaults(schema(), value)
    tolerance, columns = whole.get("tolerance"), whole["columns"]
    # Columns of a reference file have the types of the properties that refer to them.
    of_reference = schema()["properties"]["references"]["additionalProperties"]
    references = {name: _with_defaults(of_reference, wanted) for name, wanted in whole["references"].items()}
    arrival, set_rule, is_fixed = None, None, value["format"] == "fixed" and "fixed" in value
    if "arrival" in value:
        own, days = whole["arrival"], tuple(day for day in WEEKDAYS if day in whole["arrival"]["days"])
        arrival = Arrival(own["by"], own["from"], days, own["zone"], own["files"], own["outside"])
    if "set" in value:
        own = whole["set"]
        within = int(own["within"][:-1]) * {"m": 60, "h": 3600, "d": 86400}[own["within"][-1]]
        ends = {key: own.get(key) for key in ("marker", "manifest", "parts")}
        set_rule = SetRule(of=tuple(own["of"]), within=within, sums=tuple(dict.fromkeys(own["sums"])), **ends)
    return DropBlock(
        files=tuple(whole["files"]),
        producer=whole["producer"],
        consumers=tuple(whole["consumers"]),
        format=whole["format"],
        compression=whole["compression"],
        archive=Archive(**whole["archive"]) if "archive" in value else None,
        fixed=_fixed(whole["fixed"]) if is_fixed else None,
        json=_json(whole),
        xml=_xml(whole),
        csv=_lines(whole) if is_fixed else _csv_of_sheet(whole) if whole["format"] in SHEETS else _csv(whole),
        sheet=_sheet(whole["sheet"]) if whole["format"] in SHEETS else None,
        values=_values(whole),
        columns=Columns(columns["extra"], columns["missing"], columns["order"], columns["match"]),
        source=columns["source"],
        aliases={name: tuple(texts) for name, texts in columns["aliases"].items()},
        empty=whole["empty"],
        tolerance=_limit(tolerance["rows"]) if tolerance else None,
        checks={name: CheckSettings.of(wanted) for name, wanted in whole["checks"].items()},
        promote=whole["promote"],
        mode=whole["mode"],
        lane=whole["lane"],
        same_key=whole["sameKey"],
        same_content=whole["sameContent"],
        references={
            name: ReferenceFile(
                Reference(name, path=one["file"], file_format=one["format"], csv=_csv(one), json=_json(one)),
                _values(one),
            )
            for name, one in references.items()
        },
        arrival=arrival,
        set=set_rule,
        notify=wishes(whole["notify"]),
        slo=whole["slo"],
        slo_zone=whole.get("sloZone"),
    )


def _csv(settings: dict[str, Any]) -> Csv:
    """Return the dialect; its null values may be among the settings of values."""
    written = settings["csv"]
    values = settings["values"] if settings["format"] == "csv" else {}
    trailer, footer, skipped, leader = (written[key] for key in ("trailer", "footer", "skipRows", "leader"))
    lacking = written["headerLacks"]
    return Csv(
        delimiter=written["delimiter"],
        encoding=written["encoding"],
        quote="" if written["quote"] == "none" else written["quote"],
        escape=written["escape"],
        null_values=tuple(values.get("nullValues", written["nullValues"])),
        header=written["header"],
        multi_line=written["multiLine"],
        trailer=Trailer(trailer["begins"], trailer.get("rows"), dict(trailer.get("sums", {}))) if trailer else None,
        mojibake=written["mojibake"],
        trailing_delimiter=written["trailingDelimiter"],
        skip_rows=skipped if isinstance(skipped, int) else 0,
        skip_until=None if isinstance(skipped, int) else skipped["until"],
        header_rows=tuple(sorted(written["headerRows"])),
        comment_rows=tuple(sorted(written["commentRows"])),
        separator_line=written["separatorLine"],
        comment_char=written["commentChar"],
        leader=Leader(leader["begins"], dict(leader.get("is", {}))) if "begins" in leader else None,
        record=written["record"].get("begins", ""),
        skip_columns=written["skipColumns"],
        lacks_first=tuple(lacking.get("first", ())),
        lacks_last=tuple(lacking.get("last", ())),
        footer=Footer(footer["begins"], footer["lines"]) if "begins" in footer else None,
        unquoted_escape="" if written["unquotedEscape"] == "none" else written["unquotedEscape"],
        record_delimiter=record_ends.WORDS.get(written["recordDelimiter"], written["recordDelimiter"]),
    )


def _json(settings: dict[str, Any]) -> Json | None:
    return Json(settings["json"].get("property", "")) if settings["format"] == "json" else None


def _xml(settings: dict[str, Any]) -> Xml | None:
    """Return the dialect of XML; texts that are null are among the settings of values."""
    if settings["format"] != "xml" or "record" not in settings["xml"]:
        return None
    written, values = settings["xml"], settings["values"]
    nulls, trim = tuple(values.get("nullValues", ())), values.get("trim", False)
    return Xml(written["record"], dict(written["namespaces"]), nulls, trim)


NO_SIGN = "\0"
"""The delimiter of lines of fixed width, which have none: no record holds it."""


def _lines(settings: dict[str, Any]) -> Csv:
    """Return the dialect of lines of fixed width: cells without delimiters and quotes."""
    written = settings["fixed"]
    leader, trailer = written["leader"], written["trailer"]
    first = 3 if "rows" in trailer else 2
    sums = {name: n for n, name in enumerate(trailer["sums"], first)}
    return Csv(
        delimiter=NO_SIGN,
        encoding=written["encoding"],
        quote="",
        null_values=tuple(settings["values"].get("nullValues", ("",))),
        header=False,
        mojibake=written["mojibake"],
        leader=Leader(leader["begins"], {str(n): one["text"] for n, one in enumerate(leader["is"], 2)})
        if "begins" in leader
        else None,
        record=written["record"].get("begins", ""),
        trailer=Trailer(trailer["begins"], first - 1 if first > 2 else None, sums) if "begins" in trailer else None,
    )


def _fixed(written: dict[str, Any]) -> Fixed:
    """Return the layout of lines; a field without a start is behind the one before it."""
    fields, at = [], 1
    for one in written["fields"]:
        start = one.get("start", at)
        fields.append(Field(one["property"], start, one["length"], one.get("padding", " "), one.get("align", "any")))
        at = start + one["length"]
    trailer = written["trailer"]
    figures = [*([trailer["rows"]] if "rows" in trailer else []), *trailer["sums"].values()]
    return Fixed(
        fields=tuple(sorted(fields, key=lambda field: field.start)),
        length=written.get("length", max(field.slice.end for field in fields)),
        unit=written["unit"] if not encodings.is_one_byte(written["encoding"]) else "characters",
        short=written["shortLines"] == "accept",
        leader=tuple(Slice(one["start"], one["length"]) for one in written["leader"]["is"]),
        trailer=tuple(Slice(one["start"], one["length"]) for one in figures),
    )


def _csv_of_sheet(settings: dict[str, Any]) -> Csv:
    """Return the dialect of the text that a sheet becomes."""
    nulls = tuple(settings["values"].get("nullValues", ("",)))
    return Csv(null_values=nulls, header=settings["sheet"]["header"], record_delimiter=ROW_END)


def _sheet(written: dict[str, Any]) -> Sheet:
    begin, _, end = written["range"].partition(":")
    (first_column, first_row), (last_column, last_row) = _cell(begin), _cell(end)
    footer, skipped = written.get("footer"), written["skipRows"]
    return Sheet(
        name=written.get("sheetName"),
        first_column=first_column or 0,
        last_column=last_column,
        first_row=first_row or 1,
        last_row=last_row,
        skip_rows=skipped if isinstance(skipped, int) else 0,
        skip_until=None if isinstance(skipped, int) else skipped["until"],
        header_rows=tuple(sorted(written["headerRows"])),
        comment_rows=tuple(sorted(written["commentRows"])),
        footer=Footer(footer["begins"], footer.get("lines", 1)) if footer else None,
    )


def _cell(written: str) -> tuple[int | None, int | None]:
    """Return the column, from 0, and the row, from 1, of a cell of a range; None for what it leaves open."""
    letters = written.rstrip("0123456789")
    column, row = sum((ord(sign) - 64) * 26**n for n, sign in enumerate(reversed(letters))), written[len(letters) :]
    return column - 1 if letters else None, int(row) if row else None


def _values(settings: dict[str, Any]) -> Values:
    """Return the forms of values; a column has the settings of the file that it has not itself."""
    own = {key: value for key, value in settings["values"].items() if key in FIELDS}
    every = _form(own) if settings["format"] in OF_JSON else replace(_form(own), nulls=None)  # the dialect has them
    columns = settings["values"].get("columns", {})
    forms = {}
    for name, written in columns.items():
        nulls = tuple(written["nullValues"]) if "nullValues" in written else every.nulls
        forms[name] = replace(_form(own | written), nulls=nulls)
    return Values(every, forms, frozenset(FIELDS[key] for key in own))


def _form(written: dict[str, Any]) -> ValueForm:
    own: dict[str, Any] = {
        FIELDS[key]: tuple(value) if isinstance(value, list) else value for key, value in written.items()
    }
    return ValueForm(**own)


def _with_defaults(shape: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    filled = dict(value)
    if "$ref" in shape:
        shape = schema()["$defs"][shape["$ref"].rpartition("/")[2]]
    for key, its in shape["properties"].items():
        if its.get("$ref") == "#/$defs/fixed":
            if key in value:
                filled[key] = _with_defaults(its, value[key])
        elif "default" in its:
            filled.setdefault(key, its["default"])
        elif ("properties" in its or its.get("$ref") in ("#/$defs/csv", "#/$defs/json")) and key not in its.get(
            "required", ()
        ):
            filled[key] = _with_defaults(its, value.get(key, {}))
    return filled


def _limit(value: int | str | None) -> Limit | None:
    if value is None:
        return None
    if isinstance(value, int):
        return Limit(Decimal(value), "rows")
    return Limit(Decimal(value.removesuffix("%").strip()), "percent")
