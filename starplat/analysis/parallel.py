"""Finds the parallel loops of a function: each `forall` and each pass of iterateInBFS."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.source import Span


@dataclass(frozen=True, slots=True, eq=False)
class ParallelLoop:
    """A loop whose iterations may run at once. `levels` says that it is a pass of iterateInBFS, `visited` is the node
    of the pass around it (its own iterator if it is one); `node` is its tree node, `around` the statements around it,
    outermost first."""

    node: typed.ForEach | typed.IterateInBFS
    iterator: typed.Symbol
    domain: typed.Domain
    filter: typed.Expression | None
    body: typed.Block
    span: Span
    levels: bool = False
    visited: typed.Symbol | None = None
    around: tuple[typed.Statement, ...] = ()


def parallel_loops(function: typed.FunctionDefinition) -> Iterator[ParallelLoop]:
    """All of a function's, outer before inner."""
    yield from _loops_in(function.body, None, ())


def _loops_in(
    statement: typed.Statement, visited: typed.Symbol | None, around: tuple[typed.Statement, ...]
) -> Iterator[ParallelLoop]:
    match statement:
        case typed.ForEach(parallel=True) as loop:
            head = (loop.iterator, loop.domain, loop.filter)
            yield ParallelLoop(loop, *head, loop.body, loop.span, visited=visited, around=around)
        case typed.IterateInBFS():
            yield from (replace(found, around=around) for found in of_bfs(statement))
            visited = statement.iterator
    for child in walk.blocks(statement):
        yield from _loops_in(child, visited, (*around, statement))


def of_bfs(loop: typed.IterateInBFS) -> tuple[ParallelLoop, ...]:
    """The forward pass and, where there is one, the reverse pass."""
    nodes = typed.AllNodes(loop.graph)
    seen = loop.iterator
    forward = ParallelLoop(loop, seen, nodes, loop.filter, loop.body, loop.span, levels=True, visited=seen)
    if loop.reverse is None:
        return (forward,)
    back = ParallelLoop(
        loop, seen, nodes, loop.reverse.filter, loop.reverse.body, loop.reverse.body.span, levels=True, visited=seen
    )
    return forward, back
