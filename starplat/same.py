"""Keys by identity, for statements, places, operations and modules.

Equal statements at two places of a program are two, and comparing modules takes longer than most cached work.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
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


def remembered(most: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Lets a function of frozen records find what it says of the very same ones once; of the `most` latest."""

    def remembering(function: Callable[P, R]) -> Callable[P, R]:
        known: dict[tuple[int, ...], tuple[object, R]] = {}  # what was given lives as long as its number is a key

        @wraps(function)
        def asked(*given: P.args, **named: P.kwargs) -> R:
            assert not named, "records are given by place"
            key = tuple(map(id, given))
            if (found := known.get(key)) is None:
                found = given, function(*given, **named)
                while len(known) >= most:
                    known.pop(next(iter(known)), None)
                known[key] = found
            return found[1]

        return asked

    return remembering
