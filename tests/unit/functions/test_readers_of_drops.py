"""Each reader of drops, and how it leaves trials out: a new reader fails here until it is in the table."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from functions import keys
from functions.doctor.compare import differences
from functions.drop import Drop
from functions.events.drop_event import DropEvent
from functions.flow.references import pinned as pinned_references
from functions.notices.occasions import occasions
from functions.operations.listing import page
from functions.operations.promoted_columns import newest_promoted
from functions.promotion.history import history_of
from functions.promotion.lineage import claims_of
from functions.schedule.stuck import stuck
from infra.cli.options.choosing import chosen
from infra.cli.options.target import Target
from infra.packaging.bundles import ROOT
from tests.builders import ZONES, World, a_marked_plan, a_plan, a_relative_plan, a_world, one_bad, reaching

PARTITION = "asks for drops, whose partitions of the index have no trials"
ASKED = "asks for trials only if its caller does"

READERS = {
    "functions/costs/observed.py": PARTITION,
    "functions/doctor/compare.py": PARTITION,
    "functions/operations/listing.py": ASKED,
    "functions/operations/promoted_columns.py": PARTITION,
    "functions/operations/workload.py": PARTITION,
    "functions/promotion/history.py": PARTITION,
    "functions/schedule/missing_files.py": PARTITION,
    "functions/schedule/promises.py": PARTITION,
    "infra/cli/options/choosing.py": ASKED,
    "infra/cli/options/drop_argument.py": PARTITION,
    "infra/offline/trial.py": PARTITION,
}
"""By its file, how each caller of a search of the ledger (`DropSearch`) leaves trials out."""
SEARCHES = {"of_month", "newest", "each", "received"}
LEDGERS = {"ledger", "sources"}
OTHERS = {"book", "wording"}
"""Things with methods of the same names, which know nothing of drops."""


def callers() -> Iterator[tuple[str, ast.Call]]:
    """Yield each call of a search, with the file that it is in."""
    for path in sorted([*(ROOT / "functions").rglob("*.py"), *(ROOT / "infra").rglob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SEARCHES:
                of = node.func.value
                name = of.attr if isinstance(of, ast.Attribute) else of.id if isinstance(of, ast.Name) else ""
                if name not in OTHERS:
                    yield str(Path(path).relative_to(ROOT)), node


def test_every_reader_of_drops_is_in_the_table() -> None:
    assert {path for path, _ in callers() if not path.startswith("functions/aws/")} == READERS.keys()


def test_only_who_is_asked_for_trials_asks_for_them() -> None:
    asking = {path for path, call in callers() if any(word.arg == "trial" for word in call.keywords)}

    assert asking == {path for path, how in READERS.items() if how == ASKED}


@dataclass
class Worlds:
    """The same deliveries twice: `plain` alone, and `tried` with trials before, between and after them."""

    plain: World
    tried: World


PLANS = (a_plan(), a_marked_plan(contract="marked.v1", files=("marked/*.csv",), names=("id", "n")))
CONTRACTS = ("orders.v1", "marked.v1", None)
BODY = b"id,note\n%d,a\n"


@pytest.fixture(scope="module")
def worlds() -> Worlds:
    return Worlds(lived(trials=False), lived(trials=True))


def lived(*, trials: bool) -> World:
    """Return a world after two deliveries of a key, with trials of that key and of others."""
    world = a_world(contracts=PLANS)
    for n in range(3):
        if trials:
            for name in ("orders/1.csv", "orders/9.csv", "marked/1.csv", "nobody/1.csv"):
                world.upload(f"{keys.TRIAL}{name}", BODY % (500 + n))
            world.upload(f"{keys.TRIAL}orders/1.csv", b"wrong\n")
            world.finish(one_bad if n == 1 else reaching)
        if n < 2:
            world.upload("orders/1.csv", BODY % n)
            world.upload("marked/1.csv", b"id,n\n%d,1\n" % n)
            world.finish(reaching)
    world.clock.pass_seconds(3600)
    return world


def told(drops: Any) -> list[tuple[str, str]]:
    return sorted((drop.name, drop.state) for drop in drops)


def real(world: World) -> list[Drop]:
    return [drop for drop in world.drops().values() if not drop.trial]


def target(world: World) -> Target:
    return Target("here", world.ledger, lambda: ("orders.v1", "marked.v1"), "s3://l/", "s3://p/", str, lambda _: ())


def owner(world: World) -> list[Drop]:
    """Return the drop that consumers have under a key, by its lineage."""
    key = claims_of(world.ports, real(world)[0], PLANS[0]).key
    return [world.drop(str(key.promoted))] if key else []


def events(world: World) -> list[DropEvent]:
    return [event for event in world.ledger.events if occasions(event)]


SEEN: dict[str, Callable[[World], object]] = {
    "consumers: the promoted zone": lambda w: {k: len(v) for k, v in w.store.listing(ZONES.promoted).items()},
    "whoever asks the table of results": lambda w: len(w.store.listing(ZONES.results)),
    "who asks the evidence": lambda w: sorted(k for k in w.store.listing(f"{ZONES.evidence}rows/")),
    "producers' folders of receipts": lambda w: len(w.store.listing(f"{ZONES.reports}shop/")),
    "the lists of the API and the page": lambda w: told(page(w.ledger, CONTRACTS, "2026-01", 99).drops),
    "`dropgate drops`": lambda w: told(chosen(target(w), None, None, w.clock.now(), 99).drops),
    "`dropgate replay --state` and `try`": lambda w: told(
        w.ledger.of_month("orders.v1", "2026-01", 99, {"state": "tried"})
    ),
    "the newest drop of a key": lambda w: told(w.ledger.of_month("orders.v1", "2026-01", 1, {"name": "orders/1.csv"})),
    "the newest promoted drop of a contract": lambda w: told([newest_promoted(w.ledger, "orders.v1", w.clock.now())]),
    "arrival, promises and missing files": lambda w: told(
        w.ledger.received("orders.v1", "2026-01-01", "2026-02-01", 99)
    ),
    "the lineage of a key": lambda w: told(owner(w)),
    "lineages in all": lambda w: len(w.ledger._lineages),
    "watermarks": lambda w: [str(mark.value) for mark in w.ledger.watermarks("marked.v1").marks],
    "references": lambda w: pinned_references(w.ports, PLANS[0]),
    "the history of checks": lambda w: len(history_of(w.ports, a_relative_plan(), real(w)[0])),
    "sets of files": lambda w: len(w.ledger._sets),
    "notices": lambda w: len(events(w)),
    "listeners to promoted data": lambda w: sum(event.data.promoted is not None for event in w.ledger.events),
    "`dropgate doctor`": lambda w: [d.kind for d in differences(w.ports, CONTRACTS, ("2026-01",))],
    "`dropgate drops --stuck`": lambda w: stuck(w.ports, timedelta(0)),
}
"""By who looks, what it sees: the same with trials as without."""


@pytest.mark.parametrize("reader", SEEN)
def test_reader_sees_the_same_with_trials_as_without(worlds: Worlds, reader: str) -> None:
    assert [d for d in worlds.tried.drops().values() if d.state == "tried"]
    assert SEEN[reader](worlds.tried) == SEEN[reader](worlds.plain)


def test_worlds_have_what_readers_look_for(worlds: Worlds) -> None:
    empty = {reader for reader, see in SEEN.items() if not see(worlds.plain)}

    assert empty == {
        "`dropgate replay --state` and `try`",
        "references",
        "sets of files",
        "`dropgate doctor`",
        "`dropgate drops --stuck`",
        "who asks the evidence",
    }


def test_figures_of_trials_are_kept_nowhere(worlds: Worlds) -> None:
    trials = [drop for drop in worlds.tried.drops().values() if drop.trial]

    assert {(drop.marks, tuple(drop.figures), drop.promoted, drop.content) for drop in trials} == {((), (), None, None)}
