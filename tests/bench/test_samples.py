"""Medians and their intervals say what the times say, and no more."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from starplat.bench import records
from starplat.bench.records import Estimate, median, speed_up

times = st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=20)


@given(times)
def test_a_median_lies_in_its_interval_and_that_among_the_times(seconds: list[float]) -> None:
    found = median(seconds)
    assert min(seconds) <= found.low <= found.value <= found.high <= max(seconds)
    assert (found.interval is None) == (len(seconds) < records.FEWEST)
    assert median(seconds) == found, "the same times give the same interval"


@given(times, times)
def test_a_speed_up_is_the_ratio_of_the_medians(before: list[float], after: list[float]) -> None:
    found = speed_up(before, after)
    assert found.value == pytest.approx(median(before).value / median(after).value)
    assert found.low <= found.value * (1 + 1e-9)
    assert found.high >= found.value * (1 - 1e-9)


def test_times_that_are_clearly_apart_are_told_apart() -> None:
    assert speed_up([2.0, 2.1, 2.2, 2.0, 2.1], [1.0, 1.1, 1.0, 1.1, 1.0]).low > 1
    assert speed_up([1.0, 1.1, 1.0, 1.1, 1.0], [2.0, 2.1, 2.2, 2.0, 2.1]).high < 1
    same = speed_up([1.0, 2.0, 3.0, 2.0, 1.5], [1.1, 2.1, 2.9, 1.9, 1.6])
    assert same.low < 1 < same.high


def test_an_estimate_without_an_interval_is_its_value() -> None:
    assert (Estimate(2.0).low, Estimate(2.0).high) == (2.0, 2.0)
    assert speed_up([2.0], [1.0]) == Estimate(2.0)
