"""The receipt: what a producer reads, that it is whole, and that nothing in a file can harm its reader."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from decimal import Decimal
from html.parser import HTMLParser
from typing import Any

import pytest

from contracts import rules
from contracts.decision import CheckResult, Decision, File, Rows
from contracts.job import Sample
from contracts.place import Place
from contracts.plan import Check, Plan, Property, Threshold
from contracts.problem import Problem
from contracts.terms.notices import Contact
from contracts.verdict import fail, refuse
from functions.records.receipt import Receipt, masked, render_html, render_json, worst_first

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
FEW = Threshold("mustBeLessThan", (Decimal(10),), "percent")
LESS = Threshold("mustBeLessThan", (Decimal(5),))
PLAN = Plan(
    contract="weather.v1",
    id="weather",
    version="1.2.0",
    object="weather",
    producer="nyc",
    files=("nyc/*.csv",),
    properties=(
        Property("wind", "number"),
        Property("station", "string", classification="confidential"),
        Property("note", "string", classification="public"),
    ),
    checks=(
        Check("wind.maximum", rules.Maximum(value="100"), "row", "error", "conformity", "<= 100", "wind"),
        Check("station.pattern", rules.Pattern(pattern="^A"), "row", "error", "conformity", "matching ^A", "station"),
        Check("station.nullValues", rules.NullValues(), "set", "error", "completeness", "", "station", FEW),
        Check("note.pattern", rules.Pattern(pattern="^A"), "row", "error", "conformity", "matching ^A", "note"),
    ),
)
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


def an_outcome(name: str = "wind.maximum", result: Any = "failed", **changes: Any) -> CheckResult:
    prop, _, kind = name.rpartition(".")
    samples = (Sample(Place(17), "1048.36"), Sample(Place(23), None), Sample(Place(24), "250", "also in record 9"))
    fresh = CheckResult(
        name, kind, prop, "conformity", "error", result, 1000, 988, 12, 0, "1048.36", "<= 100", None, samples
    )
    return replace(fresh, **changes)


def a_receipt(decision: Decision, **changes: Any) -> Receipt:
    fresh = Receipt(
        drop="k3v7q2m5w6xajdhz4tn2p3rbysfc7u5e",
        attempt=2,
        key="nyc/weather.csv",
        received_at="2026-11-21T12:30:05.123Z",
        decided_at="2026-11-21T12:31:44Z",
        decision=decision,
        plan=PLAN,
        file=File("weather.csv", 1536, "ab" * 32),
    )
    return replace(fresh, **changes)


TOO_FAST = Problem(
    "check-maximum", "`wind` is above 100.", "Correct `wind`.", "error", Place(17), "wind", "wind.maximum"
)
REJECTED = Decision("rejected", Rows(1000, 988, 12), (an_outcome(), an_outcome("note.required", "passed")), (TOO_FAST,))
ACCEPTED = Decision("accepted", Rows(1000, 1000, 0), (an_outcome("note.required", "passed", failed=0, samples=()),))
LATE = Problem("deprecated", "The contract is old.", "Ask for the new one.", "warning")
WARNED = Decision("accepted_with_warnings", Rows(1000, 988, 12), (an_outcome(result="warning"),), (LATE,))
REFUSED = refuse((Problem("missing-column", "The column `wind` is missing.", "Add it.", property="wind"),))
FAILED = fail(Problem("job-failed", "The job stopped twice.", "You need do nothing."))
ALL = {
    "rejected": REJECTED,
    "accepted": ACCEPTED,
    "accepted_with_warnings": WARNED,
    "refused": REFUSED,
    "failed": FAILED,
}


class Page(HTMLParser):
    """A page taken apart: tags with their attributes, text by tag, and whether every tag is closed."""

    def __init__(self, html: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(html.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())

    def named(self, *names: str) -> list[tuple[str, dict[str, str | None]]]:
        return [tag for tag in self.tags if tag[0] in names]


def page(decision: Decision, **changes: Any) -> Page:
    return Page(render_html(a_receipt(decision, **changes)))


@pytest.mark.parametrize("decision", ALL.values(), ids=ALL)
def test_page_is_well_formed_and_titled(decision: Decision) -> None:
    seen = page(decision)

    assert not seen.open
    assert seen.tags[0] == ("html", {"lang": "en"})
    assert [tag for tag, _ in seen.named("h1", "title", "main")] == ["title", "main", "h1"]
    assert "weather.csv" in seen.words


@pytest.mark.parametrize("decision", ALL.values(), ids=ALL)
def test_page_loads_nothing_and_runs_nothing(decision: Decision) -> None:
    seen = page(decision, rejected_rows="rejected.csv")

    assert not seen.named("script", "link", "img", "iframe", "object", "embed", "form", "base")
    assert not [a for _, attrs in seen.tags for a in attrs if a.startswith("on") or a in ("src", "style")]
    assert {attrs["href"] for _, attrs in seen.named("a")} <= {"rejected.csv"}


def test_policy_names_the_only_style() -> None:
    html = render_html(a_receipt(ACCEPTED)).decode()
    style = re.search(r"<style>(.*)</style>", html, re.DOTALL)
    assert style
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()

    policy = next(a["content"] for _, a in Page(html.encode()).named("meta") if "http-equiv" in a)

    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


@pytest.mark.parametrize(
    ("name", "word", "lead"),
    [
        ("accepted", "Accepted", "The file meets its contract."),
        ("accepted_with_warnings", "Accepted with warnings", "Fix the warnings before your next file."),
        ("rejected", "Rejected", "12 of 1,000 records (1.2 %) break the contract."),
        ("refused", "Rejected", "The file was rejected before its records were read."),
        ("failed", "Not judged", "That is our fault, not yours. Nothing is lost, and you need not do anything."),
    ],
)
def test_top_says_the_verdict_in_words(name: str, word: str, lead: str) -> None:
    seen = page(ALL[name])

    assert seen.words.startswith(f"{word}: weather.csv {word} weather.csv")
    assert lead in seen.words


def test_promoted_data_is_named() -> None:
    seen = page(ACCEPTED, promoted="s3://promoted/weather.v1/nyc/weather.csv")

    assert "and readers have it" in seen.words
    assert "Readers find the data at s3://promoted/weather.v1/nyc/weather.csv" in seen.words
    assert "readers have it" not in page(ACCEPTED).words


def test_facts_name_contract_size_and_times() -> None:
    words = page(ACCEPTED).words

    assert "weather.v1, version 1.2.0" in words
    assert "1.5 KiB" in words
    assert "21 November 2026, 12:30:05 UTC" in words


def test_problem_says_what_where_and_how() -> None:
    words = page(REJECTED).words

    assert "wind is above 100. First in record 17: 1048.36 To fix: Correct wind ." in words


def test_where_shows_no_value_that_is_masked_or_none() -> None:
    for value in ("***", "", None):
        seen = an_outcome(samples=(Sample(Place(17), value),))
        assert "First in record 17 To fix" in page(replace(REJECTED, checks=(seen,))).words


def test_where_shows_the_other_record() -> None:
    twice = an_outcome("wind.maximum", kind="unique", samples=(Sample(Place(17), "7", "also record 20"),))

    assert "First in record 17: 7 (also record 20) To fix" in page(replace(REJECTED, checks=(twice,))).words

    torn = an_outcome(samples=(Sample(Place(17), None, "7 cells"),))
    assert "First in record 17 (7 cells) To fix" in page(replace(REJECTED, checks=(torn,))).words


def test_where_names_a_column_once() -> None:
    unnamed = Decision("rejected", Rows(), problems=(replace(TOO_FAST, message="Too fast.", place=None),))

    assert "Too fast. Column wind To fix" in page(unnamed).words


def test_where_calls_record_zero_the_header() -> None:
    torn = Problem("header-nul", "The header holds NUL characters.", "Write the file again.", place=Place(0))

    assert "NUL characters. In the header To fix" in page(refuse((torn,))).words


def test_errors_stand_before_warnings() -> None:
    words = page(replace(REJECTED, problems=(TOO_FAST, LATE))).words

    assert words.index("What to fix") < words.index("Also check") < words.index("The contract is old.")


def test_many_problems_are_folded_away() -> None:
    every = tuple(Problem("extra-column", f"No column c{n}.", "Drop it.") for n in range(25))

    seen = page(refuse(every))

    assert "5 more No column c20." in seen.words


def test_checks_stand_worst_first() -> None:
    order = ["passed", "not_evaluated", "warning", "error", "failed"]
    checks = [an_outcome(f"a{n}.maximum", result) for n, result in enumerate(order)]
    more = an_outcome("b.maximum", "failed", failed=13)

    assert [c.id[:2] for c in worst_first([*checks, more])] == ["b.", "a4", "a3", "a2", "a1", "a0"]


def test_first_failing_records_stand_with_their_check() -> None:
    words = page(REJECTED).words

    assert "record 17 1048.36 record 23 record 24 250 (also in record 9)" in words


def test_worst_value_stands_where_it_says_more() -> None:
    assert "<= 100; worst: 1048.36" in page(REJECTED).words
    assert "worst" not in page(replace(REJECTED, checks=(an_outcome("note.enum", kind="enum"),))).words


def test_version_of_a_reference_stands_with_its_check() -> None:
    held = replace(REJECTED, checks=(an_outcome(against="sha256:0a1b"),))

    assert "compared with version sha256:0a1b" in page(held).words
    assert "compared with" not in page(REJECTED).words
    assert json.loads(render_json(a_receipt(held)))["checks"][0]["against"] == "sha256:0a1b"
    assert "against" not in json.loads(render_json(a_receipt(REJECTED)))["checks"][0]


def test_passed_checks_are_folded_away() -> None:
    seen = page(ACCEPTED)

    assert seen.named("details")
    assert "1 check passed" in seen.words


def test_check_not_made_says_why_and_shows_no_figures() -> None:
    nothing: dict[str, Any] = dict.fromkeys(("evaluated", "success", "failed", "null", "observed"))
    missing = an_outcome(result="not_evaluated", reason="allowed-missing", samples=(), **nothing)

    seen = page(replace(ACCEPTED, checks=(missing,)))
    words = seen.words

    assert "1 check not run" in words
    assert seen.named("details")
    assert "not run wind.maximum <= 100; the column is missing, which the contract allows \u2013 \u2013 \u2013" in words


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2.2)."""
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_has_contrast_aa(scheme: int) -> None:
    css = render_html(a_receipt(ACCEPTED)).decode()
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", re.findall(r":root \{(.*?)\}", css, re.DOTALL)[scheme]))
    tones = ("good", "warn", "bad", "ours")
    pairs = [(text, ground) for text in ("ink", "soft", "link") for ground in ("card", "page", "code")]
    pairs += [(tone, ground) for tone in tones for ground in (f"{tone}-tint", "card", "page")]

    for text, ground in [*pairs, ("ink", "line"), ("soft", "line"), *(("ink", f"{tone}-tint") for tone in tones)]:
        dark, light = sorted((luminance(colours[text]), luminance(colours[ground])))
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, ground)


def test_table_headers_name_their_direction() -> None:
    scopes = [attrs.get("scope") for _, attrs in page(REJECTED).named("th")]

    assert scopes == ["col"] * 5 + ["row"] + ["col"] * 5 + ["row"]


def test_rejected_rows_come_with_directions() -> None:
    words = page(REJECTED, rejected_rows="rejected.csv").words

    assert "Open rejected.csv : the rejected rows, each with its number in the file" in words
    assert "_record ; 1 is the first row below the header" in words
    assert "Do not copy the columns _record and _reasons into your file." in words
    assert "can stay" not in words
    assert "Send the whole corrected file, not only the rejected rows, under the same name: nyc/weather.csv" in words
    assert "the first 100,000 of the rejected rows" not in words


@pytest.mark.parametrize(
    ("form", "direction", "other"),
    [
        ("jsonl", "The keys _record and _reasons can stay: they are ignored.", "spreadsheet"),
        ("parquet", "If a spreadsheet would run a cell", "below the header"),
    ],
)
def test_directions_fit_the_format(form: Any, direction: str, other: str) -> None:
    words = page(REJECTED, rejected_rows="rejected", plan=replace(PLAN, file_format=form)).words

    assert direction in words
    assert other not in words


@pytest.mark.parametrize("decision", ALL.values(), ids=ALL)
def test_page_of_a_test_at_home_speaks_of_nothing_sent(decision: Decision) -> None:
    words = page(decision, sent=False, rejected_rows="rejected.csv").words

    assert "Local test" in words
    assert not [w for w in ("Received", "Sent as", "Readers", "readers", "keep your file", "receipt") if w in words]


def test_file_that_another_stands_before_is_not_to_be_corrected() -> None:
    used = Problem("key-used", "A file under this key has been accepted already.", "Upload it under a key of its own.")
    words = page(replace(ACCEPTED, verdict="rejected", problems=(used,))).words

    assert "Upload it under a key of its own." in words
    assert "The file breaks no rule." in words
    assert "corrected" not in words


def test_cut_rejected_rows_are_announced() -> None:
    many = replace(REJECTED, rows=Rows(400_000, 200_000, 200_000))

    assert "the first 100,000 of the rejected rows" in page(many, rejected_rows="rejected.csv").words


def test_refused_file_has_no_rejected_rows() -> None:
    words = page(REFUSED).words

    assert "rejected.csv" not in words
    assert "Correct the file as described above." in words
    assert "Records read" not in words


def test_failed_page_asks_nothing_of_the_producer() -> None:
    crashed = replace(FAILED, checks=(an_outcome(), an_outcome("note.pattern", "error")))
    words = page(crashed).words

    assert "Do not send it again." in words
    assert "The job stopped twice." in words
    assert not [w for w in ("Rejected", "To fix", "What to fix", "wind.maximum") if w in words]


def test_bar_shows_the_smallest_loss() -> None:
    seen = page(replace(REJECTED, rows=Rows(1_000_000, 999_999, 1)))

    assert [attrs["width"] for _, attrs in seen.named("rect")] == ["100", "1.0", "0.3"]
    assert ("aria-label", "999,999 valid, 1 rejected") in [i for _, a in seen.named("svg") for i in a.items()]


def test_classified_values_are_masked_everywhere() -> None:
    secret = an_outcome("station.pattern", samples=(Sample(Place(4), "B9"), Sample(Place(5), None)), observed="B9")
    receipt = a_receipt(replace(REJECTED, checks=(secret,), problems=()))

    for body in (render_json(receipt).decode(), render_html(receipt).decode()):
        assert "B9" not in body
        assert "***" in body


def test_figure_of_a_metric_is_no_value() -> None:
    nulls = an_outcome("station.nullValues", observed="19.1 %", samples=(Sample(Place(3), "B9"),))

    (shown,) = masked(replace(REJECTED, checks=(nulls,)), PLAN).checks

    assert (shown.observed, shown.samples[0].value) == ("19.1 %", "***")


def test_figure_and_key_with_a_classified_part_are_masked() -> None:
    mean = Check("station.mean", rules.Mean(limits=("5",)), "set", "error", "accuracy", "mean < 5", "station", LESS)
    key = Check("primaryKey", rules.PrimaryKey(properties=("wind", "station")), "set", "error", "uniqueness", "", None)
    plan = replace(PLAN, checks=(mean, key))
    outcomes = (an_outcome("station.mean", observed="17.5"), replace(an_outcome("primaryKey"), property=None))

    figure, whole = masked(replace(REJECTED, checks=outcomes), plan).checks

    assert (figure.observed, whole.samples[0].value) == ("***", "***")


def test_public_values_are_shown() -> None:
    shown = masked(replace(REJECTED, checks=(an_outcome("note.pattern"), an_outcome())), PLAN).checks

    assert [c.observed for c in shown] == ["1048.36", "1048.36"]


@pytest.mark.parametrize("text", [EVIL, "`" + EVIL, "{{ 7*7 }}", "</style><script>", "a`b`c`d"])
def test_text_of_strangers_stays_text(text: str) -> None:
    problem = Problem("extra-column", f"No column `{text}`.", text, "error", Place(1), text, text)
    check = an_outcome(id=text, expected=text, observed=text, samples=(Sample(Place(1), text, text),))
    decision = Decision("rejected", Rows(2, 1, 1), (check,), (problem,))

    seen = page(decision, key=text, file=File(text, 1), rejected_rows="rejected.csv")

    assert not seen.open
    assert not seen.named("script", "img")
    assert text in seen.words


def test_invisible_characters_are_written_out() -> None:
    sneaky = "a\u202eb\x00c\x1b[31md\u00a0e\ufefff\ud800"
    html = render_html(
        a_receipt(replace(REJECTED, checks=(an_outcome(samples=(Sample(Place(1), sneaky),)),)), key=sneaky)
    )

    assert r"a\u202eb\u0000c\u001b[31md\u00a0e\ufefff\ud800" in html.decode()


def test_long_cells_are_cut() -> None:
    long = an_outcome(observed="x" * 10_000, samples=(Sample(Place(1), "y" * 10_000),))

    html = render_html(a_receipt(replace(REJECTED, checks=(long,))))

    assert b"x" * 119 + "…".encode() in html
    assert b"y" * 120 not in html


def test_page_stays_small_with_many_checks() -> None:
    checks = tuple(an_outcome(f"p{n}.maximum") for n in range(300))

    assert len(render_html(a_receipt(replace(REJECTED, checks=checks)))) < 300_000


def test_json_carries_the_verdict_document() -> None:
    body = json.loads(render_json(a_receipt(REJECTED, rejected_rows="rejected.csv", promoted=None)))

    assert {
        k: body[k] for k in ("format", "drop", "attempt", "key", "verdict", "rejected_rows", "promoted", "rows")
    } == {
        "format": 1,
        "drop": "k3v7q2m5w6xajdhz4tn2p3rbysfc7u5e",
        "attempt": 2,
        "key": "nyc/weather.csv",
        "verdict": "rejected",
        "rejected_rows": "rejected.csv",
        "promoted": None,
        "rows": {"read": 1000, "valid": 988, "rejected": 12},
    }
    assert body["contract"] == {"id": "weather", "version": "1.2.0", "plan": f"sha256:{PLAN.sha}"}
    assert body["problems"][0]["record"] == 17
    assert body["checks"][0]["samples"][0] == {"record": 17, "value": "1048.36", "note": None}


def test_json_survives_any_key() -> None:
    body = json.loads(render_json(a_receipt(REFUSED, key="a\ud800é\x00")))

    assert body["key"] == "a\ud800é\x00"


def test_failed_json_has_no_verdict_but_a_failure() -> None:
    body = json.loads(render_json(a_receipt(FAILED, plan=None)))

    assert body["verdict"] is None
    assert body["contract"] is None
    assert body["failure"]["code"] == "job-failed"
    assert body["rows"] == {"read": None, "valid": None, "rejected": None}


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "http://example.org", None])
def test_contact_is_a_link_only_to_mail_and_secure_pages(url: str | None) -> None:
    page = render_html(a_receipt(refuse(()), contact=Contact(EVIL, url))).decode()
    assert "Questions? Ask &lt;script&gt;" in page
    assert "<a href" not in page.partition("Questions?")[2]


def test_contact_is_in_page_and_document() -> None:
    receipt = a_receipt(refuse(()), contact=Contact("help", 'mailto:help@example.org?a="b'))
    assert '<a href="mailto:help@example.org?a=&#34;b">help</a>' in render_html(receipt).decode()
    assert json.loads(render_json(receipt))["contact"] == {"name": "help", "url": 'mailto:help@example.org?a="b'}
