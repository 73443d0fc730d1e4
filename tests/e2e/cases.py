"""Ways in which any file can be wrong, and CSV, JSON Lines and Parquet: what is sent, and how it must end.

`sections.py` names the cases of other forms.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from dataclasses import dataclass
from pathlib import Path

from contracts.values.long_lines import LONGEST
from tests.packing import zipped

HEADER = b"id,name,amount,day\n"
GOOD = HEADER + b"1,Ana,10.5,2026-01-31\n2,,,\n"
EVENTS = b'{"id": 1, "name": "Ana", "amount": 10.5, "day": "2026-01-31"}\n{"id": 2, "name": null}\n'
WORKBOOK = zipped({"docProps/app.xml": b"", "[Content_Types].xml": b"", "xl/workbook.xml": b""})
LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le")
THINGS = (Path(__file__).parents[1] / "unit" / "functions" / "admission" / "heads" / "things.parquet").read_bytes()


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("orders.csv")
        info.size = len(GOOD)
        archive.addfile(info, io.BytesIO(GOOD))
    return out.getvalue()


TAR = _tar()
FOREIGN = {
    "a zip archive": zipped({"orders.csv": GOOD}),
    "a workbook (xlsx)": WORKBOOK,
    "an old workbook (xls)": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(30),
    "a workbook with a password": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le")
    ),
    "HTML with the name of a workbook": b"<html><body><table><tr><td>id</td></tr></table>",
    "XML": b'<?xml version="1.0"?><orders><order id="1"/></orders>',
    "a workbook as XML": b'<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook>',
    "an error message of S3": b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>',
    "a pointer of Git LFS": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    "JSON": b'[{"id": 1}]\n',
    "a tar archive": TAR,
    "7-Zip": b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(30),
    "rar": b"Rar!\x1a\x07\x01\x00",
    "bzip2": b"BZh91AY&SY\x00",
    "xz": b"\xfd7zXZ\x00\x00\x04",
    "Zstandard": b"\x28\xb5\x2f\xfd\x24\x10",
    "PGP in bytes": b"\x85\x02\x0c\x03" + bytes(range(256)),
    "PGP": b"-----BEGIN PGP MESSAGE-----\n\nhQEMA\n",
    "a PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "a picture": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "EDIFACT": b"UNB+UNOA:1+S+R+240101:1200+1'UNH+1+ORDERS:D:96A:UN'",
    "X12": b"ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *240101*1200*U*00401*1*0*P*>~",
    "MT940": b":20:STARTUMS\r\n:25:10020030/1234567\r\n:28C:0\r\n",
    "HL7": b"MSH|^~\\&|LAB|HOSP|EHR|HOSP|20240101||ORU^R01|1|P|2.5\r",
    "SAS": bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011") + b"3",
    "SAS transport": b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!" + b"0" * 30 + b"  ",
    "SPSS": b"$FL2@(#) SPSS DATA FILE",
    "Stata": b"<stata_dta><header><release>118",
    "dBase": b"\x03\x1a\x0b\x19\x02\x00\x00\x00\x41\x00\x06\x00" + bytes(20) + b"ID".ljust(11, b"\0") + b"N",
    "a shapefile": b"\x00\x00\x27\x0a" + bytes(20) + b"\x00\x00\x00\x32\xe8\x03",
    "EBCDIC": "ID,NAME,AMOUNT\n1,ANA,10.5\n".encode("cp037"),
    "a log of a Delta table": b'{"commitInfo":{"timestamp":1700000000000,"operation":"WRITE"}}\n',
    "metadata of an Iceberg table": b'{\n  "format-version" : 2,\n  "table-uuid" : "9c12d441"',
    "a dump of a database": b"-- MySQL dump 10.13  Distrib 8.0\n--\n",
}
"""Files of forms that are not taken, by what they are."""


@dataclass(frozen=True, slots=True)
class Case:
    """One upload: `codes` are the problems it must be told of, `where` is admission, job or flow."""

    name: str
    key: str
    body: bytes
    state: str
    codes: tuple[str, ...]
    where: str
    shown: str = ""


CASES = (
    Case("a good file", "orders/good.csv", GOOD, "accepted", (), "job"),
    Case("zero bytes", "orders/empty.csv", b"", "rejected", ("empty-file",), "admission"),
    Case("a header and no records", "orders/header-only.csv", HEADER, "rejected", ("no-records",), "admission"),
    Case(
        "a byte order mark and nothing else",
        "orders/bom.csv",
        b"\xef\xbb\xbf",
        "rejected",
        ("empty-file",),
        "admission",
    ),
    Case("a byte order mark before the header", "orders/bom-good.csv", b"\xef\xbb\xbf" + GOOD, "accepted", (), "job"),
    Case(
        "UTF-16 with a byte order mark",
        "orders/utf16.csv",
        GOOD.decode().encode("utf-16"),
        "rejected",
        ("wrong-encoding",),
        "admission",
    ),
    Case(
        "UTF-16 without one",
        "orders/utf16le.csv",
        GOOD.decode().encode("utf-16-le"),
        "rejected",
        ("wrong-encoding",),
        "admission",
    ),
    Case(
        "Latin-1 sent as UTF-8, in the first 64 KiB",
        "orders/latin1.csv",
        HEADER + "1,José,1,\n".encode("latin-1"),
        "rejected",
        ("wrong-encoding",),
        "admission",
    ),
    Case(
        "the same after the first 64 KiB",
        "orders/latin1-late.csv",
        HEADER + b"".join(b"%d,%s,1,\n" % (n, b"x" * 90) for n in range(1_000)) + "1001,José,1,\n".encode("latin-1"),
        "rejected",
        ("check-text",),
        "job",
    ),
    Case(
        "semicolons where commas are agreed",
        "orders/semicolon.csv",
        GOOD.replace(b",", b";"),
        "rejected",
        ("wrong-delimiter",),
        "admission",
    ),
    Case(
        "two bars where commas are agreed",
        "orders/bars.csv",
        GOOD.replace(b",", b"||"),
        "rejected",
        ("wrong-delimiter",),
        "admission",
    ),
    Case(
        "a missing column",
        "orders/missing.csv",
        b"id,name,amount\n1,a,2\n",
        "rejected",
        ("missing-column",),
        "admission",
    ),
    Case(
        "an extra column",
        "orders/extra.csv",
        b"id,name,amount,day,note\n1,a,2,,x\n",
        "rejected",
        ("extra-column",),
        "admission",
    ),
    Case(
        "a column twice",
        "orders/twice.csv",
        b"id,name,name,amount,day\n1,a,b,2,\n",
        "rejected",
        ("duplicate-column",),
        "admission",
    ),
    Case(
        "columns in another order, which the contract allows",
        "orders/order.csv",
        b"day,amount,name,id\n2026-01-31,2,a,1\n",
        "accepted",
        (),
        "job",
    ),
    Case(
        "columns in another order, which it does not",
        "ordered/order.csv",
        b"day,amount,name,id\n2026-01-31,2,a,1\n",
        "rejected",
        ("column-order",),
        "admission",
    ),
    Case(
        "no header, where one is agreed",
        "orders/headless.csv",
        b"1,a,2,2026-01-31\n2,b,3,\n",
        "rejected",
        ("missing-header",),
        "admission",
    ),
    Case(
        "a column renamed by case",
        "orders/case.csv",
        b"ID,name,amount,day\n1,a,2,\n",
        "rejected",
        ("missing-column",),
        "admission",
    ),
    Case(
        "several faults of the header at once",
        "orders/many.csv",
        b"ID,name,name,note\n1,a,b,c\n",
        "rejected",
        ("missing-column", "extra-column", "duplicate-column"),
        "admission",
    ),
    Case(
        "rows too short and too long",
        "orders/ragged.csv",
        HEADER + b"1,a,2,\n2,b\n3,c,1,,,x\n",
        "rejected",
        ("check-fields",),
        "job",
    ),
    Case(
        "a line of more than 32 MiB",
        "orders/long-line.csv",
        HEADER + b"1," + b"a" * LONGEST + b",1,\n2,b,1,\n",
        "rejected",
        ("check-fields",),
        "job",
    ),
    Case(
        "a quote that is never closed",
        "orders/quote.csv",
        HEADER + b'1,"Ana,2,\n2,b,1,\n',
        "rejected",
        ("check-quotes",),
        "job",
    ),
    Case("NUL bytes", "orders/nul.csv", HEADER + b"1,a\x00b,2,\n", "rejected", ("check-text",), "job"),
    Case(
        "values of the wrong type",
        "orders/types.csv",
        HEADER + b"x,a,1d,2026-02-30\n2,b,NaN,31.01.2026\n3,c,1,\n",
        "rejected",
        ("check-logicalType",),
        "job",
    ),
    Case("a key twice", "orders/key-twice.csv", HEADER + b"1,a,1,\n1,b,2,\n", "rejected", ("check-primaryKey",), "job"),
    Case(
        "a null where none may be",
        "orders/null.csv",
        HEADER + b",a,1,\n2,b,1,\n",
        "rejected",
        ("check-required", "check-primaryKey"),
        "job",
    ),
    Case("a name with blanks", "orders/two words .csv", GOOD, "accepted", (), "job"),
    Case("a name with plus and percent", "orders/1+1=100%25.csv", GOOD, "accepted", (), "job"),
    Case("a name in unicode", "orders/наряд-заказ-文件.csv", GOOD, "accepted", (), "job"),
    Case("a name with ..", "orders/../secret.csv", GOOD, "rejected", ("name-dot-parts",), "admission"),
    Case("a name that begins with _", "orders/_a.csv", GOOD, "rejected", ("name-hidden",), "admission"),
    Case(
        "a file in a folder that begins with _",
        "orders/_delta_log/00000000000000000000.json",
        GOOD,
        "rejected",
        ("name-hidden",),
        "admission",
    ),
    Case("a name that begins with a dot", "orders/.a.csv", GOOD, "rejected", ("name-hidden",), "admission"),
    Case("a name with a control character", "orders/a\x07b.csv", GOOD, "rejected", ("name-characters",), "admission"),
    Case(
        "a name of 1,024 bytes",
        "orders/" + "n" * (1024 - 11) + ".csv",
        GOOD,
        "rejected",
        ("name-too-long",),
        "admission",
        "orders/nnn...n.csv",
    ),
    Case("JSON Lines", "events/good.jsonl", EVENTS, "accepted", (), "job"),
    Case(
        "a JSON array where JSON Lines are agreed",
        "events/array.jsonl",
        b"[" + EVENTS.replace(b"\n", b",")[:-1] + b"]",
        "rejected",
        ("not-json-lines",),
        "admission",
    ),
    Case(
        "JSON over several lines",
        "events/pretty.jsonl",
        b'{\n  "id": 1\n}\n',
        "rejected",
        ("not-json-lines",),
        "admission",
    ),
    Case("CSV where JSON Lines are agreed", "events/csv.jsonl", GOOD, "rejected", ("not-json-lines",), "admission"),
    Case("a key misspelt", "events/key.jsonl", b'{"id": 1, "nmae": "a"}\n', "rejected", ("unknown-key",), "admission"),
    Case(
        "lines that are no object, cut short, with a key twice, with a nested value",
        "events/lines.jsonl",
        EVENTS + b'[1]\n{"id": 3\n{"id": 4, "id": 5}\n{"id": 6, "name": {"a": 1}}\n{"id": 7} {"id": 8}\n',
        "rejected",
        ("check-object", "check-keys", "check-logicalType"),
        "job",
    ),
    Case("Parquet", "things/good.parquet", THINGS, "accepted", (), "job"),
    Case("Parquet cut short", "things/short.parquet", THINGS[:1500], "rejected", ("broken-parquet",), "admission"),
    Case("text with the name of Parquet", "things/text.parquet", GOOD, "rejected", ("not-parquet",), "admission"),
    Case("Parquet with the name of text", "orders/parquet.csv", THINGS, "rejected", ("wrong-format",), "admission"),
    Case(
        "Parquet whose pages are damaged",
        "things/damaged.parquet",
        THINGS[:20] + bytes(b ^ 0x55 for b in THINGS[20:120]) + THINGS[120:],
        "rejected",
        ("broken-parquet",),
        "job",
    ),
    Case(
        "gzip where plain text is agreed",
        "orders/packed.csv",
        gzip.compress(GOOD),
        "rejected",
        ("wrong-format",),
        "admission",
    ),
    Case("no header, as agreed", "bare/good.csv", GOOD.removeprefix(HEADER), "accepted", (), "job"),
    Case("a header that is not agreed", "bare/header.csv", GOOD, "rejected", ("header-not-agreed",), "admission"),
    Case(
        "comments without agreement",
        "orders/comments.csv",
        b"# Orders\n" + GOOD,
        "rejected",
        ("missing-header",),
        "admission",
    ),
    Case(
        "a title above the header without agreement",
        "orders/titled.csv",
        b"Orders of January\n\n" + GOOD,
        "rejected",
        ("missing-header",),
        "admission",
    ),
    *(
        Case(f"{name} where CSV is agreed", f"orders/foreign-{n}.csv", body, "rejected", ("wrong-format",), "admission")
        for n, (name, body) in enumerate(FOREIGN.items())
    ),
    Case(
        "UTF-8 and Latin-1 in one file",
        "orders/mixed.csv",
        GOOD + "3,José,1,\n".encode() + "4,José,1,\n".encode("latin-1"),
        "rejected",
        ("wrong-encoding",),
        "admission",
    ),
    Case(
        "a line `sep=;` before the header",
        "orders/sep.csv",
        b"sep=;\n" + GOOD,
        "rejected",
        ("separator-line",),
        "admission",
    ),
    Case(
        "a line break in a column name",
        "orders/break.csv",
        b'id,"na\nme",amount,day\n1,a,2,\n',
        "rejected",
        ("header-line-break",),
        "admission",
    ),
    Case(
        "a column name in another Unicode form",
        "orders/form.csv",
        b"id,name\xe2\x80\x8b,amount,day\n1,a,2,\n",
        "rejected",
        ("missing-column",),
        "admission",
    ),
    Case(
        "a delimiter at the end of each row",
        "orders/trailing.csv",
        HEADER + b"1,a,2,,\n2,b,3,,\n",
        "rejected",
        ("check-fields",),
        "job",
    ),
    Case(
        "quotes within a cell, an even number of them",
        "orders/inches.csv",
        HEADER + b'1,5" x 3",2,\n',
        "rejected",
        ("check-quotes",),
        "job",
    ),
    Case(
        "text behind a closing quote, which shifts cells",
        "orders/shifted.csv",
        HEADER + b'1,"a" b,c",\n',
        "rejected",
        ("check-quotes",),
        "job",
    ),
    Case(
        "20,000 delimiters within quotes",
        "orders/delimiters.csv",
        HEADER + b'1,"' + b"," * 20_000 + b'",2,\n',
        "accepted",
        (),
        "job",
    ),
    Case("a first record of 70,000 bytes", "bare/long.csv", b"1," + b"x" * 70_000 + b",2,\n", "accepted", (), "job"),
    Case(
        "a first line of 70,000 bytes", "orders/long.csv", b"x" * 70_000, "rejected", ("header-too-long",), "admission"
    ),
    Case(
        "a first object of 70,000 bytes",
        "events/long.jsonl",
        b'{"id": 1, "name": "' + b"x" * 70_000 + b'"}\n',
        "accepted",
        (),
        "job",
    ),
    Case(
        "NaN in JSON",
        "events/nan.jsonl",
        EVENTS + b'{"id": 3, "amount": NaN}\n',
        "rejected",
        ("check-object",),
        "job",
    ),
    Case(
        "a bad escape in JSON",
        "events/escape.jsonl",
        EVENTS + b'{"id": 3, "name": "C:\\data"}\n',
        "rejected",
        ("check-object",),
        "job",
    ),
    Case(
        "half of a character in JSON",
        "events/half.jsonl",
        EVENTS + b'{"id": 3, "name": "\\ud83d"}\n',
        "rejected",
        ("check-text",),
        "job",
    ),
    Case(
        "a comma too many in the first object",
        "events/first.jsonl",
        b'{"id": 1, "amount": 1,}\n',
        "rejected",
        ("not-json-lines",),
        "admission",
    ),
    Case(
        "one object around all records",
        "events/data.jsonl",
        b'{"data": [' + EVENTS.splitlines()[0] + b"]}\n",
        "rejected",
        ("not-json-lines",),
        "admission",
    ),
    Case(
        "line breaks within quotes, lines that end in different ways",
        "folded/mixed.csv",
        HEADER + b'1,"a\r\nb",2,\r\n2,c,3,\r3,"\n",,\n',
        "accepted",
        (),
        "job",
    ),
    Case(
        "a quote within text, in a file with cells over lines",
        "folded/stray.csv",
        HEADER + b'1,5" x 3",2,\n',
        "rejected",
        ("open-quote",),
        "job",
    ),
    Case(
        "texts of any length that fit their patterns",
        "coded/good.csv",
        b"id,code,mail\n1,A-B,a@b.c\n2," + b"A" * 500 + b"," + b"a" * 5_000 + b"@b.c\n",
        "accepted",
        (),
        "job",
    ),
    Case(
        "a cell that is longer than the texts in which a repeated group is looked for",
        "coded/long.csv",
        b"id,code,mail\n1,A-B,a@b.c\n2," + b"A" * 501 + b",a@b.c\n",
        "rejected",
        ("check-pattern",),
        "job",
    ),
    Case(
        "delimiters at the end of lines, without agreement",
        "orders/closed.csv",
        b"id,name,amount,day,\n1,a,1,,\n",
        "rejected",
        ("blank-column-name",),
        "admission",
    ),
    Case(
        "columns without a name and twins, without agreement",
        "orders/nameless.csv",
        b"id,name,amount,day,,x,x\n1,a,1,,,,\n",
        "rejected",
        ("blank-column-name", "duplicate-column", "extra-column"),
        "admission",
    ),
    Case("a key that no contract claims", "oders/1.csv", GOOD, "unmatched", ("unmatched",), "flow"),
    Case(
        "a key that no contract claims, in the folder of its producer",
        "parcels/1.txt",
        GOOD,
        "unmatched",
        ("unmatched",),
        "flow",
    ),
)
