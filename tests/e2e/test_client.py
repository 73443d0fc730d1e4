"""Client, API and page against the whole flow: good and bad files are sent, judged, mended and sent again."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from pyspark.sql import SparkSession

from contracts.authoring.compiler.lint import lint
from infra.local.embedded import Embedded
from infra.packaging.bundles import ROOT
from tests.chromium import CHROMIUM, DRIVER, chromium
from tests.e2e.cases import GOOD, HEADER
from tests.e2e.conftest import HERE, alone
from tests.integration.functions.test_uploads import sent

BAD = HEADER + b"1,Ana,-2,2026-01-31\n2,Bo,1,2026-01-31\n"
MENDED = BAD.replace(b"-2", b"2")
HEADLESS = b"id,nom,amount,day\n1,Ana,2,2026-01-31\n"
PATIENCE = 150.0
"""Seconds in which a verdict must come."""
CONTRACT = HERE / "contracts" / "sales" / "orders.v1.yaml"
TEN_LINES = """
import sys
from dropgate_client import Client, Refusal
client = Client.from_environment()
sent = client.send(sys.argv[1], key=sys.argv[2])
if isinstance(sent, Refusal):
    raise SystemExit([problem.message for problem in sent.problems])
drop = client.wait(sent.drop)
print(drop.state, drop.rows.rejected, [path.name for path in client.save_receipt(drop, sys.argv[1])])
"""


@dataclass
class Producer:
    """The client of the producer `shop`, in a folder of its own, and with only its own package."""

    folder: Path
    api: str
    issuer: str
    embedded: Embedded

    def promoted(self) -> dict[str, str]:
        """Return the ETag of each object that consumers have."""
        client, bucket = self.embedded.client("s3"), self.embedded.stack.names["PromotedBucket"]
        return {each["Key"]: each["ETag"] for each in client.list_objects_v2(Bucket=bucket).get("Contents", ())}

    def call(self, *words: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        """Call a command."""
        return self.python("-m", "dropgate_client", *words, **more)

    def python(self, *words: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        """Call Python with the client at hand."""
        around = {"PYTHONPATH": str(ROOT / "client"), "PYTHONUTF8": "1", "XDG_CONFIG_HOME": str(self.folder / "config")}
        around |= {"PATH": os.defpath, "COLUMNS": "100", **more}
        command = [sys.executable, *map(str, words)]
        return subprocess.run(
            command, cwd=self.folder, env=around, capture_output=True, text=True, check=False, timeout=240
        )

    def ask(self, path: str, document: dict[str, Any] | None = None) -> Any:
        """Send a request to the API as a program without the client does; return its document."""
        assert self.embedded.issuer
        token = self.embedded.issuer.token("shop", "producer")
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        body = None if document is None else json.dumps(document).encode()
        status, _, text = sent("GET" if body is None else "POST", f"{self.api}{path}", body, headers)
        assert status == 200, text
        return json.loads(text)

    def object(self, key: str) -> bytes | None:
        """Return the bytes that consumers have under a key."""
        client, bucket = self.embedded.client("s3"), self.embedded.stack.names["PromotedBucket"]
        if key not in self.promoted():
            return None
        return bytes(client.get_object(Bucket=bucket, Key=key)["Body"].read())

    def file(self, name: str, body: bytes) -> Path:
        """Write a file to send."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        return path


@pytest.fixture(scope="module")
def producer(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Producer]:
    """Somebody who logged in as the README of the client shows."""
    with (
        alone(),
        Embedded(window_seconds=1, schedule_seconds=8, retry_seconds=1, spark=spark, api=True) as embedded,
    ):
        embedded.publish(lint((CONTRACT,)).plans)
        assert embedded.gateway
        assert embedded.issuer
        folder = tmp_path_factory.mktemp("producer")
        own = Producer(folder, embedded.gateway.endpoint, embedded.issuer.endpoint, embedded)
        addresses = ("--api", own.api, "--issuer", own.issuer, "--scope", "producer")
        done = own.call("login", *addresses, DROPGATE_CLIENT_ID="shop", DROPGATE_CLIENT_SECRET="")
        assert (done.returncode, done.stderr) == (0, "")
        assert "Contracts: orders.v1\n" in done.stdout
        yield own
        assert embedded.guard.denied == [], "the template's policies forbid what the client needs"


def test_good_file_is_accepted(producer: Producer) -> None:
    producer.file("orders/good.csv", GOOD)
    done = producer.call("send", "orders/good.csv", "--wait")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("✓ ACCEPTED  orders/good.csv: all 2 records are valid.\n  orders 1.0.0 · rules ")
    receipt = json.loads((producer.folder / "orders" / "good.csv.receipt.json").read_text())
    assert (receipt["verdict"], receipt["rejected_rows"]) == ("accepted", None)


def test_bad_file_comes_back_with_its_rows(producer: Producer) -> None:
    bad = producer.file("january.csv", BAD)
    done = producer.call("send", bad, "--key", "orders/bad.csv", "--wait")

    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("✕ REJECTED  orders/bad.csv: 1 of 2 records (50.0 %) is rejected.\n")
    assert "What to fix\n  ✕ `amount` is below the minimum of `0`" in done.stdout
    assert done.stdout.endswith(f"Written: {bad}.receipt.json\nWritten: {bad}.rejected.csv\n")
    rows = Path(f"{bad}.rejected.csv").read_text().splitlines()
    assert rows == ["id,name,amount,day,_record,_reasons", "1,Ana,-2,2026-01-31,1,amount.minimum (at least 0)"]
    listed = json.loads(producer.call("drops", "--key", "orders/bad.csv", "--format", "json").stdout)
    assert [row["state"] for row in listed] == ["rejected"]
    shown = producer.call("show", "orders/bad.csv")
    assert (shown.returncode, "✕ rejected" in shown.stdout) == (1, True)
    assert done.stdout.partition("Written")[0] in shown.stdout


def test_file_with_a_wrong_header_is_not_sent(producer: Producer) -> None:
    producer.file("orders/headless.csv", HEADLESS)
    for command in ("match", "send"):
        done = producer.call(command, "orders/headless.csv")
        assert done.returncode == 1, done.stderr
        assert done.stdout.startswith("✕ REJECTED  headless.csv: rejected before its records were read.\n")
        assert "name" in done.stdout
    assert json.loads(producer.call("drops", "--key", "orders/headless.csv", "--format", "json").stdout) == []


def test_keys_of_nobody_and_of_others_are_refused(producer: Producer) -> None:
    producer.file("elsewhere/1.csv", GOOD)
    done = producer.call("send", "elsewhere/1.csv")

    assert done.returncode == 2
    assert done.stderr.startswith("dropgate-client: ")


def test_ten_lines_of_python_do_the_same(producer: Producer) -> None:
    bad = producer.file("again.csv", BAD)
    done = producer.python("-c", TEN_LINES, bad, "orders/again.csv")

    assert (done.returncode, done.stdout) == (0, "rejected 1 ['again.csv.receipt.json', 'again.csv.rejected.csv']\n")


def test_contract_is_linted(producer: Producer) -> None:
    broken = producer.file("broken.yaml", CONTRACT.read_bytes().replace(b"logicalType: date", b"logicalType: day"))

    assert producer.call("lint", CONTRACT).returncode == 0
    done = producer.call("lint", broken)
    assert done.returncode == 1
    assert f"{broken}:" in done.stdout


def test_trial_gets_its_verdict_and_leaves_nothing(producer: Producer) -> None:
    sent = producer.call("send", producer.file("orders/tried.csv", GOOD), "--key", "orders/tried.csv", "--wait")
    assert sent.returncode == 0, sent.stderr
    promoted = producer.promoted()

    bad = producer.file("tried.csv", BAD)
    done = producer.call("send", bad, "--key", "orders/tried.csv", "--trial")

    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("✕ REJECTED  orders/tried.csv: 1 of 2 records (50.0 %) is rejected.\n")
    assert done.stdout.endswith(f"Written: {bad}.receipt.json\nWritten: {bad}.rejected.csv\n")
    assert json.loads(Path(f"{bad}.receipt.json").read_text())["trial"] is True
    fine = producer.file("fine.csv", GOOD + b"3,c,1,2026-01-31\n")
    again = producer.call("send", fine, "--key", "orders/tried.csv", "--trial")
    assert again.returncode == 0, again.stderr
    assert "This was a trial" in again.stdout
    listed = json.loads(producer.call("drops", "--key", "orders/tried.csv", "--format", "json").stdout)
    assert [row["state"] for row in listed] == ["accepted"]
    trials = json.loads(producer.call("drops", "--key", "orders/tried.csv", "--trial", "--format", "json").stdout)
    assert [(row["state"], row["verdict"]) for row in trials] == [("tried", "accepted"), ("tried", "rejected")]
    assert producer.promoted() == promoted


def walk(producer: Producer, key: str, body: bytes) -> dict[str, Any]:
    """Announce a file, upload it by the address of the answer, and return its drop once it is decided."""
    head = base64.b64encode(body).decode()
    file = {"key": key, "size": len(body), "sha256": hashlib.sha256(body).hexdigest(), "head": head}
    upload = producer.ask("/uploads", file)["upload"]
    status, headers, text = sent(upload["method"], upload["url"], body, upload["headers"])
    assert status == 200, text
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        listed = producer.ask(f"/drops?key={quote(key)}&version_id={quote(headers['x-amz-version-id'])}")["drops"]
        if listed and listed[0]["decided_at"] and listed[0]["state"] in ("accepted", "rejected"):
            return dict(listed[0])
        time.sleep(1)
    raise AssertionError(listed)


def test_file_is_rejected_mended_and_accepted_over_http_alone(producer: Producer) -> None:
    bad = walk(producer, "orders/walk.csv", BAD)
    receipt = producer.ask(f"/drops/{bad['id']}/receipt")
    rows = sent("GET", producer.ask(f"/drops/{bad['id']}/rejected-rows")["url"], None, {})

    assert (bad["state"], bad["rows"]) == ("rejected", {"read": 2, "valid": 1, "rejected": 1})
    assert (receipt["verdict"], receipt["problems"][0]["check"]) == ("rejected", "amount.minimum")
    assert (rows[0], rows[2].splitlines()[1]) == (200, b"1,Ana,-2,2026-01-31,1,amount.minimum (at least 0)")
    assert producer.object("orders.v1/orders/walk.csv") is None

    good = walk(producer, "orders/walk.csv", MENDED)

    assert (good["state"], good["rows"]["rejected"]) == ("accepted", 0)
    assert producer.ask(f"/drops/{good['id']}/receipt")["verdict"] == "accepted"
    assert producer.object("orders.v1/orders/walk.csv") == MENDED
    assert [step["state"] for step in producer.ask(f"/drops/{good['id']}")["history"]] == [
        "received",
        "staged",
        "validating",
        "promoting",
        "accepted",
    ]


@pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs Debian's chromium and chromium-driver")
def test_file_is_rejected_mended_and_accepted_on_the_page(producer: Producer) -> None:
    with chromium() as window:
        window.show(f"{producer.api}/app/send")
        window.write("input[name=who]", "shop")
        window.click("button")
        verdicts = []
        for body in (BAD, MENDED):
            window.show(f"{producer.api}/app/send")
            window.write("input[type=file]", str(producer.file("browser.csv", body)))
            window.click("#send button")
            until = time.monotonic() + PATIENCE
            while not window.run("return document.querySelector('#results a') !== null"):
                assert time.monotonic() < until, window.run("return document.getElementById('status').textContent")
                time.sleep(1)
            verdicts.append(str(window.run("return document.getElementById('results').innerText")))
            window.click("#results a")
            window.click("a.button")
            assert "`" not in (receipt := str(window.run("return document.body.innerText")))
            assert ("below the minimum" in receipt) == (body is BAD)

    assert "amount is below the minimum of 0" in verdicts[0]
    assert verdicts[1].startswith("Accepted")
    assert producer.object("orders.v1/orders/browser.csv") == MENDED
