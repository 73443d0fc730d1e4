"""The contract of a key, and the reason given for a key that no contract claims."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.catalog import Ambiguous, Entry, Index, Matched, Unmatched, match, owner
from contracts.errors import PatternInvalid
from contracts.terms.key_pattern import captures, tokens


def an_entry(contract: str, *files: str) -> Entry:
    return Entry(contract, "0" * 64, "p", files)


INDEX = Index(
    (
        an_entry("inmet-weather.v1", "inmet/{state}/{date:%Y-%m-%d}*.csv"),
        an_entry("nyc-weather.v1", "nyc/weather/*.csv"),
        an_entry("plain.v1", "plain/file.csv", "plain/old/**"),
    )
)


def reason(key: str) -> str:
    unmatched = match(INDEX, key)
    assert isinstance(unmatched, Unmatched)
    return unmatched.reason


def test_key_of_one_contract_is_matched_with_its_parts() -> None:
    matched = match(INDEX, "inmet/SP/2026-01-31_x.csv")
    assert isinstance(matched, Matched)
    assert (matched.entry.contract, matched.pattern) == ("inmet-weather.v1", "inmet/{state}/{date:%Y-%m-%d}*.csv")
    assert matched.parts == {"state": "SP", "date": "2026-01-31"}


def test_second_pattern_of_a_contract_counts_too() -> None:
    matched = match(INDEX, "plain/old/a/b")
    assert isinstance(matched, Matched)
    assert matched.pattern == "plain/old/**"


def test_key_of_two_contracts_is_nobodys() -> None:
    index = Index((an_entry("a.v1", "x/*.csv"), an_entry("b.v1", "x/1*"), an_entry("c.v1", "y/*")))
    assert match(index, "x/1.csv") == Ambiguous("x/1.csv", ("a.v1", "b.v1"), "p")


SHOP, BAKERY = (
    Entry(f"{name}.v1", "0" * 64, name, files)
    for name, files in (
        ("shop", ("shop/orders/{day:%Y-%m-%d}.csv", "shop/items/*.csv", "both/shop/*.csv")),
        ("bakery", ("bakery/*.csv", "both/bakery/*.csv")),
    )
)


@pytest.mark.parametrize(
    ("key", "producer"),
    [
        ("shop/orders/x.csv", "shop"),
        ("shop/orders/deep/er/x.csv", "shop"),
        ("shop/order/2026-01-31.csv", "shop"),
        ("shop/2026-01-31.csv", "shop"),
        ("bakery/x.txt", "bakery"),
        ("both/shop/x.txt", "shop"),
        ("both/bakery/x.txt", "bakery"),
        ("both/x.csv", None),
        ("shops/orders/x.csv", None),
        ("Shop/orders/x.csv", None),
        ("shop", None),
        ("x.csv", None),
        ("", None),
        ("/shop/orders/x.csv", None),
    ],
)
def test_folder_of_an_upload_is_its_producer_s(key: str, producer: str | None) -> None:
    index = Index((SHOP, BAKERY))
    assert owner(index, key) == producer
    unmatched = match(index, key)
    assert isinstance(unmatched, Unmatched)
    assert unmatched.producer == producer
    if producer and unmatched.nearest:
        assert unmatched.nearest.producer == producer
    if producer:
        assert ("bakery" if producer == "shop" else "shop.v1") not in unmatched.reason


def test_producer_hears_of_no_other_s_contract_that_is_nearer() -> None:
    own = Entry("own.v1", "0" * 64, "own", ("Shop/*.csv",))
    unmatched = match(Index((own, SHOP)), "Shop/items/1.csv")
    assert isinstance(unmatched, Unmatched)
    assert (unmatched.producer, unmatched.nearest and unmatched.nearest.contract) == ("own", "own.v1")


def test_folder_within_another_producer_s_is_nobodys() -> None:
    within = Entry("within.v1", "0" * 64, "within", ("shop/items/new/*.csv",))
    assert owner(Index((SHOP, within)), "shop/items/new/x.txt") is None


def test_two_patterns_of_one_contract_are_one_match() -> None:
    assert isinstance(match(Index((an_entry("a.v1", "x/*.csv", "x/1*"),)), "x/1.csv"), Matched)


WEATHER = "nearest is `nyc/weather/*.csv` (nyc-weather.v1): "
INMET = "nearest is `inmet/{state}/{date:%Y-%m-%d}*.csv` (inmet-weather.v1): "
REASONS = {
    "nyc/weather/2013.txt": WEATHER + "the key must end in `.csv`, it ends in `.txt`",
    "nyc/weather/2013": WEATHER + "the key must end in `.csv`, it ends in `2013`",
    "nyc/weather/jan/2013.csv": WEATHER + "the folder `jan/` is one too many",
    "nyc/wether/2013.csv": WEATHER + "after `nyc/` it wants `weather/`, the key has `wether/`",
    "nyc/2013.csv": WEATHER + "after `nyc/` it wants `weather/`, the key has `2013.csv`",
    "NYC/weather/2013.CSV": "it differs from `nyc/weather/*.csv` (nyc-weather.v1) by upper and lower case only",
    "inmet/SP/2026-13-01.csv": INMET + "`2026-13-01` is not a date like 2026-01-31 (%Y-%m-%d)",
    "inmet/SP/31-01-2026.csv": INMET + "`31-01-2026` is not a date like 2026-01-31 (%Y-%m-%d)",
    "inmet/SP/": INMET + "after `inmet/SP/` it wants a date like 2026-01-31 (%Y-%m-%d)",
    "inmet//2026-01-31.csv": INMET + "after `inmet/` it wants at least one character more",
    "inmet/2026-01-31.csv": INMET + "after `inmet/2026-01-31.csv` it wants `/`, the key ends",
    "plain/file.csvx": "nearest is `plain/file.csv` (plain.v1): the key goes on with `x`",
    "plain/file": "nearest is `plain/file.csv` (plain.v1): after `plain/` it wants `file.csv`, the key has `file`",
    "weather.csv": "agreed keys begin with `nyc/weather/`, `inmet/`, `plain/`, `plain/old/`",
}


@pytest.mark.parametrize(("key", "expected"), REASONS.items(), ids=REASONS.keys())
def test_near_miss_says_where_the_key_goes_wrong(key: str, expected: str) -> None:
    assert reason(key) == expected


def test_near_miss_names_contract_and_pattern() -> None:
    unmatched = match(INDEX, "nyc/weather/a.txt")
    assert isinstance(unmatched, Unmatched)
    assert (unmatched.nearest and unmatched.nearest.contract, unmatched.pattern) == (
        "nyc-weather.v1",
        "nyc/weather/*.csv",
    )


SPELLINGS = {
    "oders/1.csv": "orders/**",
    "ordred/1.csv": "ordered/*.csv",
    "shop/retrun_1.csv": "shop/return_*.csv",
    "shop/reteil_1.csv": "shop/retail_*.csv",
}


@pytest.mark.parametrize(("key", "meant"), SPELLINGS.items(), ids=SPELLINGS.keys())
def test_of_patterns_equally_far_the_likest_is_named(key: str, meant: str) -> None:
    entries = (
        an_entry("ordered.v1", "ordered/*.csv"),
        an_entry("orders.v1", "orders/**"),
        an_entry("retail.v1", "shop/retail_*.csv"),
        an_entry("return.v1", "shop/return_*.csv"),
    )
    for index in (Index(entries), Index(entries[::-1])):
        unmatched = match(index, key)
        assert isinstance(unmatched, Unmatched)
        assert unmatched.pattern == meant


def test_empty_catalog_says_so() -> None:
    assert match(Index(), "a") == Unmatched("a", "no contract is published yet")


@pytest.mark.parametrize("key", ["", "/", "a" * 1024, "/" * 1024, "nyc/weather/" + "é" * 500, "\u2028", "{", "*"])
def test_any_key_has_an_answer(key: str) -> None:
    assert isinstance(match(INDEX, key), Unmatched)


def test_hundreds_of_contracts_answer_in_milliseconds() -> None:
    index = Index(tuple(an_entry(f"c{n}.v1", f"p{n}/{{s}}/{{d:%Y-%m-%d}}*.csv") for n in range(300)))
    key = "p299/" + "x" * 500 + "/2026-01-31.csv"
    match(index, key)
    begin = time.process_time()
    assert isinstance(match(index, key), Matched)
    assert time.process_time() - begin < 0.25


PIECES = st.lists(st.sampled_from(["a", "b/", "A", "*", "**", "?", "{x}", "/", ".csv"]), min_size=1, max_size=5)


@given(st.lists(PIECES.map("".join), min_size=1, max_size=4), st.text(alphabet="abA/.csv", max_size=8))
def test_key_is_held_against_every_pattern_that_could_match(patterns: list[str], key: str) -> None:
    read = [p for p in patterns if can_be_read(p)]
    index = Index(tuple(Entry(f"c{n}.v1", str(n), "p", (p,)) for n, p in enumerate(read)))
    claims = [f"c{n}.v1" for n, p in enumerate(read) if captures(p, key) is not None]
    answer = match(index, key)

    match answer:
        case Matched():
            assert [answer.entry.contract] == claims
        case Ambiguous():
            assert list(answer.contracts) == claims
        case Unmatched():
            assert not claims
            assert answer.reason


def can_be_read(pattern: str) -> bool:
    try:
        return bool(tokens(pattern))
    except PatternInvalid:
        return False
