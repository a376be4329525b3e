"""Finds neighbor loops of a BFS pass that range over DAG parents although they are written `neighbors`.

In the body of iterateInBFS `g.neighbors(v)` means children. A loop that only pulls, that is, accumulates into v's own
cells from a property of w that the same pass accumulates, would find nothing there yet; it ranges over the parents
instead, which keeps the published betweenness program right.
"""

from starplat.analysis import walk
from starplat.diagnostics import Diagnostic, Label, Severity
from starplat.frontend import typed


def pulls_from_parents(loop: typed.ForEach, bfs: typed.IterateInBFS) -> bool:
    """Whether a loop over `neighbors(v)` in the forward body of `bfs` means the parents of v."""
    if not _is_over_children(loop, bfs) or not any(s is loop for s in walk.statements(bfs.body)):
        return False
    accumulated = _accumulated(bfs)
    written = list(walk.places(loop.body))
    only_own = all(not isinstance(p, typed.Cell) or _stands_at(p, bfs.iterator) for p in written)
    accumulates = any(isinstance(p, typed.Cell) and p.symbol in accumulated for p in written)
    return bool(written) and only_own and accumulates and any(
        isinstance(e, typed.Cell) and e.symbol in accumulated and _stands_at(e, loop.iterator)
        for s in walk.statements(loop.body)
        if not isinstance(s, typed.Remark)
        for value in walk.values(s)
        for e in walk.within(value)
    )  # fmt: skip


def _is_over_children(loop: typed.ForEach, bfs: typed.IterateInBFS) -> bool:
    match loop.domain:
        case typed.Neighbors(node=typed.Variable(symbol), direction=typed.Direction.OUT):
            return symbol is bfs.iterator
    return False


def _accumulated(bfs: typed.IterateInBFS) -> set[typed.Symbol]:
    """Properties that the forward pass adds to."""
    return {
        s.place.symbol
        for s in walk.statements(bfs.body)
        if isinstance(s, typed.Update) and isinstance(s.place, typed.Cell)
    }


def _stands_at(cell: typed.Cell, node: typed.Symbol) -> bool:
    return isinstance(cell.index, typed.Variable) and cell.index.symbol is node


def pulling_notes(program: typed.Program) -> list[Diagnostic]:
    """W0505 for every such loop."""
    return [
        Diagnostic(
            "W0505",
            f"this loop ranges over the BFS parents of '{bfs.iterator.name}'",
            program.source,
            Label(loop.iterator.span, "pulls from nodes of the level before"),
            severity=Severity.NOTE,
            help=f"'g.nodes_to({bfs.iterator.name})' says so in the program",
        )
        for function in program.functions
        for bfs in walk.statements(function.body)
        if isinstance(bfs, typed.IterateInBFS)
        for loop in walk.statements(bfs.body)
        if isinstance(loop, typed.ForEach) and pulls_from_parents(loop, bfs)
    ]
