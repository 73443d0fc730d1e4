"""Faults of workbooks, as an exception that ends reading: its problem is an ordinary outcome at the edge. Pure."""

from __future__ import annotations

from contracts.problem import Problem

AGAIN = "Save the workbook again, and send it whole."


class Faulty(Exception):
    """The workbook cannot be read as agreed, for the reason of its problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def broken(why: str) -> Faulty:
    """Return the fault of a workbook that is damaged."""
    return Faulty(Problem("broken-workbook", f"The workbook cannot be read: {why}.", AGAIN))


def too_large(why: str) -> Faulty:
    """Return the fault of a workbook beyond the bounds of what is read."""
    return Faulty(Problem("workbook-too-large", f"The workbook is too large: {why}.", "Send its records in parts."))
