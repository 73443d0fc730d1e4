"""Files that people may give to `dropgate init`, good and strange: a name and bytes each, by their oddity."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tests.e2e.sections import SECTIONS
from tests.oracle import damage, hostile
from tests.oracle.samples import table

ROWS = 30
"""Records of a made file: enough for proposals, few enough to be quick."""
NAMES = (
    *(
        "",
        " ",
        "a",
        "A",
        "a.b",
        "a b",
        'a"b',
        "a'b",
        "a,b",
        "a;b",
        "a\tb",
        "a\nb",
        "a\r\nb",
        "ä",
        "a\u0308",
        "日本",
        "🙂",
    ),
    *("_record", "_reasons", "a`b", "a[b]", "a[]", "*", "~", "#", "{{x}}", "${env:HOME}", "%s", "\\", "\x00", "\x07"),
    *(
        "\u200b",
        "\u202e",
        "\ufeffa",
        "null",
        "NaN",
        "1",
        "1.5",
        "true",
        "2026-01-31",
        "- a",
        "a: b",
        "!!x",
        "&a",
        "yes",
    ),
    *("x" * 300, "select", "a/b", "$a", "@a", "=1+1", "a\u2028b", "İ", "ß", "\ud7ff", "\ue000"),
)
"""Names of columns and keys."""
ENCODINGS = (
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "latin-1", "cp1252", "cp1251"),
    *("shift_jis", "euc_kr", "gb18030", "utf-7", "cp500", "iso-8859-15", "mac_roman", "big5"),
)
DATES = (
    *("%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%Y%m%d", "%Y/%m/%d", "%d %b %Y", "%b %d, %Y"),
    *("%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M", "%d/%m/%Y %H:%M:%S", "%H:%M", "%H:%M:%S", "%y%m%d"),
    *("%Y-W%V-%u", "%Y-%j", "%s", "%I:%M %p", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S+02:00", "%Y", "%Y-%m", "%c"),
)
JSON_VALUES = (
    *("null", "true", '""', '"x"', "0", "-0", "1.5", "1e400", "-1e400", "1e-400", "1E5", "9" * 400, "0." + "1" * 400),
    *("9223372036854775807", "9223372036854775808", "18446744073709551616", "[]", "{}", "[[]]", "[{}]", '{"": 1}'),
    *('[1, "x"]', "[null]", '{"a": {"b": {"c": [1]}}}', '"\\ud800"', '"\\u0000"', '"\\ud83d\\ude00"', '"2026-01-31"'),
    *("NaN", "Infinity", "-Infinity", "01", "+1", ".5", "1.", "'x'", "{a: 1}", "[1,]", '{"a": 1,}', '{"a": 1, "a": 2}'),
    *('"\\x"', '"\t"', "undefined", "1 2", '"' + "y" * 5000 + '"', "[" * 50 + "]" * 50, '{"a":' * 30 + "1" + "}" * 30),
    *("[" * 1500 + "]" * 1500, '{"a":' * 1500 + "1" + "}" * 1500, "1e99999999999", "1e-99999999999", "-", '{"a.b": 1}'),
)
TEXTS = (
    *(
        b"",
        b"\n",
        b"\r",
        b"\r\n\r\n",
        b" ",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\x00",
        b"\x00" * 1000,
        b"\x1a",
    ),
    *(
        b"a",
        b"a\n",
        b"a\n1",
        b"a\n1\n",
        b"1\n2\n3\n",
        b",\n,\n",
        b",,,",
        b'"',
        b'""',
        b'"a\n',
        b"'a'\n'b'\n",
        b"a,b\n1\n",
    ),
    *(b"a,b\n1,2,3\n", b"a,a\n1,2\n", b"a,\n1,2\n", b"sep=;\na;b\n1;2\n", b"# a comment\na,b\n1,2\n", b"a\tb\n1\t2\n"),
    *(b"a b\n1 2\n", b"a|b\n1|2\n", b"a::b\n1::2\n", b"%PDF-1.7\n", b"PK\x03\x04", b"<html>\n<body></body>\n", b"ORC"),
    *(
        b"PAR1",
        b"PAR1PAR1",
        b"PAR1\x00\x00\x00\x00PAR1",
        b"PAR1" + b"\xff" * 8 + b"PAR1",
        b"Obj\x01",
        b"SQLite format 3\0",
    ),
    *(
        b"[]",
        b"{}",
        b"{}\n{}\n",
        b"[{}]\n",
        b"null\n",
        b'"a"\n',
        b"[1]\n[2]\n",
        b'{"a": 1}',
        b'{"a": 1}\n\n{"a": 2}\n',
        b"{",
    ),
    *(b'{"a": 1}{"a": 2}\n', b'{\n"a": 1\n}\n', b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
    *(
        b"\x1f\x8b",
        b"\x1f\x8b\x08\x00" + b"\0" * 20,
        b"x" * 300_000,
        b"x," * 5_000 + b"\n",
        b"a\n" * 10,
        b"\n\n\na,b\n1,2\n",
    ),
    *(b"a,b\r1,2\r", b"a,b\n1,2\r\n3,4\n", b"a,b\n\n1,2\n\n", b'a,b\n"1\n2",3\n', b'a,b\n"1""2",3\n', b'a,b\n1"2,3\n'),
    *(
        b"a,b\n\xff,1\n",
        b"a,b\n\xc3,1\n",
        b"a,b\n\xed\xa0\x80,1\n",
        b"a,b\n\x85,1\n",
        b"a\x0bb\n1\x0b2\n",
        b"a\x1cb\n1\x1c2\n",
    ),
)


ENDINGS = ("a.csv", "b.jsonl", "c.parquet", "d")


def packed(body: bytes) -> Iterator[tuple[str, bytes]]:
    """A file under gzip, whole and broken."""
    whole = gzip.compress(body, mtime=0)
    yield "whole", whole
    yield "cut", whole[:-4]
    yield "cut short", whole[: len(whole) // 2]
    yield "with garbage behind", whole + b"garbage"
    yield "with zeros behind", whole + bytes(64)
    yield "twice", gzip.compress(whole, mtime=0)
    yield "in two members", whole + whole
    yield "damaged", whole[:12] + bytes([whole[12] ^ 255]) + whole[13:]


def _csv(names: tuple[str, ...], cell: str, delimiter: str = ",") -> str:
    def written(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if any(c in text for c in f'"\r\n{delimiter}') else text

    rows = [names, *(tuple(cell if n else str(at) for n, _ in enumerate(names)) for at in range(ROWS))]
    return "".join(delimiter.join(map(written, row)) + "\n" for row in rows)


GOOD = _csv(("id", "word", "day"), "2026-01-31")
LINES = "".join(f'{{"id": {n}, "word": "w{n}"}}\n' for n in range(ROWS))


def files() -> Iterator[tuple[str, str, bytes]]:
    """Yield what is strange in a file, its name, its bytes; no Parquet."""
    for made in (_whole, _named, _encoded, _dated, _celled, _valued, _delimited):
        yield from made()


def _whole() -> Iterator[tuple[str, str, bytes]]:
    """Texts of a few lines under all endings, files of the whole flow, and files under gzip."""
    for n, body in enumerate(TEXTS):
        for ending in (".csv", ".json", ".csv.gz", ""):
            yield f"text {n}", f"text-{n}{ending}", body
        yield f"text {n} packed", f"text-{n}.csv.gz", gzip.compress(body, mtime=0)
    # The oracle's reader of workbooks knows no ODS, and no formulas without a result.
    for case in (case for name, cases in SECTIONS.items() if name != "Workbooks" for case in cases):
        yield f"case {case.name}", case.key.rpartition("/")[2][-60:] or "folder", case.body
    for how, body in packed(GOOD.encode()):
        yield f"gzip {how}", "things.csv.gz", body
    for how, body in packed(LINES.encode()):
        yield f"gzip of JSON Lines {how}", "t.jsonl", body


def _named() -> Iterator[tuple[str, str, bytes]]:
    for name in NAMES:
        yield f"CSV header {name!r}", "things.csv", _csv(("id", name, "day"), "2026-01-31").encode("utf-8", "replace")
        yield f"CSV header twice {name!r}", "things.csv", _csv((name, "id", name), "x").encode("utf-8", "replace")
        yield f"key {name!r}", "t.jsonl", _lines({"id": 1, name: 2})
        yield f"inner key {name!r}", "t.jsonl", _lines({"id": 1, "in": {name: 2}})


def _encoded() -> Iterator[tuple[str, str, bytes]]:
    for encoding in ENCODINGS:
        for text in (GOOD, GOOD.replace("word", "wört"), LINES, GOOD.replace("2026-01-31", "€ “x” ÿ")):
            yield f"encoding {encoding}", "things.csv", text.encode(encoding, "replace")


def _dated() -> Iterator[tuple[str, str, bytes]]:
    for form in DATES:
        days = [_day(form, n) for n in range(ROWS)]
        alone = "".join(f"{n},{day}\n" for n, day in enumerate(days))
        yield f"dates {form}", "things.csv", f"id,day\n{alone}".encode()
        yield f"dates {form} alone", "things.csv", alone.encode()
        yield f"dates {form} in JSON", "t.jsonl", b"".join(json.dumps({"day": day}).encode() + b"\n" for day in days)


def _celled() -> Iterator[tuple[str, str, bytes]]:
    for kind, cells in hostile.CELLS.items():
        for cell in (*cells, *hostile.ANY):
            yield f"cell {cell!r} as {kind}", "things.csv", _csv(("id", "cell"), cell).encode("utf-8", "replace")
            yield f"text {cell!r} as {kind}", "t.jsonl", _lines({"id": 1, "cell": cell})
        mixed = "".join(f'{n},"{c.replace(chr(34), chr(34) * 2)}"\n' for n, c in enumerate(cells))
        yield f"all cells of {kind}", "things.csv", f"id,cell\n{mixed}".encode("utf-8", "replace")


def _valued() -> Iterator[tuple[str, str, bytes]]:
    for value in JSON_VALUES:
        yield f"value {value[:40]}", "t.jsonl", "".join(f'{{"id": {n}, "v": {value}}}\n' for n in range(ROWS)).encode()
        yield f"values {value[:40]} once", "t.jsonl", f'{{"v": {value}}}\n'.encode() + LINES.encode()
        yield f"bare value {value[:40]}", "t.json", f"{value}\n".encode() * 3


def _delimited() -> Iterator[tuple[str, str, bytes]]:
    for delimiter in (",", ";", "\t", "|", ":", "^", "~", " ", "\x01", "\x1f", "ü", "§"):
        yield f"delimiter {delimiter!r}", "things.csv", _csv(("id", "word", "day"), "x y", delimiter).encode()


def _lines(record: dict[str, Any]) -> bytes:
    return (json.dumps(record) + "\n").encode() * ROWS


def _day(form: str, n: int) -> str:
    return (datetime(2026, 1, 1, 9, 30, tzinfo=UTC) + timedelta(days=17 * n, seconds=41 * n)).strftime(form)


def damaged(seed: object, count: int) -> Iterator[tuple[str, str, bytes]]:
    """Good files after accidents, by chance."""
    chance = Random(f"{seed}")
    for n in range(count):
        target = chance.choice([name for name in damage.TARGETS if not name.startswith("parquet")])
        plan, body = damage.TARGETS[target]
        yield f"damaged {target} {n}", f"things{plan.suffix}", damage.damaged(chance, body)
        made = table(f"{seed} {n}")
        yield f"damaged table {n}", f"things{made.ending}", damage.damaged(chance, made.written())
        yield (
            f"noise {n}",
            chance.choice(["a.csv", "b.jsonl", "c.parquet", "d"]),
            chance.randbytes(chance.randint(1, 400)),
        )
