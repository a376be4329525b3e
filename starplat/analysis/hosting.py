"""Tells which loops one kernel can hold, and which must be driven from the host.

A kernel holds everything sequential, neighbor loops and nested `forall`s. What needs the host inside it (a fixed
point, a BFS, memory that is allocated, filled or copied as a whole, a call of a function that does such things) makes
a `forall` run its iterations one after another, which its meaning permits, each with its own parallel loops.
"""

from __future__ import annotations

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Scalar


class Hosting:
    """Answers for one program; what was found out about a function is remembered."""

    def __init__(self, program: typed.Program) -> None:
        self._program = program
        self._needs: dict[str, bool] = {}

    def needs_host(self, statement: typed.Statement) -> bool:
        """Whether anything below the statement can only be done by the host."""
        return any(_is_host_only(inner) for inner in walk.statements(statement)) or any(
            self.function_needs_host(call.function) for call in walk.calls(statement)
        )

    def function_needs_host(self, name: str) -> bool:
        """Whether a function cannot be called from a kernel."""
        if name not in self._needs:
            self._needs[name] = self.needs_host(self._program.function(name).body)
        return self._needs[name]

    def is_sequential_kernel(self, statement: typed.Statement) -> bool:
        """Whether a sequential loop of the host is better run whole by one thread of the device.

        It is where the loop touches device memory and starts no loop over all nodes, all edges or a set that could
        run in parallel.
        """
        if self.needs_host(statement) or any(isinstance(s, typed.Return) for s in walk.statements(statement)):
            return False
        if any(
            isinstance(s, typed.ForEach) and s.parallel and not _over_neighbors(s) for s in walk.statements(statement)
        ):
            return False
        if any(_grows_its_domain(s) for s in walk.statements(statement)):
            return False
        if any(self._starts_parallel_loop(call.function) for call in walk.calls(statement)):
            return False
        return _touches_memory(statement)

    def _starts_parallel_loop(self, name: str) -> bool:
        body = self._program.function(name).body
        return any(isinstance(s, typed.ForEach) and s.parallel for s in walk.statements(body))


def _is_host_only(statement: typed.Statement) -> bool:
    match statement:
        case typed.FixedPoint() | typed.IterateInBFS() | typed.Attach() | typed.CopyProperty() | typed.Unsupported():
            return True
        case typed.Declare():
            return not isinstance(statement.symbol.type, Scalar)
        case _:
            return False


def _grows_its_domain(statement: typed.Statement) -> bool:
    """Whether a loop over a set adds to that set: its members are those on entry, which the host takes down."""
    if not isinstance(statement, typed.ForEach) or not isinstance(statement.domain, typed.Members):
        return False
    symbol = statement.domain.symbol
    return any(isinstance(s, typed.AddToSet) and s.symbol is symbol for s in walk.statements(statement.body)) or any(
        symbol in call.arguments for call in walk.calls(statement.body)
    )


def _over_neighbors(loop: typed.ForEach) -> bool:
    return isinstance(loop.domain, typed.Neighbors)


def _touches_memory(statement: typed.Statement) -> bool:
    touched = (typed.Cell, typed.SetContains)
    places = (p for s in walk.statements(statement) for p in walk.written_places(s))
    return (
        any(isinstance(p, typed.Cell) for p in places)
        or any(isinstance(s, typed.AddToSet) for s in walk.statements(statement))
        or any(isinstance(e, touched) for value in walk.all_values(statement) for e in walk.expressions(value))
        or any(isinstance(a, typed.Symbol) for call in walk.calls(statement) for a in call.arguments)
    )
