"""Which fields of a record a walk over a tree of records has to look into."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any, get_args, get_type_hints

from starplat.source import SourceFile, Span

_PLAIN = (bool, int, float, str, Enum, Span, SourceFile, type(None))


Getter = Callable[[Any], tuple[Any, ...]]
"""Gives the values of some fields of a record."""


@cache
def fields_of_records(kind: Any) -> tuple[str, ...]:
    """The names of the fields of a dataclass whose types say that they may hold records, or tuples of some."""
    return tuple(kinds_in_fields(kind))


@cache
def kinds_in_fields(kind: Any) -> dict[str, frozenset[Any]]:
    """The same names, each with the types that the field or a tuple in it may hold; `...` in those of a tuple."""
    hints = get_type_hints(kind)
    return {field.name: _kinds(hints[field.name]) for field in fields(kind) if not _is_plain(hints[field.name])}


def _is_plain(hint: Any) -> bool:
    return all(isinstance(one, type) and issubclass(one, _PLAIN) for one in get_args(hint) or (hint,))


def _kinds(hint: Any) -> frozenset[Any]:
    """The types that stand in a hint, among them None's."""
    inner = get_args(hint)
    return frozenset[Any]().union(*map(_kinds, inner)) if inner else frozenset((hint,))


def getter_of(names: Sequence[str]) -> Getter:
    """What gives the values of these fields."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda _: ()
    value = attrgetter(*names)  # of a single name it gives the value alone
    return lambda record: (value(record),)
