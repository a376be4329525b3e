"""Keys by identity, for statements, places, operations and modules.

Equal statements at two places of a program are two, and comparing modules takes longer than most cached work.
"""

from collections import OrderedDict
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
        known: OrderedDict[tuple[int, ...], tuple[object, R]] = OrderedDict()

        @wraps(function)
        def asked(*given: P.args, **named: P.kwargs) -> R:
            assert not named, "records are given by place"
            key = tuple(map(id, given))
            if (found := known.get(key)) is None:
                found = given, function(*given, **named)  # what was given lives as long as its number is a key
                while len(known) >= most:
                    known.popitem(last=False)  # in one step, as other threads remember too
                known[key] = found
            return found[1]

        return asked

    return remembering
