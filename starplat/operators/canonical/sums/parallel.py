"""Loops whose iterations may run in any order become parallel: those of the host, and rows within parallel loops.

for (v in g.nodes()) {                                forall (v in g.nodes()) {
  if (g.count_outNbrs(v) == 0) { lost += v.rank; }      if (g.count_outNbrs(v) == 0) { lost += v.rank; }
}                                                     }

What `analysis.races` says of the loop as a `forall` decides: iterations touch their own cells only, or what nothing
writes, or add to sums that nothing reads meanwhile, or all store one constant. Sums of reals come within the bounds
that the language gives for them.

forall (v in …) {                                     forall (v in …) {
  for (w in g.neighbors(v)) {                           forall (w in g.neighbors(v)) {
    if (w.far) { w.far = False; }                         if (w.far) { w.far = False; }
  }                                                     }
}                                                     }

So threads can share the arcs of a long row, in a search as well. A row that changes locals of its node, or adds up
reals, keeps its order.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starplat.analysis import parallel, races, walk
from starplat.analysis.effects import Kind
from starplat.analysis.hosting import Hosting
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed, types
from starplat.operators.canonical.rebuilding import rebuilt, with_statements
from starplat.operators.canonical.sums.marks import without_marks
from starplat.same import Same

FREE = (races.RaceClass.OWNED, races.RaceClass.READ_ONLY, races.RaceClass.REDUCTION, races.RaceClass.COMMON_VALUE)


def in_any_order(body: typed.Block, program: typed.Program) -> typed.Block:
    """The body of a function that the host calls, with such loops as `forall`."""
    hosting = Hosting(program)

    def change(part: Any) -> Any:
        match part:
            case typed.ForEach(parallel=True):
                return _with_free_rows(part, program)
            case typed.IterateInBFS():
                step_by_step = any(map(hosting.needs_host, walk.blocks(part)))
                return part if step_by_step else _with_free_rows(part, program)
            case typed.Block(statements):
                inner = tuple(
                    (freed(s, statements[:place]) if isinstance(s, typed.ForEach) else None) or rebuilt(s, change)
                    for place, s in enumerate(statements)
                )
                return with_statements(part, inner)
        return None

    def freed(loop: typed.ForEach, before: Sequence[typed.Statement]) -> typed.ForEach | None:
        if loop.any_order and not hosting.needs_host(loop):
            return replace(loop, parallel=True, any_order=False)
        for candidate in (loop, without_marks(loop, before)):
            if candidate is not None and not loop.parallel and _is_free(candidate, program, hosting):
                return replace(candidate, parallel=True)
        return None

    return rebuilt(body, change)


def _with_free_rows(
    loop: typed.ForEach | typed.IterateInBFS, program: typed.Program
) -> typed.ForEach | typed.IterateInBFS:
    """A parallel loop over nodes, or a search, whose rows are parallel where their order makes no difference."""
    private = set(walk.declared(loop))
    visited = loop.iterator if isinstance(loop, typed.IterateInBFS) else None

    def change(part: Any) -> Any:
        is_row = isinstance(part, typed.ForEach) and not part.parallel and isinstance(part.domain, typed.Neighbors)
        return replace(part, parallel=True) if is_row and _is_free_row(part, private, program, visited) else None

    return rebuilt(loop, change)


def _is_free_row(
    row: typed.ForEach, private: set[typed.Symbol], program: typed.Program, visited: typed.Symbol | None
) -> bool:
    inside = list(walk.statements(row.body))
    if walk.leaves(row) or any(walk.calls(row)) or any(isinstance(s, typed.ForEach) for s in inside):
        return False
    written = {symbol for s in inside for symbol in walk.written(s)} - {*walk.declared(row.body)}
    if written & private or (row.filter is not None and mentions(row.filter, written)):
        return False
    cells = [c for c in _cells(row, program, visited) if c.race_class is not races.RaceClass.READ_ONLY]
    return bool(cells) and all(_comes_to_the_same(cell, row, inside) for cell in cells)


def _comes_to_the_same(cells: races.CellSet, row: typed.ForEach, inside: Sequence[typed.Statement]) -> bool:
    """Whether a row's arcs may change these cells in any order: whole numbers are added up, or one constant is stored.

    Who asks for what is stored asks for the neighbor's own cell, in the one condition for storing it: then a second arc
    to that neighbor stores it again or does nothing."""
    if cells.race_class is races.RaceClass.REDUCTION:
        return not _is_real(cells.symbol)
    if cells.race_class is not races.RaceClass.COMMON_VALUE:
        return False
    reads = {Same(access.place) for access in cells.accesses if access.kind is Kind.READ}
    own = typed.Cell(cells.symbol, typed.Variable(row.iterator))
    return not reads or (
        all(access.place == own for access in cells.accesses)
        and any(
            reads == {Same(part) for part in walk.within(s.condition) if part == own}
            and len(walk.writers(cells.symbol, s.then)) == len(walk.writers(cells.symbol, row))
            for s in inside
            if isinstance(s, typed.If) and s.otherwise is None
        )
    )


def _is_real(symbol: typed.Symbol) -> bool:
    kind = symbol.type.element if isinstance(symbol.type, types.PropertyType) else symbol.type
    return isinstance(kind, types.Scalar) and kind.is_real


def called_by_kernels(program: typed.Program) -> set[str]:
    """The functions that parallel loops call, or functions called there."""
    inside = (s for function in program.functions for s in walk.statements(function.body))
    loops = (s for s in inside if isinstance(s, typed.IterateInBFS) or (isinstance(s, typed.ForEach) and s.parallel))
    return walk.called_from(program.functions, *loops)


def _is_free(loop: typed.ForEach, program: typed.Program, hosting: Hosting) -> bool:
    inside = list(walk.statements(loop.body))
    if hosting.needs_host(loop) or walk.leaves(loop) or any(walk.calls(loop)):
        return False
    if any(isinstance(s, typed.ForEach) and not isinstance(s.domain, typed.Neighbors) for s in inside):
        return False  # the larger loop may be the one inside
    written = {symbol for s in inside for symbol in walk.written(s)}
    if isinstance(loop.domain, typed.Neighbors):
        return False  # of a node of the host's choice, which may be none: that is an error there
    if isinstance(loop.domain, typed.Members) and loop.domain.symbol in written:
        return False
    if loop.filter is not None and mentions(loop.filter, written):
        return False
    return all(cell.race_class in FREE for cell in _cells(loop, program))


def _cells(loop: typed.ForEach, program: typed.Program, visited: typed.Symbol | None = None) -> Sequence[races.CellSet]:
    """What the loop would access as a `forall`, in a search whose node is `visited`."""
    head = (loop.iterator, loop.domain, loop.filter)
    whole = parallel.ParallelLoop(loop, *head, loop.body, loop.span, visited=visited)
    return races.classify(whole, program).cells
