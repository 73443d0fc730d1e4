"""Floats and the decimals that they stand for."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jobs.counting.floats import GREATEST, around, decimal, nearest


@given(st.integers(-999_999, 999_999), st.integers(-30, 30))
def test_decimals_of_six_digits_survive(digits: int, exponent: int) -> None:
    number = float(f"{digits}e{exponent}")
    assert decimal(nearest(number)) == number


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_every_float_has_a_decimal_that_gives_it_back(number: float) -> None:
    assert nearest(decimal(number)) == number


@given(st.floats(min_value=-GREATEST, max_value=GREATEST))
def test_neighbours_are_on_both_sides(number: float) -> None:
    floats = around(number)
    assert list(floats) == sorted(set(floats))
    assert nearest(number) in floats
    assert all(near == nearest(near) for near in floats)


@pytest.mark.parametrize(
    ("number", "float_of"), [(1.1, 1.10000002384185791015625), (1e300, math.inf), (-1e39, -math.inf)]
)
def test_nearest_float(number: float, float_of: float) -> None:
    assert nearest(number) == float_of
