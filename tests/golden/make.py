"""Write a golden corpus: the documents of this version, from one run of the embedded stack, into a folder.

`python -m tests.golden.make tests/data/golden/<version>` was run once for each version whose folder is there.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

from click.testing import CliRunner

from contracts import codec
from contracts.authoring.compiler.lint import lint
from contracts.authoring.compiler.reference_checks import files
from contracts.job import JobRequest
from contracts.plan import Plan
from functions import keys
from functions.aws.clients import Clients, ports_from
from infra.cli.main import main as cli
from infra.local.embedded import QUIET, Embedded, session
from infra.setup.spark.session import local_session
from spark_jobs import validate
from spark_jobs.spark import storage
from tests.builders import arguments_of
from tests.e2e.cases import GOOD, HEADER
from tests.e2e.sections import CASES
from tests.oracle import referring, trees
from tests.oracle.cases import MORE_FORMS, NESTED_FORMS
from tests.oracle.contracts import a_contract

HERE = Path(__file__).parent
CONTRACTS = (HERE.parent / "e2e" / "contracts", HERE / "contracts")
PUBLISHED = HERE.parents[1] / "contracts"
ROUNDS = 60
"""Contracts of each form that are drawn, to find plans that hold something new."""
LARGEST = 200_000
"""Bytes of an object; a larger one is left out."""
SHAPES = 2
"""Items of each kind and state that are kept."""
SUM_OF = {"days/2026-01-31/a.csv": b"id,amount\n1,10.50\n", "days/2026-01-31/b.csv": b"id,amount\n2,1.50\nx,2.00\n"}
MANIFEST = {
    "files": [
        {"name": name.rpartition("/")[2], "rows": body.count(b"\n") - 1, "bytes": len(body)}
        for name, body in SUM_OF.items()
    ]
}


def main(folder: Path) -> None:
    """Run the stack once, and write what it wrote."""
    folder.mkdir(parents=True)
    linted = lint(CONTRACTS)
    assert not linted.failed, linted.findings
    drawn = _telling((*lint((PUBLISHED,)).plans, *linted.plans, *_drawn()))
    _write(folder / "plans.jsonl", drawn)
    spark = local_session("golden", s3_endpoint="http://127.0.0.1:9", brief=True)
    events: list[str] = []
    with Embedded(
        window_seconds=1,
        schedule_seconds=2,
        retry_seconds=1,
        job=_job,
        spark=spark,
        environment={**QUIET, "DROPGATE_PATIENCE_SECONDS": "3"},
        listener=lambda event: events.append(json.dumps(event["detail"], sort_keys=True)),
    ) as embedded:
        embedded.publish(linted.plans, files(linted.contracts))
        items: dict[str, dict[str, Any]] = {}
        watching = Event()
        watch = Thread(target=_watch, args=(embedded, items, watching), daemon=True)
        watch.start()
        _flow(embedded)
        watching.set()
        watch.join()
        _write(folder / "items.jsonl", (json.dumps(item, sort_keys=True) for _, item in sorted(items.items())))
        _write(folder / "events.jsonl", _shapes(events))
        _objects(embedded, folder)
    spark.stop()


def _job(spark: Any, request: str) -> None:
    if JobRequest.loads(storage.read_text(spark, request)).plan.contract == "crash.v1":
        raise RuntimeError("the job of this contract crashes")
    validate.run(spark, request)


def _drawn() -> Iterator[Plan]:
    for name, form in {**MORE_FORMS, **NESTED_FORMS}.items():
        for seed in range(ROUNDS):
            chance = Random(f"golden {name} {seed}")
            if name in NESTED_FORMS:
                yield trees.a_contract(chance, form).contract.plan
                continue
            contract = a_contract(chance, form)
            yield (referring.related(chance, contract)[0] if seed % 10 == 0 else contract).plan


def _telling(plans: Iterable[Plan]) -> Iterator[str]:
    """Return the texts of plans that hold a kind, an argument or a type that none before them holds."""
    seen: set[Any] = set()
    for plan in plans:
        new: set[Any] = {(c.kind, *sorted(arguments_of(c))) for c in plan.checks}
        new |= {(p.type, p.format is None, p.exact is None, bool(p.path)) for p in plan.properties}
        new.add((plan.file_format, plan.compression, plan.promote, plan.mode))
        if not new <= seen:
            seen |= new
            yield _canonical(plan)


def _canonical(plan: Plan) -> str:
    text = codec.canonical(plan)
    assert sha256(text.encode()).hexdigest() == plan.sha
    return text


def _flow(embedded: Embedded) -> None:
    """Send every kind of file, judge some again, decide on some, and pause."""
    ports = ports_from(embedded.environment(), Clients(session()))
    bucket = embedded.stack.names["LandingBucket"]

    def sent(key: str, body: bytes) -> str:
        return keys.drop_id(bucket, key, embedded.upload(key, body))

    def settled(drop: str) -> Any:
        end = time.monotonic() + 300
        while (record := ports.ledger.drop(drop)) is None or record.in_flight:
            assert time.monotonic() < end, drop
            time.sleep(0.1)
        return record

    def typed(*words: str) -> None:
        with embedded.pump.turn():
            done = CliRunner().invoke(cli, list(words))
        assert done.exit_code == 0, done.output

    typed("pause", "orders.v1", "--reason", "the corpus is made")
    waiting = [sent(case.key, case.body) for case in CASES if len(case.body) < LARGEST]
    time.sleep(5)
    typed("resume", "orders.v1")
    others = {
        "good": sent("late/1.csv", GOOD),
        "bad": sent("orders/bad-rows.csv", HEADER + b"1,=cmd(),2,2026-01-31\n2,b,x,\n3,c,-4,2026-13-01\n"),
        "observed": sent("watched/1.csv", b"id,note\n1,abcd\n,a\n"),
        "growing": sent("growing/1.csv", b"day,amount\n2026-01-01,1\n2026-01-02,2\n"),
        "tabled": sent("tabled/1.csv", GOOD),
        "crash": sent("crash/1.csv", GOOD),
        "missing": sent("parcels/1.csv", b"parcel,order,carrier\n1,1,DHL\n2,,\n3,02,NOBODY\n"),
    }
    for key, body in SUM_OF.items():
        sent(key, body)
    time.sleep(3)
    embedded.upload("days/2026-01-31/manifest.json", json.dumps(MANIFEST).encode())
    for drop in (*waiting, *others.values()):
        settled(drop)
    assert embedded.settle(180)
    typed("replay", others["bad"])
    settled(others["bad"])
    typed("accept", others["bad"], "--because", "the corpus needs one")
    settled(others["bad"])
    typed("reject", others["observed"], "--because", "the corpus needs one")
    settled(others["observed"])
    typed("forget", others["growing"], "--because", "asked to")
    assert embedded.settle(180)


def _watch(embedded: Embedded, items: dict[str, dict[str, Any]], enough: Event) -> None:
    """Look at the table all the time: some items are there for a moment only."""
    table, client = embedded.stack.names["LedgerTable"], embedded.client("dynamodb")
    number: dict[str, int] = {}
    while True:
        last = enough.is_set()
        for page in client.get_paginator("scan").paginate(TableName=table):
            for item in page["Items"]:
                name = _name(item)
                text = json.dumps(item, sort_keys=True)
                if f"{name} {sha256(text.encode()).hexdigest()}" in items or number.get(name, 0) >= SHAPES:
                    continue
                number[name] = number.get(name, 0) + 1
                items[f"{name} {sha256(text.encode()).hexdigest()}"] = item
        if last:
            return
        time.sleep(0.05)


def _name(item: dict[str, Any]) -> str:
    kind = item["pk"]["S"].partition("#")[0]
    part = item["sk"]["S"].partition("#")[0] if kind in ("D", "SET", "ABSENT") else ""
    return " ".join((kind, part, item.get("state", {}).get("S", ""), *sorted(item)))


def _shapes(events: Iterable[str]) -> Iterator[str]:
    seen: dict[Any, int] = {}
    for text in sorted(events):
        data = json.loads(text)["data"]
        shape = (data["state"], *(p["code"] for p in data["problems"][:1]), *sorted(k for k, v in data.items() if v))
        seen[shape] = seen.get(shape, 0) + 1
        if seen[shape] <= SHAPES:
            yield text


def _objects(embedded: Embedded, folder: Path) -> None:
    """Write the pointer, its index, and the texts of requests, results and receipts, each as a JSON string."""
    client, zones = embedded.client("s3"), ports_from(embedded.environment(), Clients(session())).zones

    def texts(zone: str, ending: str) -> list[str]:
        bucket, prefix = keys.split(zone)
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        listed = (each for page in pages for each in page.get("Contents", []))
        names = [each["Key"] for each in listed if each["Key"].endswith(ending) and each["Size"] < LARGEST]
        return sorted(client.get_object(Bucket=bucket, Key=name)["Body"].read().decode() for name in names)

    (pointer,), (index,) = texts(f"{zones.catalog}current", ".json"), texts(f"{zones.catalog}index/", ".json")
    (folder / "current.json").write_text(pointer, encoding="utf-8")
    (folder / "index.json").write_text(index, encoding="utf-8")
    _write(folder / "requests.jsonl", map(json.dumps, texts(zones.jobs, "request.json")))
    _write(folder / "results.jsonl", map(json.dumps, texts(zones.jobs, "result.jsonl")))
    _write(folder / "receipts.jsonl", map(json.dumps, texts(zones.reports, "receipt.json")))


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    started = datetime.now(UTC)
    main(Path(sys.argv[1]))
    sys.stderr.write(f"{sys.argv[1]} was written in {datetime.now(UTC) - started}\n")
