"""Files of a contract as people send them, by chance: most records good, some not, some lines no record at all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from xml.sax.saxutils import escape

from contracts import rules
from contracts.plan import Csv, Plan, Property, Xml
from contracts.terms.trailer import LONGEST_LINE, Footer, Trailer
from tests.oracle import documents, fixed, leaders, sheets
from tests.oracle.contracts import Contract
from tests.oracle.forms import bare, ways
from tests.oracle.headers import OTHERS, in_place, sent
from tests.oracle.judging import GOOD, NULL, of_cell, sums
from tests.oracle.records import Cell, agreed, content, errors
from tests.packing import packed

SHARES = (0, 0, 0.01, 0.05, 0.3)
"""Of the cells of a file, how many are bad."""
ODD_TOTALS = ("", "x", "1,5", "-1", "+3", "1e3", " 1", "9" * 61)
"""Cells of a trailer that say another number, or none."""


@dataclass(frozen=True, slots=True)
class Pools:
    """Cells of a property, told apart by whether they fail."""

    good: tuple[str, ...]
    bad: tuple[str, ...]


def pools(contract: Contract) -> dict[str, Pools]:
    """The cells of each column, good ones and others."""
    by_property = {}
    for prop in (p for p in contract.plan.properties if p.name in contract.cells):
        texts = tuple(way for text in contract.cells[prop.name] for way in ways(text, prop))
        good = tuple(t for t in texts if _is_good(contract.plan, prop, t))
        by_property[prop.name] = Pools(good or texts, tuple(t for t in texts if t not in good) or texts)
    return by_property


def _is_good(plan: Plan, prop: Property, text: str) -> bool:
    own = bare(text, prop)
    null = own in (plan.csv.nulls_of(prop) if plan.has_cells else (prop.form and prop.form.nulls) or ())
    cell = Cell(None, None) if null else agreed(own, prop)
    checks = [c for c in plan.row_checks() if c.property == prop.name and not isinstance(c.rule, rules.ForeignKey)]
    return all(of_cell(c, plan, cell) in (GOOD, NULL) for c in checks)


def headers(chance: Random, plan: Plan) -> list[tuple[str, ...]]:
    """The headers that files of a contract come with: the contract's, in another order, with more and fewer columns."""
    names = [p.name for p in plan.properties]
    if plan.read_as != "csv" or not plan.csv.header:
        return [tuple(names)]
    by_position = plan.columns.match == "byPosition"
    names = in_place(plan, names)
    other = [*names] if by_position else chance.sample(names, len(names))
    if by_position:
        other = [*names, *(("more", "more 2", "nameless") if plan.columns.extra == "ignore" else ())]
        return [tuple(names), tuple(other), (*names, "_record", "_reasons")]
    if plan.columns.missing != "reject":
        other = [n for n in other if plan.property_named(n).required or chance.random() < 0.8]
    if plan.columns.extra != "reject":
        other.insert(chance.randint(0, len(other)), "more")
    if plan.columns.extra == "ignore":
        names_of_others = chance.choice(((), ("more 2",), ("nameless",), tuple(OTHERS)))
        for name in names_of_others:
            other.insert(chance.randint(0, len(other)), name)
    return [tuple(names), tuple(in_place(plan, other) or names), (*names, "_record", "_reasons")]


def rows(
    chance: Random, header: Sequence[str], cells: dict[str, Pools], count: int, share: float
) -> list[dict[str, str]]:
    """Records of cells by name, so many, of which a share of cells is bad."""
    other = Pools(("1", "a"), ("x",))
    return [{n: _cell(chance, cells.get(n, other), share) for n in header} for _ in range(count)]


def _cell(chance: Random, pool: Pools, share: float) -> str:
    return chance.choice(pool.bad if chance.random() < share else pool.good)


def a_file(chance: Random, contract: Contract, header: tuple[str, ...], cells: dict[str, Pools]) -> bytes:
    """A file of CSV or JSON Lines."""
    plan = contract.plan
    count = chance.choice((0, 1, 2, 5, 12, 30))
    made = rows(chance, header, cells, count, chance.choice(SHARES))
    if plan.fixed:
        return _fixed(chance, plan, made)
    if plan.xml:
        return _document(chance, plan, plan.xml, made)
    write: Callable[[Random, Plan, Sequence[dict[str, str]]], list[str]] = _json if plan.read_as == "jsonl" else _csv
    lines = write(chance, plan, made)
    if chance.random() < 0.5:
        odd = JSON_LINES if plan.read_as == "jsonl" else _odd_lines(chance, plan, header)
        for _ in range(chance.choice((1, 1, 3))):
            lines.insert(chance.randint(0, len(lines)), chance.choice(odd))
    if plan.file_format == "csv" and plan.csv.footer:
        lines += _footer(chance, plan.csv, plan.csv.footer)
    if plan.file_format == "csv" and plan.csv.trailer:
        _end(chance, plan, plan.csv.trailer, header, lines)
    if plan.read_as == "csv":
        lines[:0] = _above(chance, plan.csv, sent(chance, plan, header))
    if plan.csv.trailing_delimiter:
        lines = [line + plan.csv.delimiter * (chance.random() < 0.6) if line else line for line in lines]
    return _encoded(chance, plan, lines)


def _fixed(chance: Random, plan: Plan, made: Sequence[dict[str, str]], *, odd: bool = True) -> bytes:
    """A file of fixed width."""
    lines = [fixed.line(plan, row) for row in made]
    if odd and lines and chance.random() < 0.5:
        for _ in range(chance.choice((1, 1, 3))):
            lines.insert(chance.randint(0, len(lines)), chance.choice(fixed.odd_lines(chance, plan, lines[0])))
    if rule := plan.csv.trailer:
        bare = replace(plan, compression="none", csv=replace(plan.csv, leader=None))
        held = content(bare, (), _encoded(Random(1), bare, lines))
        totals = sums(plan, held)
        figures = [str(len(held.records)), *(ways(str(totals[n]), plan.property_named(n))[0] for n in rule.sums)]
        at = chance.randrange(len(figures))
        other = [*figures[:at], chance.choice(ODD_TOTALS)[:40], *figures[at + 1 :]]
        last = [fixed.last_line(plan, chance.choice((*([figures] * 5), other)) if odd else figures)]
        ends = (*([last] * 8), [], last * 2, [f"{last[0]}\0"], [last[0][:8]], [*last, ""])
        lines += chance.choice(ends) if odd else last
    if plan.csv.leader:
        lines.insert(0, fixed.first_line(chance, plan, odd=odd))
    return _encoded(chance, plan, lines)


def _footer(chance: Random, csv: Csv, rule: Footer) -> list[str]:
    """A footer; now and then none, or a longer one."""
    first = chance.choice((rule.begins, f"{rule.begins}{csv.delimiter}1", _quoted(csv, rule.begins, always=True)))
    more = [
        chance.choice(("", "1", csv.delimiter * 2, "x", rule.begins)) for _ in range(chance.randrange(rule.lines + 1))
    ]
    return chance.choice(([first, *more], [first, *more], [first], []))


def _above(chance: Random, csv: Csv, header: Sequence[str], *, odd: bool = True) -> list[str]:
    """The lines above the records: a note for spreadsheets, a title, a leader, the header in one line or two, units."""
    separator = [f"sep={csv.delimiter}"] if csv.separator_line and chance.random() < 0.5 else []
    titles = ["", "A report", csv.delimiter.join(("Title", "x", "2")), csv.delimiter * 3, "1"]
    count = csv.skip_rows or (chance.randrange(4) if csv.skip_until else 0)
    skipped = [chance.choice(titles) for _ in range(count)]
    lines = [_leader(chance, csv, odd=odd)] if csv.leader else []
    lines += _headed(chance, csv, header) if csv.header else []
    for _ in range(chance.choice((0, 1, 2)) if csv.comment_char and lines else 0):
        lines.insert(chance.randrange(len(lines)), chance.choice((csv.comment_char, f"{csv.comment_char}{csv.quote}x")))
    return [*separator, *skipped, *lines]


def _leader(chance: Random, csv: Csv, *, odd: bool) -> str:
    cells = leaders.drawn(chance, csv, odd=odd)
    return csv.delimiter.join(_quoted(csv, cell, always=chance.random() < 0.2) for cell in cells)


def _headed(chance: Random, csv: Csv, header: Sequence[str]) -> list[str]:
    """The rows of column names and of units."""
    halves = [name.partition(" ")[::2] if len(csv.header_rows) > 1 else (name, "") for name in header]
    rows = dict(zip(csv.header_rows, zip(*halves, strict=True), strict=False))
    rows |= {n: [chance.choice(("EUR", "", "m2")) for _ in header] for n in csv.comment_rows}
    return [csv.delimiter.join(_quoted(csv, c, always="\n" in c) for c in rows[n]) for n in sorted(rows)]


def _end(chance: Random, plan: Plan, rule: Trailer, header: tuple[str, ...], lines: list[str]) -> None:
    """Put the trailer behind the lines of a file; now and then none, another, or at another place."""
    if (cells := _totals(plan, rule, header, lines)) is None:
        return
    at = chance.randrange(1, len(cells))
    odd = [*cells[:at], chance.choice((*ODD_TOTALS, f"00{cells[at]}")), *cells[at + 1 :]]
    made = chance.choice((*([cells] * 8), odd, odd, odd, cells[:at], [*cells, "more"]))
    always, delimiter = chance.random() < 0.3, plan.csv.delimiter
    blank = chance.choice(("", " ")) if always else ""
    line = f"{blank}{delimiter}".join(_quoted(plan.csv, cell, always=always) for cell in made)
    line += chance.choice((*[""] * 20, *(delimiter + more for more in _odd_ends(plan.csv.quote or '"'))))
    end = len(lines)
    for place in chance.choice((*([[end]] * 8), [], [0], [0, end], [end, end])):
        lines.insert(place, line)
    lines += chance.choice(([], [], [], ["", ""]))


def _totals(plan: Plan, rule: Trailer, header: tuple[str, ...], lines: Sequence[str]) -> list[str] | None:
    """The cells of the trailer of these lines; none if they are no records."""
    body = "".join(f"{line}\n" for line in lines).encode(plan.csv.encoding, errors(plan.csv.encoding))
    bare = replace(plan.csv, header=False, skip_rows=0, skip_until=None, separator_line=False, leader=None)
    skipped = tuple(f"?skipped{n}" for n in range(plan.csv.skip_columns))
    held = content(replace(plan, compression="none", archive=None, csv=bare), (*skipped, *header), body)
    if held.refused:
        return None
    totals = sums(plan, held)
    figures = (ways(str(totals[name]), plan.property_named(name))[0] for name in rule.sums)
    return [rule.begins, str(len(held.records)), *figures]


def _odd_ends(quote: str) -> tuple[str, ...]:
    """Last cells of trailers that are as they may be, and such that nothing of a trailer can be read."""
    return (
        f"{quote}x{quote} ",
        f"{quote}x",
        f"{quote}x{quote}y",
        f"x{quote}",
        "\0",
        "\udcff",
        "\ufffd",
        "x" * LONGEST_LINE,
    )


def a_plain_file(
    chance: Random, contract: Contract, header: tuple[str, ...], cells: dict[str, Pools], share: float
) -> bytes:
    """A short file of CSV or JSON Lines in which every line is a record; so many of its cells are bad."""
    plan = contract.plan
    made = rows(chance, header, cells, chance.choice((0, 1, 1, 2, 3, 10)), share)
    if plan.fixed:
        return _fixed(chance, plan, made, odd=False)
    if plan.xml:
        return _document(chance, plan, plan.xml, made, odd=False)
    lines = (_json if plan.read_as == "jsonl" else _csv)(chance, plan, made)
    if plan.file_format == "csv":
        lines += _below(plan, header, lines)
    if plan.read_as == "csv":
        lines[:0] = _above(chance, plan.csv, sent(chance, plan, header), odd=False)
    return _encoded(chance, plan, lines)


def _below(plan: Plan, header: tuple[str, ...], lines: Sequence[str]) -> list[str]:
    """The agreed lines below these records."""
    if plan.csv.footer:
        return [_quoted(plan.csv, plan.csv.footer.begins)]
    cells = _totals(plan, plan.csv.trailer, header, lines) if plan.csv.trailer else None
    return [plan.csv.delimiter.join(_quoted(plan.csv, cell) for cell in cells)] if cells else []


def _encoded(chance: Random, plan: Plan, lines: Sequence[str]) -> bytes:
    """Lines as bytes: with the line ends, the mark and the damage that a text comes with."""
    if plan.sheet:
        return sheets.drawn(chance, plan, lines)
    if plan.json:
        text = documents.drawn(chance, plan.json.keys, lines)
        data = chance.choice((b"", b"", b"\xef\xbb\xbf")) + text.encode("utf-8", "surrogateescape")
        return packed(plan, data, chance.randint(0, len(data))) if plan.packing != "none" else data
    if end := plan.csv.record_delimiter:
        own = [line if not n and plan.csv.header else _other_ends(chance, line) for n, line in enumerate(lines)]
        text = end.join([*own, *([""] if chance.random() < 0.8 else [])])
        return text.encode(plan.csv.encoding, "surrogateescape" if plan.csv.encoding == "utf-8" else "replace")
    ends = ("\n", "\r\n") if plan.csv.multi_line else ("\n", "\n", "\r\n", "\r", "mixed")
    end = chance.choice(ends)
    text = "".join(line + (chance.choice(ends[:4]) if end == "mixed" else end) for line in lines)
    if chance.random() < 0.2:
        text = text.rstrip("\r\n")
    encoding = "utf-8" if plan.read_as == "jsonl" else plan.csv.encoding
    is_kept = encoding.startswith("utf-") or (plan.fixed is not None and plan.fixed.unit == "bytes")
    text = text.replace("\ufffd", "?") if not encoding.startswith("utf-") and is_kept else text
    data = text.encode(encoding, errors(encoding) if is_kept else "replace")
    if encoding == "utf-8" and chance.random() < 0.1:
        data = b"\xef\xbb\xbf" + data
    return data if plan.packing == "none" else packed(plan, data, chance.randint(0, len(data)))


def _other_ends(chance: Random, line: str) -> str:
    """Return a line with the ends of other lines in it, now and then."""
    at = chance.randint(0, len(line)) if chance.random() < 0.2 else 0
    return line[:at] + chance.choice(("\r", "\x85", "\u2028", "\x0b")) + line[at:] if at else line


def _csv(chance: Random, plan: Plan, made: Sequence[dict[str, str]]) -> list[str]:
    always = chance.random() < 0.3
    rows = (_aside(chance, plan.csv, [*row.values()]) for row in made)
    return [plan.csv.delimiter.join(_quoted(plan.csv, t, always=always) for t in row) for row in rows]


def _aside(chance: Random, csv: Csv, cells: list[str]) -> list[str]:
    """The cells of a row with those before them that no column has; where rows have types, the first says which."""
    own = [*(chance.choice(("", "1", "x", csv.record.lower())) for _ in range(csv.skip_columns)), *cells]
    return [csv.record, *own[1:]] if csv.record and chance.random() < 0.95 else own


def _quoted(csv: Csv, text: str, *, always: bool = False) -> str:
    """A cell as a good writer writes it; where there are no quotes, without what needs them."""
    if csv.unquoted_escape and text != "\\N":
        text = text.replace("\\", "\\\\").replace(csv.delimiter, f"\\{csv.delimiter}")
        return text.replace("\n", "\\n").replace("\r", "\\r")
    if not csv.quote:
        return text.replace(csv.delimiter, "")
    if not always and not any(c in text for c in (csv.quote, csv.delimiter, csv.escape)):
        return text
    inner = text if csv.escape == csv.quote else text.replace(csv.escape, csv.escape * 2)
    return csv.quote + inner.replace(csv.quote, csv.escape + csv.quote) + csv.quote


def _odd_lines(chance: Random, plan: Plan, header: Sequence[str]) -> list[str]:
    """Lines that are no record of a header, or only just one."""
    d, q = plan.csv.delimiter, plan.csv.quote or '"'
    plain = _aside(chance, plan.csv, ["1"] * len(header))
    width = len(plain)
    first, last, at = ["1", *plain[1:]], [*plain[:-1], "1"], chance.randrange(width)
    lines = [
        *("", "", d.join(plain) + d, d.join(plain[1:]), d.join([*plain, "2"]), d * (width - 1), d.join(header)),
        *("#" + d.join(plain), "a\0" + d.join(plain), d.join(plain) + "\udcff", "\ufeff" + d.join(plain), " "),
    ]
    bad = ["\udcc0\udcaf", "\udced\udca0\udc80", "\udce9", "\ufffd", "\0", f"1{q}", f"5{q}x{q}", f"{q}a{q}b"]
    bad += [f"{q}1{q} ", f" {q}1{q}", f"{q}{q}", f"{q}{q}{q}{q}", f"{q}a{d}b{q}", f"{q}a{q}{q}b{q}", "\ta"]
    lines += [d.join([*plain[:at], cell, *plain[at + 1 :]]) for cell in bad]
    if plan.csv.unquoted_escape:
        odd = ("\\q", "\\", "\\\\N", "\\N", "\\Nx", "a\\N", f"\\{d}", "\\t\\\\t", "\\\\", "\\n")
        lines += [d.join([*plain[:at], cell, *plain[at + 1 :]]) for cell in odd]
    if not plan.csv.multi_line:
        lines += [q + d.join(first), d.join([*last[:-1], q + "1"]), d.join([*plain[:at], q + "1", *plain[at + 1 :]])]
        lines.append(d.join([f"5{q}x", q + "a", *plain[2:]]))
    if plan.csv.record:
        own = (f"{q}{plan.csv.record}{q}", f"{q}{plan.csv.record}{q} ", f"{plan.csv.record} ", plan.csv.record.lower())
        lines += [d.join([cell, *plain[1:]]) for cell in (*own, f" {plan.csv.record}", f"{q}{plan.csv.record}", "\0")]
    if plan.csv.comment_char:
        lines += [
            plan.csv.comment_char,
            f"{plan.csv.comment_char} {q}",
            f"{q}{plan.csv.comment_char}{q}{d * (width - 1)}",
        ]
    return lines


NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no document of XML has."""
ODD_ELEMENTS = (
    *("", "x", "<other/>", '<other a="1">b<c/></other>', "<c0>1</c0><c0>2</c0>", "<c0>a<b/></c0>", "<c0><b/></c0>"),
    *('<c0 a="b">1</c0>', "<c0> 1\n</c0>", "<c0><![CDATA[1]]></c0>", "<c0><!-- c -->1<?p i?></c0>", "<c0/>"),
    *('<c0 xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"/>', "<c0>&#49;&amp;</c0>", "<C0>1</C0>"),
    *('<c0 xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="1">1</c0>', '<c0 xmlns="urn:x">1</c0>'),
)


def _document(chance: Random, plan: Plan, xml: Xml, made: Sequence[dict[str, str]], *, odd: bool = True) -> bytes:
    """A document of XML with these records, now and then with odd ones among them, in any encoding that it states."""
    *outer, own = (step.removeprefix("t:") for step in xml.record.split("/"))
    uri = xml.namespaces.get("", "")
    attributes = f' xmlns="{uri}"' if uri else ""
    prefix = "p:" if "t" in xml.namespaces else ""
    attributes += f' xmlns:p="{xml.namespaces["t"]}"' if prefix else ""
    between = chance.choice(("", "\n", "\r\n  "))
    records = []
    for row in made:
        kept = [(name, text) for name, text in row.items() if text or chance.random() < 0.3]
        kept = [(plan.property_named(name).headings[0], text) for name, text in kept]
        inner = [f"<{name}>{escape(NO_XML.sub('x', text))}</{name}>" for name, text in kept]
        inner = inner if chance.random() < 0.8 else chance.sample(inner, len(inner))
        records.append(f"<{own}>{between.join(['', *inner, ''])}</{own}>")
    for _ in range(chance.choice((0, 1, 3)) if odd else 0):
        records.insert(chance.randint(0, len(records)), f"<{own}>{chance.choice(ODD_ELEMENTS)}</{own}>")
    head = "".join(f"<{prefix}{name}{attributes if not n else ''}>" for n, name in enumerate(outer))
    text = head + between.join(["", *records, ""]) + "".join(f"</{prefix}{name}>" for name in reversed(outer))
    encoding = chance.choice(("utf-8", "utf-8", "utf-16"))
    data = f'<?xml version="1.0" encoding="{encoding}"?>{text}'.encode(encoding)
    return data if plan.packing == "none" else packed(plan, data, chance.randint(0, len(data)))


def _json(chance: Random, plan: Plan, made: Sequence[dict[str, str]]) -> list[str]:
    return [_json_line(chance, plan, row) for row in made]


def _json_line(chance: Random, plan: Plan, row: dict[str, str]) -> str:
    members = []
    for prop, text in ((plan.property_named(name), text) for name, text in row.items()):
        name = prop.headings[0]
        if text == "" and chance.random() < 0.7:
            if chance.random() < 0.5:
                members.append(f"{json.dumps(name)}: null")
            continue
        members.append(f"{json.dumps(name, ensure_ascii=False)}: {_token(chance, prop, text)}")
    if chance.random() < 0.02:
        members.append('"other": [1, {"a": null}]')
    return "{" + ", ".join(members) + "}"


def _token(chance: Random, prop: Property, text: str) -> str:
    """A cell as JSON: bare where its type is, if that can be; now and then as another type."""
    bare = prop.type in ("integer", "number", "boolean")
    if bare and _is_json(text) and chance.random() < (0.5 if prop.form else 0.97):
        return text
    return json.dumps(text, ensure_ascii=chance.random() < 0.3)


def _is_json(text: str) -> bool:
    try:
        return not isinstance(json.loads(text), str)
    except ValueError:
        return False


JSON_LINES = [
    *("", "", "[1]", "5", "null", "{", "{}", '{"a": 1', '{"a": 1} {"a": 2}', '{"a": 1}x', "[{}]", '"a"', "{} ", "\t{}"),
    *('{"c0": 1, "c0": 2}', '{"c0": "\\ud83d"}', '{"c0": "\\u0000"}', '{"c0": "\0"}', '{"c0": "\udcff"}', '{"c0": 01}'),
    *(
        '{"c0": NaN}',
        "{'c0': 1}",
        '{"c0": 1e999}',
        '{"c0": -0}',
        '{"c0": 1.0}',
        '{"c0": {"a": 1, "a": 2}}',
        '{"c0": [1]}',
    ),
    *('{"c0": "\ufffd"}', '{"c0": "\\ud83d\\ude00"}', '\ufeff{"c0": 1}', '{"C0": 1}', '{"c0": true}', '{"c0": "a\tb"}'),
    *(
        '{"c0": 1,}',
        '{"c0" 1}',
        "{c0: 1}",
        '{"": 1}',
        '{"_record": 1}',
        '{"c0": "\\x"}',
        '{"c0": 1} // x',
        '{"c0": +1}',
    ),
    *(
        '{"c0": .5}',
        '{"c0": 1.}',
        '{"c0": 1e5}',
        '{"c0": tru}',
        "{},",
        "{}{}",
        "{}]",
        "{}}",
        '{"c0": 12345678901234567890}',
    ),
]
"""Lines that are no object, or only just one."""
