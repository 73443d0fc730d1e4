"""`dropgate breaking` and `dropgate changelog`: what they print, how contracts are paired, how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from infra.cli.main import main
from tests.unit.contracts.authoring.documents import DROP, HEAD, a_document

ONE = a_document("- name: id\n  logicalType: integer\n  logicalTypeOptions: {minimum: 1}\n")
TIGHTER = ONE.replace("minimum: 1", "minimum: 2").replace("1.0.0", "1.1.0")


def run(*words: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, [*words], prog_name="dropgate")


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two folders, of contracts before and after, to work in."""
    monkeypatch.chdir(tmp_path)
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    return tmp_path


def write(file: str, text: str) -> str:
    Path(file).write_text(text, encoding="utf-8")
    return file


def other(name: str, text: str = ONE) -> str:
    """The same contract under another id, for files of its own."""
    return text.replace("id: orders", f"id: {name}").replace("shop/orders", f"shop/{name}")


def test_what_breaks_is_told_with_its_place_and_version() -> None:
    result = run("breaking", write("old/orders.v1.yaml", ONE), write("new/orders.v1.yaml", TIGHTER))
    assert result.exit_code == 1
    assert result.stdout == (
        "orders.v1 1.0.0 -> 1.1.0\n"
        "new/orders.v1.yaml:11:30: breaks producers (shop), tightens [rule:id.minimum]: "
        "`id.minimum` asks for: >= 2. Before: >= 1.\n"
        "new/orders.v1.yaml:4:10: error[version]: 1 change since 1.0.0 breaks producers or consumers; "
        "`version: 1.1.0` does not say so.\n"
        '  fix: Write version: "2.0.0" into a file of its own, orders.v2.yaml; who relies on orders.v1 needs it. '
        "Or let it through with `--accept rule:id.minimum --because REASON`.\n"
        "\n"
        "1 contract, 1 change: 1 breaks\n"
    )


def test_nothing_changed_ends_with_zero() -> None:
    result = run("breaking", write("old/orders.v1.yaml", ONE), write("new/orders.v1.yaml", ONE))
    assert (result.exit_code, result.stdout) == (
        0,
        "orders.v1 1.0.0 -> 1.0.0: nothing has changed\n\n1 contract, 0 changes: 0 break\n",
    )


def test_folders_are_paired_by_id_and_major() -> None:
    for name in ("a", "b", "gone"):
        write(f"old/{name}.v1.yaml", other(name))
    write("new/renamed.yaml", other("a"))
    write("new/b.v1.yaml", other("b", TIGHTER.replace("1.1.0", "1.0.0")))
    write("new/fresh.v1.yaml", other("fresh"))
    result = run("breaking", "old", "new", "--format", "json")
    kinds = {c["contract"]: [x["kind"] for x in c["changes"]] for c in json.loads(result.stdout)["contracts"]}
    assert kinds == {"a.v1": [], "b.v1": ["rule"], "gone.v1": ["contract-removed"], "fresh.v1": ["contract-added"]}
    assert result.exit_code == 1


def test_next_major_takes_the_place_of_one_that_is_gone() -> None:
    write("old/orders.v1.yaml", ONE)
    write("new/orders.v2.yaml", TIGHTER.replace("1.1.0", "2.0.0"))
    result = run("breaking", "old", "new")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (
        0,
        "1 contract, 1 change: 0 break, 1 announced by a new major version",
    )


def test_file_against_a_folder_is_its_contract_alone() -> None:
    write("old/a.v1.yaml", other("a"))
    write("old/b.v1.yaml", other("b"))
    result = run("breaking", "old", write("new/b.v1.yaml", other("b")))
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "1 contract, 0 changes: 0 break")


@pytest.mark.parametrize("command", ["breaking", "changelog"])
def test_contract_that_does_not_compile_is_a_finding(command: str) -> None:
    broken = write("new/orders.v1.yaml", ONE.replace("integer", "intger"))
    result = run(command, write("old/orders.v1.yaml", ONE), broken)
    assert result.exit_code == 1
    assert "new/orders.v1.yaml:10:22: error[unknown-value]" in result.stdout + result.stderr, result


@pytest.mark.parametrize("command", ["breaking", "changelog"])
def test_nothing_to_compare_is_a_usage_error(command: str) -> None:
    assert run(command, "old", "new").exit_code == 2
    plain = write("old/orders.v1.yaml", ONE[: ONE.index("customProperties")])
    result = run(command, plain, plain)
    assert (result.exit_code, "has no `drop` block" in result.stderr or "no `drop` block" in result.stderr) == (2, True)


WAIVED = ("--accept", "rule:id.minimum", "--because", "Shop agreed: no order is 1.")


def test_waiver_lets_a_break_through_under_a_minor_version() -> None:
    paths = write("old/orders.v1.yaml", ONE), write("new/orders.v1.yaml", TIGHTER)
    result = run("breaking", *paths, *WAIVED)
    assert result.exit_code == 0, result.stdout + result.stderr
    assert "new/orders.v1.yaml: wrote the waiver of rule:id.minimum.\n" in result.stderr
    assert "before: >= 1. waived: shop agreed: no order is 1.\n" in result.stdout.casefold()
    assert result.stdout.endswith("1 contract, 1 change: 0 break, 1 waived\n")
    assert run("breaking", *paths).stdout == result.stdout
    assert "Waived: Shop agreed: no order is 1." in run("changelog", *paths).stdout
    (change,) = json.loads(run("breaking", *paths, "--format", "json").stdout)["contracts"][0]["changes"]
    assert (change["name"], change["waived"]) == ("rule:id.minimum", "Shop agreed: no order is 1.")
    assert change["touches"] == {"producer": ["shop"]}

    write(
        "newer.yaml",
        Path(paths[1])
        .read_text(encoding="utf-8")
        .replace('version: "1.1.0"\nstatus', 'version: "1.2.0"\nstatus')
        .replace("minimum: 2", "minimum: 3"),
    )
    assert run("breaking", paths[1], "newer.yaml").exit_code == 1


def test_waiver_is_written_next_to_those_that_are_there() -> None:
    two = ONE.replace("minimum: 1", "minimum: 1, maximum: 9")
    tighter = two.replace("minimum: 1", "minimum: 2").replace("maximum: 9", "maximum: 8").replace("1.0.0", "1.1.0")
    paths = write("old/orders.v1.yaml", two), write("new/orders.v1.yaml", tighter)
    assert run("breaking", *paths, *WAIVED).exit_code == 1
    assert run("breaking", *paths, "--accept", "rule:id.maximum", "--because", 'As "shop" does: 8.').exit_code == 0
    text = Path(paths[1]).read_text(encoding="utf-8")
    at = text.index("      waivers:\n        - {")
    assert text.replace(text[at : text.index("      files:")], "") == tighter


@pytest.mark.parametrize("flow", ["{", "{\n        "])
def test_waiver_is_written_into_a_block_in_braces(flow: str) -> None:
    block = f"    value: {flow}files: shop/orders/*.csv, producer: shop, format: csv}}\n"
    one, other = (text[: text.index("    value:")] + block for text in (ONE, TIGHTER))
    paths = write("old/orders.v1.yaml", one), write("new/orders.v1.yaml", other)
    result = run("breaking", *paths, *WAIVED)
    assert result.exit_code == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--accept", "rule:id.minimun", "--because", "x"), "Write `rule:id.minimum`."),
        (("--accept", "other", "--because", "x"), "These break somebody: `rule:id.minimum`."),
        (("--accept", "rule:id.minimum"), "--because TEXT"),
        (("--because", "x"), "--accept CHANGE"),
    ],
)
def test_waiver_of_another_name_is_a_usage_error(words: tuple[str, ...], message: str) -> None:
    paths = write("old/orders.v1.yaml", ONE), write("new/orders.v1.yaml", TIGHTER)
    result = run("breaking", *paths, *words)
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
    assert Path(paths[1]).read_text(encoding="utf-8") == TIGHTER


def test_waiver_needs_a_version_of_its_own() -> None:
    paths = write("old/orders.v1.yaml", ONE), write("new/orders.v1.yaml", TIGHTER.replace("1.1.0", "1.0.0"))
    result = run("breaking", *paths, *WAIVED)
    assert (result.exit_code, 'write version: "1.1.0" first' in result.stderr) == (2, True), result.stderr


def test_waiver_by_hand_of_another_name_is_a_finding() -> None:
    wrong = "      waivers: [{change: rule:id.minimun, version: 1.1.0, because: x}]\n"
    paths = write("old/orders.v1.yaml", ONE), write("new/orders.v1.yaml", TIGHTER + wrong)
    result = run("breaking", *paths)
    assert "error[no-such-change]" in result.stdout
    assert "fix: Write `rule:id.minimum`." in result.stdout


def test_same_meaning_in_other_words_says_so() -> None:
    nulls = "- {name: id, logicalType: integer, quality: [{metric: nullValues, mustBe: 0}]}\n"
    old = a_document("- {name: id, logicalType: integer, required: true}\n")
    new = a_document(nulls, head=HEAD.replace("1.0.0", "1.0.1"))
    result = run("breaking", write("old/orders.v1.yaml", old), write("new/orders.v1.yaml", new))
    assert result.exit_code == 0
    assert result.stdout.startswith("orders.v1 1.0.0 -> 1.0.1: the same files pass\n")


def test_changelog_groups_by_whom_it_concerns() -> None:
    old = a_document(
        "- {name: id, logicalType: integer}\n- {name: day, logicalType: date}\n", drop=DROP + "empty: warn"
    )
    new = a_document(
        "- {name: id, logicalType: integer, required: true, description: A <b> key}\n"
        "- {name: day, logicalType: string}\n",
        drop=DROP.replace("*.csv", "*") + "empty: accept",
        head=HEAD + "tags: [a]\n",
    )
    result = run("changelog", write("old/orders.v1.yaml", old), write("new/orders.v1.yaml", new))
    assert result.exit_code == 0
    assert result.stdout == (
        "# Changelog\n\n## orders.v1 1.0.0 -> 1.0.0\n\n"
        "### Breaks producers and consumers\n\n"
        "- `day.logicalType` is `string`, and was `date`. (tightens and loosens)\n\n"
        "### Breaks producers\n\n"
        "- `id` must be there and not null now. (tightens)\n\n"
        "### Breaks consumers\n\n"
        "- `files` is `shop/orders/*`, and was `shop/orders/*.csv`. (loosens)\n\n"
        "### Changes that break nothing\n\n"
        "- `empty` is `accept`, and was `warn`.\n\n"
        "### Words\n\n"
        "- `tags` is `a`, and was nothing.\n"
        "- `id.description` is `A <b> key`, and was nothing.\n"
    )


def test_changelog_of_nothing_says_so() -> None:
    result = run("changelog", write("old/orders.v1.yaml", ONE), write("new/orders.v1.yaml", ONE))
    assert (result.exit_code, result.stdout) == (0, "# Changelog\n\nNothing has changed.\n")
