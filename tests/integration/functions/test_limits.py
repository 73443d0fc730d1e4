"""AWS Lambda's limits at our own: the widest contract in the fullest batch, the longest names, the largest packed file.

Limits: Lambda developer guide, "Lambda quotas" (15 minutes, 6 MB of payload, 4 KB of environment variables); a function
has a whole processor at 1,769 MB ("Configure Lambda function memory"), and its share of one below.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from random import Random

import pytest

from contracts import rules
from contracts.files.header import MOST_COLUMNS
from contracts.job import Count, DropResult, JobDrop
from contracts.plan import RECORD_CHECKS, Check, Plan, Property
from functions.admission.heads import packed_head
from functions.aws.emr_serverless import MIB
from functions.flow.batching import MOST_COUNTS
from functions.handlers.runtime import RESERVE
from functions.ports import MOST_DROPS
from infra.local.events.events import object_created
from infra.local.template.template import expand, of_type
from infra.packaging.bundles import ROOT
from infra.stack_admin import deployed
from tests.builders import a_plan, a_world
from tests.packing import PACK

FUNCTIONS = {
    name: resource["Properties"]
    for name, resource in of_type(expand(ROOT / "template.yaml", "us-east-1"), "AWS::Lambda::Function").items()
}
NAMES = [f"a_column_with_a_long_name_{n:04}" for n in range(MOST_COLUMNS)]
FULL = min(MOST_DROPS, MOST_COUNTS // (MOST_COLUMNS + len(RECORD_CHECKS)))
"""Drops of a full batch of the widest contract."""
DROPS = 4
"""Of a full batch so many are tried here; what they take stands for the rest."""
ROUNDS = 3
"""Rounds of work that takes a second, of which the least counts: other tests take the processor's time."""
SLOWER = 3
"""So many times slower than Lambda's the processor may be on which this runs, and that is busy with other tests."""


def widest() -> Plan:
    """A contract with as many columns as a file may have, each with a check."""
    checks = (Check(f"{n}.required", rules.Required(), "row", "error", "completeness", "a value", n) for n in NAMES)
    properties = tuple(Property(n, "string", required=True) for n in NAMES)
    return a_plan("wide.v1", ("wide/*.csv",), NAMES, properties=properties, checks=(*RECORD_CHECKS, *checks))


def all_bad(plan: Plan, drop: JobDrop) -> DropResult:
    """Three records that fail every check."""
    counts = tuple(Count(3, failed=3) for _ in plan.checks)
    return DropResult(drop.id, drop.attempt, 3, 0, 3, counts=counts, masks=((f"{(1 << len(counts)) - 1:x}", 3),))


def seconds(act: Callable[[], object], function: str) -> float:
    """Return the time of a step in a function for a full batch, of which DROPS are done here."""
    begin = time.process_time()
    act()
    share: float = min(1, FUNCTIONS[function]["MemorySize"] / 1769)
    return (time.process_time() - begin) / share * FULL / DROPS


def test_fullest_batch_of_the_widest_contract_fits_its_functions() -> None:
    world = a_world(contracts=[widest()])
    row = ",".join("x" for _ in NAMES)
    for n in range(DROPS):
        world.upload(f"wide/{n}.csv", f"{','.join(NAMES)}\n{row}\n".encode())
    taken = seconds(world.deliver_events, "ObjectCreatedFunction") / FULL * 10
    due = seconds(world.deliver_windows, "BatchDueFunction")
    world.end_jobs(all_bad)
    ended = seconds(world.deliver_jobs, "JobStateChangedFunction")

    assert {drop.state for drop in world.drops().values()} == {"rejected"}
    assert taken < FUNCTIONS["ObjectCreatedFunction"]["Timeout"] / 4, "ten files of one invocation"
    assert due < FUNCTIONS["BatchDueFunction"]["Timeout"] * SLOWER
    # What is not settled in one invocation is by the next, or by the schedule.
    assert ended < FUNCTIONS["JobStateChangedFunction"]["Timeout"] * SLOWER


def test_largest_result_fits_the_memory() -> None:
    """A quarter of it read and judged in a process of its own; four times the whole process is more than all takes."""
    some = FULL // 4
    code = f"""
from pathlib import Path
from contracts.job import Count, DropResult, JobHeader, JobResult
from contracts.verdict import decide
from tests.integration.functions.test_limits import widest
from contracts import codec, rules
plan = widest()
header = JobHeader("b", 1, plan.sha, tuple(c.id for c in plan.checks), "t", "t")
line = codec.canonical(DropResult("{"d" * 32}", 1, counts=tuple(Count(10**9, failed=10**8) for _ in plan.checks)))
text = "".join([codec.canonical(header) + "\\n", *[line + "\\n"] * {some}]).encode()
result = JobResult.loads(text)
assert len(result.drops) == {some}
decide(plan, result.drops[0], result.header.checks)
# Of this process since it began: ru_maxrss would count who started it, too.
(peak,) = (each.split()[1] for each in Path("/proc/self/status").read_text().splitlines() if each.startswith("VmHWM"))
print(len(text), peak)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=180
    )
    assert done.returncode == 0, done.stderr
    size, peak = map(int, done.stdout.split())
    used = peak / 1024 * FULL / some

    assert size * FULL / some > 40 * MIB
    assert used < FUNCTIONS["JobStateChangedFunction"]["MemorySize"] - 64, (
        f"{used:.0f} MB; boto3 and its clients take 64"
    )


@pytest.mark.parametrize("packing", packed_head.PACKINGS.values(), ids=packed_head.PACKINGS)
def test_largest_packed_file_is_unpacked_in_its_time(packing: packed_head.Packing) -> None:
    chance = Random(1)
    some = b"".join(b"%d,%d.5,abcdefgh\n" % (n, chance.randrange(MIB)) for n in range(MIB))
    body = PACK[packing.name](some)
    spent = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        content = packed_head.unpack(packing, lambda at, most: body[at : at + most], len(body), 65536, hashed=True)
        spent.append(time.process_time() - begin)

    assert isinstance(content, packed_head.Content)
    largest = min(spent) * packing.largest / content.size
    assert largest < RESERVE / 1000 * FUNCTIONS["ObjectCreatedFunction"]["MemorySize"] / 1769
    assert FUNCTIONS["ObjectCreatedFunction"]["Timeout"] / 2 > RESERVE / 1000


def test_ten_of_the_longest_events_fit_one_invocation() -> None:
    events = [
        object_created(
            "b" * 63, "us-gov-west-1", '"' * 1024, 5 * 1024**3, "e" * 40, "v" * 1024, "CompleteMultipartUpload"
        )
        for _ in range(10)
    ]
    records = [{"messageId": "m" * 36, "body": json.dumps(event), "receiptHandle": "r" * 1024} for event in events]

    assert len(json.dumps({"Records": records})) < 6 * MIB / 50


def test_longest_names_fit_the_environment() -> None:
    bucket = "b" * 63
    outputs = dict.fromkeys(("LandingBucket", "InternalBucket", "PromotedBucket"), bucket)
    outputs |= {"LedgerTable": "t" * 255, "EmrApplication": "a" * 64}
    outputs |= {"BatchQueueUrl": f"https://sqs.us-gov-west-1.amazonaws.com/123456789012/{'q' * 80}"}
    outputs |= {"DataKeyArn": f"arn:aws-us-gov:kms:us-gov-west-1:123456789012:key/{'k' * 36}"}
    outputs |= {"JobRoleArn": f"arn:aws-us-gov:iam::123456789012:role/{'r' * 64}"}
    given = {"WindowSeconds": "900", "MaximumConcurrentRuns": "1000", "MostDrops": "1000"}
    given |= {"Architecture": "x86_64", "GreatExpectations": "true", "Arrow": "true"}
    longest = deployed.variables(outputs, given)
    others = {n: "v" * 128 for n in FUNCTIONS["ScheduleFunction"]["Environment"]["Variables"] if n not in longest}

    assert sum(len(name) + len(value) for name, value in (longest | others).items()) < 4096
