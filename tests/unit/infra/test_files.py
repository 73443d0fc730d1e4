"""Files that a person asks for: written where he says, never through a link, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from infra import files
from infra.cli.main import main
from infra.files import NotWritten, refuse_links, write
from infra.local.state.sqlite_store import Kept, NotKept
from tests.unit.contracts.authoring.documents import a_document

ELSEWHERE = "untouched"


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in, and another that nobody may write to."""
    home = tmp_path / "home"
    (tmp_path / "else").mkdir()
    home.mkdir()
    (tmp_path / "else" / "file").write_text(ELSEWHERE)
    monkeypatch.chdir(home)
    return tmp_path


def elsewhere(top: Path) -> dict[str, str]:
    """Return the content of the other folder."""
    return {path.name: path.read_text() for path in (top / "else").iterdir()}


def test_file_is_written_where_it_is_asked_for(checkout: Path) -> None:
    for folder in (
        Path("a"),
        Path("a/b/c"),
        checkout / "new" / "d",
        Path(),
        Path("../home/e"),
        checkout / "home" / "f",
    ):
        assert write(folder, "x.txt", "one").read_text() == "one"
        assert write(folder, "x.txt", b"two").read_text() == "two"
        assert write(folder, "deep/er/y.txt", "three").read_text() == "three"
        assert [path.name for path in folder.iterdir() if path.name.endswith(".part")] == []


def a_linked_file(target: Path) -> None:
    Path("out").mkdir()
    Path("out/x.txt").symlink_to(target)


LINKS: dict[str, Callable[[Path], None]] = {
    "the folder": lambda top: Path("out").symlink_to(top / "else"),
    "a folder above it": lambda top: Path("a").symlink_to(top / "else"),
    "the file": lambda top: a_linked_file(top / "else" / "file"),
    "a file that is not there": lambda top: a_linked_file(top / "else" / "new"),
    "a folder that is not there": lambda top: Path("out").symlink_to(top / "else" / "none"),
    "itself": lambda _: Path("out").symlink_to("out"),
}


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("absolute", [False, True])
def test_link_is_not_written_through(checkout: Path, link: str, *, absolute: bool) -> None:
    LINKS[link](checkout)
    folder = Path("a/out") if link == "a folder above it" else Path("out")
    before = elsewhere(checkout)
    with pytest.raises(NotWritten, match="symbolic link"):
        write(Path.cwd() / folder if absolute else folder, "x.txt", "ours")
    assert elsewhere(checkout) == before


def test_link_below_the_folder_is_not_written_through(checkout: Path) -> None:
    Path("out").mkdir()
    Path("out/deep").symlink_to(checkout / "else")
    for name in ("deep/x.txt", "deep/er/x.txt", "deep/file"):
        with pytest.raises(NotWritten, match="symbolic link"):
            write(Path("out"), name, "ours")
    assert elsewhere(checkout) == {"file": ELSEWHERE}


def test_absolute_folder_may_lie_behind_links_of_the_system(checkout: Path) -> None:
    (checkout / "tmp").symlink_to(checkout / "else")
    write(checkout / "tmp" / "out", "x.txt", "ours")
    assert (checkout / "else" / "out" / "x.txt").read_text() == "ours"


def test_name_does_not_lead_out_of_the_folder(checkout: Path) -> None:
    for name in ("../else/file", "a/../../else/file", "..", "."):
        with pytest.raises(NotWritten):
            write(Path("out"), name, "ours")
    assert elsewhere(checkout) == {"file": ELSEWHERE}


def test_other_file_of_the_same_name_is_left_as_it_was(checkout: Path) -> None:
    Path("out").mkdir()
    os.link(checkout / "else" / "file", "out/x.txt")
    write(Path("out"), "x.txt", "ours")
    assert elsewhere(checkout) == {"file": ELSEWHERE}
    assert Path("out/x.txt").read_text() == "ours"


def test_what_is_in_the_way_is_named() -> None:
    Path("out").write_text("a file")
    Path("there/x.txt").mkdir(parents=True)
    for folder, name in ((Path("out"), "x.txt"), (Path("there"), "x.txt")):
        with pytest.raises(NotWritten, match=r"cannot be written: .*\. Name another folder"):
            write(folder, name, "ours")
    with pytest.raises(NotWritten):
        refuse_links(Path("out/more"))
    refuse_links(Path("none/yet"))


COMMANDS = {
    "export": ("export", "--to", "avro", "contracts", "--out", "out"),
    "import": ("import", "--from", "json-schema", "a.json", "--to", "out"),
    "init": ("init", "a.csv", "--to", "out"),
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("link", ["the folder", "a folder that is not there", "the file"])
def test_command_says_what_is_in_the_way(checkout: Path, name: str, link: str) -> None:
    Path("contracts").mkdir()
    Path("contracts/orders.v1.yaml").write_text(a_document())
    Path("a.json").write_text('{"title": "orders", "properties": {"id": {"type": "integer"}}}')
    Path("a.csv").write_text("id,name\n1,a\n2,b\n")
    made = {"export": "orders.v1.avsc", "import": "orders.v1.yaml", "init": "a.v1.yaml"}[name]
    if link == "the file":
        Path("out").mkdir()
        Path("out", made).symlink_to(checkout / "else" / "new")
    else:
        LINKS[link](checkout)
    before = elsewhere(checkout)
    result = CliRunner().invoke(main, list(COMMANDS[name]))
    assert result.exit_code == 2, result.output
    assert ("exists already" if link == "the file" else "symbolic link") in result.output
    assert elsewhere(checkout) == before


def test_command_writes_into_a_folder_that_is_one() -> None:
    Path("contracts").mkdir()
    Path("contracts/orders.v1.yaml").write_text(a_document())
    result = CliRunner().invoke(main, list(COMMANDS["export"]))
    assert (result.exit_code, Path("out/orders.v1.avsc").is_file()) == (0, True), result.output


def test_receipt_is_refused_before_anything_is_judged(checkout: Path) -> None:
    Path("a.csv").write_text("id\n1\n")
    Path("out").symlink_to(checkout / "else")
    result = CliRunner().invoke(main, ["test", "a.csv", "--contract", "none", "--receipt", "out"])
    assert result.exit_code == 2
    assert "symbolic link" in result.output
    assert elsewhere(checkout) == {"file": ELSEWHERE}


@pytest.mark.parametrize("name", ["data.sqlite", "data.sqlite-wal", "lock"])
def test_state_of_a_stack_is_kept_behind_no_link(checkout: Path, name: str) -> None:
    Path("state").mkdir()
    Path("state", name).symlink_to(checkout / "else" / "file")
    with pytest.raises(NotKept, match="symbolic link"):
        Kept(Path("state"))
    assert elsewhere(checkout) == {"file": ELSEWHERE}


def test_state_folder_is_no_link(checkout: Path) -> None:
    Path("state").symlink_to(checkout / "else")
    with pytest.raises(NotKept, match="symbolic link"):
        Kept(Path("state"))
    assert elsewhere(checkout) == {"file": ELSEWHERE}


def test_opener_follows_no_link(checkout: Path) -> None:
    Path("x").symlink_to(checkout / "else" / "file")
    with pytest.raises(OSError, match="symbolic links"), open("x", "w", opener=files.no_link):
        pass
    assert elsewhere(checkout) == {"file": ELSEWHERE}
