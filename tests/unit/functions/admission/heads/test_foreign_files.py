"""Whole files of forms that no contract takes, in many shapes: each is refused by name, whatever is agreed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import string
import struct
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest
from backports import zstd

from contracts.files import encodings
from contracts.plan import Archive, Csv, Plan, Xml
from functions.admission.admit import admit
from functions.admission.heads import foreign_forms
from tests.builders import a_plan
from tests.layouts import plan_of
from tests.packing import zipped

WORDS = ("Müller", "Straße", "O'Neill", "order", "Betrag", "2024-01-31", "a,b", "x;y")
ENVELOPE = "{1:F01BANKDEFFAXXX0000000000}{2:I940BANKDEFFXXXXN}{4:"
OFFICE = {"docProps/app.xml": b"<Properties/>" * 40, "docProps/core.xml": b"<core/>" * 60, "_rels/.rels": b"<r/>"}


def _lines(chance: Random, end: str, *lines: str) -> bytes:
    return end.join(line.replace("*", chance.choice(WORDS[3:5])) for line in (*lines, "")).encode()


def edifact(chance: Random) -> Iterator[bytes]:
    body = ("UNH+1+INVOIC:D:96A:UN:EAN008'", "BGM+380+4711+9'", "DTM+137:20240131:102'", "UNT+4+1'", "UNZ+1+1'")
    for end in ("", "\n", "\r\n"):
        yield _lines(chance, end, "UNB+UNOC:3+4012345000009:14+4000004000002:14+240131:1200+1'", *body)
        yield _lines(chance, end, "UNA:+.? '", "UNB+UNOA:2+S:ZZ+R:ZZ+240131:1200+1++INVOIC'", *body)
        yield _lines(chance, end, "UNA:+,? '", "UNB+UNOB:1+S+R+990101:0000+REF'", *body)
    yield b"UNB\x1dUNOA\x1f1\x1dS\x1dR\x1d240131\x1f1200\x1d1\x1cUNH\x1d1"


def x12(chance: Random) -> Iterator[bytes]:
    for cell, end in (("*", "~"), ("*", "~\n"), ("|", "~\r\n"), ("^", "'"), ("*", "\n"), (">", "~")):
        isa = f"ISA*00*{'':10}*00*{'':10}*ZZ*{'SENDER':15}*01*{'123456789':15}*240131*1200*U*00401*000000001*0*P*:"
        rest = (f"GS*PO*S*R*20240131*1200*{chance.randint(1, 9)}*X*004010", "ST*850*0001", "SE*1*0001")
        yield "".join(line.replace("*", cell) + end for line in (isa, *rest)).encode()


def swift(chance: Random) -> Iterator[bytes]:
    body = (":25:10020030/1234567", ":28C:1/1", ":60F:C240131EUR1000,00", ":61:2401310131C10,50NMSC*")
    for end in ("\r\n", "\n"):
        yield _lines(chance, end, ":20:STARTUMS", *body, "-")
        yield _lines(chance, end, "", ":20:940 S MT940", *body)
        yield _lines(chance, end, ENVELOPE, ":20:1", *body, "-}")
        yield _lines(chance, end, ENVELOPE.replace("{4:", "{3:{108:X}}{4:"), ":20:1", *body)
        yield _lines(chance, end, ":20:REF", ":21:NONREF", *body)
        yield b"\x01" + _lines(chance, end, ENVELOPE, ":20:1", *body)


def hl7(chance: Random) -> Iterator[bytes]:
    head = "|LAB|HOSP|EHR|HOSP|20240131||ORU^R01|1|P|2.5"
    for end in ("\r", "\n", "\r\n"):
        yield _lines(chance, end, f"MSH|^~\\&{head}", "PID|1||77||*^ANA", "OBX|1|NM|GLU||5.4")
        yield _lines(chance, end, f"FHS|^~\\&{head}", f"BHS|^~\\&{head}", f"MSH|^~\\&{head}")
        yield _lines(chance, end, f"BHS|^~\\&{head}", f"MSH|^~\\&{head}", "PID|1")
        yield b"\x0b" + _lines(chance, end, f"MSH|^~\\&{head}", "PID|1||77") + b"\x1c\r"
    yield _lines(chance, "\r", "MSH|^~\\&#|LAB|HOSP|EHR|HOSP|20240131||ORU^R01|1|P|2.7", "PID|1")


def sas(chance: Random) -> Iterator[bytes]:
    magic = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
    for align, order, system in ((b"3", 1, b"1"), (b'"', 0, b"2"), (b"3", 1, b"2")):
        head = magic + align + b'"\0' + align + bytes([1 + order]) + b"\x01" + system + b"\x32\x01\x33"
        yield head.ljust(84, b"\0") + b"SAS FILEORDERS" + b" " * 50 + b"DATA" + chance.randbytes(4_000)
    for version in (b"LIBRARY HEADER RECORD!!!!!!!", b"LIBV8   HEADER RECORD!!!!!!!"):
        yield b"HEADER RECORD*******" + version + b"0" * 30 + b"  " + b"SAS     SAS     SASLIB  9.4     " + b" " * 500
    yield b"**COMPRESSED** **COMPRESSED** **COMPRESSED** **COMPRESSED** **COMPRESSED********" + b" " * 400


def statistics(chance: Random) -> Iterator[bytes]:
    for magic in (b"$FL2", b"$FL3"):
        for order in "<>":
            title = b"@(#) SPSS DATA FILE MS Windows 27.0".ljust(60)
            yield magic + title + struct.pack(f"{order}5id", 2, 5, 1, 0, -1, 100.0) + chance.randbytes(900)
    yield b"ASCII SPSS PORT FILE" + b" " * 20 + b"\r\n" + b"0" * 400 + b"\r\n"
    yield b"ASCII SPSS PORT FILE".ljust(40) * 5 + b"\n"
    for release in (117, 118, 119, 120, 121):
        head = b"<stata_dta><header><release>%d</release><byteorder>LSF</byteorder><K>\x02\x00</K>" % release
        yield head + chance.randbytes(500)
    for release in (104, 105, 108, 110, 111, 112, 113, 114, 115):
        for sign, kind in ((b"\x02", "<"), (b"\x01", ">")):
            size = struct.pack(f"{kind}hi", 3, 10)
            yield bytes([release]) + sign + b"\x01\x00" + size + b"Data about orders".ljust(81, b"\0") + bytes(300)


def tables(chance: Random) -> Iterator[bytes]:
    for fields in (1, 4, 30):
        day, names = bytes([chance.randint(1, 12), chance.randint(1, 28)]), [b"FIELD%d" % n for n in range(fields)]
        one = b"".join(name.ljust(11, b"\0") + b"C\x0a" + bytes(3) for name in names)
        head = b"\x02\x02\x00" + day + b"\x63" + struct.pack("<H", 1 + 10 * fields)
        yield (head + one + b"\x0d").ljust(521, b"\0") + b" text" * 40 + b"\x1a"
        each = b"".join(name.ljust(11, b"\0") + b"C" + bytes(4) + b"\x0a" + bytes(15) for name in names)
        for version in (0x03, 0x30, 0x31, 0x32, 0x43, 0x63, 0x83, 0x8B, 0xCB, 0xF5, 0xFB):
            more = 263 if version in (0x30, 0x31, 0x32) else 0  # of the database that a table of Visual FoxPro is in
            sizes = struct.pack("<IHH", 2, 33 + 32 * fields + more, 1 + 10 * fields) + bytes(20)
            head = bytes([version, chance.randint(95, 124)]) + day + sizes
            yield head + each + b"\x0d" + bytes(more) + b" text      " * fields + b"\x1a"
    for kind in (0, 1, 3, 5, 8, 11, 15, 31):
        head = b"\x00\x00\x27\x0a" + bytes(20) + struct.pack(">I", 50) + struct.pack("<II4d", 1000, kind, 1, 2, 3, 4)
        yield head + bytes(32) + chance.randbytes(300)
    yield b'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]]]'
    yield b'PROJCS["ETRS_1989_UTM_Zone_32N",GEOGCS["GCS_ETRS_1989",DATUM["D_ETRS_1989"]]]'


def lakes(chance: Random) -> Iterator[bytes]:
    stamp = chance.randint(10**12, 2 * 10**12)
    firsts = (
        f'{{"commitInfo":{{"timestamp":{stamp},"operation":"WRITE"}}}}',
        '{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}',
        '{"metaData":{"id":"a-b","format":{"provider":"parquet","options":{}},"schemaString":"{}"}}',
        f'{{"add":{{"path":"part-0.parquet","partitionValues":{{}},"size":1,"modificationTime":{stamp}}}}}',
        f'{{"remove":{{"path":"part-0.parquet","deletionTimestamp":{stamp}}}}}',
        '{"txn":{"appId":"a","version":1}}',
        f'{{"commitInfo": {{"timestamp": {stamp}, "operation": "MERGE"}}}}',
        f'{{"commitInfo":{{"operation":"WRITE","timestamp":{stamp}}}}}',
        f'{{"commitInfo":{{"inCommitTimestamp":{stamp},"timestamp":{stamp}}}}}',
    )
    yield from (f'{first}\n{{"add":{{"path":"part-1.parquet","size":1}}}}\n'.encode() for first in firsts)
    yield b'{"version":10,"size":13,"sizeInBytes":20000,"numOfAddFiles":9,"checkpointSchema":{}}'
    for space, colon in (("", ":"), ("  ", " : "), ("    ", ": ")):
        pairs = (f'"format-version"{colon}2', f'"table-uuid"{colon}"9c12d441"', f'"location"{colon}"s3://b/t"')
        yield ("{\n" + ",\n".join(space + pair for pair in pairs) + "\n}").encode()
    yield b'{"format-version":2,"table-uuid":"9c12d441-03fe-4693-9a96-a0705ddf69c1","location":"s3://b/t"}'
    yield b'{"location":"s3://b/t","table-uuid":"9c12d441","format-version":1,"schema":{"type":"struct"}}'
    yield b"Obj\x01\x04\x16avro.schema\xfe\x0f" + b'{"type":"record","name":"manifest_file"}' + chance.randbytes(90)


def markup(_: Random) -> Iterator[bytes]:
    table = "<table><tr><td>id</td><td>note</td></tr><tr><td>1</td><td>ä</td></tr></table>"
    excel = '<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta charset=utf-8></head><body>'
    texts = (
        f"<html><body>{table}</body></html>",
        f"\r\n\r\n<!DOCTYPE html>\r\n<html>{table}</html>",
        f"<!-- made by SAP -->\n<html><body>{table}",
        f"<table border='1' cellpadding='0'>{table[7:]}",
        f"<style>td {{mso-number-format: '\\@'}}</style>{table}",
        f"{excel}{table}",
        "<!doctype HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'><HTML><TITLE>Login</TITLE>",
        "<html lang='de'><head><title>503 Service Unavailable</title></head></html>",
        '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="x"><Worksheet/></Workbook>',
        '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022"><BkToCstmrStmt/></Document>',
        "<?xml version='1.0' standalone='yes'?>\n<!-- x -->\n<Invoice><ID>1</ID></Invoice>",
        "<orders>\n\t<order id='1'><note>x</note></order>\n</orders>",
        '<ns2:orders xmlns:ns2="urn:x"><ns2:order/></ns2:orders>',
    )
    for text in texts:
        yield text.encode()
        yield b"\xef\xbb\xbf" + text.encode()
        yield text.encode("utf-16")


def _tarred(form: int, *names: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = 8
            archive.addfile(info, io.BytesIO(b"id,note\n"))
    return out.getvalue()


def archives(chance: Random) -> Iterator[bytes]:
    for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        yield _tarred(form, "orders.csv")
        yield _tarred(form, "a/" * 60 + "orders.csv", "täglich.csv")
    yield b"7z\xbc\xaf\x27\x1c\x00\x04" + chance.randbytes(400)
    yield b"Rar!\x1a\x07\x01\x00" + chance.randbytes(400)
    yield b"Rar!\x1a\x07\x00" + chance.randbytes(400)
    yield b"MSCF\0\0\0\0" + chance.randbytes(400)
    yield lzma.compress(b"id,note\n")
    yield lzma.compress(b"id,note\n", lzma.FORMAT_ALONE)


def sealed(chance: Random) -> Iterator[bytes]:
    armour = "Version: GnuPG v2\n\nhQEMA1\n=abcd\n-----END PGP MESSAGE-----\n"
    for end in ("\n", "\r\n"):
        yield f"-----BEGIN PGP MESSAGE-----\n{armour}".replace("\n", end).encode()
        yield f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nid,note\n1,a\n{armour}".replace("\n", end).encode()
        yield f"\n-----BEGIN PGP MESSAGE-----\n{armour}".replace("\n", end).encode()
    for packet in (b"\x84\x5e\x03", b"\x85\x01\x0c\x03", b"\x85\x02\x0c\x03", b"\xc1\x4c\x03", b"\xc1\xc0\x4c\x03"):
        yield packet + chance.randbytes(700)
    for packet in (b"\x8c\x0d\x04\x09\x03\x08", b"\xc3\x0d\x04\x09\x03\x0a", b"\x8c\x0d\x04\x07\x03\x02"):
        yield packet + chance.randbytes(700)
    yield b"\xa3\x01\x5b" + chance.randbytes(700)
    yield b"\x90\x0d\x03\x00\x08\x11" + chance.randbytes(700)
    yield b"Salted__" + chance.randbytes(700)
    yield b"age-encryption.org/v1\n-> X25519 abc\n" + chance.randbytes(300)
    yield b"-----BEGIN PKCS7-----\nMIIC\n-----END PKCS7-----\n"


def mainframe(chance: Random) -> Iterator[bytes]:
    for code in ("cp037", "cp500", "cp1140", "cp273"):
        rows = [f"{chance.randrange(10**9):010}{chance.choice(WORDS):<20}{n:08}" for n in range(40)]
        yield "".join(rows).encode(code)
        yield "\x85".join(rows).encode(code)
        yield "".join(f"{row:<80}" for row in rows).encode(code)
        yield "ID,NAME,AMOUNT\n1,ANA,10.5\n2,BO,3".encode(code)
        yield b"".join(row[:30].encode(code) + b"\x00\x12\x34\x5c" for row in rows)  # packed decimals


def workbooks(_: Random) -> Iterator[bytes]:
    sheet = {"xl/workbook.xml": b"<workbook/>", "xl/worksheets/sheet1.xml": b"<worksheet/>" * 900}
    types = {"[Content_Types].xml": b"<Types/>" * 80}
    yield zipped(types | OFFICE | sheet)
    yield zipped(OFFICE | sheet | types)
    yield zipped({"_rels/.rels": b"<r/>" * 300} | types | sheet)
    yield zipped(sheet | types)
    yield zipped(types | OFFICE | {"xl/workbook.bin": b"\x83\x01\0"})
    yield zipped({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet", "content.xml": b"<x/>"}, 0)
    yield zipped(types | OFFICE | {"word/document.xml": b"<w/>"})
    for stream in ("", "Workbook", "EncryptedPackage", "WordDocument", "PowerPoint Document"):
        yield b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1_000) + stream.encode("utf-16-le").ljust(64, b"\0")


PAGES = ("a web page", "an XML document", "a workbook of a spreadsheet written as XML")
"""What markup is named; that of XML with another root has to name that."""
FORMS: dict[str, tuple[Callable[[Random], Iterator[bytes]], tuple[str, ...]]] = {
    "EDIFACT": (edifact, ("an EDIFACT interchange",)),
    "X12": (x12, ("an X12 interchange",)),
    "SWIFT": (swift, ("a message of SWIFT",)),
    "HL7": (hl7, ("a message of HL7",)),
    "SAS": (sas, ("a data set of SAS",)),
    "statistics": (statistics, ("a data set of SPSS", "a data set of Stata")),
    "tables": (tables, ("a table of dBase", "a shapefile", "a projection of a shapefile")),
    "lakes": (lakes, ("a log of a Delta table", "a metadata file of an Iceberg table", "Avro")),
    "markup": (markup, (*PAGES, "The root element is", "The file states the encoding")),
    "archives": (archives, ("a tar archive", "a 7-Zip", "a rar", "a cabinet", "compressed by")),
    "sealed": (sealed, ("encrypted", "a key or a certificate")),
    "mainframe": (mainframe, ("text in EBCDIC",)),
    "workbooks": (workbooks, ("a workbook", "an old workbook", "a document of", "a presentation")),
}
AGREED: dict[str, Plan] = {
    "csv": a_plan(),
    "csv, no header": a_plan(csv=Csv(header=False)),
    "csv, bars, no header": a_plan(csv=Csv(header=False, delimiter="|")),
    "csv, windows-1252": a_plan(csv=Csv(encoding="windows-1252", delimiter=";")),
    "csv, utf-16": a_plan(csv=Csv(encoding="utf-16")),
    "csv, over lines": a_plan(csv=Csv(multi_line=True)),
    "fixed": plan_of({}),
    "jsonl": a_plan(file_format="jsonl"),
    "json": a_plan(file_format="json"),
    "xml": a_plan(file_format="xml", xml=Xml("Orders/Order")),
    "parquet": a_plan(file_format="parquet"),
    "csv by gzip": a_plan(compression="gzip"),
    "csv by zstd": a_plan(compression="zstd"),
    "csv in zip": a_plan(archive=Archive("zip", "*.csv")),
    "jsonl in zip": a_plan(archive=Archive("zip", "*", "ignore"), file_format="jsonl"),
}
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "zstd": zstd.compress,
    "zip": lambda body: zipped({"a.csv": body}),
}


def named(plan: Plan, body: bytes, names: tuple[str, ...]) -> bool:
    """Return True if a file is refused, and its form is named."""
    problems = admit(plan, "a/b", len(body), lambda start, length: body[start : start + length]).problems
    return any(p.level == "error" and name in p.message for p in problems for name in names)


@pytest.mark.parametrize("agreed", AGREED)
@pytest.mark.parametrize("form", FORMS)
def test_whole_file_of_another_form_is_named(form: str, agreed: str) -> None:
    make, names = FORMS[form]
    plan = AGREED[agreed]
    bodies = [body for seed in range(5) for body in make(Random(seed))]
    assert [body[:60] for body in bodies if not named(plan, body, names)] == []
    if plan.packing != "none":
        pack = PACK[plan.packing]
        assert [body[:60] for body in bodies if not named(plan, pack(body), names)] == []


def test_plain_document_of_the_agreed_form_is_not_compressed() -> None:
    plan, body = replace(AGREED["xml"], compression="gzip"), b"<?xml version='1.0'?><Orders><Order/></Orders>"
    (problem,) = admit(plan, "a/b", len(body), lambda start, length: body[start : start + length]).problems
    assert (problem.code, problem.fix) == ("not-compressed", "Compress it with gzip.")


@pytest.mark.parametrize("encoding", encodings.NAMES)
def test_text_in_any_encoding_is_of_no_form(encoding: str) -> None:
    chance, letters = Random(encoding), _letters(encoding)
    for length in (3, 30, 3_000):
        for ends in ("\n", "\r\n", ""):
            words = ("".join(chance.choices(letters, k=length)) for _ in range(40))
            body = "".join(f"{word}{chance.choice(',; |')}1{ends}" for word in words).encode(encoding)
            assert foreign_forms.of_bytes(body) is None, body[:60]


def _letters(encoding: str) -> list[str]:
    """All letters that an encoding has."""
    spans = (range(0xC0, 0x530), range(0x5D0, 0x5EB), range(0x621, 0x64B), range(0xE01, 0xE31), range(0x3041, 0x30FB))
    wide = (range(0x4E00, 0x9FA5), range(0xAC00, 0xD7A4))
    own = [chr(c) for span in (*spans, *wide) for c in span if chr(c).isalpha() and chr(c).encode(encoding, "ignore")]
    return own or [*string.ascii_letters]
