"""A promise is met, at risk and missed by the schedule, with no file coming; people and machines hear of it."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from email import message_from_bytes, policy
from typing import Any

from click.testing import CliRunner

from contracts.terms.notices import Channel, ContractRoutes, Route, Routes
from contracts.terms.promises import Promise
from contracts.terms.spans import Span
from functions.ports.clock import moment
from infra.cli.main import main
from tests.e2e.conftest import ORDERS, World
from tests.e2e.test_notices import until

CONTRACT, BOB = "kept.v1", "bob@example.com"
PATIENCE = 8
"""The seconds after which the schedule of the stack believes what it sees."""
SEEN_WITHIN = 75
"""The seconds in which the schedule finds a new promise and judges it, however busy the machine is."""

CHANGES = ["Promise Met", "Promise At Risk", "Promise Missed"]
"""The events; a machine that is so busy that the schedule skips the last fifth of the time has no second one."""


def test_promise_is_met_and_then_missed_with_no_file_coming(world: World) -> None:
    plain = replace(
        next(plan for plan in world.plans if plan.contract == "orders.v1"),
        contract=CONTRACT,
        id="kept",
        files=("kept/*.csv",),
    )
    route = Route("consumer", Channel("email", BOB), ("stale", "recovered"))
    routes = Routes((ContractRoutes(CONTRACT, plain.producer, (route,)),))
    world.embedded.publish([*world.plans, plain])
    drop = world.settled(world.upload("kept/1.csv", ORDERS))
    time.sleep(PATIENCE)
    age = (datetime.now(UTC) - moment(drop.received_at)).total_seconds()
    seconds = math.ceil((age + SEEN_WITHIN) * 5 / 4)  # at risk after four fifths of it
    fresh = Promise("loadDate", "loadDate", Span(Decimal(seconds), "s"))
    world.embedded.publish([*world.plans, replace(plain, promises=(fresh,))], routes=routes)

    until(lambda: events(world) == ["Promise Met"])
    code, standing = slo(world)
    assert (drop.state, code, standing["promises"][0]["state"]) == ("accepted", 0, "met")
    until(lambda: "Promise Missed" in events(world), seconds + SEEN_WITHIN)
    assert events(world) in (CHANGES, [CHANGES[0], CHANGES[2]])
    code, standing = slo(world)
    (promise,) = standing["promises"]
    assert (code, promise["state"], promise["promised"]) == (
        1,
        "missed",
        f"the newest accepted file is at most {seconds} s old",
    )
    until(lambda: len(mails(world)) == 1, SEEN_WITHIN)
    (mail,) = mails(world)
    assert mail["Subject"].startswith(f"[stale] {CONTRACT}")
    world.embedded.publish(world.plans)


def events(world: World) -> list[str]:
    """Return the kinds of the events of promises, in their order."""
    own = [event for event in list(world.events) if event["detail-type"].startswith("Promise")]
    of_contract = [event for event in own if event["detail"]["data"]["contract"]["name"] == CONTRACT]
    return [*{event["detail"]["id"]: event["detail-type"] for event in of_contract}.values()]  # one may come twice


def mails(world: World) -> list[Any]:
    """Return the mails to consumers."""
    every = [message_from_bytes(mail.body, policy=policy.default) for mail in list(world.mails)]
    return [mail for mail in every if BOB in mail["To"]]


def slo(world: World) -> tuple[int, Any]:
    """Return how `dropgate slo` exits, and what it prints of the contract."""
    words = ["slo", CONTRACT, "--format", "json"]
    with world.embedded.asleep():  # functions set the environment that the command reads
        done = CliRunner(mix_stderr=False).invoke(main, words, env=world.embedded.environment())
    (standing,) = json.loads(done.stdout)
    return done.exit_code, standing
