"""Record numbers of one file, worked out from the counts of its splits."""

from __future__ import annotations

from dataclasses import replace

from contracts.job import JobDrop
from contracts.plan import Csv
from contracts.terms.trailer import Trailer
from spark_jobs.counting.lines import Line, SplitCounts
from spark_jobs.counting.placement import Spot, line_counts, place
from tests.integration.spark_jobs.world import a_plan, a_property

PLAN = a_plan([a_property("id", "integer")])
DROP = JobDrop("a.csv", 1, "file:///a.csv", "a.csv", 99, ("id",), "id")
SECOND = 1 << 33
"""The first id of the second partition."""
FIRST_SPLIT = SplitCounts("file:///a.csv", 0, 4, 1, 0, Line(0, "id"))
SECOND_SPLIT = SplitCounts("file:///a.csv", 64, 2, 0, SECOND, None)


def tops(splits: list[SplitCounts]) -> dict[Spot, str | bytes]:
    """The texts of the first lines, as the scan reads them of plain CSV."""
    return {(split.file, split.block, split.head.at): split.head.raw for split in splits if split.head}


def test_records_are_numbered_through_all_splits() -> None:
    splits = [FIRST_SPLIT, SECOND_SPLIT]
    lines = line_counts(PLAN, DROP, splits)
    placement = place(PLAN, DROP, splits, lines, tops(splits))

    assert placement
    assert (lines.all, lines.blank, lines.aside, lines.records) == (6, 1, 1, 4)
    assert placement.aside == (0,)
    assert [(s.block, s.shift, s.last) for s in placement.splits] == [(0, 0, 4), (64, 3 - SECOND, 4)]


def test_first_line_that_is_no_header_has_no_place() -> None:
    for head in (None, Line(1, "id"), Line(0, "no")):
        splits = [replace(FIRST_SPLIT, head=head), SECOND_SPLIT]
        assert place(PLAN, DROP, splits, line_counts(PLAN, DROP, splits), tops(splits)) is None
    assert place(PLAN, DROP, [], line_counts(PLAN, DROP, []), tops([])) is None
    assert place(PLAN, DROP, [SECOND_SPLIT], line_counts(PLAN, DROP, [SECOND_SPLIT]), tops([SECOND_SPLIT])) is None


def test_file_without_header_begins_with_record_one() -> None:
    plan = a_plan([a_property("id", "integer")], csv=Csv(header=False))
    splits = [replace(FIRST_SPLIT, head=None)]
    lines = line_counts(plan, DROP, splits)
    placement = place(plan, DROP, splits, lines, tops(splits))

    assert placement
    assert (lines.records, placement.aside, [s.shift for s in placement.splits]) == (3, (), [1])


def test_trailer_is_the_last_line_and_no_record() -> None:
    plan = a_plan([a_property("id", "integer")], csv=Csv(trailer=Trailer("END", rows=2)))
    last = replace(SECOND_SPLIT, early=SECOND, last=Line(SECOND + 1, b"END,3"))
    splits = [FIRST_SPLIT, last]
    lines = line_counts(plan, DROP, splits)
    placement = place(plan, DROP, splits, lines, tops(splits))

    assert placement
    assert lines.ending
    assert (lines.ending.cells, lines.ending.early, lines.records) == (("END", "3"), 3, 3)
    assert placement.aside == (0, SECOND + 1)
