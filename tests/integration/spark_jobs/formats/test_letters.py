"""Text in another encoding than the agreed one, where that has a character for every byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.files.mojibake import Letters
from contracts.place import Place
from contracts.plan import Csv, Plan
from tests.integration.spark_jobs.world import a_plan, a_property, judge

LATIN = a_plan([a_property("id", "integer"), a_property("note")], csv=Csv(encoding="iso-8859-1"))
HEAD = b"id,note\n"
LATE = HEAD + b"".join(b"%d,plain\n" % n for n in range(20_000))
LETTERS = "".join(map(chr, range(0xA0, 0x100)))
FILES: dict[str, tuple[bytes, list[str]]] = {
    "latin": (HEAD + "1,São Paulo, é\n".encode("latin-1").replace(b", ", b" ") + b"2,a\n", []),
    "every letter": (HEAD + b"".join(b"%d,a%sb\n" % (n, bytes([n])) for n in range(0xA0, 0x100)), []),
    "all letters at once": (HEAD + f"1,{LETTERS}\n".encode("latin-1"), []),
    "ascii": (HEAD + b"1,a\n", []),
    "french capitals": (HEAD + "1,« CAFÉ\xa0»\n2,«CAFÉ»\n3,CAFÉ\xa0!\n".encode("latin-1"), []),
    "utf-8": (HEAD + "1,São\n".encode(), ["mojibake"]),
    "utf-8, quoted": (HEAD + '1,"São, ""é"""\n'.encode(), ["mojibake"]),
    "polish": (HEAD + "1,żółć\n".encode(), ["mojibake"]),
    "cyrillic": (HEAD + "1,Москва\n".encode(), ["mojibake"]),
    "emoji": (HEAD + "1,😀\n".encode(), ["mojibake"]),
    "chinese": (HEAD + "1,北京\n".encode(), ["mojibake"]),
    "no-break space in utf-8": (HEAD + "1,a\xa0b\n".encode(), ["mojibake"]),
    "utf-8 at the end": (LATE + "20001,São\n".encode(), ["mojibake"]),
    "both": (HEAD + "1,Ação\n".encode("latin-1") * 50 + "51,São\n".encode(), ["mojibake"]),
    "windows-1252": (HEAD + "1,5 €\n".encode("cp1252"), ["mojibake"]),
    "windows-1252 at the end": (LATE + "20001,“a”\n".encode("cp1252"), ["mojibake"]),
    "dash": (HEAD + "1,a \u2013 b é\n".encode("cp1252"), ["mojibake"]),
    "undefined byte": (HEAD + b"1,a\x81\n", ["mojibake"]),
}


def test_another_encoding_rejects_wherever_it_stands(spark: SparkSession, tmp_path: Path) -> None:
    judged = judge(spark, tmp_path, LATIN, {f"{name}.csv": body for name, (body, _) in FILES.items()})
    codes_of = {name: [p.code for p in judged.decision(f"{name}.csv").problems] for name in FILES}
    assert codes_of == {name: codes for name, (_, codes) in FILES.items()}
    verdicts = {name: judged.decision(f"{name}.csv").verdict for name in FILES}
    assert verdicts == {name: "rejected" if codes else "accepted" for name, (_, codes) in FILES.items()}
    first = judged.decision("both.csv").problems[0]
    assert first.message.startswith("1 record is written in UTF-8; the contract requires ISO-8859-1")
    assert "`encoding: utf-8`" in first.fix
    assert "windows-1252" in judged.decision("dash.csv").problems[0].message


FOLDED = replace(LATIN, csv=replace(LATIN.csv, multi_line=True))
CLASSIFIED = a_plan([a_property("id", "integer"), a_property("note", classification="secret")], csv=LATIN.csv)
PLACES: dict[str, tuple[Plan, bytes, Letters]] = {
    "first": (LATIN, FILES["utf-8"][0], Letters(1, 0, Place(1, 2), "S\u00c3\u00a3o", "São")),
    "last of many": (
        LATIN,
        FILES["windows-1252 at the end"][0],
        Letters(0, 1, Place(20_001, 20_002), "\x93a\x94", "“a”"),
    ),
    "behind others": (LATIN, FILES["both"][0], Letters(1, 0, Place(51, 52), "S\u00c3\u00a3o", "São")),
    "empty lines": (LATIN, HEAD + "\n1,a\n\n2,é\n".encode(), Letters(1, 0, Place(2, 5), "\u00c3\u00a9", "é")),
    "over lines": (FOLDED, HEAD + '1,"a\nb"\n2,"c\né"\n'.encode(), Letters(1, 0, Place(2, 4), "\u00c3\u00a9", "é")),
    "no character": (LATIN, FILES["undefined byte"][0], Letters(0, 1, Place(1, 2))),
    "classified": (CLASSIFIED, FILES["utf-8"][0], Letters(1, 0, Place(1, 2))),
}


@pytest.mark.parametrize("name", PLACES)
def test_first_of_them_is_shown_with_its_place(spark: SparkSession, tmp_path: Path, name: str) -> None:
    plan, body, expected = PLACES[name]
    judged = judge(spark, tmp_path, plan, {"a.csv": body, "b.csv": FILES["latin"][0]})
    assert (judged.drop("a.csv").letters, judged.drop("b.csv").letters) == (expected, None)
    assert judged.decision("a.csv").problems[0].place == expected.first


@pytest.mark.parametrize(("policy", "verdict"), [("warn", "accepted_with_warnings"), ("ignore", "accepted")])
def test_contract_may_let_it_pass(spark: SparkSession, tmp_path: Path, policy: str, verdict: str) -> None:
    plan = replace(LATIN, csv=replace(LATIN.csv, mojibake=policy))  # type: ignore[arg-type]
    judged = judge(spark, tmp_path, plan, {"a.csv": FILES["utf-8"][0], "b.csv": FILES["dash"][0]})
    assert {judged.decision(name).verdict for name in ("a.csv", "b.csv")} == {verdict}
