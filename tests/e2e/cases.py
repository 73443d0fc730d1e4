"""Every way a file can be wrong that the flow promises an answer for: what is sent, and how it must end.

docs/bad-input.md is made from this table and from what the flow really answered.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

HEADER = b"id,name,amount,day\n"
GOOD = HEADER + b"1,Ana,10.5,2026-01-31\n2,,,\n"
ENDED = b"id|amount\n1|10.50\n2|1.50\n"
MIB = 1024 * 1024
EVENTS = b'{"id": 1, "name": "Ana", "amount": 10.5, "day": "2026-01-31"}\n{"id": 2, "name": null}\n'
PACKED = gzip.compress(GOOD)
THINGS = (Path(__file__).parents[1] / "unit" / "functions" / "things.parquet").read_bytes()


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
    Case("a key that no contract claims", "oders/1.csv", GOOD, "unmatched", ("unmatched",), "flow"),
)
