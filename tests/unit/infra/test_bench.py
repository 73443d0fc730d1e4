"""The bench: lines of its tables, its plans, what rivals are told and how their counts are held against ours."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
from contextlib import ExitStack
from pathlib import Path

import pytest

from bench import contests, language, plans
from bench.__main__ import ALL, CONTESTS, EXAMPLES, STATIONS, asked, is_whole, main
from bench.beside import ROUNDS, Duel, Rival, contest, differing
from bench.deployed.rows import DEPLOYED, DeployedRow
from bench.files import Files
from bench.large import LargeFile
from bench.limits import COLUMNS, LIMITS
from bench.load import Haul
from bench.measuring import Row, alternate
from bench.own import FEW, MANY, ROWS, Bench
from bench.page import page, renewed
from bench.rivals import datacontract_cli
from bench.rivals.answering import Counts
from contracts.authoring.compiler.compile import compile_text
from contracts.plan import RECORD_CHECKS
from infra.setup import environments, lock, packages
from infra.setup.spark.jars import ROOT

RIVALS = ROOT / "bench" / "rivals"


def a_rival(*, bound: float | None = 3, cannot: dict[str, str] | None = None, counts: Counts | None = None) -> Rival:
    """A rival that takes three seconds and finds what it is told to find."""
    return Rival("other", lambda _: (3.0, counts or {"a": 1}), cannot or {}, bound, "nothing")


def test_all_rows_are_asked_for_by_default() -> None:
    assert asked([]) == (ALL, STATIONS)
    assert asked(["bad", "--stations", "2"]) == (["bad"], 2)


def test_ratio_is_that_of_medians() -> None:
    row = Row("x", ((1, 9), (2, 4), (3, 3)), 2)

    assert (row.yardstick, row.job, row.ratio) == (2, 4, 2)
    assert str(row) == "| x | 4.00 s | 2.00 s | **2.00** | 9.00 | 2 | yes |"


@pytest.mark.parametrize(("bound", "met"), [(None, "-"), (2.0, "yes"), (1.9, "**no**")])
def test_bound_itself_is_met(bound: float | None, met: str) -> None:
    assert Row("x", ((1, 2),), bound).met == met


def test_rounds_alternate_after_the_warm_up() -> None:
    ran: list[str] = []

    pairs = alternate(lambda: ran.append("scan"), lambda: ran.append("job"), warm=1, rounds=2)

    assert ran == ["scan", "job"] * 3
    assert len(pairs) == 2


@pytest.mark.parametrize("number", [FEW, MANY])
def test_made_plan_has_so_many_checks(number: int) -> None:
    plan = plans.of_checks(plans.whole(), number)

    assert len({c.id for c in plan.checks}) == len(plan.checks) == number


def test_small_files_have_a_hundred_rows_each(tmp_path: Path) -> None:
    files = Files(tmp_path, 1)
    header, *rows = files.clean.read_text().splitlines()

    assert (len(rows), len(files.small)) == (8760, 1000)
    assert files.small[0].read_text().splitlines() == [header, *rows[:100]]
    assert files.small[87].read_text().splitlines() == [header, *rows[8700:], *rows[:40]]


def test_four_times_the_rows_have_one_header(tmp_path: Path) -> None:
    files = Files(tmp_path, 1)
    header, *rows = files.clean.read_text().splitlines()

    assert files.four.read_text().splitlines() == [header, *rows * 4]


def test_wide_file_has_one_bad_value(tmp_path: Path) -> None:
    header, *rows = (line.split(",") for line in Files(tmp_path, 1).wide(COLUMNS).read_text().splitlines())
    plan = plans.wide(COLUMNS)

    assert header == [p.name for p in plan.properties]
    assert (len(rows), {len(row) for row in rows}) == (100, {COLUMNS})
    assert [cell for row in rows for cell in row if cell.startswith("-")] == ["-1"]
    assert len({c.id for c in plan.checks}) == len(RECORD_CHECKS) + 3 * COLUMNS


def test_long_line_is_between_two_rows(tmp_path: Path) -> None:
    files = Files(tmp_path, 1)
    header, first, second, *_ = files.clean.read_text().splitlines()

    assert files.long_line(1).read_text().splitlines() == [header, first, "x" * 2**20, second]


def test_plain_plan_lacks_uniqueness_alone() -> None:
    whole = plans.whole()

    assert {c.id for c in whole.checks} - {c.id for c in plans.plain(whole).checks} == {"index.unique"}


def test_rivals_are_told_the_contracts_own_pattern_and_percent() -> None:
    by_id = {one.id: one for one in contests.wanted(plans.whole())}

    assert by_id["hour.pattern"].arguments == {"pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}
    assert (by_id["temp_c.nullValues"].percent, by_id["index.unique"].percent) == ("10", None)
    assert len(by_id) == len(plans.whole().checks)


def test_equal_counts_do_not_differ() -> None:
    assert differing({"a": 1, "b": 2, "c": 3}, {"a": 1, "b+c": 5}, {}) == {}


def test_differing_counts_are_named() -> None:
    differences = differing({"a": 1, "b": 2, "c": 3, "d": 4}, {"a": 1000, "b+c": 4}, {"d": "why"})

    assert differences == {
        "a": "`a`: 1,000 rows, ours 1",
        "b": "`b+c`: 4 rows, ours 5",
        "c": "`b+c`: 4 rows, ours 5",
    }


def test_check_that_a_rival_forgets_is_named() -> None:
    assert differing({"a": 1}, {}, {}) == {"a": "`a`: not evaluated"}


def test_contest_counts_the_rounds_after_warm_up() -> None:
    seen: list[str] = []

    def ours(file: Path) -> tuple[float, Counts]:
        seen.append(file.name)
        return 100.0 if len(seen) == 1 else 1.0, {"a": 1, "b": 0}

    (duel,) = contest(ours, [a_rival(cannot={"b": "why"})], [Path("dirty")], Path("clean"))

    assert seen == ["dirty", *["clean"] * ROUNDS]
    assert str(duel) == "| other | 3.00 s | 1.00 s | **3.00** | 3 | yes | 1 agree | nothing |"


def test_difference_in_one_file_stays_in_the_line() -> None:
    counts = iter([2, *[1] * ROUNDS])

    (duel,) = contest(lambda _: (1.0, {"a": next(counts)}), [a_rival()], [Path("dirty")], Path("clean"))

    assert (duel.agree, duel.differences) == (0, ("`a`: 1 rows, ours 2",))


def test_slower_than_agreed_is_told() -> None:
    assert "| **1.50** | 3 | **no** |" in str(Duel(a_rival(), (2,), (3,), 1, ()))


def test_datacontract_reads_our_contract_with_one_null_rule() -> None:
    table = {"name": "t", "properties": [{"name": "a", "quality": [{"severity": "warning"}, {"metric": "x"}]}]}

    document = datacontract_cli.document({"id": "i", "schema": [table]}, Path("/f.csv"))

    assert document["servers"] == [{"server": "local", "type": "local", "path": "/f.csv", "format": "csv"}]
    assert document["schema"] == [{"name": "t", "properties": [{"name": "a", "quality": [{"metric": "x"}]}]}]


def test_datacontracts_answer_has_our_ids(tmp_path: Path) -> None:
    checks = [
        {"type": "field_is_present", "field": "a", "diagnostics": {"present": True}},
        {"type": "field_maximum", "field": "a", "diagnostics": {"value": 7}},
        {"type": "field_unique", "field": "a", "diagnostics": {"value": 1, "failed_rows": 2}},
    ]
    (tmp_path / "answer").write_text(json.dumps({"checks": checks}))

    assert datacontract_cli.counts(tmp_path / "answer") == {"a.maximum": 7, "a.unique": 2}


def test_datacontract_check_that_did_not_run_is_no_count(tmp_path: Path) -> None:
    broken = {"type": "field_maximum", "field": "a", "diagnostics": None, "reason": "Error evaluating check"}
    (tmp_path / "answer").write_text(json.dumps({"checks": [broken]}))

    with pytest.raises(AssertionError, match="Error evaluating check"):
        datacontract_cli.counts(tmp_path / "answer")


def test_what_libraries_print_is_no_answer() -> None:
    program = (
        "from bench.rivals.answering import serve\n"
        "serve('it', {'a': 'why'}, lambda file: [print('noise'), {file: 1}][1])"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, input="x\ny\n", capture_output=True, text=True, check=True
    )
    hello, *answers = map(json.loads, done.stdout.splitlines())

    assert hello == {"name": "it", "cannot": {"a": "why"}}
    assert [one["found"] for one in answers] == [{"x": 1}, {"y": 1}]


@pytest.mark.parametrize("script", sorted(RIVALS.glob("*.py")), ids=lambda path: path.stem)
def test_rivals_import_nothing_of_ours(script: Path) -> None:
    tree = ast.walk(ast.parse(script.read_text(encoding="utf-8")))
    modules = {node.module for node in tree if isinstance(node, ast.ImportFrom) and node.module}

    assert {m for m in modules if m.split(".")[0] in ("contracts", "functions", "spark_jobs", "infra")} == set()
    assert {m for m in modules if m.startswith("bench")} <= {"bench.rivals.answering"}


@pytest.mark.parametrize(
    ("name", "pin"),
    [(contests.DATACONTRACT, "datacontract-cli[csv]==1.2.8"), (contests.GX, "great-expectations==1.24.1")],
)
def test_each_rival_has_a_lock_from_its_own_group(name: str, pin: str) -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]

    assert lock.LOCKS[name] == (f"--group={name}",)
    assert (ROOT / "locks" / f"{name}.txt").is_file()
    assert pin in groups[name]


def test_environment_of_todays_lock_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / f"{contests.GX}-{packages.VERSION}"
    folder.mkdir()
    shutil.copyfile(ROOT / "locks" / f"{contests.GX}.txt", folder / "lock.txt")

    python = environments.python_of(contests.GX, tmp_path)

    assert (python, list(folder.iterdir())) == (folder / "bin" / "python", [folder / "lock.txt"])


def test_page_has_a_line_for_each_row(tmp_path: Path) -> None:
    duel = Duel(a_rival(cannot={"x": "left to chance", "y": "left to chance"}), (1,), (3,), 1, ())

    text = page(Bench(Files(tmp_path, 157)), [Row("ours", ((1, 2),), 1.8)], [duel])

    assert "1,375,320 rows of 27 columns" in text
    assert "\n| ours | 2.00 s | 1.00 s | **2.00** | 2.00 | 1.8 | **no** |\n" in text
    assert f"\n{duel}\n" in text
    assert "\n- other: 2 checks left to chance.\n" in text


def test_page_has_rows_over_s3a_with_the_rate_of_the_server(tmp_path: Path) -> None:
    row = DeployedRow("read", ((1, 2),), 1.8, used=((4, 5),), size=2**30)  # 1.42 hours of a vCPU for 1 TiB

    with ExitStack() as started:
        text = page(Bench(Files(tmp_path, 1), started=started), [], [], deployed=[row])

    assert "\n| read | 2.00 s | 1.00 s | **2.00** | 2.00 | 1.25 | 0.09 | 1.8 | **no** |\n" in text
    assert re.search(r"2 plain readers got [\d,]+ MiB a second from it, and\n[\d,]+ MiB", text)


def test_page_has_the_rows_at_the_limits(tmp_path: Path) -> None:
    text = page(Bench(Files(tmp_path, 1)), [], [], limits=[Row("large", ((1, 2),))])

    assert "## At the limits\n" in text
    assert "\n| large | 2.00 s | 1.00 s | **2.00** | 2.00 | - | - |\n" in text


def test_page_leaves_out_what_was_not_run(tmp_path: Path) -> None:
    text = page(Bench(Files(tmp_path, 157)), [Row("ours", ((1, 2),))], [])

    assert "## On local files" in text
    assert "## Rivals" not in text


def test_help_names_every_row(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])

    assert ended.value.code == 0
    assert EXAMPLES in capsys.readouterr().out
    assert {*DEPLOYED, *ROWS, *LIMITS, *CONTESTS} - set(EXAMPLES.split()) == set()


def test_unknown_row_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["speed"])

    assert ended.value.code == 2
    assert "no row is called speed; there are s3a-clean, s3a-bad," in capsys.readouterr().err


def test_made_contract_has_as_many_checks_as_it_is_to_have() -> None:
    plan = compile_text(language.a_contract(0, language.COLUMNS, language.CHECKS), "c0.v1.yaml").plan

    assert plan
    assert (len(plan.properties), len(plan.checks)) == (language.COLUMNS, language.CHECKS + len(RECORD_CHECKS))


@pytest.mark.parametrize(("seconds", "met"), [((1.0, 3.0, 2.0), "yes"), ((1.0, 3.0, 2.5), "**no**")])
def test_figure_is_held_to_its_bound_by_its_median(seconds: tuple[float, ...], met: str) -> None:
    figure = language.Figure("x", seconds, 2)

    assert str(figure) == f"| x | {figure.median:.2f} s | 2 s | {met} |"
    assert str(figure) in page(Bench(Files(Path(), 1)), [], [], [figure])


def test_haul_says_what_a_drop_took() -> None:
    haul = Haul("few", ledger=1000, seconds=10, waits=(1, 2, 9, 3), calls=50, mib=2048)

    assert str(haul) == "| few | 1,000 | 10 s | 0.4 | 2.5 s | 9.0 s | 12.5 | 2,048 MiB |"


def test_part_measured_anew_takes_the_place_of_the_old() -> None:
    old = "# Benchmarks\n\nhead\n\n## On local files\n\nold\n\n## Contracts\n\nkept\n"
    new = "# Benchmarks\n\nnew head\n\n## On local files\n\nnew\n\n## Rivals\n\nadded\n"

    assert renewed(old, new) == (
        "# Benchmarks\n\nnew head\n\n## On local files\n\nnew\n\n## Rivals\n\nadded\n\n## Contracts\n\nkept\n"
    )


@pytest.mark.parametrize(
    ("names", "whole"), [(["load"], True), (["clean"], False), ([*ROWS, "load"], True), (["test"], False)]
)
def test_part_is_written_by_all_its_rows(names: list[str], whole: bool) -> None:
    assert is_whole(names) is whole


def test_page_says_what_many_drops_may_take(tmp_path: Path) -> None:
    hauls = [Haul("x", ledger, 10, (12, 13, 14), calls, 9) for ledger, calls in ((5, 60), (100, 30), (10**5, 36))]

    text = page(Bench(Files(tmp_path, 157)), [], [], [], hauls)

    assert "A lone drop takes 3.0 s outside its window; the bound is 5 s: met." in text
    assert "A drop needs 12.0 calls with 100,000 drops in the ledger, and 10.0 with 100;" in text
    assert "more batches: **not met**." in text


def test_page_has_the_way_of_a_large_file(tmp_path: Path) -> None:
    line = LargeFile("10 GiB", 249, "CreatedFunction", 45.52, 120, 274, 821)

    text = page(Bench(Files(tmp_path, 157)), [], [], large_files=[line])

    assert "## One large file\n" in text
    assert "\n| 10 GiB | 249 s | CreatedFunction: 45.5 of 120 s | 274 MiB | 821 MiB |\n" in text
