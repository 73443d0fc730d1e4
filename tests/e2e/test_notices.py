"""People hear of a rejected file on every channel, and that its correction is accepted: real job, real receipt."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from typing import Any

from click.testing import CliRunner

from contracts.terms.notices import OCCASIONS, Channel, ContractRoutes, Route, Routes
from functions.ports.clock import stamp
from infra.cli.main import main
from tests.e2e.conftest import World
from tests.unit.documents.test_notices_page import genuine

ANN, SECRET = "ann@example.com", f"whsec_{base64.b64encode(b'k' * 32).decode()}"
KEY = "heard/2026-01-31.csv"
CHANNELS = (Channel("email", ANN), Channel("slack", "chat"), Channel("pagerduty", "duty"), Channel("webhook", "desk"))


def test_people_hear_of_a_file_and_of_its_correction(world: World) -> None:
    plans = {plan.contract: plan for plan in world.plans}
    heard = replace(plans["orders.v1"], contract="heard.v1", id="heard", files=("heard/*.csv",))
    routes = tuple(Route("producer", channel, tuple({*OCCASIONS} - {"accepted"})) for channel in CHANNELS)
    share_secrets(world)
    world.embedded.publish([*world.plans, heard], routes=Routes((ContractRoutes("heard.v1", heard.producer, routes),)))

    rejected = world.settled(world.upload(KEY, b"id,name,amount,day\n1,a,-5,2026-01-31\n2,b,2,2026-01-31\n"))
    until(lambda: len(world.mails) == 1 and len(world.receiver.received) == 3)
    first = dict(zip(("slack", "pagerduty", "webhook"), map(sent, world.receiver.received), strict=True))
    world.settled(world.upload(KEY, b"id,name,amount,day\n1,a,5,2026-01-31\n2,b,2,2026-01-31\n"))
    until(lambda: make_due(world) == len(CHANNELS))
    until(lambda: len(world.mails) == 2 and len(world.receiver.received) == 6)

    (bad, good) = (message_from_bytes(mail.body, policy=policy.default) for mail in world.mails)
    opened, closed = first["pagerduty"], next(b for b in map(sent, world.receiver.received[3:]) if "dedup_key" in b)
    assert rejected.state == "rejected"
    assert bad["Subject"].startswith(f"[rejected] {KEY}: 1 of 2 rows, amount is below the minimum of 0")
    assert good["Subject"].startswith(f"[recovered] {KEY}")
    assert first["slack"]["text"] == str(bad["Subject"])
    assert (opened["event_action"], closed["event_action"]) == ("trigger", "resolve")
    assert opened["dedup_key"] == closed["dedup_key"]
    assert first["webhook"]["data"]["drop"] == rejected.id
    signed = next(each for each in world.receiver.received if each.path == "/desk")
    assert genuine()({name.lower(): value for name, value in signed.headers.items()}, signed.body, SECRET)
    listed = dropgate(world, "notices", rejected.id)
    assert sorted((row["service"], row["result"]) for row in listed["notices"]) == sorted(
        (channel.service, "sent") for channel in CHANNELS
    )


def share_secrets(world: World) -> None:
    """Give the stack the addresses and keys of the channels."""
    origin = world.receiver.origin
    secrets = {"chat": f"{origin}/chat", "duty": "d" * 32, "desk": f"{origin}/desk {SECRET}"}
    for name, value in secrets.items():
        place = f"{world.embedded.environment()['DROPGATE_SECRETS']}{name}"
        world.embedded.client("ssm").put_parameter(Name=place, Value=value, Type="SecureString")


def make_due(world: World) -> int:
    """Let the ten minutes between two messages be over; the number of lines on which something waits."""
    table, client = world.embedded.stack.names["NoticesTable"], world.embedded.client("dynamodb")
    items = [i for i in client.scan(TableName=table)["Items"] if i["sk"]["S"] == "STATE" and "due" in i]
    if len(items) == len(CHANNELS):
        past = {name: {"S": stamp(datetime.now(UTC) - timedelta(seconds=1))} for name in ("due_at", "free_at")}
        for item in items:
            client.put_item(TableName=table, Item={**item, **past})
    return len(items)


def sent(request: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(request.body)
    return body


def until(reached: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.1)


def dropgate(world: World, *words: str) -> Any:
    """Return the output of a command about this stack."""
    done = CliRunner(mix_stderr=False).invoke(main, [*words, "--format", "json"], env=world.embedded.environment())
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)
