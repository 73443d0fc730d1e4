"""README and docs: every command exists, what is shown as output is the output, every link and path leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from infra.cli.main import COMMANDS, main
from infra.packaging.bundles import ROOT
from tests.unit.infra.cli.command_lines import parse

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
TARGETS = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def consoles() -> list[tuple[str, str]]:
    """Each command that the README shows at a prompt, with the output that it shows below."""
    blocks = []
    for block in re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            blocks.append((line, output))
    return blocks


CONSOLES = consoles()
COMMAND_LINES = [line for line, _ in CONSOLES if line.startswith("dropgate ")]
LINKS = sorted(
    {(name, link) for name, text in TEXTS.items() for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", text)}
)
PATHS = sorted(set(re.findall(r"`([a-z_]+/[\w/.-]*\.(?:py|yaml|md))`", README)))


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_readmes_command_lines_parse(line: str) -> None:
    parse(line)


@pytest.mark.parametrize(("line", "output"), [c for c in CONSOLES if c[1]])
def test_readmes_output_is_the_output(line: str, output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    program, *words = line.split()
    assert (program, words[0]) in {("dropgate", "match"), ("dropgate", "lint")}, "only what needs no stack stands here"
    assert CliRunner().invoke(main, words).output == output


@pytest.mark.parametrize("name", TEXTS)
def test_commands_in_prose_exist(name: str) -> None:
    for command in re.findall(r"`dropgate ([a-z]+)", TEXTS[name]):
        assert command in COMMANDS
    for target in re.findall(r"(?:`|^\$ )make ([a-z]+)", TEXTS[name], re.MULTILINE):
        assert target in TARGETS


@pytest.mark.parametrize(("name", "link"), LINKS)
def test_links_lead_to_files(name: str, link: str) -> None:
    assert (ROOT / name).parent.joinpath(link).exists()


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of a page's headings."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", TEXTS)
def test_anchors_lead_to_headings(name: str) -> None:
    here = ROOT / name
    links = re.findall(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)", TEXTS[name])

    assert [a for path, a in links if a not in anchors(here.parent / path if path else here)] == []


def test_index_of_the_documents_names_each_page() -> None:
    index = ROOT / "docs" / "README.md"
    named = {(index.parent / link).resolve() for link in re.findall(r"\]\(([^)#\s:]+\.md)", index.read_text("utf-8"))}

    assert {page.resolve() for page in index.parent.rglob("*.md")} - {index.resolve()} <= named


@pytest.mark.parametrize("name", sorted(TEXTS.keys() - {"docs/tutorial.md"}))
def test_paths_in_prose_are_there(name: str) -> None:
    rooms = "contracts|functions|spark_jobs|infra|tests|bench"
    paths = re.findall(rf"`((?:{rooms})/[\w/.-]*)`", TEXTS[name])
    bare = re.findall(r"`(test_\w+\.py)`", TEXTS[name])

    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert [path for path in bare if not [*(ROOT / "tests").rglob(path)]] == []


@pytest.mark.parametrize("path", PATHS)
def test_readmes_paths_are_there(path: str) -> None:
    assert (ROOT / path).is_file()


@pytest.mark.parametrize("name", ["decisions.md", "experiments.md"])
def test_paths_in_explanations_are_there(name: str) -> None:
    folder, file = r"(?:tests|bench|contracts|functions|spark_jobs|infra|locks)", r"[\w/.-]*\.(?:py|yaml|json|txt)"
    paths = set(re.findall(rf"\b{folder}/{file}\b", TEXTS[f"docs/explanation/{name}"]))

    assert sorted(path for path in paths if not (ROOT / path).is_file()) == []


def test_readme_shows_what_it_should() -> None:
    assert [line for line, _ in CONSOLES][:2] == ["make demo", "make test"]
    assert len(COMMAND_LINES) >= 2
    assert len(PATHS) >= 8


def test_ci_runs_the_readmes_test_command() -> None:
    (proof,) = re.findall(r"^## Prove it\n\n```console\n\$ (.*)\n```", README, re.MULTILINE)
    text = Path(ROOT, ".ci", "run").read_text(encoding="utf-8")
    assert re.findall(r"^(make .*?) </dev/null && make proofs PART=", text, re.MULTILINE) == [proof]


def test_version_is_the_newest_of_the_changelog() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$", changelog, re.MULTILINE)[0]
    shown = CliRunner().invoke(main, ["--version"])
    assert (shown.exit_code, shown.output.split()[-1]) == (0, newest)
