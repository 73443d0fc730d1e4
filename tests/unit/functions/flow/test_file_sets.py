"""Sets of files: none goes on before its set is complete, in whatever order files, markers and manifests come."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from contracts.errors import DocumentInvalid, StaleWrite
from contracts.job import DropResult, JobDrop
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.terms.file_sets import SetRule, Totals, filled
from functions.admission import manifest
from functions.drop import Drop
from functions.flow.file_sets import GROUP, MOST_SETTLED, look
from functions.operations.replay import Replayed, replay
from functions.schedule.reconcile import reconcile
from tests.builders import World, a_plan, a_world, all_good
from tests.faults import Crash, Passing, Watched, every_call
from tests.invariants import Watch
from tests.unit.functions.flow.test_crashes import SIDES

GOOD = b"id,note\n1,a\n"
DAY = "2026-01-31"
FILES = "in/{day:%Y-%m-%d}/*.csv"
MARKER = SetRule(("day",), 3600, marker="in/{day:%Y-%m-%d}/_SUCCESS")
MANIFEST = SetRule(("day",), 3600, manifest="in/{day:%Y-%m-%d}/manifest.json")
PARTS = SetRule(("day",), 3600, parts=3)


def a_set_plan(rule: SetRule, files: str = FILES, **changes: Any) -> Plan:
    return a_plan(files=(files,), set=rule, **changes)


def named(*names: str, **totals: object) -> bytes:
    """A manifest of these files with the same statements for each."""
    return json.dumps({"files": [{"name": name, **totals} for name in names]}).encode()


def states(world: World, drops: Iterable[str]) -> list[str]:
    return [world.drop(drop).state for drop in drops]


def sent(world: World, *names: str, body: bytes = GOOD, day: str = DAY) -> list[str]:
    """Files of a day that have come, and been taken in."""
    drops = [world.upload(f"in/{day}/{name}", body) for name in names]
    world.deliver_events()
    return drops


def test_files_wait_for_their_marker() -> None:
    world = a_world([a_set_plan(MARKER)])
    files = sent(world, "a.csv", "b.csv")
    other = sent(world, "a.csv", day="2026-02-01")
    world.finish(rounds=2)
    before = states(world, (*files, *other))
    (marker,) = sent(world, "_SUCCESS", body=b"")
    after = states(world, (*files, *other, marker))

    assert before == ["gathering"] * 3
    assert after == ["staged", "staged", "gathering", "noted"]
    world.finish(rounds=2)
    assert states(world, (*files, *other)) == ["accepted", "accepted", "gathering"]
    assert world.store.head(world.drop(marker).source)


def test_what_comes_after_the_marker_goes_on_at_once() -> None:
    world = a_world([a_set_plan(MARKER)])
    sent(world, "_SUCCESS", body=b"")
    (late,) = sent(world, "a.csv")

    assert states(world, [late]) == ["staged"]
    assert world.states(late) == ["received", "staged"]


def test_so_many_files_are_a_set() -> None:
    world = a_world([a_set_plan(PARTS)])
    first = sent(world, "a.csv", "b.csv", "b.csv")
    assert states(world, first) == ["gathering"] * 3
    last = sent(world, "c.csv", "d.csv")

    assert states(world, [*first, *last]) == ["staged"] * 5
    assert {d.state for d in world.finish().values()} == {"accepted"}


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_manifest_names_the_files_in_any_order(order: tuple[int, ...]) -> None:
    world = a_world([a_set_plan(MANIFEST)])
    uploads = [("a.csv", GOOD), ("b.csv", GOOD), ("manifest.json", named("a.csv", f"in/{DAY}/b.csv"))]
    for n in order[:2]:
        sent(world, uploads[n][0], body=uploads[n][1])
    assert "staged" not in {d.state for d in world.drops().values()}
    sent(world, uploads[order[2]][0], body=uploads[order[2]][1])

    assert sorted(d.state for d in world.drops().values()) == ["noted", "staged", "staged"]
    assert sorted(d.state for d in world.finish().values()) == ["accepted", "accepted", "noted"]


@pytest.mark.parametrize("late", [False, True])
def test_file_that_its_manifest_does_not_name_is_rejected(late: bool) -> None:
    world = a_world([a_set_plan(MANIFEST)])
    files = sent(world, *(("a.csv",) if late else ("a.csv", "x.csv")))
    sent(world, "manifest.json", body=named("a.csv"))
    extra = sent(world, "x.csv")[0] if late else files[1]
    world.finish()

    assert states(world, (files[0], extra)) == ["accepted", "rejected"]
    assert [p.code for p in world.drop(extra).problems] == ["not-in-manifest"]
    assert b"not-in-manifest" in world.store.get(world.drop(extra).receipt or "")


@pytest.mark.parametrize(
    ("totals", "code"),
    [
        ({"bytes": len(GOOD)}, None),
        ({"bytes": 13}, "bytes-differ"),
        ({"sha256": hashlib.sha256(GOOD).hexdigest().upper()}, None),
        ({"sha256": "0" * 64}, "checksum-differs"),
    ],
)
def test_manifest_beside_a_single_file_is_held_against_it(totals: dict[str, object], code: str | None) -> None:
    rule = SetRule(("name",), 3600, manifest="in/{name}.json")
    for order in (1, -1):
        world = a_world([a_set_plan(rule, "in/{name}.csv")])
        for name, body in [("in/a.csv", GOOD), ("in/a.json", named("a.csv", **totals))][::order]:
            world.upload(name, body)
        world.deliver_events()
        (drop,) = (d for d in world.finish().values() if d.name == "in/a.csv")
        assert (drop.state, [p.code for p in drop.problems]) == (("rejected", [code]) if code else ("accepted", []))


def test_totals_of_records_go_to_the_verdict_and_no_further() -> None:
    rule = SetRule(("name",), 3600, manifest="in/{name}.json", sums=("n",))
    world = a_world([a_set_plan(rule, "in/{name}.csv")])
    world.upload("in/a.csv", GOOD)
    world.upload("in/a.json", b'{"files": [{"name": "a.csv", "rows": 4, "sums": {"n": 1.50}}]}')
    world.deliver_events()
    world.deliver_windows()
    (drop,) = world.request().drops

    assert drop.totals == world.drop(drop.id).totals == Totals(4, {"n": Decimal("1.50")})


def holding_totals(plan: Plan, drop: JobDrop) -> DropResult:
    """The result of a drop that the job compares with its manifest."""
    return replace(all_good(plan, drop), totals=drop.totals)


@pytest.mark.parametrize(("rows", "state"), [(3, "accepted"), (4, "rejected")])
def test_file_with_another_number_of_records_is_rejected(rows: int, state: str) -> None:
    world = a_world([a_set_plan(MANIFEST)])
    (file,) = sent(world, "a.csv")
    sent(world, "manifest.json", body=named("a.csv", rows=rows))
    world.finish(holding_totals)

    assert world.drop(file).state == state
    assert [p.message for p in world.drop(file).problems] == (
        [] if state == "accepted" else ["The file has 3 records; its manifest says 4."]
    )


def test_total_that_differs_names_both_figures() -> None:
    world = a_world([a_set_plan(MANIFEST)])
    files = sent(world, "a.csv")
    sent(world, "manifest.json", body=named("a.csv", bytes=1300))
    message = world.drop(files[0]).problems[0].message

    assert message == "The file has 12 bytes; its manifest says 1,300."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{", "is not a JSON"),
        (b"[" * 100_000, "is not a JSON"),
        (b"[]", "no list `files`"),
        (b'{"files": []}', "no list `files`"),
        (b'{"files": [{"nme": "a"}]}', "no `name`"),
        (named("a.csv", "a.csv"), "`a.csv` twice"),
        (named("\ud83d.csv"), "`\\ud83d.csv` is no name"),
        (named("a.csv", size=1), "`size`"),
        (named("a.csv", byte=1), "did you mean `bytes`?"),
        (named("a.csv", bytes=-1), "no number of bytes"),
        (named("a.csv", rows="3"), "no number of rows"),
        (named("a.csv", rows=10**38), "no number of rows"),
        (named("a.csv", bytes=2**63), "no number of bytes"),
        (b'{"files": [{"name": "a.csv", "sums": {"n": 1E99999999999999999999}}]}', "is not a JSON"),
        (named("a.csv", sums=[]), "no object"),
        (named("a.csv", sums={"id": 1}), "not summed"),
        (named("a.csv", sha256="x"), "not a SHA-256"),
        (named("a.csv", sha256="0" * 32), "has 32 digits, as an MD5; write `sha256`"),
        (named("a.csv", md5="0" * 32), "has the key `md5`, and no checksum but SHA-256 is compared; write `sha256`"),
        (named("a.csv", ETag="0" * 32), "as `sha256sum` prints it"),
        (b" " * (manifest.LARGEST + 1), "larger than"),
    ],
)
def test_manifest_that_cannot_be_read_is_rejected(text: bytes, message: str) -> None:
    world = a_world([a_set_plan(MANIFEST)])
    (file,) = sent(world, "a.csv")
    (wrong,) = sent(world, "manifest.json", body=text)

    assert [p.code for p in world.drop(wrong).problems] == ["bad-manifest"]
    assert message in world.drop(wrong).problems[0].message
    assert states(world, (file, wrong)) == ["gathering", "rejected"]
    sent(world, "manifest.json", body=named("a.csv"))
    assert states(world, [file]) == ["staged"]


@pytest.mark.parametrize("total", ["1e999999999", "1e99999999999999999999"])
def test_sum_that_nobody_could_write_out_is_refused(total: str) -> None:
    problem = manifest.read(named("a.csv", sums={"n": total}), "in/manifest.json", ("n",))

    assert isinstance(problem, Problem)
    assert "more than 60 digits" in problem.message


def test_newer_manifest_holds_whichever_comes_first() -> None:
    for order in (1, -1):
        world = a_world([a_set_plan(MANIFEST)])
        (file,) = sent(world, "a.csv")
        for text in (named("a.csv", "b.csv"), named("a.csv", "c.csv")):
            world.upload(f"in/{DAY}/manifest.json", text)
        world.events = world.events[::order]
        sent(world, "b.csv")
        assert states(world, [file]) == ["gathering"]
        sent(world, "c.csv")
        assert states(world, [file]) == ["staged"]


def adding_up(plan: Plan, drop: JobDrop) -> DropResult:
    """The result of a drop whose plan has sums of some properties."""
    sums = dict.fromkeys(plan.summed, Decimal(1)) or None
    return replace(holding_totals(plan, drop), sums=sums)


def test_manifest_of_an_open_set_is_read_by_the_rule_of_now() -> None:
    world = a_world([a_set_plan(MANIFEST)])
    (former,) = sent(world, "a.csv")
    world.publish([a_set_plan(replace(MANIFEST, sums=("note",)))])
    drops = [
        former,
        *sent(world, "b.csv"),
        *sent(world, "manifest.json", body=named("a.csv", "b.csv", sums={"note": 1})),
    ]
    world.finish(adding_up)
    assert states(world, drops) == ["failed", "accepted", "noted"]
    assert [p.code for p in world.drop(former).problems] == ["sum-missing"]
    replay(world.ports, former)
    world.finish(adding_up)

    assert states(world, drops) == ["accepted", "accepted", "noted"]


# ------------------------------------------------------------------- not in time


@pytest.mark.parametrize(
    ("rule", "uploads", "message"),
    [
        (MARKER, ["a.csv"], f"`in/{DAY}/_SUCCESS` has not come"),
        (PARTS, ["a.csv", "b.csv", "b.csv"], "2 of 3 files have come"),
        (MANIFEST, ["a.csv"], f"`in/{DAY}/manifest.json` has not come"),
        (MANIFEST, ["a.csv", "manifest.json"], f"`in/{DAY}/b.csv`, `in/{DAY}/c.csv` of its manifest have not come"),
    ],
)
def test_set_that_is_not_complete_in_time_is_rejected(rule: SetRule, uploads: list[str], message: str) -> None:
    world = a_world([a_set_plan(rule)])
    text = named("a.csv", "b.csv", "c.csv")
    drops = [sent(world, name, body=text if name == "manifest.json" else GOOD)[0] for name in uploads]
    files = [d for d in drops if world.drop(d).name.endswith(".csv")]
    world.clock.pass_seconds(3000)
    world.reconcile()
    assert states(world, files) == ["gathering"] * len(files)
    world.clock.pass_seconds(600)
    world.finish(rounds=3)

    for drop in files:
        ended = world.drop(drop)
        assert (ended.state, [p.code for p in ended.problems]) == ("rejected", ["set-incomplete"])
        assert message in ended.problems[0].message
        assert ended.problems[0].message.encode() in world.store.get(ended.receipt or "")


def test_open_set_stays_due_whatever_its_rule_says_now() -> None:
    world = a_world([a_set_plan(MANIFEST)])
    (file,) = sent(world, "a.csv")
    world.publish([a_set_plan(replace(MANIFEST, within=7200))])
    sent(world, "manifest.json", body=named("a.csv", "b.csv"))
    world.clock.pass_seconds(4000)
    world.finish(rounds=3)

    assert states(world, [file]) == ["rejected"]
    assert "was not complete within 1 hours of its first upload" in world.drop(file).problems[0].message


def test_rejected_files_of_a_set_can_be_judged_with_what_came_later() -> None:
    world = a_world([a_set_plan(PARTS)])
    files = sent(world, "a.csv", "b.csv")
    world.clock.pass_seconds(4000)
    world.finish(rounds=3)
    files += sent(world, "c.csv")
    assert states(world, files) == ["rejected", "rejected", "gathering"]
    for drop in files[:2]:
        replay(world.ports, drop)

    assert states(world, files) == ["staged"] * 3
    assert {world.drop(drop).state for drop in world.finish()} == {"accepted"}


def test_late_marker_lets_replays_go_on() -> None:
    world = a_world([a_set_plan(MARKER)])
    files = sent(world, "a.csv")
    world.clock.pass_seconds(4000)
    world.finish(rounds=3)
    sent(world, "_SUCCESS", body=b"")
    replay(world.ports, files[0])

    assert states(world, files) == ["staged"]


@pytest.mark.parametrize(
    ("rule", "state"),
    [
        (None, "accepted"),
        (SetRule(("day", "name"), 3600, marker="in/{day:%Y-%m-%d}/{name}.done"), "accepted"),
        (MANIFEST, "rejected"),
    ],
    ids=["no set", "another set", "the same set"],
)
def test_replay_is_held_against_the_manifest_of_its_own_rule(rule: SetRule | None, state: str) -> None:
    named_files = "in/{day:%Y-%m-%d}/{name}.csv"
    world = a_world([a_set_plan(MANIFEST, named_files)])
    (file,) = sent(world, "a.csv")
    sent(world, "manifest.json", body=named("a.csv", rows=4))
    world.finish(holding_totals)
    first = world.drop(file)
    world.publish([a_plan(files=(named_files,), set=rule)])
    sent(world, "a.done", body=b"")
    replay(world.ports, file)
    world.finish(holding_totals)
    last = world.drop(file)

    assert (first.state, last.attempt, last.state) == ("rejected", 2, state)
    assert (last.totals == first.totals, last.file_set == first.file_set) == (rule is MANIFEST, rule is MANIFEST)
    assert (last.file_set is None) == (rule is None)


# --------------------------------------------------------------------- crashes


def test_thousands_of_files_go_on_group_by_group() -> None:
    world = a_world([a_set_plan(MARKER)])
    number = MOST_SETTLED + 2 * GROUP + 1
    sent(world, *(f"{n}.csv" for n in range(number)))
    sizes: list[int] = []
    write = world.ledger.write

    class Counting(Passing):
        """A ledger that notes how many drops a transaction writes."""

        def write(self, moves: Any, *beside: Any) -> None:
            sizes.append(len(moves))
            write(moves, *beside)

    world.with_ports(lambda port: Counting(world.ledger) if port is world.ledger else port)
    sent(world, "_SUCCESS", body=b"")
    staged = sum(d.state == "staged" for d in world.drops().values())
    world.reconcile()

    assert staged == MOST_SETTLED
    assert sum(d.state == "staged" for d in world.drops().values()) == number
    assert max(sizes) == GROUP


class Meanwhile:
    """The ledger of a world, in which something happens once before a call, after a set was found incomplete."""

    def __init__(self, world: World, call: str, act: Callable[[], object]) -> None:
        self.world, self.ledger, self.call, self.act = world, world.ledger, call, [act]

    def __getattr__(self, name: str) -> Any:
        if (
            name == self.call
            and {file_set.state for file_set in self.ledger._sets.values()} == {"incomplete"}
            and self.act
        ):
            self.act.pop()()
        return getattr(self.ledger, name)


def looked_at_late(call: str, act: Callable[[World], object], plan: Plan, *names: str) -> tuple[World, list[str]]:
    """Files whose set is found incomplete, and what happens during that before a call."""
    world = a_world([plan])
    files, plain = sent(world, *names), world.ports
    world.clock.pass_seconds(4000)

    def undisturbed() -> None:
        watched, world.ports = world.ports, plain
        act(world)
        world.ports = watched

    racing = Meanwhile(world, call, undisturbed)
    world.with_ports(lambda port: racing if port is world.ledger else port)
    look(world.ports, world.drop(files[0]).file_set or "")
    assert racing.act == []
    world.ports = plain
    return world, files


@pytest.mark.parametrize("call", ["gathering", "drops", "write"])
def test_file_that_opens_a_set_anew_keeps_all_that_still_wait(call: str) -> None:
    world, files = looked_at_late(call, lambda world: sent(world, "b.csv"), a_set_plan(PARTS), "a.csv", "b.csv")
    files = [*files, named_last(world, "b.csv").id]
    assert states(world, files) == ["gathering"] * 3
    files += sent(world, "c.csv")

    assert states(world, files) == ["staged"] * 4


@pytest.mark.parametrize("call", ["gathering", "drops", "write"])
def test_two_looks_at_once_refuse_each_file_once(call: str) -> None:
    names = [f"{n}.csv" for n in range(2 * GROUP)]
    world, files = looked_at_late(call, lambda world: world.reconcile(), a_set_plan(MARKER), *names)
    world.finish(rounds=3)

    assert set(states(world, files)) == {"rejected"}
    assert {world.ledger.history(file)[-1].step for file in files} == {4}


def test_file_that_cannot_be_written_holds_up_no_other_of_its_set() -> None:
    world = a_world([a_set_plan(MARKER)])
    files = sent(world, "a.csv", "b.csv", "c.csv")
    write = world.ledger.write

    class Refusing(Passing):
        """A ledger in which one file is always somebody else's."""

        def write(self, moves: Any, *beside: Any) -> None:
            if files[1] in {move.drop.id for move in moves}:
                raise StaleWrite("somebody else wrote first")
            write(moves, *beside)

    world.with_ports(lambda port: Refusing(world.ledger) if port is world.ledger else port)
    world.clock.pass_seconds(4000)
    world.finish(rounds=3)

    assert states(world, files) == ["rejected", "gathering", "rejected"]


def test_set_is_looked_at_until_nothing_can_be_left_behind() -> None:
    world = a_world([a_set_plan(MARKER)])
    watch = Watch(world)
    sent(world, "a.csv", "_SUCCESS")
    (file_set,) = world.ledger._sets.values()
    assert (file_set.state, file_set.look_at is not None) == ("complete", True)
    world.clock.pass_seconds(1000)
    world.finish()
    (file_set,) = world.ledger._sets.values()

    assert (file_set.state, file_set.look_at) == ("complete", None)
    watch.look_at_the_end()


def settled() -> World:
    """A set that a manifest made complete long ago, and that has no further check."""
    world = a_world([a_set_plan(MANIFEST)])
    sent(world, "a.csv")
    sent(world, "manifest.json", body=named("a.csv"))
    world.clock.pass_seconds(2000)
    world.finish(rounds=2)
    (file_set,) = world.ledger._sets.values()
    assert (file_set.state, file_set.look_at) == ("complete", None)
    return world


def named_last(world: World, name: str) -> Drop:
    return [drop for drop in world.drops().values() if drop.name == f"in/{DAY}/{name}"][-1]


@SIDES
def test_file_of_a_settled_set_goes_on_by_the_schedule_alone(after: bool) -> None:
    for fuse in every_call(after):
        world = settled()
        watch, plain = Watch(world), world.ports
        world.with_ports(lambda port, fuse=fuse: Watched(port, fuse))  # type: ignore[misc]
        with contextlib.suppress(Crash):
            sent(world, "late.csv")
        world.ports, world.events = plain, []  # and nothing comes again
        world.clock.pass_seconds(1200)
        world.finish(rounds=3)

        assert named_last(world, "late.csv").state == "rejected", fuse.at
        watch.look_at_the_end()


def test_file_whose_item_cannot_be_read_is_told_at_every_look() -> None:
    world = a_world([a_set_plan(MARKER)])
    unread, other = sent(world, "a.csv", "b.csv")
    world.ledger.unreadable.add(unread)
    with pytest.raises(DocumentInvalid):
        sent(world, "_SUCCESS", body=b"")
    for _ in range(2):
        world.clock.pass_seconds(120)
        troubles = {trouble.what.split()[0]: trouble.reason for trouble in reconcile(world.ports)}
        assert f"as {unread}: repair the items, or deploy the version that reads them" in troubles["set"]
    assert states(world, [other]) == ["staged"]
    world.ledger.unreadable.clear()
    world.finish(rounds=2)

    assert states(world, [unread, other]) == ["accepted", "accepted"]


def manifest_gone(world: World) -> None:
    """Let the bytes of the manifest be gone, as they are after some months."""
    world.store.delete(named_last(world, "manifest.json").source)


def test_file_whose_manifest_is_gone_fails_with_the_reason() -> None:
    world = settled()
    manifest_gone(world)
    late = named_last(settled_late(world), "late.csv")

    assert (late.state, [p.code for p in late.problems]) == ("failed", ["manifest-gone"])
    assert b"Upload the manifest again" in world.store.get(late.receipt or "")


def settled_late(world: World) -> World:
    """The same world after another file has come."""
    sent(world, "late.csv")
    world.finish(rounds=2)
    return world


def test_manifest_that_comes_again_lets_a_failed_file_go_on() -> None:
    world = settled()
    manifest_gone(world)
    late = named_last(settled_late(world), "late.csv")
    sent(world, "manifest.json", body=named("late.csv"))
    assert isinstance(replay(world.ports, late.id), Replayed)
    world.finish(rounds=2)

    assert world.drop(late.id).state == "accepted"


def test_manifest_that_comes_again_is_read_by_the_rules_of_now() -> None:
    world = settled()
    manifest_gone(world)
    world.publish([a_set_plan(replace(MANIFEST, sums=("n",)))])
    (again,) = sent(world, "manifest.json", body=named("late.csv", sums={"n": 1}))

    assert world.drop(again).state == "noted"


def test_marker_takes_the_place_of_a_manifest_that_is_gone() -> None:
    world = settled()
    manifest_gone(world)
    world.publish([a_set_plan(MARKER)])
    sent(world, "_SUCCESS", body=b"")

    assert named_last(settled_late(world), "late.csv").state == "accepted"


def test_open_set_whose_manifest_is_gone_fails_when_due() -> None:
    world = a_world([a_set_plan(MANIFEST)])
    (file,) = sent(world, "a.csv")
    sent(world, "manifest.json", body=named("a.csv", "b.csv"))
    manifest_gone(world)
    sent(world, "b.csv")
    world.finish(rounds=2)
    assert states(world, [file]) == ["gathering"]
    world.clock.pass_seconds(4000)
    world.finish(rounds=2)

    assert states(world, [file]) == ["failed"]
    assert [p.code for p in world.drop(file).problems] == ["manifest-gone"]


def test_pattern_is_filled_for_people() -> None:
    assert filled("in/{day:%Y}/{part}-*.ok", {"day": "2026"}) == "in/2026/*-*.ok"


def test_manifest_is_read_beside_its_files() -> None:
    read: Callable[[bytes, str], manifest.Manifest | Problem] = manifest.read

    assert list(read(named("a.csv", "in/b.csv", "sub/c.csv"), "in/m.json")) == ["in/a.csv", "in/b.csv", "in/sub/c.csv"]  # type: ignore[arg-type]
