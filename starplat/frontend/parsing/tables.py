"""The parser's LALR tables: built from the grammar, or read from a cache.

Building them takes longer than checking a program. The caller (`pipeline`) supplies the cache by `keep_tables_with`;
without it, every process builds them. A cached table is a pickle, so only the user may be able to write to the cache.
"""

import hashlib
import io
import pickle
import platform
from collections.abc import Callable
from typing import Any, Protocol

import lark

from starplat.resources import grammar


class Keeper(Protocol):
    """Bytes by key, safe from other users, whole or not there."""

    def get(self, key: str) -> bytes | None:
        """What was put under `key`."""

    def put(self, key: str, payload: bytes) -> None:
        """Keeps `payload`, or does not."""


class _Chosen:
    keeper: Callable[[], Keeper | None] = staticmethod(lambda: None)


def keep_tables_with(keeper: Callable[[], Keeper | None]) -> None:
    """From now on tables are looked for in what `keeper()` gives, and left there."""
    _Chosen.keeper = staticmethod(keeper)


def tables(transformer: Any) -> lark.Lark:
    """The grammar's tables; `transformer` makes something of every rule that is complete."""
    text, keeper = grammar("starplat"), _Chosen.keeper()
    if keeper is None:
        return _built(text, transformer)
    key = _key(text, transformer)
    if (kept := keeper.get(key)) is not None:
        held = pickle.loads(kept)
        read: lark.Lark = lark.Lark._load_from_dict(held["data"], held["memo"], transformer=transformer)  # type: ignore[no-untyped-call]
        return read
    built = _built(text, transformer)
    stream = io.BytesIO()
    built.save(stream)
    keeper.put(key, stream.getvalue())
    return built


def _built(text: str, transformer: Any) -> lark.Lark:
    return lark.Lark(
        text,
        parser="lalr",
        lexer="basic",
        start="program",
        transformer=transformer,
        keep_all_tokens=True,
        maybe_placeholders=True,
    )


def _key(text: str, transformer: Any) -> str:
    """A key of everything that the tables depend on; a cached table names the class of its callbacks."""
    made_by = type(transformer)
    parts = (lark.__version__, platform.python_version(), made_by.__module__, made_by.__qualname__, text)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
