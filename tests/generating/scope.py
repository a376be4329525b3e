"""Names in scope, and what the iterations around may do to them so that the program stays in classes (a) to (e).

Every open parallel loop is a `Level` that remembers how each symbol from outside was touched. An access is allowed if
with it all accesses of that symbol still belong to one class with one outcome. This is stricter than the compiler's own
analysis: stale reads of class (d) are left to the templates that make them harmless.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

REALS = ("float", "double")
WHOLE = ("int", "long")


@dataclass(eq=False)
class Symbol:
    """A variable, property or set. `carrier` is "", "node", "edge" (a property) or "set".

    `exact` reals hold multiples of a small power of two, so that sums in any order agree and may be compared;
    `inf` says that it may hold INF.
    """

    name: str
    kind: str
    carrier: str = ""
    level: int = 0
    exact: bool = True
    inf: bool = False
    writable: bool = True
    valid: bool = False
    private_reference: bool = False


@dataclass
class Level:
    """A parallel loop. `positions` says of index texts whose cell they name: own, arc, or a BFS level's."""

    positions: dict[str, str]
    levelled: bool = False
    recording: bool = False
    touched: dict[Symbol, set[tuple[str, str, str]]] = field(default_factory=dict)
    record: list[tuple[Symbol, str, str, str]] = field(default_factory=list)

    def allows(self, symbol: Symbol, kind: str, detail: str, index: str) -> bool:
        if self.recording:
            return True
        new = (kind, detail, self.positions.get(index, "any"))
        return self._one_class(self.touched.get(symbol, set()) | {new})

    def note(self, symbol: Symbol, kind: str, detail: str, index: str) -> None:
        self.touched.setdefault(symbol, set()).add((kind, detail, self.positions.get(index, "any")))
        if self.recording:
            self.record.append((symbol, kind, detail, index))

    def _one_class(self, touches: set[tuple[str, str, str]]) -> bool:
        places = {place for _, _, place in touches}
        if self.levelled and places <= {"own", "next", "before"}:
            return all(_alone({t for t in touches if t[2] == place}) for place in places)
        return _alone(touches)


def _alone(touches: set[tuple[str, str, str]]) -> bool:
    kinds = {kind for kind, _, _ in touches}
    places = {place for _, _, place in touches}
    if kinds == {"read"} or (len(places) == 1 and places <= {"own", "out arc", "in arc"}):
        return True
    return len({(kind, detail) for kind, detail, _ in touches}) == 1 and not any(d == "*" for _, d, _ in touches)


@dataclass
class Scope:
    """What is visible at one point of one function."""

    blocks: list[list[Symbol]] = field(default_factory=lambda: [[]])
    levels: list[Level] = field(default_factory=list)
    locked: set[Symbol] = field(default_factory=set)

    def visible(self) -> list[Symbol]:
        return [symbol for block in self.blocks for symbol in block]

    def declare(self, symbol: Symbol) -> Symbol:
        symbol.level = len(self.levels)
        self.blocks[-1].append(symbol)
        return symbol

    def may(self, symbol: Symbol, kind: str, detail: str = "", index: str = "") -> bool:
        """Whether the access keeps every loop around in one class."""
        if symbol in self.locked or (kind != "read" and not symbol.writable):
            return False
        return all(level.allows(symbol, kind, detail, index) for level in self.levels[symbol.level :])

    def touch(self, symbol: Symbol, kind: str, detail: str = "", index: str = "") -> bool:
        """As `may`; notes it if so."""
        if not self.may(symbol, kind, detail, index):
            return False
        for level in self.levels[symbol.level :]:
            level.note(symbol, kind, detail, index)
        return True

    @contextmanager
    def block(self) -> Iterator[None]:
        self.blocks.append([])
        try:
            yield
        finally:
            self.blocks.pop()

    @contextmanager
    def parallel(self, level: Level) -> Iterator[None]:
        self.levels.append(level)
        try:
            with self.block():
                yield
        finally:
            self.levels.pop()

    @contextmanager
    def without(self, *symbols: Symbol) -> Iterator[None]:
        """These may not be touched."""
        added = set(symbols) - self.locked
        self.locked |= added
        try:
            yield
        finally:
            self.locked -= added
