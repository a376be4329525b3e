"""Reads the corpus: which programs there are, and what each calls the things that its algorithm speaks of.

The first comment of a program says where it lies on the axes. Lines `// key: value` after it say what a caller must
know: `names` (`dist=d src=s`: the algorithm's name, then the program's; `return` is what the program returns), `scale`
(weights count so many times), `unreached` (what nodes hold that are not reached, in place of INF).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

import starplat
from starplat import Program

FOLDER = Path(__file__).parent


class Kind(Enum):
    """What a program is in its algorithm's folder."""

    SPELLING = "."
    HELD_OUT = "held_out"
    NEAR_MISS = "near"


@dataclass(frozen=True, eq=False)
class Entry:
    """A program of the corpus."""

    path: Path
    algorithm: str
    kind: Kind
    names: dict[str, str]
    scale: int = 1
    unreached: int | None = None

    def __str__(self) -> str:
        return self.path.relative_to(FOLDER).with_suffix("").as_posix()

    @property
    def is_near_miss(self) -> bool:
        return self.kind is Kind.NEAR_MISS

    def name(self, canonical: str) -> str:
        """What the program calls it."""
        return self.names.get(canonical, canonical)

    def compiled(self) -> Program:
        """The program, compiled once."""
        return _compiled(self.path)


@cache
def entries() -> tuple[Entry, ...]:
    """All programs, by path."""
    return tuple(read(path) for path in sorted(FOLDER.glob("*/**/*.sp")))


def read(path: Path) -> Entry:
    """The entry of a file."""
    algorithm, *inside = path.relative_to(FOLDER).parts[:-1]
    given = dict(_keys(path.read_text(encoding="utf-8")))
    unknown = given.keys() - {"names", "scale", "unreached"}
    assert not unknown, f"{path}: {unknown}"
    names = dict(pair.split("=") for pair in given.get("names", "").split())
    unreached = given.get("unreached")
    kind = Kind(inside[0]) if inside else Kind.SPELLING
    return Entry(
        path, algorithm, kind, names, int(given.get("scale", 1)), None if unreached is None else int(unreached)
    )


def _keys(text: str) -> list[tuple[str, str]]:
    """The keys of the leading comment, after its first line."""
    found = []
    for line in text.splitlines()[1:]:
        if not line.startswith("// "):
            break
        key, _, value = line.removeprefix("// ").partition(": ")
        found.append((key, value))
    return found


@cache
def _compiled(path: Path) -> Program:
    return starplat.compile(path)
