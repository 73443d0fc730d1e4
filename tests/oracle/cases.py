"""Cases: a form of files and a seed in, a contract and files of it out; and how a difference is told."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from pyspark.sql import SparkSession

from contracts.plan import Plan
from spark_jobs.prefilter import prefilter
from tests.oracle import files, records, running, tables, trees
from tests.oracle.contracts import Contract, Document, a_contract
from tests.oracle.running import Compared, Difference
from tests.packing import packed, unpacked

FORMS: dict[str, Document] = {
    "csv": {"format": "csv"},
    "csv, other signs": {
        "format": "csv",
        "csv": {"delimiter": ";", "quote": "'", "escape": "\\", "nullValues": ["", "NA", "-", "007"]},
    },
    "csv, no header, no quotes": {
        "format": "csv",
        "csv": {"header": False, "quote": "", "delimiter": "|", "encoding": "iso-8859-1"},
    },
    "csv, over lines, packed": {"format": "csv", "csv": {"multiLine": True}, "compression": "gzip"},
    "csv, in zip": {"format": "csv", "archive": {"format": "zip", "members": "part_*"}},
    "csv, with a trailer": {"format": "csv", "csv": {"trailer": {"begins": "END", "rows": 2}}},
    "csv, in a form of its own": {
        "format": "csv",
        "csv": {"delimiter": ";"},
        "values": {
            "trim": True,
            "nullValues": ["", "NA"],
            "decimalChar": ",",
            "groupChar": ".",
            "trueValues": ["J", "ja"],
            "falseValues": ["N"],
        },
    },
    "xlsx": {"format": "xlsx", "sheet": {"sheetName": "S"}},
    "jsonl": {"format": "jsonl"},
    "json": {
        "format": "json",
        "json": {"property": "data.items"},
        "values": {
            "decimalChar": ",",
            "groupChar": ".",
            "formats": ["d.M.yyyy"],
            "trueValues": ["J", "1"],
            "falseValues": ["N", "0"],
        },
    },
    "parquet": {"format": "parquet"},
    "fixed": {"format": "fixed", "fixed": {"record": {"begins": "D"}, "trailer": {"begins": "END"}}},
    "xml": {
        "format": "xml",
        "xml": {"record": "things/thing"},
        "values": {
            "decimalChar": ",",
            "groupChar": ".",
            "formats": ["d.M.yyyy"],
            "trueValues": ["J"],
            "falseValues": ["N"],
        },
    },
}
LEDGER: Document = {
    "prefixes": ["$", "€ "],
    "suffixes": [" CR"],
    "groupChar": "'",
    "percent": "keep",
    "negatives": ["trailing", "brackets", "typographic"],
    "nullValues": ["-"],
}
MORE_FORMS: dict[str, Document] = FORMS | {
    "csv, tabs": {"format": "csv", "csv": {"delimiter": "\t", "nullValues": []}},
    "csv, no header": {"format": "csv", "csv": {"header": False}},
    "csv, over lines": {"format": "csv", "csv": {"multiLine": True, "delimiter": ";", "quote": "'", "escape": "'"}},
    "csv, packed": {"format": "csv", "compression": "gzip", "csv": {"nullValues": ["N/A"]}},
    "csv, no header, with a trailer, packed": {
        "format": "csv",
        "csv": {"header": False, "delimiter": "|", "quote": "'", "escape": "\\", "trailer": {"begins": "9", "rows": 2}},
        "compression": "gzip",
    },
    "csv, over lines, with a trailer": {
        "format": "csv",
        "csv": {"multiLine": True, "trailer": {"begins": "*", "rows": 2}},
    },
    "csv, in many forms": {"format": "csv", "values": LEDGER},
    "csv, in many forms, over lines, with a trailer": {
        "format": "csv",
        "csv": {"multiLine": True, "trailer": {"begins": "END", "rows": 2}},
        "values": LEDGER,
    },
    "csv, with implied decimals, packed": {
        "format": "csv",
        "csv": {"delimiter": "|"},
        "compression": "gzip",
        "values": {"decimals": 2, "negatives": ["trailing"]},
    },
    "jsonl, packed": {"format": "jsonl", "compression": "gzip"},
    "jsonl, in many forms": {"format": "jsonl", "values": LEDGER | {"trim": True}},
    "jsonl, physical names": {"format": "jsonl", "columns": {"source": "physicalName"}},
    "xml, physical names": {
        "format": "xml",
        "xml": {"record": "things/thing"},
        "columns": {"source": "physicalName"},
    },
    "jsonl, with texts as values": {"format": "jsonl", "values": {"decimalChar": "."}},
    "jsonl, with implied decimals": {
        "format": "jsonl",
        "values": {"decimals": 2, "negatives": ["trailing"], "nullValues": ["", "7"]},
    },
    "json, not wrapped": {"format": "json"},
    "xls": {"format": "xls", "sheet": {"sheetName": "S"}, "values": {"nullValues": ["", "#N/A"]}},
    "ods": {"format": "ods", "sheet": {"sheetName": "S"}, "values": {"decimalChar": ",", "groupChar": "."}},
    "xlsx, no header": {"format": "xlsx", "sheet": {"sheetName": "S", "header": False}},
    "json, wrapped, packed": {"format": "json", "json": {"property": r"v1\.2.rows"}, "compression": "gzip"},
    "xml, in a namespace, packed": {
        "format": "xml",
        "xml": {"record": "t:all/t:things/thing", "namespaces": {"t": "urn:things"}},
        "values": {"nullValues": ["", "NA"], "trim": True},
        "compression": "gzip",
    },
    "csv, comments": {"format": "csv", "csv": {"commentChar": "#", "nullValues": []}},
    "csv, comments, over lines": {
        "format": "csv",
        "csv": {"multiLine": True, "delimiter": ";", "commentChar": "#", "skipRows": 1},
    },
    "csv, with a footer": {"format": "csv", "csv": {"delimiter": ";", "footer": {"begins": "Sum", "lines": 3}}},
    "csv, with a footer, over lines": {"format": "csv", "csv": {"multiLine": True, "footer": {"begins": "#"}}},
    "csv, below a title": {
        "format": "csv",
        "csv": {"delimiter": ";", "skipRows": 2, "commentRows": [2], "separatorLine": True},
    },
    "csv, below a title, over lines": {
        "format": "csv",
        "csv": {"multiLine": True, "skipRows": {"until": "^[cCgm]"}, "trailer": {"begins": "END", "rows": 2}},
    },
    "csv, by bzip2": {"format": "csv", "compression": "bzip2"},
    "jsonl, in zip": {"format": "jsonl", "archive": {"format": "zip", "members": "*"}},
    "csv, no header, in zip": {
        "format": "csv",
        "csv": {"header": False, "delimiter": ";"},
        "archive": {"format": "zip", "members": "*"},
    },
    "jsonl, by bzip2": {"format": "jsonl", "compression": "bzip2"},
    "jsonl, by zstd": {"format": "jsonl", "compression": "zstd"},
    "csv, windows-1250, over lines, by zstd": {
        "format": "csv",
        "csv": {"encoding": "windows-1250", "multiLine": True},
        "compression": "zstd",
    },
    "csv, no header, with a trailer, by zstd": {
        "format": "csv",
        "csv": {"header": False, "delimiter": "|", "trailer": {"begins": "END", "rows": 2}},
        "compression": "zstd",
    },
    "csv, over lines, with a trailer, by bzip2": {
        "format": "csv",
        "csv": {"multiLine": True, "trailer": {"begins": "END", "rows": 2}},
        "compression": "bzip2",
    },
    "csv, windows-1252": {"format": "csv", "csv": {"encoding": "windows-1252", "delimiter": ";"}},
    "csv, cp866, over lines": {"format": "csv", "csv": {"encoding": "cp866", "multiLine": True}},
    "csv, utf-16": {"format": "csv", "csv": {"encoding": "utf-16", "delimiter": "\t"}},
    "csv, utf-16be, over lines, packed": {
        "format": "csv",
        "csv": {"encoding": "utf-16be", "multiLine": True},
        "compression": "gzip",
    },
    "csv, utf-16, in zip": {
        "format": "csv",
        "csv": {"encoding": "utf-16", "delimiter": ";"},
        "archive": {"format": "zip", "members": "*"},
    },
    "csv, utf-16le, by zstd": {"format": "csv", "csv": {"encoding": "utf-16le"}, "compression": "zstd"},
    "csv, utf-16le, no header, with a trailer": {
        "format": "csv",
        "csv": {"encoding": "utf-16le", "header": False, "trailer": {"begins": "END", "rows": 2}},
    },
    "csv, Shift_JIS": {"format": "csv", "csv": {"encoding": "cp932", "delimiter": "|", "escape": "\\"}},
    "csv, GB18030, over lines": {"format": "csv", "csv": {"encoding": "gb18030", "multiLine": True}},
    "csv, a dump": {
        "format": "csv",
        "csv": {
            "delimiter": "\t",
            "quote": "none",
            "unquotedEscape": "\\",
            "nullValues": ["\\N", "NA"],
            "recordDelimiter": "lf",
        },
    },
    "csv, LF alone": {"format": "csv", "csv": {"recordDelimiter": "lf", "nullValues": ["", "NA"]}},
    "csv, a sign between records": {
        "format": "csv",
        "csv": {"recordDelimiter": "\x1e", "delimiter": "\x1f", "quote": "none", "encoding": "windows-1252"},
    },
    "csv, a bar and CRLF": {
        "format": "csv",
        "csv": {"recordDelimiter": "|\r\n", "delimiter": "|", "escape": "\\", "trailer": {"begins": "END", "rows": 2}},
    },
    "csv, two bars": {"format": "csv", "csv": {"delimiter": "||"}},
    "csv, two bars, no quotes": {"format": "csv", "csv": {"delimiter": "||", "quote": "", "header": False}},
    "csv, tildes and a bar": {
        "format": "csv",
        "csv": {"delimiter": "~|~", "quote": "'", "escape": "\\", "trailer": {"begins": "END", "rows": 2}},
    },
    "csv, tabs and a bar, over lines": {"format": "csv", "csv": {"delimiter": "\t|\t", "multiLine": True}},
    "csv, backslash": {"format": "csv", "csv": {"delimiter": "\\", "encoding": "windows-1252"}},
    "csv, delimiters at the end": {"format": "csv", "csv": {"trailingDelimiter": True, "quote": "'"}},
    "csv, delimiters at the end, over lines, no header": {
        "format": "csv",
        "csv": {"trailingDelimiter": True, "multiLine": True, "header": False, "delimiter": ";"},
    },
    "csv, physical names over lines": {
        "format": "csv",
        "columns": {"source": "physicalName"},
        "csv": {"multiLine": True, "delimiter": ";"},
    },
    "csv, physical names in any case": {
        "format": "csv",
        "columns": {"source": "physicalName", "match": "anyCase"},
        "csv": {"commentChar": "#"},
    },
    "csv, row names": {"format": "csv", "csv": {"headerLacks": {"first": ["c0"]}}},
    "csv, a header that lacks names, over lines": {
        "format": "csv",
        "csv": {"headerLacks": {"first": ["c0"], "last": ["c1"]}, "multiLine": True, "skipRows": 1},
    },
    "csv, names in any case": {
        "format": "csv",
        "columns": {"match": "anyCase", "aliases": {"c0": ["Größe", "size"]}},
    },
    "csv, names with blanks, packed": {
        "format": "csv",
        "columns": {"match": "trimmed", "aliases": {"c1": ["Größe"]}},
        "csv": {"delimiter": "|", "multiLine": True},
        "compression": "gzip",
    },
    "csv, columns by their places": {"format": "csv", "columns": {"match": "byPosition", "aliases": {"c0": ["size"]}}},
    "csv, a bank's": {
        "format": "csv",
        "files": "maker/things/{n}",
        "csv": {
            "delimiter": "|",
            "header": False,
            "skipColumns": 1,
            "leader": {"begins": "H", "is": {2: "{n}"}},
            "record": {"begins": "D"},
            "trailer": {"begins": "T", "rows": 2},
        },
    },
    "csv, types of records, packed": {
        "format": "csv",
        "csv": {"header": False, "quote": "'", "escape": "\\", "leader": {"begins": "H"}, "record": {"begins": "1"}},
        "compression": "gzip",
    },
    "csv, types of records, over lines": {
        "format": "csv",
        "csv": {"multiLine": True, "skipColumns": 1, "record": {"begins": "D"}, "trailer": {"begins": "T", "rows": 2}},
    },
    "csv, a leader above a header, over lines": {
        "format": "csv",
        "csv": {
            "multiLine": True,
            "delimiter": ";",
            "commentChar": "#",
            "skipRows": 1,
            "skipColumns": 2,
            "leader": {"begins": "H", "is": {3: "x"}},
            "footer": {"begins": "Sum"},
        },
    },
    "csv, a leader, utf-16, in zip": {
        "format": "csv",
        "csv": {
            "encoding": "utf-16",
            "delimiter": "\t",
            "leader": {"begins": "Kopf"},
            "record": {"begins": "Zeile"},
            "skipColumns": 1,
        },
        "archive": {"format": "zip", "members": "*"},
    },
    "fixed, a mainframe's": {
        "format": "fixed",
        "files": "maker/things/{n}",
        "fixed": {
            "unit": "bytes",
            "encoding": "windows-1252",
            "leader": {"begins": "H", "is": [{"start": 2, "length": 3, "text": "{n}"}]},
            "record": {"begins": "D"},
            "trailer": {"begins": "T"},
        },
    },
    "fixed, bytes": {"format": "fixed", "fixed": {"unit": "bytes"}, "values": {"nullValues": ["", "-"]}},
    "fixed, bytes of Shift_JIS, short": {
        "format": "fixed",
        "fixed": {"unit": "bytes", "encoding": "cp932", "shortLines": "accept"},
    },
    "fixed, windows-1252, packed": {
        "format": "fixed",
        "fixed": {"encoding": "windows-1252", "trailer": {"begins": "9"}},
        "compression": "gzip",
        "values": {"decimals": 2, "negatives": ["trailing"]},
    },
    "fixed, utf-16, short": {"format": "fixed", "fixed": {"encoding": "utf-16", "shortLines": "accept"}},
    "fixed, in zip": {
        "format": "fixed",
        "fixed": {},
        "archive": {"format": "zip", "members": "*"},
        "values": {"trim": True, "decimalChar": ",", "trueValues": ["J"], "falseValues": ["N"]},
    },
    "csv, Latin-1": {"format": "csv", "csv": {"encoding": "iso-8859-1", "delimiter": "|", "escape": "\\"}},
}
SIFTED_FORMS = (
    "csv",
    "csv, other signs",
    "parquet",
    "csv, in a form of its own",
    "csv, names in any case",
    "csv, row names",
    "csv, tabs",
    "csv, no header",
    "csv, packed",
    "csv, windows-1252",
    "csv, utf-16",
    "csv, in zip",
    "fixed, bytes",
    "fixed, in zip",
)
"""Names of forms whose records vectors may tell."""
NESTED_FORMS: dict[str, Document] = {
    "jsonl, nested": {"format": "jsonl"},
    "parquet, nested": {"format": "parquet"},
    "jsonl, nested, in a form and with names of its own": {
        "format": "jsonl",
        "columns": {"source": "physicalName"},
        "values": {"trim": True, "decimalChar": ",", "groupChar": ".", "formats": ["d.M.yyyy"], "nullValues": ["-"]},
    },
}
"""Files whose records have values within values."""

MOST_SHOWN = 2_000
"""Bytes of a file on a screen."""


@dataclass(frozen=True, slots=True)
class Cases:
    """A contract and files of it; `contents` are the records of files of Parquet."""

    contract: Contract
    files: Mapping[str, bytes]
    contents: Mapping[str, records.Content] = field(default_factory=dict)


def made(spark: SparkSession, folder: Path, form: Document, seed: object, count: int) -> Cases:
    """A contract of a form and so many files, the same for the same seed."""
    if form["format"] != "parquet":
        return without_spark(form, seed, count)
    chance = _chance(form, seed)
    return _tables(spark, folder, chance, a_contract(chance, form), count)


def _tables(spark: SparkSession, folder: Path, chance: Random, contract: Contract, count: int) -> Cases:
    header, pools = [p.name for p in contract.plan.properties], files.pools(contract)
    rows = {
        f"f{n}.parquet": files.rows(
            chance, header, pools, chance.choice((1, 2, 5, 12, 30)), chance.choice(files.SHARES)
        )
        for n in range(count)
    }
    return Cases(contract, *tables.written(spark, folder, contract.plan, rows))


def without_spark(form: Document, seed: object, count: int) -> Cases:
    """The same of text files."""
    chance = _chance(form, seed)
    contract = a_contract(chance, form)
    headers, pools = files.headers(chance, contract.plan), files.pools(contract)
    names = [f"f{n}{contract.plan.suffix}" for n in range(count)]
    return Cases(contract, {n: files.a_file(chance, contract, chance.choice(headers), pools) for n in names})


def sifted(spark: SparkSession, folder: Path, form: Document, seed: object, count: int) -> Cases:
    """The same of contracts without the checks that vectors cannot tell."""
    chance = _chance({**form, "sifted": True}, seed)
    while True:
        contract = a_contract(chance, form)
        decided = tuple(c for c in contract.plan.checks if _is_sifted(replace(contract.plan, checks=(c,))))
        plan = replace(contract.plan, checks=decided)
        if _is_sifted(plan):
            break
    contract = replace(contract, plan=plan)
    if form["format"] == "parquet":
        return _tables(spark, folder, chance, contract, count)
    headers, pools = files.headers(chance, plan), files.pools(contract)
    names = [f"f{n}{plan.suffix}" for n in range(count)]
    return Cases(contract, {n: files.a_file(chance, contract, chance.choice(headers), pools) for n in names})


def _is_sifted(plan: Plan) -> bool:
    if plan.file_format == "parquet":
        types = tuple(tables.TYPES.get(p.type, "string") for p in plan.properties)
        return prefilter.column_conditions(plan, tuple(p.name for p in plan.properties), types) is not None
    return prefilter.pass_condition(plan, tuple(p.name for p in plan.properties), ()) is not None


def nested(spark: SparkSession, folder: Path, form: Document, seed: object, count: int) -> Cases:
    """The same of records with values within values."""
    chance = _chance({**form, "nested": True}, seed)
    made = trees.a_contract(chance, form)
    plan, pools = made.contract.plan, files.pools(made.contract)
    typed = plan.file_format == "parquet"
    texts = {f"f{n}{plan.suffix}": trees.lines(chance, made, pools, typed=typed) for n in range(count)}
    if typed:
        return Cases(made.contract, *tables.of_objects(spark, folder, plan, texts))
    return Cases(made.contract, {name: "".join(f"{line}\n" for line in some).encode() for name, some in texts.items()})


def _chance(form: Document, seed: object) -> Random:
    return Random(f"{seed} {json.dumps(form)}")


def described(spark: SparkSession, folder: Path, cases: Cases, compared: Compared) -> str:
    """The differences, in the smallest file that shows them; empty if there are none."""
    if not compared.differences:
        return ""
    name = compared.differences[0].file
    differences = [d for d in compared.differences if d.file == name]
    body = cases.files[name]
    plan = cases.contract.plan
    if plan.file_format != "parquet" and not plan.json and not plan.csv.multi_line:
        body, differences = _smaller(spark, folder, cases.contract, body, differences)
    plain = unpacked(cases.contract.plan, body)
    shown = plain if len(plain) < MOST_SHOWN else plain[:MOST_SHOWN] + b"..."
    shown_differences = "\n".join(f"  {d.about}\n    oracle: {d.oracle}\n    job:    {d.job}" for d in differences)
    others = f"{len({d.file for d in compared.differences}) - 1} more files differ, of {len(cases.files)}"
    return f"{_contract(cases.contract, differences)}\nfile: {shown!r}\n{shown_differences}\n{others}"


def _smaller(
    spark: SparkSession, folder: Path, contract: Contract, body: bytes, differences: list[Difference]
) -> tuple[bytes, list[Difference]]:
    """A file of one line (and the header) that the two differ on, if there is one; else the file itself."""
    plan = contract.plan
    lines = unpacked(plan, body).splitlines()
    first = lines[:1] if plan.file_format == "csv" and plan.csv.header else []
    single = {f"l{n}{plan.suffix}": b"\n".join([*first, line, b""]) for n, line in enumerate(lines[len(first) :])}
    single = {name: packed(plan, data) for name, data in single.items()}
    folder.mkdir()
    again = running.compare(spark, folder, plan, single, marks=contract.marks)
    if not again.differences:
        return body, differences
    name = again.differences[0].file
    return single[name], [d for d in again.differences if d.file == name]


def _contract(contract: Contract, differences: Iterable[Difference]) -> str:
    """The properties of a contract that differences name, and its block."""
    if not contract.document:
        return f"contract: {contract.plan.csv} {[(p.name, p.type) for p in contract.plan.properties]}"
    text = " ".join(f"{d.about} {d.oracle} {d.job}" for d in differences)
    one = contract.document["schema"][0]
    properties = [p for p in one["properties"] if _is_named(p, text)]
    block = contract.document["customProperties"][0]["value"]
    lines = [json.dumps(part, ensure_ascii=False) for part in (*properties, *one["quality"], block)]
    return "contract:\n  " + "\n  ".join(lines)


def _is_named(written: Document, text: str) -> bool:
    return f"{written['name']}." in text or any(e.get("id", "?") in text for e in written.get("quality", ()))
