"""The terminal output: verdicts, lists of drops, one drop."""

from __future__ import annotations

import unicodedata
from typing import Any

import click
import pytest

from infra.cli.output.render import drop_detail, drops_table, trial_table, verdict_text

MAXIMUM: dict[str, Any] = {
    "id": "wind.maximum",
    "kind": "maximum",
    "property": "wind",
    "dimension": "conformity",
    "severity": "error",
    "result": "failed",
    "evaluated": 1000,
    "success": 980,
    "failed": 12,
    "null": 8,
    "observed": "1048.36",
    "expected": "<= 100",
    "reason": None,
    "samples": [
        {"record": 17, "value": "1048.36", "note": None},
        {"record": 1023, "value": None, "note": "also in record 9"},
    ],
}
PASSED = MAXIMUM | {"id": "wind.minimum", "result": "passed", "failed": 0, "samples": []}
NO_FIGURES: dict[str, Any] = {
    "evaluated": None,
    "success": None,
    "failed": None,
    "null": None,
    "observed": None,
    "samples": [],
}
NOT_MADE = MAXIMUM | {"id": "gust.maximum", "result": "not_evaluated", "reason": "allowed-missing"} | NO_FIGURES
TOO_FAST: dict[str, Any] = {
    "code": "check-maximum",
    "message": "`wind` is above the maximum of `100` in 12 of 1,000 records (1.2 %).",
    "fix": "Correct `wind` in these rows.",
    "level": "error",
    "record": 17,
    "property": "wind",
    "check": "wind.maximum",
}


def a_document(verdict: str | None = "rejected", **changes: Any) -> dict[str, Any]:
    return {
        "verdict": verdict,
        "contract": {"id": "weather", "version": "1.2.0", "plan": "sha256:0123456789abcdef"},
        "file": {"name": "weather.csv", "size": 1536, "sha256": None},
        "rows": {"read": 1000, "valid": 988, "rejected": 12},
        "checks": [],
        "problems": [],
        "failure": None,
    } | changes


def test_rejected_text_says_everything_in_order() -> None:
    document = a_document(checks=[PASSED, NOT_MADE, MAXIMUM], problems=[TOO_FAST])

    assert verdict_text(document, 80) == (
        "✕ REJECTED  weather.csv: 12 of 1,000 records (1.2 %) are rejected.\n"
        "  weather 1.2.0 · rules 0123456789ab · 1,536 bytes\n"
        "\n"
        "What to fix\n"
        "  ✕ `wind` is above the maximum of `100` in 12 of 1,000 records (1.2 %). First\n"
        "    in record 17: “1048.36”.\n"
        "    → Correct `wind` in these rows.\n"
        "\n"
        "Checks\n"
        "  failed    wind.maximum  12 of 1,000; expected <= 100\n"
        "            record 17 “1048.36” · record 1,023 (also in record 9)\n"
        "  not run   1 check: the column is missing, which the contract allows\n            (gust.maximum)\n"
        "  passed    1 check\n"
    )


@pytest.mark.parametrize(
    ("document", "first"),
    [
        (
            a_document("accepted", rows={"read": 1000, "valid": 1000, "rejected": 0}),
            "✓ ACCEPTED  weather.csv: all 1,000 records are valid.",
        ),
        (
            a_document("accepted", rows={"read": 1, "valid": 1, "rejected": 0}),
            "✓ ACCEPTED  weather.csv: its only record is valid.",
        ),
        (
            a_document("accepted", rows={"read": 0, "valid": 0, "rejected": 0}),
            "✓ ACCEPTED  weather.csv: it holds no records.",
        ),
        (
            a_document("accepted_with_warnings", rows={"read": 9999, "valid": 9998, "rejected": 1}),
            "! ACCEPTED WITH WARNINGS  weather.csv: 1 of 9,999 records is rejected, which is within the tolerance.",
        ),
        (
            a_document(rows={"read": 1000, "valid": 1000, "rejected": 0}),
            "✕ REJECTED  weather.csv: the file as a whole breaks its contract.",
        ),
        (
            a_document(rows={"read": None, "valid": None, "rejected": None}),
            "✕ REJECTED  weather.csv: rejected before its records were read.",
        ),
        (
            a_document(None, failure=TOO_FAST),
            "? NOT JUDGED  weather.csv: we could not judge it; nothing is known to be wrong with the file.",
        ),
    ],
    ids=["accepted", "one-record", "no-records", "with-warnings", "as-a-whole", "turned-back", "failed"],
)
def test_first_line_says_verdict_and_why(document: dict[str, Any], first: str) -> None:
    assert verdict_text(document, 160).splitlines()[0] == first


def test_failed_text_shows_no_findings() -> None:
    failure = TOO_FAST | {"message": "The job stopped twice.", "fix": "You need do nothing."}
    text = verdict_text(a_document(None, failure=failure, checks=[MAXIMUM]), 80)

    assert "The job stopped twice.\nYou need do nothing.\n" in text
    assert "REJECTED" not in text
    assert "wind" not in text


def test_warnings_have_their_own_block() -> None:
    soft = TOO_FAST | {"level": "warning", "record": None}

    assert "Also check\n  ! `wind`" in verdict_text(a_document(problems=[TOO_FAST, soft]), 80)
    assert "Warnings\n  ! `wind`" in verdict_text(a_document("accepted_with_warnings", problems=[soft]), 80)


def test_masked_or_empty_first_value_is_not_shown() -> None:
    for value in ("***", "", None):
        check = MAXIMUM | {"samples": [{"record": 17, "value": value, "note": None}]}
        assert "First in record 17.\n" in verdict_text(a_document(checks=[check], problems=[TOO_FAST]), 160)


def test_first_record_says_what_is_noted_of_it() -> None:
    check = MAXIMUM | {"samples": [{"record": 17, "value": None, "note": "7 cells"}]}
    assert "First in record 17 (7 cells).\n" in verdict_text(a_document(checks=[check], problems=[TOO_FAST]), 160)


def test_checks_that_nobody_could_make_stand_on_one_line() -> None:
    idle = [NOT_MADE | {"id": f"c{n}.maximum", "reason": "no-rows"} for n in range(13)]

    text = verdict_text(a_document(checks=idle), 160)

    assert "not run   13 checks: the file has no record (c0.maximum, c1.maximum, c2.maximum, ...)" in text
    assert text.count("not run") == 1


def test_row_count_shows_the_figure_seen() -> None:
    count = MAXIMUM | {"id": "rowCount", "kind": "rowCount", "observed": "1000", "expected": ">= 2,000 records"}

    assert "rowCount  1000; expected >= 2,000 records" in verdict_text(a_document(checks=[count]), 80)


def test_many_problems_are_cut_and_counted() -> None:
    text = verdict_text(a_document(problems=[TOO_FAST] * 15), 80)

    assert text.count("→") == 12
    assert "and 3 more; --format json lists every one" in text


@pytest.mark.parametrize("width", [40, 80, 120])
def test_lines_fit_the_width(width: int) -> None:
    long = "one two " * 50 + "x" * 300
    check = MAXIMUM | {"id": "y" * 90, "expected": long, "samples": [{"record": 1, "value": long, "note": long}] * 5}
    document = a_document(checks=[check], problems=[TOO_FAST | {"message": long, "fix": long}])

    assert max(map(len, verdict_text(document, width).splitlines())) <= width


def test_plain_text_has_the_same_words() -> None:
    document = a_document(checks=[PASSED, MAXIMUM], problems=[TOO_FAST])

    coloured = verdict_text(document, 80, colour=True)

    assert "\x1b[" in coloured
    assert click.unstyle(coloured) == verdict_text(document, 80)


def test_strangers_cannot_command_the_terminal() -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\u202e\r\n"
    sample = {"record": 1, "value": evil, "note": evil}
    document = a_document(
        file={"name": evil, "size": 1, "sha256": None},
        checks=[MAXIMUM | {"id": evil, "expected": evil, "samples": [sample]}],
        problems=[TOO_FAST | {"message": evil, "fix": evil}],
    )
    row = a_row(key=evil, contract=evil)
    shown = verdict_text(document, 80) + drops_table([row], 160) + drop_detail(row, [], {"receipt": evil}, 80)

    assert {c for c in shown if unicodedata.category(c)[0] == "C"} == {"\n"}
    assert r"\u001b[2J\u202e\r\n" in shown


def a_row(**changes: Any) -> dict[str, Any]:
    return {
        "id": "k3v7q2m5w6xajdhz4tn2p3rbysfc7u5e",
        "state": "rejected",
        "contract": "weather.v1",
        "key": "nyc/weather.csv",
        "size": 1_234_567,
        "received_at": "2026-11-21T12:30:05.123Z",
        "changed_at": "2026-11-21T12:31:44Z",
        "read": 26_115,
        "rejected": 12,
    } | changes


def test_table_lists_a_drop_a_line() -> None:
    rows = [a_row(), a_row(state="unmatched", contract=None, read=None, rejected=None)]

    header, first, second = drops_table(rows, 160).splitlines()

    assert header.split() == ["ID", "STATE", "CONTRACT", "KEY", "SIZE", "RECEIVED", "CHANGED", "READ", "REJECTED"]
    assert first.split()[:5] == ["k3v7q2m5w6", "✕", "rejected", "weather.v1", "nyc/weather.csv"]
    assert first.split()[-2:] == ["26,115", "12"]
    assert second.split()[-2:] == ["-", "-"]


def test_rejected_and_failed_look_different() -> None:
    lines = drops_table([a_row(), a_row(state="failed")], 160, colour=True).splitlines()

    assert "\x1b[31m✕ rejected" in lines[1]
    assert "\x1b[35m? failed" in lines[2]


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_table_fits_and_keeps_ends_of_keys(width: int) -> None:
    lines = drops_table(
        [a_row(key="nyc/" + "deep/" * 60 + "weather.csv", state="accepted_with_warnings")], width
    ).splitlines()

    assert max(map(len, lines)) <= width
    assert "ther.csv" in lines[1]
    assert lines[0].endswith("REJECTED")


def test_no_drops_is_said() -> None:
    assert drops_table([]) == "No drops.\n"


def test_detail_tells_record_history_and_links() -> None:
    drop = {"id": "k3v7", "state": "failed", "key": "nyc/weather.csv", "attempt": 2, "size": 1_536, "contract": None}
    history: list[dict[str, Any]] = [
        {"at": "2026-11-21T12:30:05.123Z", "state": "received"},
        {"at": "2026-11-21T12:31:44Z", "state": "failed", "attempt": 2, "note": "The job stopped twice."},
    ]

    assert drop_detail(drop, history, {"receipt": "s3://internal/reports/receipt.html"}, 80) == (
        "? failed  nyc/weather.csv\n"
        "  id       k3v7\n"
        "  attempt  2\n"
        "  size     1,536\n"
        "\n"
        "History\n"
        "  2026-11-21 12:30:05  … received\n"
        "  2026-11-21 12:31:44  ? failed (attempt 2)  The job stopped twice.\n"
        "\n"
        "Where to look\n"
        "  receipt  s3://internal/reports/receipt.html\n"
    )


def test_trial_shows_verdict_beside_verdict() -> None:
    def row(drop: str, change: str, now: Any) -> dict[str, Any]:
        then = {"verdict": "accepted", "rows": {"read": 9, "valid": 9, "rejected": 0}}
        at = "2026-01-31T12:00:01.000000Z"
        return {"drop": drop * 12, "key": f"orders/{drop}.csv", "received_at": at, "change": change} | {
            "then": then,
            "now": now,
        }

    problems = [{"message": f"{n} is wrong."} for n in range(5)]
    rejected = {"verdict": "rejected", "rows": {"rejected": 1_200}, "problems": problems, "failure": None}
    broken: dict[str, Any] = {
        "verdict": None,
        "rows": None,
        "problems": [],
        "failure": {"message": "The check could not run."},
    }
    rows = [row("a", "worse", rejected), row("b", "failed", broken), row("c", "gone", None)]

    assert trial_table(rows, 100) == (
        "DROP        RECEIVED             KEY                THEN                    NOW\n"
        "aaaaaaaaaa  2026-01-31 12:00:01  orders/a.csv       ✓ accepted              ✕ rejected, 1,200 rows\n"
        "            0 is wrong.\n"
        "            1 is wrong.\n"
        "            2 is wrong.\n"
        "            and 2 more\n"
        "bbbbbbbbbb  2026-01-31 12:00:01  orders/b.csv       ✓ accepted              ? failed\n"
        "            The check could not run.\n"
        "cccccccccc  2026-01-31 12:00:01  orders/c.csv       ✓ accepted              no longer kept\n"
    )
