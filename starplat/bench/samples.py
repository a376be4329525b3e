"""Statistics of a few measured times: median, confidence interval, ratio of medians.

Intervals are 95 % bootstrap intervals of the median, by percentiles; the same times give the same interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 95
RESAMPLES = 4000
FEWEST = 3
"""Fewer times have no meaningful interval."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, and the interval in which it lies with a confidence of 95 %; None with too few times for one."""

    value: float
    interval: tuple[float, float] | None = None

    @property
    def low(self) -> float:
        """The interval's lower end, or the value."""
        return self.value if self.interval is None else self.interval[0]

    @property
    def high(self) -> float:
        """The interval's upper end, or the value."""
        return self.value if self.interval is None else self.interval[1]


def median(seconds: Sequence[float]) -> Estimate:
    """The median of times.

    >>> median([3.0, 1.0, 2.0, 2.0, 2.0])
    Estimate(value=2.0, interval=(1.0, 3.0))
    """
    if len(seconds) < FEWEST:
        return Estimate(float(np.median(seconds)))
    return Estimate(float(np.median(seconds)), _middle(_medians(seconds, 1)))


def speed_up(before: Sequence[float], after: Sequence[float]) -> Estimate:
    """How many times faster `after` is than `before`, by their medians."""
    value = float(np.median(before)) / max(float(np.median(after)), 1e-12)
    if min(len(before), len(after)) < FEWEST:
        return Estimate(value)
    return Estimate(value, _middle(_medians(before, 1) / np.maximum(_medians(after, 2), 1e-12)))


def _medians(seconds: Sequence[float], seed: int) -> NDArray[np.float64]:
    """Of resamples [RESAMPLES]."""
    drawn = np.random.default_rng(seed).choice(np.asarray(seconds, np.float64), (RESAMPLES, len(seconds)))
    return np.asarray(np.median(drawn, axis=1))


def _middle(values: NDArray[np.float64]) -> tuple[float, float]:
    """The ends of the middle 95 %."""
    outside = (100 - CONFIDENCE) / 2
    low, high = np.percentile(values, [outside, 100 - outside])
    return float(low), float(high)
