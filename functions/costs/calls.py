"""The AWS calls of drops outside Spark: one table, which the cost model prices and a test compares with real counts.

The table covers accepted drops with new keys, from upload to receipt, in warm functions. A cold function also reads the
catalog's index and the plan.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil

from contracts.plan import Promoted
from functions.aws.delta import CHECKPOINT
from functions.aws.dynamodb import MOST_GET
from functions.flow.batching import GROUP

CREATED, DUE, ENDED = "ObjectCreatedFunction", "BatchDueFunction", "JobStateChangedFunction"

LANE = "SmallStagedFunction"

MOST_LONE, MOST_FURTHER, MOST_REPEATED = 23, 14, 4
"""Bounds: calls for a lone drop, for each further drop of a batch, for an event that comes again."""


@dataclass(frozen=True, slots=True)
class Calls:
    """One purpose of calls from a function to AWS, with their numbers.

    `lone` is the number for a single drop, `further` for each further drop, `several` once more in a batch of several.
    Calls for groups count the first group; `of_batch` adds the others. Some calls need one of the `promote` modes, some
    need drops with `rejected` rows.
    """

    function: str
    operation: str
    lone: int
    further: int
    why: str
    several: int = 0
    promote: tuple[Promoted, ...] = ("object", "rows", "table")
    rejected: bool = False


CALLS = (
    Calls(CREATED, "s3:GetObject", 1, 1, "the catalog's pointer, if it has not changed"),
    Calls(CREATED, "dynamodb:TransactWriteItems", 1, 1, "received: drop, history, lookup by the start of its id"),
    Calls(CREATED, "s3:GetObject", 1, 1, "the head of the file, for admission"),
    Calls(CREATED, "s3:CopyObject", 1, 1, "landing to stage, on conditions"),
    Calls(CREATED, "s3:DeleteObject", 1, 1, "the pinned version leaves landing"),
    Calls(
        CREATED,
        "dynamodb:TransactWriteItems",
        1,
        1,
        "staged: drop, history, pending; the first drop also opens the window",
    ),
    Calls(CREATED, "dynamodb:PutItem", 0, 1, "the plan's window, refused while one is open"),
    Calls(CREATED, "sqs:SendMessage", 1, 0, "the window's message"),
    Calls(DUE, "dynamodb:DeleteItem", 1, 0, "the window is closed"),
    Calls(DUE, "dynamodb:Query", 1, 0, "the waiting drops"),
    Calls(DUE, "dynamodb:TransactWriteItems", 1, 0, "the batch, its slot and its members, unless paused"),
    Calls(DUE, "s3:PutObject", 1, 0, "the request document"),
    Calls(DUE, "emr-serverless:StartJobRun", 1, 0, "the job"),
    Calls(DUE, "dynamodb:TransactWriteItems", 1, 0, "the run, and the lookup of its batch"),
    Calls(ENDED, "dynamodb:GetItem", 1, 0, "the batch of the run"),
    Calls(ENDED, "dynamodb:BatchGetItem", 1, 0, "the batch and its members"),
    Calls(ENDED, "s3:GetObject", 1, 0, "the result document"),
    Calls(ENDED, "dynamodb:TransactWriteItems", 1, 1, "promoting: verdict, destination, lineage"),
    Calls(ENDED, "s3:CopyObject", 1, 1, "stage to promoted, on conditions"),
    Calls(ENDED, "s3:PutObject", 1, 1, "the lines in the table of results"),
    Calls(ENDED, "s3:PutObject", 1, 1, "the receipt for people"),
    Calls(ENDED, "s3:PutObject", 1, 1, "the receipt for machines"),
    Calls(
        ENDED, "dynamodb:TransactWriteItems", 1, 1, "accepted: drop, history, lineage; for a lone drop also its batch"
    ),
    Calls(ENDED, "dynamodb:TransactWriteItems", 0, 0, "the end of a batch of several drops", several=1),
    Calls(ENDED, "s3:CopyObject", 1, 1, "the rejected rows, next to the receipt", rejected=True),
    Calls(
        *(ENDED, "s3:HeadObject", 1, 1, "the valid rows exist; they are copied instead of the drop"),
        promote=("rows",),
        rejected=True,
    ),
    Calls(ENDED, "s3:HeadObject", 1, 1, "the list of the files of rows exists", promote=("table",)),
    Calls(ENDED, "s3:GetObject", 1, 1, "that list; the files are copied instead of the drop", promote=("table",)),
)

LANE_CALLS = (
    Calls(LANE, "dynamodb:GetItem", 1, 1, "the drop"),
    Calls(LANE, "s3:GetObject", 1, 1, "the file"),
    Calls(LANE, "s3:PutObject", 1, 1, "the result document"),
    Calls(LANE, "dynamodb:TransactWriteItems", 1, 1, "the drop is claimed: its batch, and the lookup of its run"),
    Calls(LANE, "sqs:SendMessage", 1, 1, "its run has ended"),
)
"""The calls of a drop that the fast lane judges, instead of those of BatchDue; its message replaces the window's."""

Counted = Counter[tuple[str, str]]
"""Calls by function and operation."""
COMMITS: Counted = Counter(
    {
        (ENDED, "s3:ListObjectsV2"): 5 * CHECKPOINT + 1,
        (ENDED, "s3:GetObject"): 679,
        (ENDED, "s3:PutObject"): CHECKPOINT + 2,
        (ENDED, "s3:HeadObject"): 1,
    }
)
"""The calls of a table from one checkpoint to the next: CHECKPOINT commits, each of a drop whose key is new.

Each commit reads the commits since the checkpoint, and then its own, for the table's version. The last one writes the
next checkpoint.
"""


def of_lane() -> Counted:
    """Return the calls of a drop that the fast lane judges."""
    others = Counter({key: n for key, n in of_batch(1).items() if key[0] != DUE})
    return others + Counter({(one.function, one.operation): one.lone for one in LANE_CALLS})


def of_batch(drops: int, promote: Promoted = "object", rejected: int = 0) -> Counted:
    """Return the calls of a batch of so many drops, some with rejected rows, without commits to a table."""
    counted: Counted = Counter()
    for one in (one for one in CALLS if promote in one.promote):
        often = one.lone + one.further * (drops - 1) + one.several * (drops > 1)
        counted[one.function, one.operation] += one.lone * rejected if one.rejected else often
    counted[ENDED, "dynamodb:BatchGetItem"] += ceil((drops + 1) / MOST_GET) - 1
    counted[DUE, "dynamodb:Query"] += drops > GROUP  # which slots are free
    if drops > GROUP:  # the BATCH item goes before its members, as it does not fit in with them
        counted[DUE, "dynamodb:TransactWriteItems"] += ceil(drops / GROUP)
    return counted
