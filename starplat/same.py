"""Keys by identity, for statements, places, operations and modules.

Equal statements at two places of a program are two, and comparing modules takes longer than most cached work.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, eq=False)
class Same:
    """A thing, equal to itself alone, which lives as long as its key."""

    thing: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)


class _Room:
    """How many parts of a program functions remember something of."""

    fewest, a_line = 8192, 8
    parts = fewest


def make_room(lines: int) -> None:
    """Lets functions of parts of a program remember what they say of all parts of one of so many lines, which several
    passes ask for one after another."""
    _Room.parts = max(_Room.fewest, _Room.a_line * lines)


def remembered(most: int | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Lets a function of frozen records find what it says of the very same ones once; of the `most` latest, by default
    as many as the latest program has parts."""

    def remembering(function: Callable[P, R]) -> Callable[P, R]:
        known: OrderedDict[Any, tuple[object, R]] = OrderedDict()  # what was given lives as long as its number is a key
        find = known.get

        def learned(key: object, *given: Any) -> R:
            found = function(*given)  # type: ignore[call-arg]
            while len(known) >= (most or _Room.parts):
                known.popitem(last=False)  # in one step, as other threads remember too
            known[key] = given, found
            return found

        def asked_of_one(record: Any) -> R:
            found = find(id(record))
            return learned(id(record), record) if found is None else found[1]

        def asked(*given: Any) -> R:
            found = find(key := tuple(map(id, given)))
            return learned(key, *given) if found is None else found[1]

        return wraps(function)(asked_of_one if len(signature(function).parameters) == 1 else asked)

    return remembering
