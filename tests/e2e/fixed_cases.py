"""Cases of lines of fixed width, as `mainframe.v1` agrees on them: leader, records, trailer."""

from __future__ import annotations

from tests.e2e.cases import GOOD, Case

LEADER = "H20240131\n"
FIRST, SECOND = "D00471100012345Ana  \n", "D0047120000170-Bo   \n"
TRAILER = "T000002        12175\n"
LEDGER = LEADER + FIRST + SECOND + TRAILER
OF_FIRST = LEDGER.replace("12175", "12345")
"""The same with the sum of its first record alone, which is the sum if the second one is malformed."""


def _case(name: str, file: str, text: str | bytes, code: str, where: str) -> Case:
    body = text if isinstance(text, bytes) else text.encode()
    return Case(name, f"mainframe/20240131-{file}.txt", body, "rejected", (code,), where)


CASES = (
    Case("lines of fixed width", "mainframe/20240131-good.txt", LEDGER.encode(), "accepted", (), "job"),
    Case(
        "lines of fixed width that end with CR LF",
        "mainframe/20240131-crlf.txt",
        LEDGER.replace("\n", "\r\n").encode(),
        "accepted",
        (),
        "job",
    ),
    _case("a first line too short for its layout", "first", LEADER + FIRST[1:] + TRAILER, "line-length", "admission"),
    _case("a later line too short for its layout", "short", OF_FIRST.replace("Bo   ", "Bo"), "check-lineLength", "job"),
    _case("a line too long for its layout", "long", OF_FIRST.replace("Bo   ", "Bo    "), "check-lineLength", "job"),
    _case(
        "a character across the end of a field in bytes",
        "cut",
        OF_FIRST.replace("D0047120", "D00471ä"),
        "check-wholeCharacters",
        "job",
    ),
    _case(
        "a kind of record that nobody knows", "kind", OF_FIRST.replace("D004712", "X004712"), "check-recordType", "job"
    ),
    _case(
        "a leader of fixed width with another date",
        "date",
        LEDGER.replace("0131", "0201"),
        "leader-differs",
        "admission",
    ),
    _case("fixed width without its leader", "headless", FIRST + TRAILER, "leader-missing", "admission"),
    _case("fixed width without its trailer", "cut-off", LEADER + FIRST + SECOND, "trailer-missing", "job"),
    _case("a trailer of fixed width with another sum", "sum", LEDGER.replace("12175", "12176"), "sum-differs", "job"),
    _case("records without line ends", "endless", LEDGER.replace("\n", "") * 2, "no-line-ends", "admission"),
    _case("CSV where fixed width is agreed", "csv", GOOD, "wrong-format", "admission"),
    _case("EBCDIC where fixed width is agreed", "ebcdic", LEDGER.encode("cp037"), "wrong-format", "admission"),
)
