"""Checks against history: drawn contracts and months of uploads, each judged by us and by a second opinion.

Files pass through admission, ledger, verdict, promotion and decisions of people as they do in the functions. The counts
of each file are the oracle's; in the proofs they are the job's.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.job import DropResult, JobDrop
from contracts.plan import Plan
from functions.admission.arrival_window import uploaded
from functions.drop import Drop
from functions.operations.override import Overruled, accept, reject
from functions.operations.replay import Replayed, replay
from tests.builders import World, a_world
from tests.oracle import records, running
from tests.oracle.earlier import Entry, Row, Upload, judge
from tests.oracle.judging import judge as counts_of

FILES = 14
ZONES = ("UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kolkata")
GAPS = (600, 3 * 3600, 11 * 3600, 86_400, 86_400, 6 * 86_400, 7 * 86_400)
"""Seconds between two uploads."""
OVERRULED = 0.15
"""The share of uploads after which a person decides otherwise about a file."""
HEADER = "id,x\n"
Facts = Callable[[Plan, bytes], DropResult]


@dataclass
class Compared:
    """A contract with its world, the uploads of both sides so far, and what was compared."""

    entries: Sequence[Entry]
    versions: bool
    world: World
    facts: Facts
    uploads: list[Upload] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    bodies: dict[str, bytes] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)

    @property
    def plan(self) -> Plan:
        """The plan of the contract."""
        return self.world.plans[0]

    def go_on(self, chance: Random, files: Sequence[Sequence[Row]]) -> None:
        """Send files one after another, with decisions of people between them, and judge the rejected ones again."""
        for rows in files:
            self.send(chance, rows)
            if chance.random() < OVERRULED:
                self.overrule(chance)
        for n in range(len(files)):
            self.judge_again(n)

    def send(self, chance: Random, rows: Sequence[Row]) -> None:
        """Send a file, a while after the one before it, and compare what is said of it."""
        self.world.clock.pass_seconds(chance.choice(GAPS))
        key = f"maker/things/{chance.choice('abcdefgh')}.csv"
        drop_id = self.world.upload(key, body := _body(rows))
        self.bodies[drop_id] = body
        self.world.clock.pass_seconds(chance.choice((0, 0, 20 * 3600)))  # its event is late
        self._finish()
        drop = self.world.drop(drop_id)
        upload = Upload(key, uploaded(drop), rows)
        verdict = judge(self.entries, self.uploads, upload, versions=self.versions)
        assert (drop.verdict, self._answers(drop)) == (verdict, self._expected(upload))
        self.uploads.append(upload)
        self.ids.append(drop_id)

    def _finish(self) -> None:
        self.world.deliver_events()
        self.world.clock.pass_seconds(120)
        self.world.deliver_windows()
        self.world.deliver_jobs(self.world.end_jobs(self._judged))

    def _judged(self, plan: Plan, drop: JobDrop) -> DropResult:
        return replace(self.facts(plan, self.bodies[drop.id]), drop=drop.id, attempt=drop.attempt)

    def _answers(self, drop: Drop) -> dict[str, tuple[object, ...]]:
        checks = {check["id"]: check for check in json.loads(self.world.store.get(str(drop.receipt)))["checks"]}
        answers: dict[str, tuple[object, ...]] = {}
        for identity in (entry["id"] for entry in self.entries):
            past, figure = drop.history[identity], drop.figures.get(identity)
            lacks = (checks[identity].get("lacks") or "").partition(" of ")[0]
            middle = checks[identity].get("history") is not None
            earlier = [one.exact for one in past.figures]
            answers[identity] = (checks[identity]["result"], figure and figure.exact, earlier, lacks, middle)
        return answers

    def _expected(self, upload: Upload) -> dict[str, tuple[object, ...]]:
        expected: dict[str, tuple[object, ...]] = {}
        for identity, answer in upload.answers.items():
            self.seen[answer.result] += 1
            is_short = answer.result == "not_evaluated" and answer.figure is not None
            lacks = str(len(answer.earlier)) if is_short else ""
            is_held = answer.result != "not_evaluated"
            expected[identity] = (answer.result, answer.figure, [*answer.earlier], lacks, is_held)
        return expected

    def overrule(self, chance: Random) -> None:
        """Let a person decide otherwise about one of the files."""
        n = chance.randrange(len(self.uploads))
        drop, by = self.world.drop(self.ids[n]), ("ana", "she knows better")
        if drop.state == "rejected" and isinstance(accept(self.world.ports, drop, *by), Overruled):
            self.uploads[n].stands = self.world.drop(drop.id).verdict != "rejected"
        elif drop.state in ("accepted", "accepted_with_warnings"):
            assert isinstance(reject(self.world.ports, drop, *by), Overruled)
            self.uploads[n].stands = False
        self.seen["overruled"] += 1

    def judge_again(self, n: int) -> None:
        """Replay a rejected file: it is held against what it was held against at first."""
        before = self.world.drop(self.ids[n])
        if before.state != "rejected" or before.override:
            return
        assert isinstance(replay(self.world.ports, before.id), Replayed)
        self._finish()
        after = self.world.drop(before.id)
        assert (after.attempt, after.verdict, self._answers(after)) == (2, "rejected", self._expected(self.uploads[n]))
        self.seen["replayed"] += 1


def _rows(chance: Random) -> list[Row]:
    """Records whose mean is a decimal, some of them without number, few of them without id."""
    numbers = chance.choice((0, 1, 2, 2, 4, 4, 5, 8, 10))
    values = [Fraction(chance.choice((0, 0, 1, 2, 2, 3, -5, 8)), chance.choice((1, 1, 2, 4))) for _ in range(numbers)]
    rows: list[Fraction | None] = [*values, *[None] * chance.choice((0, 0, 1, 3))]
    chance.shuffle(rows)
    return [("" if chance.random() < 0.01 else f"i{n}", value) for n, value in enumerate(rows)]


def _body(rows: Sequence[Row]) -> bytes:
    return "".join([HEADER, *(f"{name},{'' if v is None else float(v)}\n" for name, v in rows)]).encode()


def _entries(chance: Random, metrics: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield an entry of each of some figures, with thresholds that some files meet."""
    for n, metric in enumerate(metrics):
        relative: dict[str, Any] = {"of": chance.choice(("mean", "median")), "last": chance.choice((1, 2, 3, 4, 6))}
        if chance.random() < 0.5:
            relative["least"] = chance.randint(1, relative["last"])
        if chance.random() < 0.3:
            relative["period"] = "weekday"
        if chance.random() < 0.5:
            relative["zone"] = chance.choice(ZONES)
        if chance.random() < 0.4:
            relative |= {"unit": "deviations", "last": relative["last"] + 3, "least": 3}
        entry = {"id": f"{metric.replace(' ', '-')}-{n}", "severity": chance.choice(("error", "warning", "warning"))}
        yield entry | _written(metric, _threshold(chance, relative), relative)


METRICS = ("rows", "rows above", "mean", "sum", "min", "max", "nulls", "share of nulls", "query")


def _threshold(chance: Random, relative: Mapping[str, Any]) -> dict[str, Any]:
    operator = chance.choice((*("mustBeBetween",) * 4, *OTHERS))
    width = chance.choice((0.5, 1, 2)) if relative.get("unit") == "deviations" else chance.choice((25, 50, 100, 150))
    return {operator: [-width, width] if "Between" in operator else chance.choice((max(-width, -50), 0, width))}


OTHERS = (
    "mustBe", "mustNotBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo", "mustBeLessThan", "mustBeLessOrEqualTo",
    "mustNotBeBetween",
)  # fmt: skip


def _written(metric: str, threshold: dict[str, Any], relative: dict[str, Any]) -> dict[str, Any]:
    arguments = {"relativeTo": relative}
    if metric in ("rows", "rows above"):
        above = {"filter": "x > 0"} if metric == "rows above" else {}
        return {"metric": "rowCount", **threshold, "arguments": above | arguments}
    if metric in ("nulls", "share of nulls"):
        share = {"unit": "percent"} if metric == "share of nulls" else {}
        return {"metric": "nullValues", **threshold, **share, "arguments": arguments}
    if metric == "query":
        custom = [{"property": key, "value": value} for key, value in arguments.items()]
        about = {"description": json.dumps(["count", "x > 1", "x"])}  # what the oracle reads
        query = "select count(*) from data where x > 1"
        return {"type": "sql", **about, "query": query, **threshold, "customProperties": custom}
    return {"type": "custom", "engine": "dropgate", "implementation": {"metric": metric, **threshold, **arguments}}


def _compared(chance: Random, facts: Facts, entries: Sequence[Entry]) -> Compared:
    versions = chance.random() < 0.3
    properties = [
        {"name": "id", "logicalType": "string", "required": True},
        {"name": "x", "logicalType": "number", "quality": [entry for entry in entries if _is_of_x(entry)]},
    ]
    block = {"files": "maker/things/*.csv", "producer": "maker", "format": "csv", "empty": "accept"}
    document = {
        "apiVersion": "v3.2.0",
        "kind": "DataContract",
        "id": "things",
        "version": "1.0.0",
        "status": "active",
        "schema": [{"name": "things", "properties": properties, "quality": [e for e in entries if not _is_of_x(e)]}],
        "customProperties": [
            {
                "property": "drop",
                "vendor": "dropgate",
                "value": block | ({"sameKey": "version"} if versions else {}),
            }
        ],
    }
    compiled = compile_text(json.dumps(document).encode(), "things.v1.yaml")
    assert compiled.plan, [finding for finding in compiled.findings if finding.level == "error"]
    return Compared(entries, versions, a_world([compiled.plan]), facts)


def _is_of_x(entry: Entry) -> bool:
    return entry.get("metric") == "nullValues" or "implementation" in entry


def _by_oracle(plan: Plan, body: bytes) -> DropResult:
    return counts_of(plan, records.content(plan, running.look(plan, body).header, body)).facts


@pytest.mark.parametrize("seeds", [range(12), range(12, 80)], ids=["few", "many"])
def test_drawn_histories_get_the_second_opinion(seeds: range) -> None:
    seen: Counter[str] = Counter()
    for seed in seeds:
        chance = Random(seed)
        history = _compared(chance, _by_oracle, [*_entries(chance, chance.sample(METRICS, 5))])
        history.go_on(chance, [_rows(chance) for _ in range(FILES)])
        seen += history.seen

    assert min(seen[each] for each in ("passed", "failed", "warning", "not_evaluated", "overruled", "replayed")) > 10


def test_job_gives_the_figures_of_drawn_histories(spark: SparkSession, tmp_path: Path) -> None:
    """One job counts files with each kind of figure; then they come in several orders."""
    chance = Random(7)
    entries = [*_entries(chance, METRICS)]
    plan = _compared(chance, _by_oracle, entries).plan
    files = [_rows(chance) for _ in range(24)]
    bodies = {f"{n}.csv": _body(rows) for n, rows in enumerate(files)}
    admitted = {name: running.look(plan, body) for name, body in bodies.items()}
    judged, _ = running.judged_by_job(spark, tmp_path, plan, bodies, admitted)
    facts = {body: judged.drop(name) for name, body in bodies.items()}
    seen: Counter[str] = Counter()
    for seed in range(8):
        chance = Random(seed)
        history = _compared(chance, lambda _, body: facts[body], entries)
        history.go_on(chance, chance.sample(files, len(files)))
        seen += history.seen

    assert min(seen[result] for result in ("passed", "failed", "warning", "not_evaluated")) > 10
