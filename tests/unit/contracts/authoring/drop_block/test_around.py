"""Findings about rows around the records, and the plan that they are compiled to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contracts.authoring.compiler.compile import Compiled, compile_text
from contracts.plan import Csv
from contracts.terms.leader import Leader
from contracts.terms.trailer import Footer


def compiled(csv: dict[str, Any], kind: str = "integer", **more: Any) -> Compiled:
    block = {"files": "maker/*.csv", "producer": "maker", "format": "csv", "csv": csv, **more}
    properties = [{"name": "id", "logicalType": "string"}, {"name": "n", "logicalType": kind}]
    document = {
        "apiVersion": "v3.2.0",
        "kind": "DataContract",
        "id": "things",
        "version": "1.0.0",
        "status": "active",
        "schema": [{"name": "things", "properties": properties}],
        "customProperties": [{"property": "drop", "vendor": "dropgate", "value": block}],
    }
    return compile_text(json.dumps(document).encode(), "things.v1.yaml")


def findings(made: Compiled) -> list[tuple[str, str]]:
    return [(f.code, f.message) for f in made.findings if f.level in ("error", "warning")]


def test_rows_above_are_compiled() -> None:
    made = compiled({"skipRows": {"until": "^id,$"}, "headerRows": [2, 1], "commentRows": [3], "separatorLine": True})

    assert findings(made) == []
    assert made.plan
    assert made.plan.csv == Csv(skip_until=r"^id,\z", header_rows=(1, 2), comment_rows=(3,), separator_line=True)
    assert made.plan.csv.has_top


def test_defaults_change_no_plan() -> None:
    plain, made = compiled({}), compiled({"skipRows": 0, "headerRows": [1], "commentRows": [], "separatorLine": False})

    assert plain.plan
    assert made.plan
    assert made.plan.sha == plain.plan.sha


@pytest.mark.parametrize(
    ("csv", "code", "part"),
    [
        ({"skipRows": 2, "header": False}, "bad-value", "nothing shows that the skipped rows are no records"),
        ({"headerRows": [1, 2], "header": False}, "bad-value", "`headerRows` means nothing"),
        ({"commentRows": [1], "header": False}, "bad-value", "`commentRows` means nothing"),
        ({"headerRows": [2]}, "bad-value", "Row 1 is above row 2"),
        ({"headerRows": [1, 3]}, "bad-value", "Row 2 is above row 3"),
        ({"commentRows": [3]}, "bad-value", "Row 2 is above row 3"),
        ({"commentRows": [1]}, "bad-value", "Row 1 is a row of column names and a comment row"),
        ({"headerRows": []}, "bad-value", "each once"),
        ({"headerRows": [0]}, "bad-value", "each once"),
        ({"headerRows": [1, 1]}, "bad-value", "each once"),
        ({"commentRows": [101]}, "bad-value", "each once"),
        ({"commentRows": "2"}, "wrong-type", ""),
        ({"skipRows": -1}, "bad-value", ""),
        ({"skipRows": "2"}, "bad-value", ""),
        ({"skipRows": {"until": "(a"}}, "bad-pattern", ""),
        ({"skipRows": {"until": "^id|x*"}}, "bad-value", "`until` matches any row"),
        ({"skipRows": {"to": "x"}}, "bad-value", "`csv.skipRows` is neither"),
        ({"leader": {"begins": "H,"}}, "bad-value", "no line has such a cell"),
        ({"leader": {"begins": "H"}, "record": {"begins": "H"}}, "bad-value", "have one first cell"),
        ({"trailer": {"begins": "D"}, "record": {"begins": "D"}}, "bad-value", "have one first cell"),
        ({"leader": {"begins": "H", "is": {"2": "{day}"}}}, "bad-value", "without the part `day`"),
        ({"leader": {"begins": "H", "is": {"2": "{day"}}}, "bad-value", "without its other half"),
        ({"leader": {"begins": "H", "is": {"x": "1"}}}, "bad-value", "is not the place of a cell"),
        ({"leader": {"begins": ""}}, "bad-value", "is not the text of a cell"),
        ({"leader": {}}, "missing-key", "lacks"),
        ({"record": {"begins": "D", "others": "ignore"}}, "unknown-value", "ignore"),
        ({"headerLacks": {"first": [1]}}, "wrong-type", ""),
        ({"headerLacks": {"first": [" "]}}, "bad-value", ""),
        ({"headerLacks": {"front": ["id"]}}, "unknown-key", "front"),
        ({"headerLacks": {"first": ["id"]}, "header": False}, "bad-value", "`headerLacks` means nothing"),
        ({"skipColumns": -1}, "bad-value", "is not a number of cells"),
        ({"footer": {"begins": "T"}, "trailer": {"begins": "E"}}, "bad-value", "a trailer or with a footer"),
        ({"footer": {"begins": "i"}}, "bad-value", "`id` is a column"),
        ({"footer": {"begins": "a,b"}}, "bad-value", "cannot be a cell of a line"),
        ({"footer": {"begins": "#x"}, "commentChar": "#"}, "bad-value", "begins like a comment"),
        ({"footer": {"begins": "T", "lines": 0}}, "bad-value", "is not a number of lines"),
        ({"footer": {"begins": ""}}, "bad-value", "is not the text of a cell"),
        ({"footer": {"lines": 2}}, "missing-key", "lacks"),
        ({"separatorLine": True, "delimiter": "||"}, "bad-value", "names one character"),
        ({"commentChar": "//"}, "bad-value", "is not one printable character"),
        ({"commentChar": "\u00a7"}, "bad-value", "is not one printable character"),
        ({"commentChar": ","}, "bad-value", "is the delimiter"),
        ({"commentChar": "-"}, "bad-value", "may begin a record"),
        ({"commentChar": "c"}, "bad-value", "may begin a record"),
        ({"skiprows": 2}, "unknown-key", "skiprows"),
    ],
)
def test_rows_that_no_file_has_are_findings(csv: dict[str, Any], code: str, part: str) -> None:
    references = {"known": {"file": "known.csv", "csv": csv}}
    is_whole = {"footer", "leader", "record"} & csv.keys()
    for made in (compiled(csv), *([] if is_whole else [compiled({}, references=references)])):
        own = [finding for finding in findings(made) if finding[0] != "not-used"]
        assert len(own) == 1
        assert (own[0][0], part.partition(" ")[2] in own[0][1]) == (code, True)


def test_leaders_may_name_parts_of_the_key() -> None:
    csv = {"header": False, "skipColumns": 1, "record": {"begins": "D"}}
    csv["leader"] = {"begins": "H", "is": {2: "{day:%Y%m%d}", 3: "{day}", 4: "v1"}}
    made = compiled(csv, files="maker/{day:%Y-%m-%d}.csv")

    assert findings(made) == []
    assert made.plan
    assert made.plan.csv.leader == Leader("H", {"2": "{day:%Y%m%d}", "3": "{day}", "4": "v1"})
    assert [c.id for c in made.plan.checks][:4] == ["record.fields", "record.quotes", "record.text", "record.type"]
    wrong = compiled({"leader": {"begins": "H", "is": {2: "{name:%Y}"}}}, files="maker/{name}.csv")
    assert "is no date" in findings(wrong)[0][1]


def test_reference_files_have_no_footer() -> None:
    made = compiled({}, references={"known": {"file": "known.csv", "csv": {"footer": {"begins": "T"}}}})

    assert "A reference file is not compared with its footer." in [message for _, message in findings(made)]


def test_footer_is_compiled() -> None:
    made = compiled({"footer": {"begins": "T"}})
    assert findings(made) == []
    assert made.plan
    assert made.plan.csv.footer == Footer("T")


def test_comment_row_that_nothing_shows_is_a_warning() -> None:
    made = compiled({"commentRows": [2]}, "string")

    assert [code for code, _ in findings(made)] == ["comment-row-unseen"]
    assert made.plan


def test_reference_files_have_rows_above_too() -> None:
    reference = {"file": "known.csv", "csv": {"skipRows": {"until": "^code$"}}}
    made = compiled({}, references={"known": reference})

    assert [code for code, _ in findings(made)] in ([], ["not-used"])
    wrong = compiled({}, references={"known": {"file": "known.csv", "csv": {"skipRows": 1, "header": False}}})
    assert "bad-value" in [code for code, _ in findings(wrong)]
