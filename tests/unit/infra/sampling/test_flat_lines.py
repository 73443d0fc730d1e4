"""Lines of flat objects: cut by a pattern or read by the parser, their profile is the same."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from contracts.authoring.draft.profile import Profile, SampleRefused
from infra import sampling
from infra.sampling.flat_lines import FlatLines

VALUES = (
    *('"a"', '""', '"x y, z"', '"\\u00e9"', '"a\\"b"', '"1,50"', '"{}"', '"\u2028"', '"-"', '"3.7.2024"', '"J"', '"é"'),
    *("1", "-0", "1.50", "1e5", "-2.5E-3", "12345678901234567890", "true", "false", "null", "[1]", '{"b": 1}'),
    *("01", "1.", "NaN", "+1", "nul", '"a', '"\t"'),
)


def no_spark() -> Any:
    raise AssertionError("Spark is for Parquet")


def drawn(chance: Random) -> list[str]:
    """Lines of objects, most of them alike."""
    keys = chance.sample(["id", "a b", "ä", "k", "v.w", "(x)"], chance.randint(1, 4))
    usual = {key: chance.choice(VALUES[:19]) for key in keys}
    colon, comma = chance.choice(((": ", ", "), (":", ","), (" : ", " , ")))
    lines = []
    for _ in range(chance.randint(1, 40)):
        own = {k: chance.choice(VALUES) if chance.random() < 0.1 else value for k, value in usual.items()}
        some = {k: v for k, v in own.items() if chance.random() < 0.97}
        inner = comma.join(f"{json.dumps(k, ensure_ascii=False)}{colon}{v}" for k, v in some.items())
        lines.append(f"{{{inner}}}")
    return lines


def profile_of(path: Path, lines: list[str]) -> Profile | str:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    try:
        return sampling.profile([path], no_spark)
    except SampleRefused as refused:
        return str(refused)


@pytest.mark.parametrize("seed", range(150))
def test_profile_is_that_of_the_parser(tmp_path: Path, seed: int) -> None:
    lines = drawn(Random(seed))
    cut = profile_of(tmp_path / "a.jsonl", lines)
    parsed = profile_of(tmp_path / "a.jsonl", [f" {line}" for line in lines])  # which no pattern takes
    if isinstance(cut, Profile) and isinstance(parsed, Profile):
        assert set(cut.columns) == set(parsed.columns)
        assert (cut.samples, set(cut.left), cut.forms) == (parsed.samples, set(parsed.left), parsed.forms)
    else:
        assert cut == parsed


def test_line_like_an_earlier_one_is_cut() -> None:
    flat = FlatLines()
    first, second = '{"a": 1, "b (c)": "x"}', '{"a":-2.5,"b (c)":null}'
    assert not flat.take(first)
    flat.learn(first, json.loads(first))
    taken = [flat.take(line) for line in (second, '{"b (c)": 1, "a": 2}', '{"a": 1}', '{"a": [], "b (c)": 1}')]
    assert (taken, flat.count) == ([True, False, False, False], 1)
    assert list(flat.drain()) == [("a", ("-2.5",)), ("b (c)", ("null",))]
    assert (flat.count, list(flat.drain())) == (0, [])
