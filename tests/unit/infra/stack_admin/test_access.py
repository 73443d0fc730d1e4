"""`dropgate access`: whose folders, which key, and what is said where there is no such producer, contract or ARN."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from infra.cli.main import main
from infra.packaging.bundles import ROOT
from infra.stack_admin.access import Buckets, folders_of, for_producer
from tests.builders import a_plan

SENDER = "arn:aws:iam::210987654321:role/sender"
KEY = "arn:aws:kms:us-east-1:123456789012:key/0a1b"
OWN = "arn:aws:iam::123456789012:role/sender"
NAMED = ("--landing-bucket", "drops", "--internal-bucket", "inside", "--promoted-bucket", "good")


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for name in ("LANDING", "REPORTS", "PROMOTED", "TABLE", "CATALOG"):
        monkeypatch.delenv(f"DROPGATE_{name}", raising=False)


def access(*words: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, ["access", *words])


def document(*words: str) -> Any:
    result = access(*words, *NAMED, "--principal", SENDER, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_producer_gets_the_folders_of_all_its_contracts() -> None:
    (put, *_) = document("producer", "nyc-airports")["identityPolicy"]["Statement"]
    assert put["Action"] == ["s3:PutObject", "s3:AbortMultipartUpload"]
    assert put["Resource"] == ["arn:aws:s3:::drops/nyc/flights/*", "arn:aws:s3:::drops/nyc/weather/*"]


def test_both_sides_of_a_right_are_given() -> None:
    whole = document("producer", "inmet")
    statements = whole["bucketPolicyStatements"]
    assert set(statements) == {"drops", "inside"}
    allowed = [s["Principal"] for policy in statements.values() for s in policy if s["Effect"] == "Allow"]
    assert allowed == [{"AWS": SENDER}] * 3
    assert whole["keyPolicyStatements"] == []


def test_key_is_to_be_used_by_its_own_policy_too() -> None:
    whole = document("producer", "inmet", "--key", KEY)
    put, read = whole["keyPolicyStatements"]
    assert (put["Action"], put["Resource"]) == (["kms:Decrypt", "kms:GenerateDataKey"], "*")
    assert (read["Action"], read["Resource"]) == (["kms:Decrypt"], "*")
    conditions = [each["Condition"]["StringEquals"]["kms:EncryptionContext:aws:s3:arn"] for each in (put, read)]
    assert conditions == ["arn:aws:s3:::drops", "arn:aws:s3:::inside"]
    assert whole["identityPolicy"]["Statement"][-1]["Resource"] == KEY
    (key,) = document("consumer", "--key", KEY)["keyPolicyStatements"]
    assert key["Action"] == ["kms:Decrypt"]


def test_overwriting_is_denied_on_request_only() -> None:
    assert "s3:if-none-match" not in json.dumps(document("producer", "inmet"))
    assert "s3:if-none-match" in json.dumps(document("producer", "inmet", "--no-overwrite"))


def test_consumer_may_be_held_to_one_contract() -> None:
    (read, listed) = document("consumer", "inmet-weather.v1")["identityPolicy"]["Statement"]
    assert read["Resource"] == "arn:aws:s3:::good/inmet-weather.v1/*"
    assert listed["Condition"] == {"StringLike": {"s3:prefix": "inmet-weather.v1/*"}}
    (read, listed) = document("consumer")["identityPolicy"]["Statement"]
    assert (read["Resource"], "Condition" in listed) == ("arn:aws:s3:::good/*", False)


def test_arn_of_another_partition_keeps_it() -> None:
    result = access("consumer", *NAMED, "--principal", SENDER.replace("aws", "aws-cn"))
    assert "arn:aws-cn:s3:::good/*" in result.stdout


def test_text_says_where_each_part_belongs() -> None:
    result = access("producer", "inmet", *NAMED, "--principal", SENDER, "--key", KEY)
    assert [title.split()[0] for title in titles(result.stdout)] == ["Attach", "Add", "Add", "Add"]


def titles(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]


@pytest.mark.parametrize(
    ("principal", "more", "expected"),
    [
        (SENDER, (), ["Attach", "outer, in addition to its statements, only if", "inner, ", "of the key, only if"]),
        (OWN, (), ["Attach"]),
        (OWN, ("--no-overwrite",), ["Attach", "outer, in addition to its statements, whichever account"]),
        (OWN, ("--key", KEY.replace("123456789012", "210987654321")), ["Attach", "of the key, only if"]),
        (OWN, NAMED[:2], ["Attach", "drops, in addition to its statements, only if", "inner, "]),
    ],
)
def test_text_leaves_out_what_one_account_makes_needless(
    principal: str, more: tuple[str, ...], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "CATALOG": "s3://inner/catalog/",
        "LANDING": "s3://outer/",
        "REPORTS": "s3://inner/reports/",
        "JOB_ROLE": "arn:aws:iam::123456789012:role/job",
        "DATA_KEY": KEY,
    }.items():
        monkeypatch.setenv(f"DROPGATE_{name}", value)
    words = ("producer", "inmet", "--principal", principal, *more)

    shown = titles(access(*words).stdout)
    assert [part in title for part, title in zip(expected, shown, strict=True)] == [True] * len(expected), shown
    assert len(json.loads(access(*words, "--format", "json").stdout)["keyPolicyStatements"]) == 2


def test_buckets_are_those_of_the_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DROPGATE_CATALOG", "s3://inner/catalog/")
    monkeypatch.setenv("DROPGATE_LANDING", "s3://outer/")
    monkeypatch.setenv("DROPGATE_REPORTS", "s3://inner/reports/")
    result = access("producer", "inmet", "--principal", SENDER)
    assert "arn:aws:s3:::outer/inmet/*" in result.stdout
    assert "arn:aws:s3:::inner/reports/inmet/*" in result.stdout


WRONG = {
    "unknown producer": (("producer", "inmed", *NAMED), "Did you mean 'inmet'?"),
    "no producer": (("producer", *NAMED), "There are: inmet, nyc-airports."),
    "unknown contract": (("consumer", "inmet-weather.v2", *NAMED), "Did you mean 'inmet-weather.v1'?"),
    "no bucket": (("producer", "inmet"), "--landing-bucket"),
    "no key": (("consumer", *NAMED, "--key", "0a1b"), "--key needs the ARN of a key"),
    "no ARN": (("consumer", *NAMED, "--principal", "sender"), "--principal needs an ARN"),
    "everybody": (("consumer", *NAMED, "--principal", "*"), "--principal needs an ARN"),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_wrong_call_says_what_to_write(case: tuple[tuple[str, ...], str]) -> None:
    words, message = case
    result = access(*words, *(() if "--principal" in words else ("--principal", SENDER)))
    assert result.exit_code == 2
    assert message in result.stderr.replace("\n", " ")


def test_pattern_without_a_folder_bounds_nothing() -> None:
    plans = [a_plan(files=("*.csv",), producer="shop")]
    with pytest.raises(ValueError, match="without a folder"):
        for_producer(Buckets("l", "i", "p"), "shop", folders_of(plans, "shop"), SENDER)
