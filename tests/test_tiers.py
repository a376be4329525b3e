"""Cases that run by day: of combinations half, in which any two values meet; of thinned tests as many as they say."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from types import SimpleNamespace
from typing import Any

import pytest

from tests.tiers import every_other, thin


class Case:
    """A case of a test with a mark, as far as it is asked."""

    def __init__(self, number: int, **says: int | None) -> None:
        self.nodeid, self.callspec = f"test_many.py::test[{number}]", SimpleNamespace(params={"case": number})
        self.marks = {"thin": pytest.mark.thin(**says).mark}

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.marks.get(name)

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.marks[mark.name] = mark.mark


def test_any_two_values_of_three_lists_meet_by_day() -> None:
    lists = (range(5), "ab", (0.1, 0.2, 0.3))
    cases = every_other(*lists)
    by_day = [case.values for case in cases if not case.marks]
    assert {case.values for case in cases} == {*product(*lists)}
    assert len(by_day) == len(cases) // 2
    for one, other in combinations(range(3), 2):
        assert {(case[one], case[other]) for case in by_day} == {*product(lists[one], lists[other])}


@pytest.mark.parametrize(
    ("says", "plain", "campaign"),
    [({}, 6, 14), ({"campaign": 2}, 6, 21), ({"campaign": None}, 6, 0)],
    ids=["every third", "every second", "none"],
)
def test_a_thinned_test_runs_as_often_as_its_mark_says(says: dict[str, int | None], plain: int, campaign: int) -> None:
    cases: list[Any] = [Case(number, plain=8, **says) for number in range(48)]
    thin(cases)
    met = Counter(next((name for name in ("campaign", "nightly") if name in case.marks), "plain") for case in cases)
    assert met == Counter(plain=plain, campaign=campaign, nightly=48 - plain - campaign)
