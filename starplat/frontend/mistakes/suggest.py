"""Finds the known name that a misspelled one was probably meant to be."""

from collections.abc import Iterable
from itertools import islice

from starplat.diagnostics import Rewrite

_MOST_CANDIDATES = 100
"""Enough for every program that a person writes, few enough that a thousand mistakes in a generated one stay cheap."""


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `name`, or None where none is like it.

    >>> closest("modfied", ["modified", "dist"])
    'modified'
    >>> closest("sin", ["min", "exp"])
    """
    wrong = name.lower()
    near = (candidate for candidate in candidates if candidate != name and abs(len(candidate) - len(name)) <= 3)
    distances = [(_slips(wrong, candidate.lower()), candidate) for candidate in islice(near, _MOST_CANDIDATES)]
    fitting = [(slips, candidate) for slips, candidate in distances if slips <= _allowed(wrong, candidate.lower())]
    return min(fitting, key=lambda pair: pair[0])[1] if fitting else None


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """A help line that proposes the candidate most like `name`."""
    found = closest(name, candidates)
    return None if found is None else Rewrite(f"did you mean '{found}'?", found)


def _allowed(wrong: str, right: str) -> int:
    """How many slips are likely in a name: in a short one, every other name is one slip away."""
    length = min(len(wrong), len(right))
    if length < 3:
        return 0
    if length == 3:
        return 1 if len(wrong) != len(right) or sorted(wrong) == sorted(right) else 0
    return 1 if length < 6 else 2 if length < 9 else 3


def _slips(wrong: str, right: str) -> int:
    """Letters left out, put in, replaced, or exchanged with the next (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, letter in enumerate(wrong, 1):
        before, last, row = row, before, [i]
        for j, other in enumerate(right, 1):
            slips = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and wrong[i - 2] == other:
                slips = min(slips, last[j - 2] + 1)
            row.append(slips)
    return row[-1]
