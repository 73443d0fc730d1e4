"""Forms of files that are not accepted: the first bytes in; the form, and the form to send instead, out. Pure.

A form is recognised by bytes that its own specification requires. Signs that plain text may begin with count only if
control characters follow, or if more of the form is there.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

HEAD = 512
"""The first bytes, in which the signs of a form must be."""
UNPACK, DATA, EXPORT = "Unpack it, and send", "Export its records, and send them as", "Send the records themselves as"
SHEET = "Save the sheet as"


@dataclass(frozen=True, slots=True)
class Form:
    """The kind of a file, in words behind `The file is`, and its fix, in words before the agreed format.

    `key` is what a contract says of files in this form; empty if none can.
    """

    name: str
    fix: str = EXPORT
    packs: bool = False
    key: str = ""


@dataclass(frozen=True, slots=True)
class _Sign:
    form: Form
    start: bytes
    binary: bool = True
    """False if a file of text may also begin with the sign: then a control character must follow."""


def _packed(name: str, key: str = "") -> Form:
    return Form(name, UNPACK, packs=True, key=key)


GZIP = _packed("compressed by gzip", "compression: gzip")
ZIP = _packed("a zip archive", "archive: {format: zip}")
BZIP2 = _packed("compressed by bzip2", "compression: bzip2")
ZSTD = _packed("compressed by Zstandard", "compression: zstd")
WORKBOOK = Form("a workbook of a spreadsheet", SHEET)
XLSX, ODS = replace(WORKBOOK, key="format: xlsx"), replace(WORKBOOK, key="format: ods")
OLD_WORKBOOK = Form("an old workbook of a spreadsheet", SHEET)
XLS = replace(OLD_WORKBOOK, key="format: xls")
WORKBOOKS = (WORKBOOK, XLSX, ODS, OLD_WORKBOOK, XLS)
DOCUMENT = Form("a document of a word processor")
SLIDES = Form("a presentation")
PICTURE = Form("a picture")
RECORDING = Form("a sound or a film")
PROGRAM = Form("a program", "Look for a mix-up, and send the records as")
SIGNED = Form("encrypted or signed by PGP", "Decrypt it, and send")
SEALED = Form("encrypted", "Decrypt it, and send")
TAR = _packed("a tar archive")
SAS, SPSS, STATA = Form("a data set of SAS", DATA), Form("a data set of SPSS", DATA), Form("a data set of Stata", DATA)
DBF, SHAPE = Form("a table of dBase (DBF)", DATA), Form("a shapefile", "Export its attributes, and send them as")
PROJECTION = Form("the projection of a shapefile", "Export the attributes of the shapefile, and send them as")
EBCDIC = Form("text in EBCDIC", "Convert it to the agreed encoding on the way out of the mainframe, and send it as")
HTML = Form("a web page (HTML)", "Check whether the download or the login failed, and send the file itself as")
SHEET_HTML = Form("a web page (HTML) with a table, as some programs write for a workbook", SHEET)
TABLE = re.compile(r"<table\b|schemas-microsoft-com:office", re.IGNORECASE)
SHEET_XML = Form("a workbook of a spreadsheet written as XML", SHEET)
XML = Form("an XML document", key="format: xml")
LFS = Form("a pointer of Git LFS, not the file that it stands for", "Run `git lfs pull`, and send the file itself as")
EDIFACT, X12 = Form("an EDIFACT interchange"), Form("an X12 interchange")
MT, HL7 = Form("a message of SWIFT, such as MT940"), Form("a message of HL7")
DELTA = Form("a log of a Delta table", "Export the table's records, and send them as")
ICEBERG = Form("a metadata file of an Iceberg table", "Export the table's records, and send them as")
DUMP = Form("a dump of a database", "Export the table, and send it as")
MAIL = Form("an e-mail", "Save what is attached, and send it as")
CARD = Form("a calendar or an address card")
KEY = Form("a key or a certificate (PEM)", "Never send a private key; send the records as")
SCRIPT = Form("a document in a language of printers or word processors")
DATABASE = Form("a database file", "Export the table, and send it as")

LOCKED = Form("a document of Office with a password", "Save its sheet without a password as")
COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
STREAMS = {"EncryptedPackage": LOCKED, "WordDocument": DOCUMENT, "PowerPoint Document": SLIDES, "__substg1.0_": MAIL}
"""The streams of compound files that are no workbooks, by which they are told (MS-CFB, MS-OFFCRYPTO)."""
PARQUET = Form("Parquet", "Write the file as plain", key="format: parquet")
BINARY = (
    _Sign(GZIP, b"\x1f\x8b"),
    _Sign(_packed("compressed by compress"), b"\x1f\x9d"),
    _Sign(ZSTD, b"\x28\xb5\x2f\xfd"),
    *(_Sign(ZSTD, b"%c\x2a\x4d\x18" % n) for n in range(0x50, 0x60)),
    _Sign(BZIP2, b"BZh91AY&SY"),
    _Sign(BZIP2, b"BZh", binary=False),
    _Sign(_packed("compressed by xz"), b"\xfd7zXZ\x00"),
    _Sign(_packed("compressed by LZMA"), b"\x5d\x00\x00"),
    _Sign(_packed("compressed by LZ4"), b"\x04\x22\x4d\x18"),
    _Sign(_packed("compressed by LZ4"), b"\x02\x21\x4c\x18"),
    _Sign(_packed("compressed by Snappy"), b"\xff\x06\x00\x00sNaPpY"),
    _Sign(_packed("compressed by lzip"), b"LZIP\x01"),
    _Sign(_packed("compressed by lzop"), b"\x89LZO\x00"),
    _Sign(ZIP, b"PK\x03\x04"),
    _Sign(ZIP, b"PK\x05\x06"),
    _Sign(ZIP, b"PK\x07\x08"),
    _Sign(_packed("a 7-Zip archive"), b"7z\xbc\xaf\x27\x1c"),
    _Sign(_packed("a rar archive"), b"Rar!\x1a\x07"),
    _Sign(_packed("a cabinet archive"), b"MSCF\x00\x00"),
    _Sign(XLS, COMPOUND),
    _Sign(OLD_WORKBOOK, b"\x09\x08\x10\x00\x00\x06\x05\x00"),
    _Sign(OLD_WORKBOOK, b"\x09\x08\x08\x00\x00\x05"),
    _Sign(OLD_WORKBOOK, b"\x09\x04\x06\x00\x00\x00"),
    _Sign(OLD_WORKBOOK, b"\x09\x02\x06\x00\x00\x00"),
    _Sign(OLD_WORKBOOK, b"\x09\x00\x04\x00"),
    _Sign(PARQUET, b"PAR1", binary=False),
    _Sign(Form("encrypted Parquet", "Write the file as plain"), b"PARE", binary=False),
    _Sign(Form("ORC", "Write the file as plain"), b"ORC", binary=False),
    _Sign(Form("Avro", "Write the file as plain"), b"Obj\x01"),
    _Sign(Form("Arrow", "Write the file as plain"), b"ARROW1\x00\x00"),
    _Sign(Form("Arrow", "Write the file as plain"), b"\xff\xff\xff\xff"),
    _Sign(Form("Feather", "Write the file as plain"), b"FEA1", binary=False),
    _Sign(Form("HDF5", DATA), b"\x89HDF\r\n\x1a\n"),
    _Sign(Form("NetCDF", DATA), b"CDF\x01"),
    _Sign(Form("NetCDF", DATA), b"CDF\x02"),
    _Sign(Form("NetCDF", DATA), b"CDF\x05"),
    _Sign(Form("data of NumPy", DATA), b"\x93NUMPY"),
    _Sign(Form("data of R", DATA), b"RDX2\nX\n"),
    _Sign(Form("data of R", DATA), b"RDX3\nX\n"),
    _Sign(DATABASE, b"SQLite format 3\x00"),
    _Sign(DATABASE, b"\x00\x01\x00\x00Standard "),
    _Sign(DUMP, b"PGDMP", binary=False),
    _Sign(SAS, b"\x00" * 12 + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11"),
    _Sign(SAS, b"HEADER RECORD*******LIB"),
    _Sign(SAS, b"**COMPRESSED** **COMPRESSED**"),
    _Sign(SPSS, b"$FL2@(#)"),
    _Sign(SPSS, b"$FL3@(#)"),
    _Sign(STATA, b"<stata_dta>"),
    _Sign(SHAPE, b"\x00\x00\x27\x0a" + b"\x00" * 20),
    _Sign(Form("a PDF", "Ask for the data behind it, and send it as"), b"%PDF-"),
    _Sign(SCRIPT, b"%!PS"),
    _Sign(SCRIPT, b"{\\rtf"),
    _Sign(PICTURE, b"\x89PNG\r\n\x1a\n"),
    _Sign(PICTURE, b"\xff\xd8\xff"),
    _Sign(PICTURE, b"GIF87a", binary=False),
    _Sign(PICTURE, b"GIF89a", binary=False),
    _Sign(PICTURE, b"II*\x00"),
    _Sign(PICTURE, b"MM\x00*"),
    _Sign(PICTURE, b"BM", binary=False),
    _Sign(RECORDING, b"OggS\x00"),
    _Sign(RECORDING, b"ID3", binary=False),
    _Sign(PROGRAM, b"\x7fELF"),
    _Sign(PROGRAM, b"MZ", binary=False),
    _Sign(SIGNED, b"\xa3\x01"),
    _Sign(SIGNED, b"\xa3\x02"),
    _Sign(SIGNED, b"\xa3\x03"),
    _Sign(SEALED, b"Salted__"),
    _Sign(SEALED, b"age-encryption.org/"),
)
"""The beginnings of files of bytes."""
CONTAINERS = {b"WEBP": PICTURE, b"WAVE": RECORDING, b"AVI ": RECORDING}
INSIDE = (
    (b"\nxl/workbook.bin", WORKBOOK),
    (b"\nxl/vbaProject.bin", WORKBOOK),
    (b"\nxl/", XLSX),
    (b"application/vnd.oasis.opendocument.spreadsheet", ODS),
    (b"\nword/", DOCUMENT),
    (b"application/vnd.oasis.opendocument.text", DOCUMENT),
    (b"\nppt/", SLIDES),
    (b"application/vnd.oasis.opendocument.presentation", SLIDES),
    (b"\n[Content_Types].xml", WORKBOOK),
    (b"\ndocProps/", WORKBOOK),
    (b"\n_rels/.rels", WORKBOOK),
    (b".shp", _packed("a zip archive with a shapefile")),
    (b"META-INF/MANIFEST.MF", PROGRAM),
)
"""The names, each in a line, in the first bytes of a zip archive that is more than that (ECMA-376, OpenDocument)."""
MEMBER = re.compile(rb"PK\x03\x04.{22}(..)..", re.DOTALL)
"""The head of a member, with the length of its name, which follows (PKWARE, APPNOTE 4.3.7)."""
MIMETYPE = slice(0, 128)
"""The bytes in which an OpenDocument file states its kind: it is the content of its first member."""
SECRET = re.compile(
    rb"\x84.\x03|\x85..\x03|\xc1.{1,2}\x03|[\x8c\xc3][\x04\x0d\x2e]\x04|\x90\x0d\x03[\x00\x01]|\xc4\x0d\x03[\x00\x01]",
    re.DOTALL,
)
"""Packets of a session key (RFC 4880, 5.1 and 5.3): versions 3 and 4; those before signed data (5.4)."""
CERTAIN = (
    (re.compile(rb"\s*UNA.{5}[^\s\w]\s*UNB[+\x1d]|UNB\x1dUN", re.DOTALL), EDIFACT),
    (re.compile(rb"\s*-----BEGIN PGP [A-Z ]+-----\r?\n(?:[A-Z][a-z]+: [^\n]*\n)*\s*\n"), SIGNED),
    (re.compile(rb'\s*(?:GEOG|PROJ)C(?:S|RS)\[\s*"[^"\n]+",'), PROJECTION),
    (re.compile(rb"\x01\{1:[FAL]\d\d[A-Z]{6}"), MT),
    (re.compile(rb"\x0b(?:MSH|FHS|BHS)[^\s\w]{5}"), HL7),
)
"""The beginnings of files of text that are no data by any contract."""
TEXTS: tuple[tuple[re.Pattern[str], Form], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), form)
    for pattern, form in (
        (r"version https://git-lfs\.github\.com/spec/", LFS),
        (r"\s*-----BEGIN PGP ", SIGNED),
        (r"\s*-----BEGIN [A-Z0-9 ]+-----", KEY),
        (r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<\?mso-application progid=.Excel", SHEET_XML),
        (r"\s*(?:<\?xml[^>]*>\s*)?<Workbook\b", SHEET_XML),
        (r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<!DOCTYPE html", HTML),
        (
            r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<(?:html|head|body|title|meta|script|style|table|div|center)\b",
            HTML,
        ),
        (r"\s*<\?xml\b", XML),
        (r"\s*<!DOCTYPE\b", XML),
        (r"\s*<(?P<e>[A-Za-z_][\w.:-]*)(?:\s[^<>]*)?>\s*<[A-Za-z!?/]", XML),
        (r"\s*UNA.{5}.\s*UNB", EDIFACT),
        (r"UNB[+\x1d]UN[A-Z]{2}", EDIFACT),
        (r"ISA(?P<d>[^A-Za-z0-9\s]).{2}(?P=d).{10}(?P=d)", X12),
        (r"\s*\{1:[FAL]\d\d[A-Z]{6}", MT),
        (r"\s*:20:[^\n]*\s+:(?:21|25|28C?):", MT),
        (r"\s*(?:MSH|FHS|BHS)(?P<f>[^A-Za-z0-9\s])[^A-Za-z0-9\s]{3,5}?(?P=f)", HL7),
        (r"BEGIN:V(?:CALENDAR|CARD)\b", CARD),
        (r"(?:Return-Path|Received|MIME-Version|Delivered-To|X-[\w-]+): [^\n]*\n(?:[\w-]+:|\s)", MAIL),
        (r"-- (?:MySQL|MariaDB|PostgreSQL|SQLite)[^\n]*dump|--\s*\n-- PostgreSQL database", DUMP),
        (r"\s*(?:INSERT INTO|CREATE TABLE|DROP TABLE|SET NAMES|BEGIN TRANSACTION)\b[^\n]*[(;]", DUMP),
        (r"ASCII SPSS PORT FILE", SPSS),
        (
            (
                r"\s*\{\s*\"(?:commitInfo|protocol|metaData|add|remove|txn|domainMetadata)\"\s*:\s*\{[^{}]{0,400}"
                r"\"(?:timestamp|minReaderVersion|format|path|appId|domain)\""
            ),
            DELTA,
        ),
        (
            r"\s*\{\s*\"version\"\s*:\s*\d+\s*,\s*\"size\"\s*:\s*\d+\s*,\s*\"(?:sizeInBytes|parts|numOfAddFiles)\"",
            DELTA,
        ),
        (r"(?=\s*\{\s*\")(?=.{0,1500}\"format-version\"\s*:).{0,1500}\"table-uuid\"\s*:", ICEBERG),
    )
)
"""The beginnings of files of text in formats that are not taken."""
ERROR = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<Error>\s*<Code>(?P<code>[A-Za-z0-9.]{1,60})</Code>")
"""An answer of Amazon S3 to a request that failed (API reference, "Error responses"); other stores answer alike."""
AZURE = re.compile(
    "(?:Blob|Container)[A-Za-z]+|ResourceNotFound|AuthenticationFailed|InvalidAuthenticationInfo|AuthorizationFailure"
    "|AuthorizationPermissionMismatch|PublicAccessNotPermitted|AccountIsDisabled|ServerBusy|OperationTimedOut"
)
"""Codes of Azure Storage that S3 does not have (REST API, "Common error codes", "Blob Storage error codes")."""
DBF_VERSIONS = (0x02, 0x03, 0x30, 0x31, 0x32, 0x43, 0x63, 0x83, 0x8B, 0xCB, 0xF5, 0xFB)
"""The first byte of tables by dBase III and later, FoxBASE, FoxPro and Clipper."""
LETTERS = frozenset(b"\x40" + bytes([*range(0x81, 0x8A), *range(0x91, 0x9A), *range(0xA2, 0xAA)]))
CAPITALS = frozenset(bytes([*range(0xC1, 0xCA), *range(0xD1, 0xDA), *range(0xE2, 0xEA), *range(0xF0, 0xFA)]))
SIGNS = frozenset(b"\x4b\x4c\x4d\x4e\x4f\x50\x5a\x5b\x5c\x5d\x5e\x60\x61\x6b\x6c\x6d\x6e\x6f\x7a\x7b\x7c\x7d\x7e\x7f")
ENDS = frozenset(b"\x00\x0c\x0d\x15\x25")


def of_bytes(sample: bytes) -> Form | None:
    """Return the form of a file that is not text, by its first bytes; None if they are of no form in the list."""
    for sign in BINARY:
        if sample.startswith(sign.start) and (sign.binary or _has_control(sample)):
            if sign.form is not ZIP:  # a compound file says by the names of its streams what it is
                streams = STREAMS.items() if sample.startswith(COMPOUND) else ()
                return next((form for name, form in streams if name.encode("utf-16-le") in sample), sign.form)
            heads = ((head.end(), int.from_bytes(head[1], "little")) for head in MEMBER.finditer(sample))
            names = b"".join(b"\n" + sample[at : at + length] for at, length in heads)  # of its first members
            if names.startswith(b"\nmimetype"):
                names += sample[MIMETYPE]
            return next((form for name, form in INSIDE if name in names), ZIP)
    return next((form for form in _shaped(sample) if form), None)


def _shaped(sample: bytes) -> Iterator[Form | None]:
    """The forms that have no one sign to begin with."""
    yield CONTAINERS.get(sample[8:12]) if sample.startswith(b"RIFF") else None
    yield RECORDING if sample[4:8] == b"ftyp" and _has_control(sample) else None
    yield TAR if _is_tar(sample) else None
    yield SIGNED if SECRET.match(sample) else None
    yield next((form for pattern, form in CERTAIN if pattern.match(sample.removeprefix(codecs.BOM_UTF8))), None)
    yield STATA if re.match(rb"[\x66-\x73][\x01\x02]\x01\x00", sample) else None
    yield DBF if _is_dbf(sample) or _is_old_dbf(sample) else None
    yield EBCDIC if _is_ebcdic(sample[:HEAD]) else None


def of_text(text: str) -> Form | None:
    """Return the form of a text in a format that is not taken, by its beginning; None if it is like none of them."""
    begin = text.removeprefix("\ufeff")
    if error := ERROR.match(begin):
        store = "Azure Storage" if AZURE.fullmatch(error["code"]) else "S3"
        name = f"an error message of {store} (`{error['code']}`), not the file that was asked for"
        return Form(name, "Find out why the download failed, and send the file itself as")
    form = next((form for pattern, form in TEXTS if pattern.match(begin)), None)
    return SHEET_HTML if form is HTML and TABLE.search(begin) else form


def _has_control(sample: bytes) -> bool:
    """Return True if the first bytes have control characters that no text has."""
    return any(byte < 0x09 or 0x0E <= byte < 0x20 for byte in sample[:64])


def _is_tar(sample: bytes) -> bool:
    """Return True for a tar archive, by its sign or by the sum of its first header (POSIX, pax)."""
    if len(sample) < HEAD:
        return False
    if sample[257:262] == b"ustar" and b"\0" in sample[:257]:
        return True
    try:
        checksum = int(sample[148:156].strip(b" \0") or b"x", 8)
    except ValueError:
        return False
    return checksum == sum(sample[:148]) + 8 * 0x20 + sum(sample[156:HEAD])


def _is_dbf(sample: bytes) -> bool:
    """Return True for a table of dBase: a version, a valid day, a header of whole fields, and a mark behind them."""
    if len(sample) < 33 or sample[0] not in DBF_VERSIONS or sample[12:14] != b"\0\0":
        return False
    length = int.from_bytes(sample[8:10], "little")
    if not (1 <= sample[2] <= 12 and 1 <= sample[3] <= 31 and length >= 65):
        return False
    return len(sample) < length or 0x0D in sample[64:length:32]


def _is_old_dbf(sample: bytes) -> bool:
    """Return True for a table of dBase II, whose header has room for 32 fields of 16 bytes."""
    if len(sample) < 24 or sample[0] != 0x02 or not (1 <= sample[3] <= 12 and 1 <= sample[4] <= 31):
        return False
    return sample[8:9].isalpha() and 0 in sample[9:19] and 0x0D in sample[24:521:16]


def _is_ebcdic(sample: bytes) -> bool:
    """Return True for text of a mainframe: letters, digits and signs of EBCDIC, hardly a blank or line end of ASCII.

    Other bytes are those of packed decimals, which are told from text only where there is enough of it.
    """
    size, others = len(sample), 0.2 if len(sample) >= 64 else 0.05
    if size < 20 or sum(byte in b" \n\t,;" for byte in sample) > (others - 0.05) * size / 3:
        return False
    letters = sum(byte in LETTERS or byte in CAPITALS for byte in sample)
    return letters >= 0.6 * size and letters + sum(b in SIGNS or b in ENDS for b in sample) >= (1 - others) * size
