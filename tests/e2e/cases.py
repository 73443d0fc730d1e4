"""Every way a file can be wrong that the flow promises an answer for: what is sent, and how it must end.

docs/reference/bad-input.md is made from this table and from what the flow really answered.
"""

from __future__ import annotations

import bz2
import gzip
import io
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from backports import zstd

from tests.packing import zipped

HEADER = b"id,name,amount,day\n"
GOOD = HEADER + b"1,Ana,10.5,2026-01-31\n2,,,\n"
DUMP = HEADER.replace(b",", b"\t") + b"1\tAna\\tB\\nC\t10.5\t\\N\n2\tx\ry\t1\t2026-01-31\n"
WIDE = f"{HEADER.decode()}1,表示,10.5,2026-01-31\n2,東京ソフト能,1,\n"
ENDED = b"id|amount\n1|10.50\n2|1.50\n"
TITLED = b"sep=;\nPayments of January\n\nid;amount\n;EUR\n"
SUMMED = b"id;amount\n1;10.50\n"
MIB = 1024 * 1024
DATED = b"id;booked;paid;seen\n1;3.7.2024;45476;7/3/2024 2:05 PM\n2;03-JUL-24;0;\n"
PRICED = "id;price;paid\n1;1.234,50 €;J\n2;-17,00;N\n3;-;\n".encode()
BANKED = b"H|20260131|EUR\nD|4711|0000012345\nD|4712|-00001700\n"
EVENTS = b'{"id": 1, "name": "Ana", "amount": 10.5, "day": "2026-01-31"}\n{"id": 2, "name": null}\n'
PACKED, PACKED_ROWS = gzip.compress(GOOD), gzip.compress(GOOD.removeprefix(HEADER))
BZIPPED = bz2.compress(GOOD)
ZSTD = zstd.compress(GOOD)
OF_256_MIB = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 28})
MORE = HEADER + b"3,Bo,1.5,2026-02-01\n"
ZIPPED = zipped({"orders-1.csv": GOOD, "orders-2.csv": MORE})
WORKBOOK = zipped({"docProps/app.xml": b"", "[Content_Types].xml": b"", "xl/workbook.xml": b""})
LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le")
SEALED = bytearray(ZIPPED)
SEALED[6] = SEALED[ZIPPED.index(b"PK\x01\x02") + 8] = 1
ZIPS = {
    "that needs a password": (bytes(SEALED), "zip-password"),
    "in a zip archive": (zipped({"orders.csv": ZIPPED}), "zip-in-zip"),
    "with a name that leads upwards": (zipped({"orders.csv": GOOD, "../x": b"x"}), "zip-unsafe-name"),
    "without a file of the pattern": (zipped({"customers.csv": GOOD}), "zip-no-member"),
    "with a file of another name": (zipped({"orders.csv": GOOD, "readme.txt": b"Hello"}), "zip-other-members"),
    "with a file of another form": (
        zipped({"orders-1.csv": GOOD, "orders-2.csv": b"%PDF-1.7\n"}),
        "wrong-format",
    ),
    "with a file of another header": (
        zipped({"orders-1.csv": GOOD, "orders-2.csv": b"name,id,amount,day\n"}),
        "zip-header-differs",
    ),
    "that is a workbook": (WORKBOOK, "wrong-format"),
    "with a workbook in it": (zipped({"orders.csv": WORKBOOK}), "wrong-format"),
    "that is cut short": (ZIPPED[:-30], "broken-zip"),
    "whose checksum is wrong": (ZIPPED.replace(ZIPPED[14:18], b"abcd"), "broken-zip"),
    "by LZMA": (zipped({"orders.csv": GOOD}, zipfile.ZIP_LZMA), "zip-method"),
    "that holds 200 times its size": (zipped({"orders.csv": HEADER + b"1,a,1,\n" * (12 * MIB)}), "unpacks-too-large"),
    "of 1,001 files": (zipped({f"orders-{n}.csv": GOOD for n in range(1_001)}), "zip-too-many"),
}
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
    Case("Shift_JIS, as agreed", "tokyo/good.csv", WIDE.encode("cp932"), "accepted", (), "job"),
    Case(
        "UTF-8 where Shift_JIS is agreed",
        "tokyo/utf8.csv",
        WIDE.encode(),
        "rejected",
        ("mojibake",),
        "job",
    ),
    Case(
        "EUC-JP where Shift_JIS is agreed, after the first 64 KiB",
        "tokyo/late.csv",
        HEADER + b"".join(b"%d,%s,1,\n" % (n, b"x" * 90) for n in range(1_000)) + "1001,日本語,1,\n".encode("euc-jp"),
        "rejected",
        ("check-text",),
        "job",
    ),
    Case("a dump of a database, as agreed", "dumped/good.csv", DUMP, "accepted", (), "job"),
    Case(
        "a dump with an escape that escapes nothing",
        "dumped/escape.csv",
        DUMP + b"3\ta\\q\t1\t\\N\n",
        "rejected",
        ("check-quotes",),
        "job",
    ),
    Case(
        "a dump with CRLF where LF alone ends records",
        "dumped/crlf.csv",
        DUMP.replace(b"\n", b"\r\n"),
        "rejected",
        ("wrong-record-delimiter",),
        "admission",
    ),
    Case("two bars, as agreed", "barred/good.csv", GOOD.replace(b",", b"||"), "accepted", (), "job"),
    Case(
        "one bar where two are agreed",
        "barred/bar.csv",
        GOOD.replace(b",", b"|"),
        "rejected",
        ("wrong-delimiter",),
        "admission",
    ),
    Case(
        "three bars between two cells of a row, where two are agreed",
        "barred/three.csv",
        (HEADER + b"1,Ana,|10.5,\n").replace(b",", b"||"),
        "rejected",
        ("check-logicalType",),
        "job",
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
    Case("CSV compressed by gzip", "packed/good.csv.gz", PACKED, "accepted", (), "job"),
    Case("gzip cut short", "packed/short.csv.gz", PACKED[:-9], "rejected", ("broken-gzip",), "admission"),
    Case(
        "gzip with something behind its end",
        "packed/more.csv.gz",
        PACKED + b"more",
        "rejected",
        ("broken-gzip",),
        "admission",
    ),
    Case("gzip in two streams", "packed/two.csv.gz", gzip.compress(HEADER) + PACKED_ROWS, "accepted", (), "job"),
    Case(
        "gzip filled up with zeros",
        "packed/zeros.csv.gz",
        PACKED + bytes(512),
        "rejected",
        ("broken-gzip",),
        "admission",
    ),
    Case("CSV compressed by bzip2", "bzipped/good.csv.bz2", BZIPPED, "accepted", (), "job"),
    Case("bzip2 cut short", "bzipped/short.csv.bz2", BZIPPED[:-9], "rejected", ("broken-bzip2",), "admission"),
    Case("gzip where bzip2 is agreed", "bzipped/other.csv.bz2", PACKED, "rejected", ("not-compressed",), "admission"),
    Case("CSV compressed by Zstandard", "zstandard/good.csv.zst", ZSTD, "accepted", (), "job"),
    Case(
        "Zstandard in two frames, behind one to skip",
        "zstandard/frames.csv.zst",
        b"\x50\x2a\x4d\x18\x02\x00\x00\x00no" + zstd.compress(HEADER) + zstd.compress(GOOD.removeprefix(HEADER)),
        "accepted",
        (),
        "job",
    ),
    Case("Zstandard cut short", "zstandard/short.csv.zst", ZSTD[:-9], "rejected", ("broken-zstd",), "admission"),
    Case(
        "Zstandard with a dictionary",
        "zstandard/dictionary.csv.zst",
        zstd.compress(GOOD, zstd_dict=zstd.train_dict([b"%d,name,1.5,2024-01-31\n" % n for n in range(900)], 800)),
        "rejected",
        ("broken-zstd",),
        "admission",
    ),
    Case(
        "Zstandard that needs much memory",
        "zstandard/wide.csv.zst",
        OF_256_MIB.compress(GOOD) + OF_256_MIB.flush(),
        "rejected",
        ("broken-zstd",),
        "admission",
    ),
    Case("gzip where Zstandard is agreed", "zstandard/x.csv.zst", PACKED, "rejected", ("not-compressed",), "admission"),
    Case("a zip archive of two files", "zipped/good.zip", ZIPPED, "accepted", (), "job"),
    *(
        Case(f"a zip archive {name}", f"zipped/bad-{n}.zip", body, "rejected", (code,), "admission")
        for n, (name, (body, code)) in enumerate(ZIPS.items())
    ),
    Case("plain text where gzip is agreed", "packed/plain.csv", GOOD, "rejected", ("not-compressed",), "admission"),
    Case("gzip where plain text is agreed", "orders/packed.csv", PACKED, "rejected", ("wrong-format",), "admission"),
    Case(
        "gzip that unpacks to 200 times its size",
        "packed/bomb.csv.gz",
        gzip.compress(HEADER + b"1,a,1,\n" * (12 * MIB)),
        "rejected",
        ("unpacks-too-large",),
        "admission",
    ),
    Case("no header, as agreed", "bare/good.csv", GOOD.removeprefix(HEADER), "accepted", (), "job"),
    Case("a header that is not agreed", "bare/header.csv", GOOD, "rejected", ("header-not-agreed",), "admission"),
    Case("a trailer that agrees", "ended/good.csv", ENDED + b"END|2|12.00\n", "accepted", (), "job"),
    Case("a file without its trailer", "ended/cut.csv", ENDED, "rejected", ("trailer-missing",), "job"),
    Case(
        "a trailer that says other totals",
        "ended/other.csv",
        ENDED + b"END|3|12.50\n",
        "rejected",
        ("rows-differ", "sum-differs"),
        "job",
    ),
    Case(
        "two files in one, each with its trailer",
        "ended/two.csv",
        ENDED + b"END|2|12.00\n3|1.00\nEND|1|1.00\n",
        "rejected",
        ("trailer-early", "rows-differ"),
        "job",
    ),
    Case("a trailer without figures", "ended/bare.csv", ENDED + b"END\n", "rejected", ("bad-trailer",), "job"),
    Case("a title, a header and a row of units", "titled/good.csv", TITLED + b"1;10.50\n", "accepted", (), "job"),
    Case(
        "a bad record below a title", "titled/bad.csv", TITLED + b"x;10.50\n", "rejected", ("check-logicalType",), "job"
    ),
    Case(
        "no header below a title",
        "titled/cut.csv",
        b"Payments\n\n1;10.50\n",
        "rejected",
        ("top-missing",),
        "admission",
    ),
    Case(
        "a file without its row of units",
        "titled/units.csv",
        b"id;amount\n1;10.50\n2;1.50\n",
        "rejected",
        ("comment-row-missing",),
        "admission",
    ),
    Case(
        "a `sep=` line with another delimiter",
        "titled/sep.csv",
        b"sep=,\nid,amount\n1,10.50\n",
        "rejected",
        ("separator-line",),
        "admission",
    ),
    Case(
        "comments and a footer, as agreed",
        "summed/good.csv",
        b"# January\n" + SUMMED + b"# checked\nTotal;10.50\n",
        "accepted",
        (),
        "job",
    ),
    Case("a file without its footer", "summed/cut.csv", SUMMED, "rejected", ("footer-missing",), "job"),
    Case(
        "records behind the footer",
        "summed/early.csv",
        SUMMED + b"Total;10.50\n2;1.50\n",
        "rejected",
        ("footer-early", "check-logicalType"),
        "job",
    ),
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
    *(
        Case(f"{name} where gzip is agreed", f"packed/x-{n}", FOREIGN[name], "rejected", ("wrong-format",), "admission")
        for n, name in enumerate(("SAS", "HL7", "a workbook (xlsx)"))
    ),
    *(
        Case(f"{name} where a zip archive is agreed", f"zipped/x-{n}", FOREIGN[name], "rejected", (code,), "admission")
        for n, (name, code) in enumerate({"EDIFACT": "wrong-format", "7-Zip": "not-compressed"}.items())
    ),
    Case(
        "UTF-8 and Latin-1 in one file",
        "orders/mixed.csv",
        GOOD + "3,José,1,\n".encode() + "4,José,1,\n".encode("latin-1"),
        "rejected",
        ("wrong-encoding",),
        "admission",
    ),
    Case("a tar archive where gzip is agreed", "packed/tar.csv.gz", TAR, "rejected", ("not-compressed",), "admission"),
    Case(
        "a tar archive compressed by gzip",
        "packed/tar-in.csv.gz",
        gzip.compress(TAR),
        "rejected",
        ("wrong-format",),
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
    Case("ISO-8859-1, as agreed", "latin/good.csv", HEADER + "1,José,1,\n".encode("latin-1"), "accepted", (), "job"),
    Case(
        "UTF-8 where ISO-8859-1 is agreed",
        "latin/utf8.csv",
        GOOD + "3,José,1,\n".encode(),
        "rejected",
        ("mojibake",),
        "job",
    ),
    Case(
        "windows-1252 where ISO-8859-1 is agreed",
        "latin/ansi.csv",
        GOOD + "3,5 €,1,\n".encode("cp1252"),
        "rejected",
        ("mojibake",),
        "job",
    ),
    Case("windows-1252, as agreed", "ansi/good.csv", HEADER + "1,5 €,1,\n".encode("cp1252"), "accepted", (), "job"),
    Case(
        "UTF-8 where windows-1252 is agreed",
        "ansi/utf8.csv",
        GOOD + "3,José,1,\n".encode(),
        "rejected",
        ("mojibake",),
        "job",
    ),
    Case(
        "a byte that is no character of windows-1252",
        "ansi/gap.csv",
        GOOD + b"3,a\x81b,1,\n",
        "rejected",
        ("wrong-encoding",),
        "admission",
    ),
    Case("dates in the formats of files, as agreed", "dated/good.csv", DATED, "accepted", (), "job"),
    Case(
        "a day that the calendar lacks",
        "dated/calendar.csv",
        DATED + b"3;31.2.2024;;\n4;29-FEB-23;;\n",
        "rejected",
        ("check-logicalType",),
        "job",
    ),
    Case(
        "a date in another format than agreed",
        "dated/other.csv",
        DATED + b"3;2024-07-03;;\n",
        "rejected",
        ("check-logicalType",),
        "job",
    ),
    Case(
        "the day that Excel counts and the calendar lacks",
        "dated/excel.csv",
        DATED + b"3;;60;\n",
        "rejected",
        ("check-logicalType",),
        "job",
    ),
    Case(
        "an hour that clocks of the zone skip",
        "dated/skipped.csv",
        DATED + b"3;;;3/31/2024 2:30 AM\n",
        "rejected",
        ("check-logicalType",),
        "job",
    ),
    Case(
        "a date before the minimum, in a format of files",
        "dated/early.csv",
        DATED + b"3;31.12.2023;;\n",
        "rejected",
        ("check-minimum",),
        "job",
    ),
    Case("decimal commas, groups, currencies and J or N, as agreed", "priced/good.csv", PRICED, "accepted", (), "job"),
    *(
        Case(f"{name} where a decimal comma is agreed", f"priced/{n}.csv", PRICED + row, "rejected", (code,), "job")
        for n, (name, row, code) in enumerate(
            (
                ("a decimal point", b"4;1234.50;J\n", "check-logicalType"),
                ("groups of two digits", b"4;12.34,50;J\n", "check-logicalType"),
                ("a currency that is not agreed", b"4;12,50 $;J\n", "check-logicalType"),
                ("a boolean in another language", b"4;12,50;yes\n", "check-logicalType"),
                ("a value above the maximum", b"4;5.000,01;J\n", "check-maximum"),
            )
        )
    ),
    Case(
        "a leader, records and a trailer, as agreed",
        "banked/2026-01-31_good.txt",
        BANKED + b"T|2|10645\n",
        "accepted",
        (),
        "job",
    ),
    Case(
        "a leader with another day than the key",
        "banked/2026-02-01_day.txt",
        BANKED + b"T|2|10645\n",
        "rejected",
        ("leader-differs",),
        "admission",
    ),
    Case(
        "a file without its leader",
        "banked/2026-01-31_bare.txt",
        BANKED.partition(b"\n")[2] + b"T|2|10645\n",
        "rejected",
        ("leader-missing",),
        "admission",
    ),
    Case(
        "a record of a type that nobody knows",
        "banked/2026-01-31_type.txt",
        BANKED + b"X|4713|1\nT|3|10645\n",
        "rejected",
        ("check-recordType",),
        "job",
    ),
    Case(
        "a trailer with another sum of implied decimals",
        "banked/2026-01-31_sum.txt",
        BANKED + b"T|2|106.45\n",
        "rejected",
        ("bad-trailer",),
        "job",
    ),
    Case(
        "little-endian UTF-16, as agreed",
        "utf16le/good.csv",
        GOOD.decode().encode("utf-16-le"),
        "accepted",
        (),
        "job",
    ),
    Case(
        "UTF-16 in the other byte order",
        "utf16le/order.csv",
        GOOD.decode().encode("utf-16-be"),
        "rejected",
        ("wrong-encoding",),
        "admission",
    ),
    Case(
        "UTF-16, as agreed",
        "utf16/good.csv",
        "\ufeff".encode("utf-16-be") + (GOOD.decode() + "3,\u0a85\u2000\u4e0a,1,\r\n").encode("utf-16-be"),
        "accepted",
        (),
        "job",
    ),
    Case(
        "UTF-8 where UTF-16 is agreed",
        "utf16/utf8.csv",
        GOOD + "3,José,1,\n".encode(),
        "rejected",
        ("wrong-encoding",),
        "admission",
    ),
    Case(
        "UTF-16 without its byte order mark where it is agreed",
        "utf16/bare.csv",
        GOOD.decode().encode("utf-16-be"),
        "rejected",
        ("wrong-encoding",),
        "admission",
    ),
    Case(
        "half of a character in UTF-16",
        "utf16/half.csv",
        GOOD.decode().encode("utf-16") + "3,a\ud83d,1,\n".encode("utf-16-le", "surrogatepass"),
        "rejected",
        ("wrong-encoding",),
        "admission",
    ),
    Case(
        "half of a character in UTF-16, behind the first 64 KiB",
        "utf16/late.csv",
        (GOOD.decode() + "3,x,1,\n" * 9_000 + "4,x,1,").encode("utf-16") + b"x",
        "rejected",
        ("check-text",),
        "job",
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
        "columns by other names, in another case, beside columns without a name and twins",
        "named/good.csv",
        b"total,, ORDER NO.,more,more\n1.5,x,7,y,z\n",
        "accepted",
        (),
        "job",
    ),
    Case(
        "a wrong value below another name",
        "named/value.csv",
        b"Total,Order No.\n1;5,7\n",
        "rejected",
        ("check-logicalType",),
        "job",
    ),
    Case(
        "two columns that are one of the contract's",
        "named/twice.csv",
        b"Order No.,amount,Total\n7,1.5,2.5\n",
        "rejected",
        ("duplicate-column",),
        "admission",
    ),
    Case("columns by their places", "placed/good.csv", b"No.,,Remark\n7,1.5,x\n", "accepted", (), "job"),
    Case(
        "columns exchanged where they are found by their places",
        "placed/exchanged.csv",
        b"amount,id,Remark\n1.5,7,x\n",
        "rejected",
        ("column-order",),
        "admission",
    ),
    Case(
        "another column in the place of one with a stated name",
        "placed/other.csv",
        b"No.,Total,Colour\n7,1.5,red\n",
        "rejected",
        ("other-column",),
        "admission",
    ),
    Case(
        "no header where columns are found by their places",
        "placed/bare.csv",
        b"7,1.5,x\n8,2.5,y\n",
        "rejected",
        ("missing-header",),
        "admission",
    ),
    Case(
        "delimiters at the end of lines", "closed/good.csv", b"id,amount,\n7,1.5,\n8,2.5\n9,,\n", "accepted", (), "job"
    ),
    Case(
        "a decimal comma behind the last delimiter",
        "closed/comma.csv",
        b"id,amount,\n7,1,5\n",
        "rejected",
        ("check-fields",),
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
)
