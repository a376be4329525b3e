"""Compares two reports of measurements: faster, slower, or undecided."""

from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from typing import Any

from starplat.bench.records import Estimate, Report, Row, speed_up


class Change(Enum):
    """The outcome for a row."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "no difference that can be told"
    NEW = "only in the second"
    GONE = "only in the first"
    MENDED = "runs now"
    BROKEN = "no longer runs"
    FAILED = "runs in neither"


@dataclass(frozen=True, slots=True)
class Pair:
    """A case as it was and as it is; one of them may be missing. `speed_up` is None where there are not two times."""

    before: Row | None
    after: Row | None
    change: Change
    speed_up: Estimate | None = None

    @property
    def row(self) -> Row:
        """Either of them, to say what is compared."""
        row = self.after or self.before
        assert row is not None
        return row

    def to_json(self) -> dict[str, Any]:
        graph, target, schedule = self.row.key
        ratio = self.speed_up
        return {
            "graph": graph,
            "target": target,
            "schedule": schedule,
            "change": self.change.name.lower(),
            "before": None if self.before is None else self.before.to_json(),
            "after": None if self.after is None else self.after.to_json(),
            "speed_up": None if ratio is None else ratio.value,
            "interval": None if ratio is None or ratio.interval is None else list(ratio.interval),
        }


def compare(before: Report, after: Report) -> tuple[Pair, ...]:
    """Every case of both, in the order of the second, then what is only in the first. Cases belong together by the
    graph's name, target and schedule."""
    waiting: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in before.rows:
        waiting[row.key].append(row)
    pairs = []
    for row in after.rows:
        same = waiting[row.key]
        pairs.append(_pair(same.pop(0), row) if same else Pair(None, row, Change.NEW))
    return (*pairs, *(Pair(row, None, Change.GONE) for rows in waiting.values() for row in rows))


def _pair(before: Row, after: Row) -> Pair:
    match before.counts, after.counts:
        case True, True:
            ratio = speed_up(before.seconds, after.seconds)
            return Pair(before, after, _change(ratio), ratio)
        case False, True:
            return Pair(before, after, Change.MENDED)
        case True, False:
            return Pair(before, after, Change.BROKEN)
    return Pair(before, after, Change.FAILED)


def _change(ratio: Estimate) -> Change:
    if ratio.interval is None:
        return Change.SAME
    return Change.FASTER if ratio.low > 1 else Change.SLOWER if ratio.high < 1 else Change.SAME
