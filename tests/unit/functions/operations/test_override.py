"""A person's decision over a verdict: by the rules of keys, on record, and on the receipt."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from itertools import count
from typing import Any

import pytest

from contracts.errors import ObjectArchived, ServiceUnavailable
from contracts.plan import Limit, Promoted
from contracts.terms.file_sets import SetRule
from functions.drop import PROMOTED, Location, NoChange, Transition
from functions.flow.conclude import finish
from functions.flow.finalize import job_ended
from functions.operations.override import NotOverruled, Overruled, accept, beyond, reject, would_accept
from functions.operations.replay import NotReplayed, Replayed, replay
from functions.ports import Ports
from functions.promotion.withdraw import withdraw_unless_named
from tests.builders import ZONES, World, a_plan, a_world, all_good, one_bad, valid_rows
from tests.faults import Crash, Locked, Passing, Stalled, crash, into
from tests.invariants import Watch

GOOD, NEWER, REFUSED = b"id,note\n1,a\n", b"id,note\n2,a\n", b"ID,note\n1,a\n"
THOUGH = "though its contract promotes only valid rows."


def ended(judge: Any = one_bad, body: bytes = GOOD, **plan: Any) -> tuple[World, str]:
    """A world in which one drop has come to its end."""
    world = a_world([a_plan(**plan)])
    drop_id = world.upload("orders/1.csv", body)
    world.finish(judge)
    return world, drop_id


def receipt(world: World, drop_id: str) -> dict[str, Any]:
    return dict(json.loads(world.store.get(world.drop(drop_id).receipt or "")))


def page(world: World, drop_id: str) -> str:
    return world.store.get((world.drop(drop_id).receipt or "").replace("json", "html")).decode()


def why(world: World, act: Any, drop_id: str) -> str:
    drop, before = world.drop(drop_id), world.ledger.history(drop_id)
    foreseen = would_accept(world.ports, drop) if act is accept else None
    assert world.ledger.history(drop_id) == before
    answer = act(world.ports, drop, "ann", "because")
    assert isinstance(answer, NotOverruled), answer
    assert foreseen is None or (isinstance(foreseen, NoChange) and foreseen.reason == answer.reason)
    return answer.reason


@pytest.mark.parametrize("body", [GOOD, REFUSED], ids=["by the job", "at the door"])
def test_rejected_drop_is_accepted_from_where_its_bytes_lie(body: bytes) -> None:
    world, drop_id = ended(body=body)
    done = accept(world.ports, world.drop(drop_id), "ann", "ticket 512")
    drop = world.drop(drop_id)

    assert isinstance(done, Overruled)
    assert (drop.state, drop.attempt, drop.verdict) == ("accepted_with_warnings", 2, "accepted_with_warnings")
    assert drop.override
    assert (drop.override.by, drop.override.because, drop.override.was) == ("ann", "ticket 512", "rejected")
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": body}


def test_archived_file_cannot_be_accepted() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.ports = replace(world.ports, store=Locked(world.store, ObjectArchived))
    world.finish(all_good)

    assert [p.code for p in world.drop(drop_id).problems] == ["archived-object"]
    assert "object is archived" in why(world, accept, drop_id)


def test_file_that_is_archived_after_its_verdict_fails_and_frees_its_key() -> None:
    world = a_world()
    world.ports = replace(world.ports, largest_copy=4)
    drop_id = world.upload("orders/1.csv", REFUSED)
    world.finish(all_good)
    plain = world.ports
    world.ports = replace(plain, largest_copy=4096, store=Locked(world.store, ObjectArchived))
    accept(world.ports, world.drop(drop_id), "ann", "because")
    world.ports = plain
    drop = world.drop(drop_id)

    assert (drop.state, [p.code for p in drop.problems]) == ("failed", ["source-unreadable"])
    newer = world.upload("orders/1.csv", NEWER)
    world.finish(all_good)
    assert world.drop(newer).state == "accepted"


def test_refused_drop_that_is_too_large_to_be_held_is_accepted_from_landing() -> None:
    world = a_world()
    world.ports = replace(world.ports, largest_copy=8)
    drop_id = world.upload("orders/1.csv", REFUSED)
    world.finish()
    accept(world.ports, world.drop(drop_id), "ann", "ticket 512")
    world.finish()

    assert (world.drop(drop_id).state, world.drop(drop_id).source.version) == ("accepted_with_warnings", "v1")
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": REFUSED}


def test_history_and_receipt_say_who_and_why() -> None:
    world, drop_id = ended()
    accept(world.ports, world.drop(drop_id), "ann", "ticket 512")
    answer, steps = receipt(world, drop_id), world.ledger.history(drop_id)

    assert [(s.event, s.by, s.because) for s in steps if s.by] == [("accepted_by_person", "ann", "ticket 512")]
    assert (answer["override"]["by"], answer["override"]["because"], answer["attempt"]) == ("ann", "ticket 512", 2)
    assert answer["problems"][0]["code"] == "accepted-by-person"
    assert [c["result"] for c in answer["checks"]].count("failed") == 1
    assert answer["promoted"] == "s3://promoted/orders.v1/orders/1.csv"
    assert "ann accepted it, and readers have it" in page(world, drop_id)
    shown = re.sub(r"\s+", " ", page(world, drop_id))
    when = f"{datetime.fromisoformat(answer['override']['at']):%d %B %Y, %H:%M:%S UTC}".lstrip("0")
    assert f"Decided by ann on {when}: “ticket 512” The previous verdict was “rejected”." in shown


def test_page_holds_hostile_words_of_whoever_decided() -> None:
    world, drop_id = ended()
    accept(world.ports, world.drop(drop_id), "<script>alert(1)</script>\n", "\x1b[2J</p><script>")
    assert "<script>" not in page(world, drop_id)
    assert "\x1b" not in page(world, drop_id)


PLANS: tuple[dict[str, Any], ...] = (
    {}, {"promote": "rows"}, {"same_key": "reject"}, {"same_content": "reject"}, {"same_key": "version"},
)  # fmt: skip


@pytest.mark.parametrize("judge", [one_bad, all_good])
@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_what_would_come_of_it_is_what_comes_of_it(judge: Any, plan: dict[str, Any]) -> None:
    world, drop_id = ended(judge, **plan)
    drop, lying = world.drop(drop_id), dict(world.store.objects)
    would = would_accept(world.ports, drop)
    assert (world.drop(drop_id), world.store.objects) == (drop, lying)
    done = accept(world.ports, drop, "ann", "ticket 512")
    assert isinstance(would, Transition) == isinstance(done, Overruled)
    if isinstance(would, Transition):
        assert would.drop.promoted == world.drop(drop_id).promoted


def test_newer_upload_of_the_key_is_seen_before_anything_is_done() -> None:
    world, drop_id = ended()
    world.upload("orders/1.csv", NEWER)
    world.finish(all_good)
    assert "newer upload" in why(world, accept, drop_id)


def test_receipt_of_an_override_does_without_a_result_that_has_gone() -> None:
    world, drop_id = ended()
    for uri in list(world.store.objects):
        if uri.endswith("result.jsonl"):
            del world.store.objects[uri]
    accept(world.ports, world.drop(drop_id), "ann", "ticket 512")

    page = receipt(world, drop_id)
    assert (page["checks"], [p["code"] for p in page["problems"]]) == ([], ["accepted-by-person", "check-required"])


def test_accepted_drop_is_rejected_and_withdrawn() -> None:
    world, drop_id = ended(all_good)
    reject(world.ports, world.drop(drop_id), "ann", "recalled")
    drop = world.drop(drop_id)

    assert (drop.state, drop.attempt, drop.promoted, drop.retracts) == ("rejected", 2, None, None)
    assert world.store.listing(ZONES.promoted) == {}
    assert (receipt(world, drop_id)["withdrawn"], receipt(world, drop_id)["promoted"]) == (True, None)
    assert "no longer have it" in page(world, drop_id)
    assert "Until then readers keep" not in page(world, drop_id)


@pytest.mark.parametrize("how", ["by a person", "by its job", "by a worker that stalled"])
def test_file_whose_key_ends_as_a_folder_is_withdrawn_too(how: str) -> None:
    world = a_world([a_plan(files=("orders/**",))])
    drop_id = world.upload("orders/today/", GOOD)
    world.finish(all_good)
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/today/": GOOD}
    if how == "by its job":
        replay(world.ports, drop_id, retract=True)
        world.finish(one_bad)
    else:
        late = world.drop(drop_id)
        laid = world.store.objects[f"{ZONES.promoted}orders.v1/orders/today/"]
        reject(world.ports, late, "ann", "recalled")
        if how == "by a worker that stalled":
            world.store.objects[f"{ZONES.promoted}orders.v1/orders/today/"] = laid
            assert withdraw_unless_named(world.ports, world.plans[0], late, world.drop(drop_id))

    assert world.drop(drop_id).state == "rejected"
    assert world.store.listing(ZONES.promoted) == {}


def test_former_file_of_a_key_comes_back_by_replay_alone() -> None:
    world, first = ended(all_good)
    second = world.upload("orders/1.csv", NEWER)
    world.finish()
    reject(world.ports, world.drop(second), "ann", "recalled")
    world.finish()
    assert world.store.listing(ZONES.promoted) == {}

    assert isinstance(replay(world.ports, first, retract=True), Replayed)
    world.finish()
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": GOOD}
    assert world.drop(first).state == "accepted"


def test_replaced_drop_is_rejected_without_touching_its_successor() -> None:
    world, first = ended(all_good)
    world.upload("orders/1.csv", NEWER)
    world.finish()
    reject(world.ports, world.drop(first), "ann", "recalled")

    assert world.drop(first).state == "rejected"
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": NEWER}


def test_drop_behind_a_newer_one_is_not_accepted() -> None:
    world, first = ended()
    world.upload("orders/1.csv", NEWER)
    world.finish(all_good)

    assert "newer upload of the key" in why(world, accept, first)
    assert world.drop(first).state == "rejected"


@pytest.mark.parametrize("same_key", ["supersede", "reject"])
def test_nothing_is_decided_while_another_upload_is_being_promoted(same_key: str) -> None:
    world, first = ended(same_key=same_key)
    second = world.upload("orders/1.csv", NEWER)
    world.deliver_events()
    world.deliver_windows()
    world.end_jobs(all_good)
    with pytest.raises(KeyError):
        broken(world)
    assert world.drop(second).state == "promoting"

    assert "is being promoted" in why(world, accept, first)


def broken(world: World) -> None:
    """Let jobs be settled by a function that dies when it copies."""
    plain = world.store.copy

    def copy(*_: Any, **__: Any) -> Any:
        raise KeyError

    world.store.copy = copy  # type: ignore[method-assign]
    try:
        world.deliver_jobs()
    finally:
        world.store.copy = plain  # type: ignore[method-assign]


def test_withdrawing_waits_for_another_that_is_being_promoted() -> None:
    world, first = ended(all_good)
    world.upload("orders/1.csv", NEWER)
    world.deliver_events()
    world.deliver_windows()
    world.end_jobs(all_good)
    with pytest.raises(KeyError):
        broken(world)
    reject(world.ports, world.drop(first), "ann", "recalled")
    assert world.drop(first).state == "rejecting"

    world.finish()
    assert world.drop(first).state == "rejected"
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": NEWER}


def test_same_bytes_are_free_again_once_withdrawn() -> None:
    world, first = ended(all_good, same_content="reject")
    reject(world.ports, world.drop(first), "ann", "recalled")
    second = world.upload("orders/2.csv", GOOD)
    world.finish()

    assert world.drop(second).state == "accepted"


@pytest.mark.parametrize(
    ("act", "judge", "body", "reason"),
    [
        (accept, all_good, GOOD, "promoted already"),
        (accept, lambda *_: None, GOOD, "replay it"),
        (reject, one_bad, GOOD, "only a promoted or failed drop"),
    ],
)
def test_what_cannot_be_decided_says_why(act: Any, judge: Any, body: bytes, reason: str) -> None:
    world, drop_id = ended(judge, body)
    before = world.drops()

    assert reason in why(world, act, drop_id)
    assert world.drops() == before


def test_drop_without_a_contract_cannot_be_accepted() -> None:
    world = a_world()
    drop_id = world.upload("elsewhere/1.csv", GOOD)
    world.finish()

    assert "no contract claims its key" in why(world, accept, drop_id)


def test_drop_whose_bytes_are_gone_cannot_be_accepted() -> None:
    world, drop_id = ended()
    del world.store.objects[world.drop(drop_id).source.uri]

    assert "no longer kept" in why(world, accept, drop_id)


def test_receipt_of_an_accepted_file_claims_no_tolerance() -> None:
    world, drop_id = ended()
    accept(world.ports, world.drop(drop_id), "ann", "ticket 512")

    assert "within what the contract tolerates" not in page(world, drop_id)
    assert "The file was accepted unchanged: readers also get the rejected rows." in page(world, drop_id)


@pytest.mark.parametrize(
    ("promote", "body", "text"),
    [
        ("object", GOOD, None),
        ("rows", GOOD, f"Consumers get the whole file with its 1 rejected row, {THOUGH}"),
        ("rows", REFUSED, f"Consumers get the whole file, {THOUGH}"),
    ],
)
def test_whole_file_of_a_contract_for_valid_rows_is_told(promote: Promoted, body: bytes, text: str | None) -> None:
    world, drop_id = ended(body=body, promote=promote)
    warning = beyond(world.ports, world.drop(drop_id))
    accept(world.ports, world.drop(drop_id), "ann", "ticket 512")

    assert warning == text
    assert warning == beyond(world.ports, world.drop(drop_id))
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": body}


def test_drop_whose_contract_has_a_table_by_now_is_not_accepted() -> None:
    world, drop_id = ended()
    world.publish([a_plan(promote="table", version="1.1.0")])
    before = world.drops()

    assert "into a table" in why(world, accept, drop_id)
    assert (world.drops(), world.store.listing(ZONES.promoted)) == (before, {})


def test_manifest_that_cannot_be_read_is_no_file_to_accept() -> None:
    rule = SetRule(("day",), 3600, manifest="in/{day:%Y-%m-%d}/manifest.json")
    world = a_world([a_plan(files=("in/{day:%Y-%m-%d}/*.csv",), set=rule)])
    drop_id = world.upload("in/2026-01-31/manifest.json", b"no JSON")
    world.finish()
    assert world.drop(drop_id).state == "rejected"

    assert "tells of a set of files" in why(world, accept, drop_id)
    assert world.store.listing(ZONES.promoted) == {}


@pytest.mark.parametrize(
    ("name", "locked", "reason"),
    [("1", True, "uploaded again"), ("x" * 1010, False, "a shorter name")],
    ids=["locked", "too long a name"],
)
def test_what_could_not_be_promoted_is_not_accepted(name: str, locked: bool, reason: str) -> None:
    world = a_world()
    if locked:
        world.ports = replace(world.ports, store=Locked(world.store))
    drop_id = world.upload(f"orders/{name}.csv", GOOD)
    world.finish()
    before = world.drops()
    assert before[drop_id].state == "rejected"

    assert reason in why(world, accept, drop_id)
    assert world.drops() == before


def test_rejected_by_person_under_an_observed_contract_stays_withdrawn() -> None:
    world, drop_id = ended(body=REFUSED, mode="observe")
    assert world.drop(drop_id).state == "observed"
    reject(world.ports, world.drop(drop_id), "ann", "recalled")
    world.finish()

    assert (world.drop(drop_id).state, world.store.listing(ZONES.promoted)) == ("rejected", {})


def test_promoted_file_stays_until_the_new_verdict() -> None:
    world, drop_id = ended(all_good)
    replay(world.ports, drop_id, retract=True)
    assert list(world.store.listing(ZONES.promoted)) == ["orders.v1/orders/1.csv"]

    world.finish(one_bad)
    drop = world.drop(drop_id)
    assert (drop.state, drop.attempt, drop.promoted, drop.retracts) == ("rejected", 2, None, None)
    assert world.store.listing(ZONES.promoted) == {}
    assert receipt(world, drop_id)["withdrawn"] is True


def test_promoted_file_is_replaced_when_it_is_found_good_again() -> None:
    world, drop_id = ended(all_good)
    replay(world.ports, drop_id, retract=True)
    world.finish(all_good)
    drop = world.drop(drop_id)

    assert (drop.state, drop.promoted and drop.promoted.attempt, drop.retracts) == ("accepted", 2, None)
    assert world.store.head(replace(drop.source, uri=f"{ZONES.promoted}orders.v1/orders/1.csv", etag=None))


@pytest.mark.parametrize("judge", [all_good, one_bad], ids=["object", "rows"])
def test_version_of_a_key_is_replaced_by_itself_alone(judge: Any) -> None:
    plan: Any = {"promote": "rows", "tolerance": Limit(Decimal(1), "rows"), "same_key": "version"}
    world, drop_id = ended(all_good, **plan)
    other = world.upload("orders/1.csv", NEWER)
    world.finish(all_good)
    replay(world.ports, drop_id, retract=True)
    world.finish(judge)
    drop = world.drop(drop_id)

    assert (drop.state in PROMOTED, drop.promoted and drop.promoted.attempt, drop.retracts) == (True, 2, None)
    assert world.store.listing(f"{ZONES.promoted}orders.v1/") == {
        f"{drop_id}/1.csv": GOOD if judge is all_good else valid_rows(drop_id),
        f"{other}/1.csv": NEWER,
    }


def test_version_of_a_key_never_replaces_what_is_not_its_own() -> None:
    world, drop_id = ended(all_good, same_key="version")
    target = f"{ZONES.promoted}orders.v1/{drop_id}/1.csv"
    world.store.put(target, b"somebody else's", "text/csv")
    replay(world.ports, drop_id, retract=True)
    world.finish(all_good)

    assert (world.drop(drop_id).state, world.drop(drop_id).problems[0].code) == ("failed", "destination-taken")
    assert world.store.get(target) == b"somebody else's"


def test_file_moves_to_its_new_contract_and_leaves_the_old() -> None:
    world, drop_id = ended(all_good)
    world.publish([a_plan("orders.v2")])
    replay(world.ports, drop_id, retract=True)
    world.finish(all_good)

    assert world.store.listing(ZONES.promoted) == {"orders.v2/orders/1.csv": GOOD}
    assert world.ledger.drop(drop_id) == world.drop(drop_id)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"promote": "object"}, {"promote": "table"}),
        ({"promote": "table"}, {"promote": "rows"}),
        ({"same_content": "reject"}, {"same_content": "reject", "same_key": "version"}),
    ],
    ids=["into a table", "out of a table", "as a version"],
)
def test_file_that_moves_holds_its_place_until_it_has_moved(before: dict[str, Any], after: dict[str, Any]) -> None:
    world, older = ended(all_good, **before)
    world.publish([a_plan(**after)])
    replay(world.ports, older, retract=True)
    world.reconcile()
    world.deliver_windows()
    moves = world.end_jobs()
    same = "same_content" in after
    other = world.upload("orders/2.csv" if same else "orders/1.csv", GOOD if same else NEWER)
    world.deliver_events()
    world.deliver_windows()
    comes = world.end_jobs()
    plain = world.ports

    def others() -> None:
        slow, world.ports = world.ports, plain
        world.deliver_jobs(comes)
        world.ports = slow

    world.ports = replace(
        plain, store=Stalled(plain.store, "put", others, lambda uri, *_: uri.startswith(ZONES.reports))
    )
    world.deliver_jobs(moves)
    world.ports = plain
    world.finish()

    assert (world.drop(older).state, world.drop(other).state) == ("accepted", "rejected" if same else "accepted")
    rows = {drop for by_drop in world.tables.rows.values() for drop in by_drop}
    files = [body for uri, body in world.store.listing(ZONES.promoted).items() if uri.endswith(".csv")]
    seen = {"table": ({other}, []), "rows": (set(), [NEWER])}
    assert (rows, files) == seen.get(after.get("promote", ""), (set(), [GOOD]))


def test_promoted_file_without_a_contract_today_is_not_judged_again() -> None:
    world, drop_id = ended(all_good)
    world.publish([])
    answer = replay(world.ports, drop_id, retract=True)

    assert isinstance(answer, NotReplayed)
    assert "dropgate reject" in answer.reason


def test_retraction_outlives_an_attempt_that_fails() -> None:
    world, drop_id = ended(all_good)
    replay(world.ports, drop_id, retract=True)
    world.finish(lambda *_: None)
    assert world.drop(drop_id).state == "failed"
    assert list(world.store.listing(ZONES.promoted)) == ["orders.v1/orders/1.csv"]

    replay(world.ports, drop_id)
    world.finish(one_bad)
    assert (world.drop(drop_id).state, world.store.listing(ZONES.promoted)) == ("rejected", {})


class Unseen(Passing):
    """A store that shows nobody an object, as it shows an operator nothing of what is staged."""

    def head(self, at: Location) -> object:
        raise ServiceUnavailable(f"AccessDenied: {at.uri}")

    def read(self, at: Location, *_: int) -> object:
        return self.head(at)


@pytest.mark.parametrize("late", [False, True], ids=["before it is looked at", "before it is staged"])
@pytest.mark.parametrize("promote", ["object", "table"])
def test_promoted_file_whose_bytes_expire_stays_until_it_is_rejected(promote: str, late: bool) -> None:
    world, drop_id = ended(all_good, promote=promote)
    staged, before = world.drop(drop_id).source, read_by_consumers(world)
    unseen: Any = Unseen(world.store)
    assert isinstance(replay(replace(world.ports, store=unseen), drop_id, retract=True), Replayed)
    expire, plain = partial(world.store.delete, staged), world.ports
    if late:
        world.ports = replace(plain, store=Stalled(plain.store, "copy", expire, into(ZONES.stage)))
    else:
        expire()
    world.finish()
    world.ports = plain

    drop = world.drop(drop_id)
    assert (drop.state, drop.problems[0].code) == ("failed", "staged-gone")
    assert "dropgate reject" in drop.problems[0].fix
    assert read_by_consumers(world) == before != []
    withdrawn_by_a_person(world, drop_id)


def read_by_consumers(world: World) -> list[object]:
    """Promoted objects, but the files of tables, and of these the rows."""
    objects = [uri for uri in world.store.listing(ZONES.promoted) if "/data/" not in uri]
    return [*objects, *(each for rows in world.tables.rows.values() for each in rows.items())]


def withdrawn_by_a_person(world: World, drop_id: str) -> None:
    Watch(world).look_at_the_end()
    assert isinstance(reject(world.ports, world.drop(drop_id), "ann", "recalled"), Overruled)
    world.finish()
    drop = world.drop(drop_id)

    assert (drop.state, drop.retracts, receipt(world, drop_id)["withdrawn"]) == ("rejected", None, True)
    assert read_by_consumers(world) == []


def test_promoted_file_that_tells_of_a_set_by_now_stays_until_it_is_rejected() -> None:
    files = ("in/{day:%Y-%m-%d}/*",)
    world = a_world([a_plan(files=files)])
    drop_id = world.upload("in/2026-01-31/DONE", GOOD)
    world.finish()
    world.publish([a_plan(files=files, set=SetRule(("day",), 3600, marker="in/{day:%Y-%m-%d}/DONE"))])
    replay(world.ports, drop_id, retract=True)
    world.finish()

    assert (world.drop(drop_id).state, world.drop(drop_id).problems[0].code) == ("failed", "tells-of-a-set")
    assert list(world.store.listing(ZONES.promoted)) == ["orders.v1/in/2026-01-31/DONE"]
    withdrawn_by_a_person(world, drop_id)


def test_failed_retraction_without_a_contract_today_is_not_judged_again() -> None:
    world, drop_id = ended(all_good)
    replay(world.ports, drop_id, retract=True)
    world.finish(lambda *_: None)
    world.publish([a_plan("other.v1", ("other/*.csv",))])
    before = world.drops()
    answer = replay(world.ports, drop_id)

    assert isinstance(answer, NotReplayed)
    assert "dropgate reject" in answer.reason
    assert world.drops() == before
    withdrawn_by_a_person(world, drop_id)


def judged(**plan: Any) -> tuple[World, str, list[str]]:
    """A world in which the job of one drop has ended, and its event is not delivered."""
    world = a_world([a_plan(**plan)])
    drop_id = world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    world.deliver_windows()
    return world, drop_id, world.end_jobs()


def taken_back(world: World, drop_id: str) -> None:
    """Another worker promotes the drop, then a person rejects it."""
    world.reconcile()
    reject(world.ports, world.drop(drop_id), "ann", "recalled")


def replaced_and_taken_back(world: World, _: str) -> None:
    """Another worker promotes the drop, then a newer upload takes its place, and is withdrawn."""
    world.reconcile()
    newer = world.upload("orders/1.csv", NEWER)
    world.finish()
    reject(world.ports, world.drop(newer), "ann", "recalled")


def replayed(world: World, drop_id: str) -> None:
    """Another worker promotes the drop, then a person has it judged again."""
    world.reconcile()
    replay(world.ports, drop_id, retract=True)


@pytest.mark.parametrize(
    ("meanwhile", "same_key", "left"),
    [
        (taken_back, "supersede", {}),
        (taken_back, "version", {}),
        (replaced_and_taken_back, "supersede", {}),
        (replayed, "supersede", {"orders.v1/orders/1.csv": GOOD}),
    ],
    ids=["withdrawn", "version withdrawn", "replaced", "judged again"],
)
def test_copy_that_comes_after_a_withdrawal_is_hidden(
    meanwhile: Callable[[World, str], None], same_key: str, left: dict[str, bytes]
) -> None:
    world, drop_id, runs = judged(same_key=same_key)
    plain = world.ports

    def others() -> None:
        world.ports = plain
        meanwhile(world, drop_id)

    world.ports = replace(plain, store=Stalled(plain.store, "copy", others, into(ZONES.promoted)))
    world.deliver_jobs(runs)

    assert world.store.listing(ZONES.promoted) == left
    Watch(world).look()


def test_late_worker_leaves_rows_of_a_newer_attempt() -> None:
    world, drop_id, runs = judged(promote="table")
    plain = world.ports

    def others() -> None:
        world.ports = plain
        world.reconcile()
        replay(world.ports, drop_id, retract=True)
        world.finish()

    world.ports = replace(plain, store=Stalled(plain.store, "copy", others, into(ZONES.promoted)))
    world.deliver_jobs(runs)

    drop = world.drop(drop_id)
    assert (drop.state, drop.attempt) == ("accepted", 2)
    assert [set(rows) for rows in world.tables.rows.values()] == [{drop_id}]
    Watch(world).look()


def lose_rows(world: World, ports: Ports) -> None:
    """Let the rows that a job laid down go, and the schedule find it: their attempt fails."""
    world.ports = ports
    world.store.delete(Location(f"{world.request().drops[0].valid}files.json"))
    world.reconcile()


def test_rows_of_an_attempt_that_failed_meanwhile_are_not_beside_those_of_the_next() -> None:
    world, drop_id, runs = judged(promote="table")
    plain = world.ports

    def others() -> None:
        lose_rows(world, plain)
        assert [p.code for p in world.drop(drop_id).problems] == ["rows-gone"]
        replay(plain, drop_id)
        world.deliver_windows()
        dies = replace(plain, tables=Stalled(plain.tables, "ready", crash))
        for run in world.end_jobs():
            with pytest.raises(Crash):
                job_ended(dies, run)
        assert (world.drop(drop_id).state, world.drop(drop_id).attempt) == ("promoting", 2)

    world.ports = replace(plain, tables=Stalled(plain.tables, "append", others))
    world.deliver_jobs(runs)
    world.finish()

    drop = world.drop(drop_id)
    assert (drop.state, drop.attempt) == ("accepted", 2)
    assert list(world.tables.rows.values()) == [{drop_id: (2, 3)}]


def test_worker_that_hides_rows_late_leaves_those_of_the_next_attempt() -> None:
    world, drop_id, runs = judged(promote="table")
    plain = world.ports

    def fails() -> None:
        lose_rows(world, plain)
        replay(plain, drop_id)

    slow = Stalled(Stalled(plain.tables, "append", fails), "withdraw", world.finish)
    world.ports = replace(plain, tables=slow)
    world.deliver_jobs(runs)

    drop = world.drop(drop_id)
    assert (drop.state, drop.attempt) == ("accepted", 2)
    assert list(world.tables.rows.values()) == [{drop_id: (2, 3)}]


def test_rows_of_an_attempt_that_failed_are_hidden_after_a_person_has_withdrawn_the_drop() -> None:
    world, drop_id = ended(all_good, promote="table")
    replay(world.ports, drop_id, retract=True)
    world.deliver_windows()
    runs, plain = world.end_jobs(), world.ports

    def others() -> None:
        lose_rows(world, plain)
        assert (world.drop(drop_id).state, world.drop(drop_id).attempt) == ("failed", 2)
        reject(plain, world.drop(drop_id), "ann", "recalled")

    world.ports = replace(plain, tables=Stalled(plain.tables, "replace", others))
    world.deliver_jobs(runs)

    assert world.drop(drop_id).state == "rejected"
    assert list(world.tables.rows.values()) == [{}]


@pytest.mark.parametrize("method", ["copy", "put"], ids=["its reply is lost", "the receipt cannot be written"])
def test_copy_after_a_withdrawal_is_hidden_also_where_the_worker_fails(method: str) -> None:
    world, drop_id, runs = judged()
    plain = world.ports

    def others() -> None:
        world.ports = plain
        taken_back(world, drop_id)

    down = ServiceUnavailable("503 Slow Down")
    slow = Stalled(plain.store, "copy", others, into(ZONES.promoted), down if method == "copy" else None)
    receipts = slow if method == "copy" else Stalled(slow, "put", lambda: None, after=down)
    world.ports = replace(plain, store=receipts)
    with pytest.raises(ServiceUnavailable):
        world.deliver_jobs(runs)

    assert world.store.listing(ZONES.promoted) == {}
    Watch(world).look()


@pytest.mark.parametrize("promote", ["object", "table"])
@pytest.mark.parametrize("nth", [1, 2], ids=["before it takes the key", "before it frees the key"])
def test_late_withdrawal_leaves_the_key_to_a_later_attempt(promote: str, nth: int) -> None:
    world, drop_id = ended(all_good, promote=promote)
    plain, of_keys = world.ports, count(1)

    def others() -> None:
        world.ports = plain
        finish(plain, world.drop(drop_id))
        replay(plain, drop_id)
        world.finish(all_good)

    slow = Stalled(plain.ledger, "write", others, lambda moves, *_: not moves and next(of_keys) == nth)
    reject(replace(plain, ledger=slow), world.drop(drop_id), "ann", "recalled")
    drop = world.drop(drop_id)
    assert (drop.state, drop.attempt) == ("accepted", 3)

    newer = world.upload("orders/1.csv", NEWER)
    world.finish(all_good)
    assert world.drop(newer).state == "accepted"
    assert [set(rows) for rows in world.tables.rows.values()] == ([{newer}] if promote == "table" else [])
    Watch(world).look()
