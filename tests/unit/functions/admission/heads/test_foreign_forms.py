"""Forms of files that are not taken: each is recognised, with what to send instead; text that is agreed never is."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import sqlite3
import string
import tarfile
import zipfile
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.plan import Csv, Property
from functions.admission.admit import Admission, admit
from functions.admission.heads import foreign_forms
from functions.admission.heads.problems import AGREED
from tests.builders import a_plan
from tests.unit.functions.admission.test_admit import JSONL

CSV = a_plan()
BARE = a_plan(csv=Csv(header=False))
ONE = replace(BARE, properties=(Property("text", "string"),))
RECORDS = b"id,note\n" + b"".join(b"%d,some text\n" % n for n in range(200))


def look(body: bytes, plan: object = CSV) -> Admission:
    return admit(plan, "a/b.csv", len(body), lambda start, length: body[start : start + length])  # type: ignore[arg-type]


def _tar(form: int = tarfile.USTAR_FORMAT, name: str = "orders.csv") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        info = tarfile.TarInfo(name)
        info.size = len(RECORDS)
        archive.addfile(info, io.BytesIO(RECORDS))
    return out.getvalue()


def _old_tar() -> bytes:
    """A tar archive from before POSIX, which has no sign."""
    head = bytearray(_tar()[:512])
    head[257:] = bytes(512 - 257)
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + RECORDS


def _zip(*names: str, kind: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        for name in names:
            archive.writestr(name, RECORDS)
    return out.getvalue()


def _sqlite() -> bytes:
    with sqlite3.connect(":memory:") as database:
        database.execute("create table a (b)")
        return database.serialize()


def _dbf() -> bytes:
    field = b"ID".ljust(11, b"\0") + b"N" + bytes(4) + b"\x05\x00" + bytes(14)
    head = b"\x03\x1a\x0b\x19" + (2).to_bytes(4, "little") + (65).to_bytes(2, "little") + (6).to_bytes(2, "little")
    return head + bytes(20) + field + b"\x0d" + b"     1     2\x1a"


COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
BYTES: dict[str, tuple[bytes, str]] = {
    "gzip": (gzip.compress(RECORDS), "compressed by gzip"),
    "bzip2": (bz2.compress(RECORDS), "compressed by bzip2"),
    "bzip2 of nothing": (bz2.compress(b""), "compressed by bzip2"),
    "xz": (lzma.compress(RECORDS), "compressed by xz"),
    "lzma": (lzma.compress(RECORDS, format=lzma.FORMAT_ALONE), "compressed by LZMA"),
    "zstd": (b"\x28\xb5\x2f\xfd\x24\x10", "compressed by Zstandard"),
    "lz4": (b"\x04\x22\x4d\x18\x64\x40", "compressed by LZ4"),
    "snappy": (b"\xff\x06\x00\x00sNaPpY\x01", "compressed by Snappy"),
    "zip": (_zip("orders.csv"), "a zip archive"),
    "zip, deflated": (_zip("a/orders.csv", kind=zipfile.ZIP_DEFLATED), "a zip archive"),
    "empty zip": (_zip(), "a zip archive"),
    "xlsx": (_zip("[Content_Types].xml", "xl/workbook.xml"), "a workbook of a spreadsheet"),
    "docx": (_zip("word/document.xml"), "a document of a word processor"),
    "zipped shapefile": (_zip("roads.shp", "roads.dbf"), "a zip archive with a shapefile"),
    "tar": (_tar(), "a tar archive"),
    "tar of GNU": (_tar(tarfile.GNU_FORMAT, "a" * 150), "a tar archive"),
    "tar of pax": (_tar(tarfile.PAX_FORMAT, "\u00e9" * 120), "a tar archive"),
    "old tar": (_old_tar(), "a tar archive"),
    "7z": (b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(30), "a 7-Zip archive"),
    "rar": (b"Rar!\x1a\x07\x01\x00", "a rar archive"),
    "old rar": (b"Rar!\x1a\x07\x00", "a rar archive"),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(30), "an old workbook of a spreadsheet"),
    "xlsx with a password": (COMPOUND + "EncryptedPackage".encode("utf-16-le"), "a document of Office with a password"),
    "doc": (COMPOUND + "WordDocument".encode("utf-16-le"), "a document of a word processor"),
    "xls before 1995": (b"\x09\x08\x08\x00\x00\x05\x10\x00", "an old workbook of a spreadsheet"),
    "parquet": (b"PAR1\x15\x04\x15", "Parquet"),
    "orc": (b"ORC\x08\x03\x10", "ORC"),
    "avro": (b"Obj\x01\x04\x16avro.schema", "Avro"),
    "arrow": (b"ARROW1\x00\x00\xff\xff", "Arrow"),
    "hdf5": (b"\x89HDF\r\n\x1a\n\x00", "HDF5"),
    "sqlite": (_sqlite(), "a database file"),
    "sas": (b"\0" * 12 + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011") + b"3", "a data set of SAS"),
    "sas transport": (b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!0000", "a data set of SAS"),
    "spss": (b"$FL2@(#) SPSS DATA FILE", "a data set of SPSS"),
    "spss, packed": (b"$FL3@(#) SPSS DATA FILE", "a data set of SPSS"),
    "stata": (b"<stata_dta><header><release>118", "a data set of Stata"),
    "stata 10": (b"\x72\x02\x01\x00\x03\x00", "a data set of Stata"),
    "dbf": (_dbf(), "a table of dBase (DBF)"),
    "shapefile": (b"\x00\x00\x27\x0a" + bytes(20) + b"\x00\x00\x00\x32\xe8\x03", "a shapefile"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF"),
    "png": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "a picture"),
    "jpeg": (b"\xff\xd8\xff\xe0\x00\x10JFIF", "a picture"),
    "gif": (b"GIF89a\x01\x00\x01\x00", "a picture"),
    "bmp": (b"BM\x46\x00\x00\x00\x00\x00", "a picture"),
    "tiff": (b"II*\x00\x08\x00\x00\x00", "a picture"),
    "webp": (b"RIFF\x24\x00\x00\x00WEBPVP8 ", "a picture"),
    "wav": (b"RIFF\x24\x00\x00\x00WAVEfmt ", "a sound or a film"),
    "mp4": (b"\x00\x00\x00\x20ftypisom", "a sound or a film"),
    "elf": (b"\x7fELF\x02\x01\x01", "a program"),
    "exe": (b"MZ\x90\x00\x03\x00", "a program"),
    "pgp": (b"\x85\x02\x0c\x03\xde\xad\xbe\xef", "encrypted or signed by PGP"),
    "pgp, short key": (b"\x84\x5e\x03\xde\xad\xbe\xef\x12", "encrypted or signed by PGP"),
    "gpg with a passphrase": (b"\x8c\x0d\x04\x09\x03\x08", "encrypted or signed by PGP"),
    "openssl": (b"Salted__\x01\x02\x03", "encrypted"),
    "ebcdic": ("ID      NAME    10.5 SOME TEXT\n".encode("cp037") * 3, "text in EBCDIC"),
    "ebcdic, comma separated": ("ID,NAME,AMOUNT\n1,ANA,10.5\n".encode("cp037"), "text in EBCDIC"),
}
TEXTS: dict[str, tuple[str, str]] = {
    "git lfs": (
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
        "a pointer of Git LFS, not the file that it stands for",
    ),
    "pgp message": ("-----BEGIN PGP MESSAGE-----\n\nhQEMA\n", "encrypted or signed by PGP"),
    "key": ("-----BEGIN PRIVATE KEY-----\nMIIE\n", "a key or a certificate (PEM)"),
    "html": ("<!DOCTYPE html>\n<html><head>", "a web page (HTML)"),
    "html, old": ("\n<HTML>\n<BODY>", "a web page (HTML)"),
    "html table": ("<table border=1><tr><td>id</td></tr></table>", foreign_forms.SHEET_HTML.name),
    "xhtml": (
        '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">\n<html>',
        "a web page (HTML)",
    ),
    "s3 error": (
        '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message>',
        "an error message of S3 (`AccessDenied`), not the file that was asked for",
    ),
    "s3 error, bare": (
        "<Error><Code>NoSuchKey</Code>",
        "an error message of S3 (`NoSuchKey`), not the file that was asked for",
    ),
    "azure error": (
        '<?xml version="1.0" encoding="utf-8"?><Error><Code>BlobNotFound</Code>',
        "an error message of Azure Storage (`BlobNotFound`), not the file that was asked for",
    ),
    "xml": ('<?xml version="1.0"?><orders><order/></orders>', "an XML document"),
    "xml without declaration": ('<orders xmlns="urn:x">\n  <order id="1"/>\n</orders>', "an XML document"),
    "spreadsheet xml": (
        '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook>',
        "a workbook of a spreadsheet written as XML",
    ),
    "edifact": ("UNA:+.? '\r\nUNB+UNOC:3+SENDER+RECEIVER+240101:1200+1'", "an EDIFACT interchange"),
    "edifact without UNA": ("UNB+UNOA:1+S+R+240101:1200+1'UNH+1+ORDERS:D:96A:UN'", "an EDIFACT interchange"),
    "x12": (
        "ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *240101*1200*U*00401*000000001*0*P*>~",
        "an X12 interchange",
    ),
    "mt940": (":20:STARTUMS\r\n:25:10020030/1234567\r\n:28C:0\r\n", "a message of SWIFT, such as MT940"),
    "mt940 in an envelope": ("{1:F01BANKDEFFXXXX0000000000}{2:I940}", "a message of SWIFT, such as MT940"),
    "hl7": ("MSH|^~\\&|LAB|HOSP|EHR|HOSP|20240101||ORU^R01|1|P|2.5\r", "a message of HL7"),
    "calendar": ("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n", "a calendar or an address card"),
    "mail": ("Return-Path: <a@b.example>\r\nReceived: from x\r\n", "an e-mail"),
    "sql dump": ("-- MySQL dump 10.13  Distrib 8.0\n--\n", "a dump of a database"),
    "insert": ("INSERT INTO orders VALUES (1, 'a', 2);\n", "a dump of a database"),
    "delta": ('{"commitInfo":{"timestamp":1700000000000,"operation":"WRITE"}}\n', "a log of a Delta table"),
    "delta, protocol": ('{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n', "a log of a Delta table"),
    "iceberg": (
        '{\n  "format-version" : 2,\n  "table-uuid" : "9c12d441-03fe-4693-9a96-a0705ddf69c1"',
        "a metadata file of an Iceberg table",
    ),
}


@pytest.mark.parametrize("plan", [CSV, BARE, JSONL], ids=["csv", "no header", "jsonl"])
@pytest.mark.parametrize("name", BYTES)
def test_file_of_bytes_is_named(name: str, plan: object) -> None:
    body, kind = BYTES[name]
    _is_named(look(body, plan), kind, AGREED[plan.file_format])  # type: ignore[attr-defined]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("plan", [CSV, BARE, JSONL], ids=["csv", "no header", "jsonl"])
@pytest.mark.parametrize("name", TEXTS)
def test_text_of_another_format_is_named(name: str, plan: object, mark: str) -> None:
    text, kind = TEXTS[name]
    _is_named(look((mark + text).encode(), plan), kind, AGREED[plan.file_format])  # type: ignore[attr-defined]


def _is_named(admission: Admission, kind: str, agreed: str) -> None:
    (problem,) = admission.problems
    assert problem.code == "wrong-format"
    assert problem.message == f"The file is {kind}, whatever its name; the contract requires {agreed}."
    assert agreed in problem.fix


@pytest.mark.parametrize("name", BYTES)
def test_what_a_gzip_holds_is_named_too(name: str) -> None:
    body, kind = BYTES[name]
    admission = look(gzip.compress(body), replace(CSV, compression="gzip"))
    (problem,) = admission.problems
    assert problem.message == f"The unpacked file is {kind}; the contract requires CSV, compressed by gzip."
    assert problem.fix.endswith("CSV, compressed once by gzip.")


@pytest.mark.parametrize("name", ["zip", "bzip2", "xz", "zstd", "7z", "tar"])
def test_another_packing_than_gzip_is_named(name: str) -> None:
    body, kind = BYTES[name]
    (problem,) = look(body, replace(CSV, compression="gzip")).problems
    assert (problem.code, problem.message) == (
        "not-compressed",
        f"The file is {kind}; the contract requires a file compressed by gzip.",
    )


@given(st.text(string.printable, min_size=1, max_size=200))
def test_plain_text_is_of_no_form_of_bytes(text: str) -> None:
    form = foreign_forms.of_bytes(text.encode())
    assert form is None or any(text.startswith(s) for s in ("%PDF-", "%!PS", "{\\rtf", "$FL", "Salted__"))


@pytest.mark.parametrize(
    "sign", sorted({s.start.decode("latin-1") for s in foreign_forms.BINARY if s.start.isascii() and s.start.isalnum()})
)
def test_column_may_be_called_as_a_sign(sign: str) -> None:
    plan = replace(CSV, properties=(Property(sign, "string"), Property("note", "string")))
    assert look(f"{sign},note\n1,a\n".encode(), plan).problems == ()


@pytest.mark.parametrize("name", TEXTS)
def test_text_that_is_agreed_is_no_foreign_form(name: str) -> None:
    first = TEXTS[name][0].splitlines()[0] or "x"
    assert not look(
        f"{first}\nmore\n".encode(), replace(ONE, csv=Csv(header=False, delimiter="\x1f", quote=""))
    ).refused


@pytest.mark.parametrize(
    "head", ["<TICKER>,<PER>\n", "<id>,<note>\n", "UNB,note\n", "ISA,note\n", "MSH,note\n", "[a,note\n"]
)
def test_odd_column_names_are_a_header(head: str) -> None:
    names = head.strip().split(",")
    plan = replace(CSV, properties=tuple(Property(name, "string") for name in names))
    assert look(f"{head}1,a\n".encode(), plan).problems == ()


@pytest.mark.parametrize("encoding", ["koi8-r", "cp1251", "shift_jis", "big5", "gb18030", "iso-8859-7"])
def test_text_of_other_letters_is_no_ebcdic(encoding: str) -> None:
    text = {"koi8-r": "имя", "cp1251": "имя", "iso-8859-7": "όνομα"}.get(encoding, "名前")
    body = f"{text},note\n1,a\n".encode(encoding)
    assert "wrong-format" not in [p.code for p in look(body).problems]


PARQUET = replace(CSV, file_format="parquet")
COMMAS = "CSV, its cells separated by commas"
FORMS: dict[str, tuple[bytes, str]] = {
    **{name: (body, says) for name, (body, says) in BYTES.items() if name != "parquet"},
    **{name: (text.encode(), says) for name, (text, says) in TEXTS.items()},
}


@pytest.mark.parametrize("name", FORMS)
def test_form_that_is_no_parquet_is_named(name: str) -> None:
    body, says = FORMS[name]
    (problem,) = look(body, PARQUET).problems
    assert (problem.code, problem.message) == (
        "wrong-format",
        f"The file is {says}, whatever its name; the contract requires Parquet.",
    )
    assert re.search(r"Parquet(?:; or ask for `format: [a-z]+` in the contract)?\.$", problem.fix)


@pytest.mark.parametrize(
    ("body", "seems"),
    [
        (b"id,note\n1,a\n", COMMAS),
        (b"\xef\xbb\xbfid;note\r\n1;a\r\n", "CSV, its cells separated by semicolons"),
        (b"id\tnote\n", "CSV, its cells separated by tabs"),
        ("id,not\u00e9\n1,a\n".encode("latin-1"), COMMAS),
        ("id,note\n1,a\n".encode("utf-16"), COMMAS),
        (RECORDS * 1000, COMMAS),
        (b'{"id": 1}\n{"id": 2}\n', "JSON Lines"),
        (b'{"id": 1}', "JSON Lines"),
        (b'{\n  "id": 1\n}\n', "JSON"),
        (b'[{"id": 1}]\n', "JSON"),
        (b"[1, 2]", "JSON"),
        (b"hello\n", "text"),
        (b"\n\n", "text"),
    ],
)
def test_text_that_is_no_parquet_is_named_by_what_it_seems(body: bytes, seems: str) -> None:
    (problem,) = look(body, PARQUET).problems
    assert problem.code == "not-parquet"
    assert problem.message == f"The file seems to be {seems}, whatever its name; the contract requires Parquet."


def test_parquet_without_its_beginning_is_broken() -> None:
    (problem,) = look(b"\x15\x04\x15" + bytes(40) + b"PAR1", PARQUET).problems
    assert (problem.code, "its beginning was lost" in problem.message) == ("broken-parquet", True)


@given(st.binary(min_size=1, max_size=600))
def test_any_bytes_that_are_no_parquet_are_refused(body: bytes) -> None:
    (problem,) = look(body, PARQUET).problems
    assert problem.code in ("not-parquet", "wrong-format", "wrong-encoding", "broken-parquet", "encrypted-parquet")
