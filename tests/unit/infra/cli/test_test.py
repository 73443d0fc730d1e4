"""`dropgate test` as far as it needs no Spark: which contract, and files that are refused at admission."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from infra.cli.main import main
from tests.unit.contracts.authoring.documents import DROP, HEAD, a_document


def judged(*words: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, ["test", *words], prog_name="dropgate")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two contracts and a file whose header is neither's, to work in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "orders.v1.yaml").write_text(a_document(), encoding="utf-8")
    shops = a_document(head=HEAD.replace("orders", "shops"), drop=DROP.replace("shop/orders", "shop/shops"))
    (tmp_path / "contracts" / "shops.v1.yaml").write_text(shops, encoding="utf-8")
    (tmp_path / "bad.csv").write_text("ID\n1\n\n", encoding="utf-8")
    return tmp_path


def test_missing_file_is_a_usage_error() -> None:
    result = judged("nix.csv")
    assert (result.exit_code, "'nix.csv' does not exist" in result.stderr) == (2, True)


def test_without_a_contract_those_there_are_listed() -> None:
    result = judged("bad.csv")
    assert result.exit_code == 2
    assert "Name it with --contract (orders.v1, shops.v1); no pattern matches bad.csv." in result.stderr


def test_key_of_no_contract_says_its_nearest() -> None:
    result = judged("bad.csv", "--key", "shop/oders/1.csv")
    assert result.exit_code == 2
    assert "after `shop/` it wants `orders/`, the key has `oders/`" in result.stderr


def test_name_that_the_contract_does_not_claim_is_told(folder: Path) -> None:
    (folder / "bad.csv").rename(folder / "bad.txt")
    result = judged("bad.txt", "--contract", "orders.v1")
    assert (result.exit_code, "no pattern of orders.v1 matches shop/orders/bad.txt" in result.stderr) == (1, True)


def test_own_path_finds_the_contract(folder: Path) -> None:
    place = folder / "shop" / "shops"
    place.mkdir(parents=True)
    (folder / "bad.csv").rename(place / "1.csv")
    result = judged("shop/shops/1.csv")
    assert (result.exit_code, "shops 1.0.0" in result.stdout) == (1, True)


@pytest.mark.parametrize("contract", ["orders.v1", "contracts/orders.v1.yaml"])
def test_refused_file_ends_with_one_without_spark(contract: str) -> None:
    result = judged("bad.csv", "--contract", contract)
    assert result.exit_code == 1
    assert result.stderr == ""
    assert "REJECTED  bad.csv" in result.stdout
    assert "Rename `ID` to `id`, or ask for" in result.stdout


def test_json_has_the_agreed_keys_and_no_more() -> None:
    result = judged("bad.csv", "--contract", "orders.v1", "--format", "json")
    assert (result.exit_code, result.stderr) == (1, "")
    document = json.loads(result.stdout)
    assert set(document) - {"failure"} == {"verdict", "contract", "file", "rows", "checks", "problems"}
    assert document["verdict"] == "rejected"
    assert set(document["contract"]) == {"id", "version", "plan"}
    assert document["file"]["name"] == "bad.csv"
    assert document["file"]["size"] == 6
    assert document["rows"] == {"read": None, "valid": None, "rejected": None}
    (problem,) = document["problems"]
    fix = "Rename `ID` to `id`, or ask for `columns.match: anyCase` in orders.v1."
    assert (problem["code"], problem["fix"]) == ("missing-column", fix)


def test_receipt_of_a_refused_file_is_written(folder: Path) -> None:
    result = judged("bad.csv", "--contract", "orders.v1", "--receipt", "out")
    assert result.exit_code == 1
    assert result.stdout.endswith("Receipt: out/receipt.html\n")
    assert sorted(p.name for p in (folder / "out").iterdir()) == ["receipt.html", "receipt.json"]


def test_receipt_names_the_contact_of_its_contract(folder: Path) -> None:
    head = HEAD + "support: [{channel: help, url: 'mailto:help@example.org'}]\n"
    (folder / "contracts" / "orders.v1.yaml").write_text(a_document(head=head), encoding="utf-8")
    (folder / "contracts" / "notify.yaml").write_text("operator: 'pagerduty:oncall'\n", encoding="utf-8")
    for contract, contact in (
        ("orders.v1", {"name": "help", "url": "mailto:help@example.org"}),
        ("shops.v1", None),
    ):
        judged("bad.csv", "--contract", contract, "--receipt", contract)
        assert json.loads((folder / contract / "receipt.json").read_text(encoding="utf-8"))["contact"] == contact
    assert "notify" not in judged("bad.csv", "--contract", "x").stderr


MARKS = {
    "dya=2026-01-31": "dya=2026-01-31 is no high mark of orders.v1, as `day=2026-01-31` is one. "
    "Did you mean day=2026-01-31?",
    "day": "day is no high mark of orders.v1, as `day=2026-01-31` is one. Its watermarks are `n`, `day`.",
    "day=31.01.2026": "31.01.2026 is no date as `day` is written (ISO 8601).",
    "n=1e5": "1e5 is no integer.",
}


@pytest.mark.parametrize("text", MARKS)
def test_mark_that_is_none_is_a_usage_error(folder: Path, text: str) -> None:
    properties = "- {name: n, logicalType: integer, required: true}\n- {name: day, logicalType: date, required: true}\n"
    checks = "checks: {n.required: {watermark: n}, day.required: {watermark: day}}\n"
    (folder / "contracts" / "orders.v1.yaml").write_text(a_document(properties, drop=DROP + checks), encoding="utf-8")
    result = judged("bad.csv", "--contract", "orders.v1", "--mark", text)

    assert (result.exit_code, MARKS[text] in result.stderr) == (2, True), result.stderr


def test_mark_of_a_contract_without_watermarks_is_a_usage_error() -> None:
    result = judged("bad.csv", "--contract", "orders.v1", "--mark", "id=5")

    assert (result.exit_code, "It has no watermark." in result.stderr) == (2, True)


SETS = DROP.replace("shop/orders/*.csv", "'shop/{day:%Y-%m-%d}/*.csv'")
MANIFEST = SETS + "set: {of: [day], manifest: 'shop/{day:%Y-%m-%d}/manifest.json', sums: [id]}\n"


@pytest.fixture
def sets(folder: Path) -> Path:
    """A contract of sets, and two files of a day that no door lets in."""
    (folder / "contracts" / "orders.v1.yaml").write_text(a_document(drop=MANIFEST), encoding="utf-8")
    day = folder / "2026-01-31"
    day.mkdir()
    for name in ("a.csv", "b.csv"):
        (day / name).write_text("ID\n1\n", encoding="utf-8")
    return day


def with_manifest(day: Path, *entries: dict[str, object]) -> list[str]:
    (day / "manifest.json").write_text(json.dumps({"files": list(entries)}), encoding="utf-8")
    return ["2026-01-31/manifest.json", "--contract", "orders.v1"]


def test_files_find_their_set_by_their_folders(sets: Path) -> None:
    words = with_manifest(sets, {"name": "a.csv"}, {"name": "b.csv"}, {"name": "c.csv"})
    result = judged("2026-01-31/a.csv", "2026-01-31/b.csv", *words)

    assert result.exit_code == 1
    *_, last = result.stdout.rstrip().split("\n")
    assert last == "… set (day 2026-01-31) waits: `shop/2026-01-31/c.csv` of its manifest have not come"


def test_document_of_several_files_has_their_sets(sets: Path) -> None:
    words = with_manifest(sets, {"name": "a.csv"}, {"name": "b.csv"})
    document = json.loads(judged("2026-01-31/a.csv", "2026-01-31/b.csv", *words, "--format", "json").stdout)

    assert [one["file"]["name"] for one in document["files"]] == ["a.csv", "b.csv"]
    keys = [f"shop/2026-01-31/{name}" for name in ("a.csv", "b.csv", "manifest.json")]
    assert document["sets"] == [{"parts": {"day": "2026-01-31"}, "files": keys[:2], "signal": keys[2], "lacks": None}]


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ({"name": "b.csv"}, "not-in-manifest"),
        ({"name": "a.csv", "bytes": 6}, "bytes-differ"),
        ({"name": "a.csv", "sha256": "0" * 64}, "checksum-differs"),
    ],
)
def test_file_is_held_against_its_manifest(sets: Path, entry: dict[str, object], code: str) -> None:
    (sets / "a.csv").write_text("id\n1\n2\n", encoding="utf-8")
    result = judged("2026-01-31/a.csv", *with_manifest(sets, entry), "--format", "json")

    assert [p["code"] for p in json.loads(result.stdout)["files"][0]["problems"]] == [code]
    assert result.exit_code == 1


def test_manifest_that_cannot_be_used_is_rejected(sets: Path) -> None:
    result = judged(*with_manifest(sets, {"name": "a.csv", "md5": "0" * 32}))

    assert result.exit_code == 1
    assert "REJECTED  manifest.json" in result.stdout
    assert "write `sha256`" in " ".join(result.stdout.split())


def test_set_of_a_single_file_is_told_and_does_not_decide(sets: Path) -> None:
    manifest = with_manifest(sets, {"name": "a.csv"})
    result = judged(*manifest)

    assert (result.exit_code, "waits: `shop/2026-01-31/a.csv`" in result.stdout) == (0, True)


def test_incomplete_set_is_a_finding_of_ci(sets: Path) -> None:
    result = judged("2026-01-31/a.csv", *with_manifest(sets, {"name": "c.csv"}), "--format", "github")

    assert "title=set-incomplete::The set of files (day 2026-01-31) is not complete" in result.stdout


def test_folder_of_all_keys_is_named_once(sets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sets)
    words = ["a.csv", "b.csv", "--contracts", "../contracts", "--key", "shop/2026-02-01/", "--format", "json"]
    (one,) = json.loads(judged(*words).stdout)["sets"]

    assert one["files"] == ["shop/2026-02-01/a.csv", "shop/2026-02-01/b.csv"]
    assert one["lacks"] == "`shop/2026-02-01/manifest.json` has not come"


@pytest.mark.usefixtures("sets")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--key", "a", "--key", "b", "--key", "c"], "3 are given for 2 files"),
        (["--key", "elsewhere/"], "would be elsewhere/a.csv, which orders.v1 does not match"),
        (["--key", "shop/2026-01-31/a.csv", "--key", "shop/2026-01-31/a.csv"], "would both be shop/2026-01-31/a.csv"),
        (["--at", "2026-01-31T05:30"], "orders.v1 has no `arrival`"),
    ],
)
def test_keys_and_times_that_say_nothing_are_usage_errors(words: list[str], message: str) -> None:
    result = judged("2026-01-31/a.csv", "2026-01-31/b.csv", "--contract", "orders.v1", *words)

    assert (result.exit_code, message in " ".join(result.stderr.split())) == (2, True), result.stderr


ARRIVAL = "arrival: {days: [fri], from: '04:00', by: '06:00', zone: Europe/Berlin, outside: reject}\n"


@pytest.mark.parametrize(
    ("at", "code"),
    [
        ("2026-01-30T03:59", "arrived-early"),
        ("2026-01-30T05:00", None),
        ("2026-01-30T05:00:01Z", "arrived-late"),
        ("2026-01-30T05:00+00:00", None),
        ("2026-01-31T05:00", "arrived-other-day"),
    ],
)
def test_time_of_an_upload_is_held_against_the_window(folder: Path, at: str, code: str | None) -> None:
    (folder / "contracts" / "orders.v1.yaml").write_text(a_document(drop=DROP + ARRIVAL), encoding="utf-8")
    result = judged("bad.csv", "--contract", "orders.v1", "--at", at, "--format", "json")

    assert [p["code"] for p in json.loads(result.stdout)["problems"]] == ["missing-column", *([code] if code else [])]


def test_time_that_is_none_is_a_usage_error(folder: Path) -> None:
    (folder / "contracts" / "orders.v1.yaml").write_text(a_document(drop=DROP + ARRIVAL), encoding="utf-8")
    result = judged("bad.csv", "--contract", "orders.v1", "--at", "5 o'clock")

    assert (result.exit_code, "is not a time; write it as 2026-01-31T05:30" in result.stderr) == (2, True)


def test_wrong_contract_is_one_sentence(folder: Path) -> None:
    (folder / "contracts" / "wrong.v1.yaml").write_text("a: [", encoding="utf-8")
    result = judged("bad.csv", "--contract", "wrong.v1")
    assert str(result.exception).startswith("contracts/wrong.v1.yaml:")


USUAL = "- {metric: rowCount, mustBeBetween: [-50, 50], arguments: {relativeTo: {of: mean, last: 2}}}\n"


@pytest.mark.parametrize(
    ("contract", "lines", "message"),
    [
        (a_document(), "", "orders.v1 has no check with `relativeTo`, so that none reads it."),
        (a_document(quality=USUAL), "id\n1\n", "--history old.jsonl: line 1 is no JSON object"),
    ],
)
def test_history_that_cannot_be_read_is_a_usage_error(folder: Path, contract: str, lines: str, message: str) -> None:
    (folder / "contracts" / "orders.v1.yaml").write_text(contract, encoding="utf-8")
    (folder / "old.jsonl").write_text(lines, encoding="utf-8")
    result = judged("bad.csv", "--contract", "orders.v1", "--history", "old.jsonl")
    assert (result.exit_code, message in result.stderr) == (2, True)
