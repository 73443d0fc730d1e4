"""Several contracts: keys that two claim, nested folders, one contract twice, and the files of folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.authoring.compiler.lint import contract_files, index_of, lint
from contracts.catalog import Matched, match
from contracts.terms.arrival import Arrival
from infra.packaging.bundles import ROOT
from tests.unit.contracts.authoring.documents import DROP, HEAD, a_document


def write(folder: Path, name: str, files: str, producer: str = "shop", drop: str = DROP) -> Path:
    """A contract of that id in a folder."""
    block = drop.replace("shop/orders/*.csv", files).replace("producer: shop", f"producer: {producer}")
    path = folder / f"{name}.v1.yaml"
    path.write_text(a_document(head=HEAD.replace("orders", name), drop=block), encoding="utf-8")
    return path


def codes(folder: Path) -> list[str]:
    return [f.code for f in lint((folder,)).findings]


def test_overlap_names_both_contracts_and_a_key(tmp_path: Path) -> None:
    a = write(tmp_path, "a", "shop/*.csv")
    b = write(tmp_path, "b", '"shop/{day:%Y-%m-%d}*"')
    (finding,) = lint((tmp_path,)).findings
    assert (finding.file, finding.line, finding.column, finding.level) == (str(b), 15, 14, "error")
    assert finding.message == (
        f"`shop/{{day:%Y-%m-%d}}*` (b.v1) and `shop/*.csv` (a.v1, {a}:15) both match `shop/1000-01-01.csv`."
    )


def test_overlap_keeps_everything_from_being_published(tmp_path: Path) -> None:
    write(tmp_path, "a", "shop/*.csv")
    write(tmp_path, "b", "shop/b.csv")
    assert lint((tmp_path,)).failed


def test_contracts_side_by_side_are_fine(tmp_path: Path) -> None:
    write(tmp_path, "a", "shop/a/*.csv")
    write(tmp_path, "b", "shop/b/*.csv")
    assert codes(tmp_path) == []


def test_major_versions_may_not_share_keys(tmp_path: Path) -> None:
    first = write(tmp_path, "a", "shop/a/*.csv")
    (tmp_path / "a.v2.yaml").write_text(first.read_text(encoding="utf-8").replace("1.0.0", "2.0.0"), encoding="utf-8")
    assert codes(tmp_path) == ["overlap"]


def test_one_contract_in_two_files_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "a", "shop/a/*.csv")
    (tmp_path / "more").mkdir()
    write(tmp_path / "more", "a", "shop/b/*.csv")
    assert codes(tmp_path) == ["same-contract"]


def test_producer_within_anothers_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "a", "shop/*.csv", "shop")
    write(tmp_path, "b", "shop/north/*.csv", "north")
    assert codes(tmp_path) == ["nested-folders"]


def test_folders_that_only_begin_alike_are_fine(tmp_path: Path) -> None:
    write(tmp_path, "a", "shop/*.csv", "shop")
    write(tmp_path, "b", "shop-north/*.csv", "north")
    assert codes(tmp_path) == []


def test_contract_not_in_force_overlaps_with_nothing(tmp_path: Path) -> None:
    write(tmp_path, "a", "shop/*.csv")
    draft = write(tmp_path, "b", "shop/*.csv")
    draft.write_text(draft.read_text(encoding="utf-8").replace("active", "draft"), encoding="utf-8")
    assert codes(tmp_path) == ["not-active"]


def test_folders_are_searched_for_yaml(tmp_path: Path) -> None:
    (tmp_path / "sub" / ".hidden").mkdir(parents=True)
    for name in ("b.yml", "a.yaml", "note.md", "sub/c.yaml", "sub/.hidden/d.yaml"):
        (tmp_path / name).write_text("", encoding="utf-8")
    files = [str(f.relative_to(tmp_path)) for f in contract_files((tmp_path, tmp_path / "note.md"))]
    assert files == ["a.yaml", "b.yml", "sub/c.yaml", "note.md"]


def test_index_is_the_same_whatever_the_order(tmp_path: Path) -> None:
    write(tmp_path, "a", "shop/a/*.csv")
    write(tmp_path, "b", "shop/b/*.csv")
    plans = lint((tmp_path,)).plans
    assert index_of(plans) == index_of(tuple(reversed(plans)))
    assert [(e.contract, e.plan) for e in index_of(plans).entries] == [(p.contract, p.sha) for p in plans]


@pytest.mark.parametrize("name", ["weather/inmet-weather.v1", "flights/nyc-weather.v1", "flights/nyc-flights.v1"])
def test_contracts_of_the_repository_lint_clean(name: str) -> None:
    path = ROOT / "contracts" / f"{name}.yaml"
    linted = lint((path,))
    assert linted.findings == ()
    assert [p.contract for p in linted.plans] == [path.stem]


def test_marker_is_no_file_of_another_contract(tmp_path: Path) -> None:
    rule = "set: {of: [day], marker: 'shop/{day}.ok'}\n"
    write(tmp_path, "a", "shop/{day}.csv", drop=DROP + rule)
    b = write(tmp_path, "b", "shop/b-*.ok")
    (finding,) = lint((tmp_path,)).findings

    assert (finding.file, finding.code) == (str(b), "overlap")
    assert "`shop/{day}.ok` (a.v1, " in finding.message
    assert finding.message.endswith("both match `shop/b-.ok`.")


def test_marker_and_window_stand_in_the_index(tmp_path: Path) -> None:
    rule = "set: {of: [day], marker: 'shop/{day}.ok'}\narrival: {by: '06:00'}\n"
    write(tmp_path, "a", "shop/{day}.csv", drop=DROP + rule)
    index = index_of(lint((tmp_path,)).plans)

    assert (index.entries[0].signal, index.entries[0].arrival) == ("shop/{day}.ok", Arrival("06:00"))
    matched = match(index, "shop/7.ok")
    assert isinstance(matched, Matched)
    assert (matched.entry.contract, matched.pattern, matched.parts) == ("a.v1", "shop/{day}.ok", {"day": "7"})
