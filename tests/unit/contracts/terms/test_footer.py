"""Footers: one that is missing or too long is a problem with its place; all others are none."""

from __future__ import annotations

from contracts.terms.trailer import Footer, Trailer, TrailerReading, footer_problems, is_first_cell

RULE = Footer("Total", 2)


def test_footer_of_the_agreed_length_is_no_problem() -> None:
    assert footer_problems(RULE, TrailerReading(())) == ()


def test_missing_footer_is_a_problem_of_the_file() -> None:
    for reading in (None, TrailerReading()):
        (problem,) = footer_problems(RULE, reading)
        assert (problem.code, problem.place) == ("footer-missing", None)
        assert "`Total`" in problem.message


def test_footer_that_begins_too_early_has_its_place() -> None:
    (problem,) = footer_problems(RULE, TrailerReading(None, 3))

    assert problem.place
    assert (problem.code, problem.place.record, "at most 2 lines" in problem.message) == ("footer-early", 3, True)
    assert "1 line" in footer_problems(Footer("Total"), TrailerReading(None, 3))[0].message


def test_footer_begins_with_its_text_and_a_trailer_is_it() -> None:
    cells = ("Total", "Totals", "total", " Total", "")

    assert [is_first_cell(RULE, cell) for cell in cells] == [True, True, False, False, False]
    assert [is_first_cell(Trailer("Total"), cell) for cell in cells] == [True, False, False, False, False]
