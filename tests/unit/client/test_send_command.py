"""The commands that look at a file and send it, over HTTP."""

from __future__ import annotations

import json
from pathlib import Path

from dropgate_client.client import REFUSED
from dropgate_client.errors import NotConfigured
from tests.unit.client.conftest import DROP, KEY, a_drop
from tests.unit.client.servers import Reply, Server
from tests.unit.client.test_client import file  # noqa: F401
from tests.unit.client.test_commands import RECEIPT, Run, run  # noqa: F401


def test_match_says_who_claims_the_file(run: Run, server: Server, file: Path) -> None:  # noqa: F811
    done = run("match", file, "--key", KEY)

    assert done.exit_code == 0
    assert done.stdout.startswith(f"✓ MATCHED  {KEY}\n  contract  inmet-weather.v1 1.2.0\n")
    assert json.loads(run("match", file, "--key", KEY, "--format", "json").stdout)["checked"] == "file"
    assert "is no key: name one with --key" in run("match", file).stderr
    run("match", file.name)
    assert json.loads(server.requests("POST /uploads")[-1].body)["key"] == "weather.csv"


def test_file_is_sent_judged_and_its_receipt_written(run: Run, server: Server, file: Path) -> None:  # noqa: F811
    server.on(f"GET /drops/{DROP}", Reply(200, a_drop("rejected")))
    server.on(f"GET /drops/{DROP}/receipt", Reply(200, RECEIPT))

    done = run("send", file, "--key", KEY, "--wait")
    assert done.exit_code == 1
    assert done.stderr == f"Sent {KEY}: drop {DROP}, contract inmet-weather.v1\n"
    assert done.stdout.startswith("✕ REJECTED  weather.csv: 12 of 1,000 records")
    assert done.stdout.endswith(f"Written: {file}.receipt.json\n")
    shown = json.loads(run("send", file, "--key", KEY, "--wait", "--format", "json").stdout)
    assert (shown["state"], shown["drop"], shown["receipt"]) == ("rejected", DROP, RECEIPT)
    assert "signed" not in json.dumps(shown)
    alone = run("send", file, "--key", KEY)
    assert (alone.exit_code, alone.stdout) == (0, f"Sent {KEY}: drop {DROP}, contract inmet-weather.v1\n")


def test_refused_file_ends_with_one(run: Run, server: Server, file: Path) -> None:  # noqa: F811
    error = {
        "place": "body.head",
        "kind": "header",
        "message": "No `id`.",
        "fix": "Add it.",
        "at": None,
    }
    server.on("POST /uploads", Reply(422, {"type": REFUSED, "errors": [error]}))

    done = run("send", file, "--key", KEY, "--wait")
    assert done.exit_code == 1
    assert "✕ No `id`.\n    → Add it.\n\nNothing was sent.\n" in done.stdout
    assert json.loads(run("send", file, "--key", KEY, "--format", "json").stdout)["sent"] is False


def test_file_is_tried_and_waited_for(run: Run, server: Server, file: Path) -> None:  # noqa: F811
    server.on(f"GET /drops/{DROP}", Reply(200, a_drop("tried", verdict="accepted", has_receipt=True)))
    server.on(f"GET /drops/{DROP}/receipt", Reply(200, {**RECEIPT, "trial": True}))
    reply = server.answers["POST /uploads"][0]
    assert isinstance(reply, Reply)
    server.on("POST /uploads", Reply(200, {**json.loads(reply.content), "trial": True}))

    done = run("send", file, "--key", KEY, "--trial")
    assert (done.exit_code, done.stderr) == (0, f"Tried {KEY}: drop {DROP}, contract inmet-weather.v1\n")
    assert "This was a trial: consumers got nothing of the file.\n" in done.stdout
    assert done.stdout.endswith(f"Written: {file}.receipt.json\n")
    assert json.loads(server.requests("POST /uploads")[-1].body)["trial"] is True


def test_nothing_is_sent_to_an_api_without_trials(run: Run, server: Server, file: Path) -> None:  # noqa: F811
    before = len(server.requests("PUT /landing/x"))
    done = run("send", file, "--key", KEY, "--trial")

    assert isinstance(done.exception, NotConfigured)
    assert "has no trials" in str(done.exception)
    assert len(server.requests("PUT /landing/x")) == before
