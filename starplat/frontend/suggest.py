"""Which known name a misspelt one was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

_MOST_CANDIDATES = 100
"""Enough for every program that a person writes, few enough that a thousand mistakes in a generated one stay cheap."""


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `name`, or None where none is like it.

    >>> closest("modfied", ["modified", "dist"])
    'modified'
    """
    length, letters = len(name), set(name.lower())
    near = (
        candidate
        for candidate in candidates
        if abs(len(candidate) - length) <= max(2, length // 2)
        and 2 * len(letters & set(candidate.lower())) >= len(letters)
        and candidate != name
    )
    by_lower = {candidate.lower(): candidate for candidate in islice(near, _MOST_CANDIDATES)}
    found = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.65)
    return by_lower[found[0]] if found else None


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """A help line that proposes the candidate most like `name`."""
    found = closest(name, candidates)
    return None if found is None else f"did you mean '{found}'?"
