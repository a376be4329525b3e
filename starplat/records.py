"""Which fields of a record a walk over a tree of records has to look into."""

from dataclasses import fields
from enum import Enum
from typing import Any, get_args, get_type_hints

from starplat.source import SourceFile, Span

_PLAIN = (bool, int, float, str, Enum, Span, SourceFile, type(None))


def fields_of_records(kind: Any) -> tuple[str, ...]:
    """The names of the fields of a dataclass whose types say that they may hold records, or tuples of some."""
    hints = get_type_hints(kind)
    return tuple(field.name for field in fields(kind) if not _is_plain(hints[field.name]))


def _is_plain(hint: Any) -> bool:
    return all(isinstance(one, type) and issubclass(one, _PLAIN) for one in get_args(hint) or (hint,))
