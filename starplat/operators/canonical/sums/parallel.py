"""Loops of the host whose iterations may run in any order become parallel.

for (v in g.nodes()) {                                forall (v in g.nodes()) {
  if (g.count_outNbrs(v) == 0) { lost += v.rank; }      if (g.count_outNbrs(v) == 0) { lost += v.rank; }
}                                                     }

What `analysis.races` says of the loop as a `forall` decides: iterations touch their own cells only, or what nothing
writes, or add to sums that nothing reads meanwhile, or all store one constant. Sums of reals come within the bounds
that the language gives for them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starplat.analysis import parallel, races, walk
from starplat.analysis.hosting import Hosting
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed
from starplat.operators.canonical.rebuilding import rebuilt, with_statements
from starplat.operators.canonical.sums.marks import without_marks

_FREE = (races.RaceClass.OWNED, races.RaceClass.READ_ONLY, races.RaceClass.REDUCTION, races.RaceClass.COMMON_VALUE)


def in_any_order(body: typed.Block, program: typed.Program) -> typed.Block:
    """The body of a function that the host calls, with such loops as `forall`."""
    hosting = Hosting(program)

    def change(part: Any) -> Any:
        match part:
            case typed.ForEach(parallel=True) | typed.IterateInBFS():
                return part
            case typed.Block(statements=statements):
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


def called_by_kernels(program: typed.Program) -> set[str]:
    """The functions that parallel loops call, or functions called there."""
    loops = [
        s
        for function in program.functions
        for s in walk.statements(function.body)
        if isinstance(s, typed.IterateInBFS) or (isinstance(s, typed.ForEach) and s.parallel)
    ]
    found: set[str] = set()
    waiting = [call.function for loop in loops for call in walk.calls(loop)]
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += [call.function for call in walk.calls(program.function(name).body)]
    return found


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
    whole = parallel.ParallelLoop(loop, loop.iterator, loop.domain, loop.filter, loop.body, loop.span)
    return all(cell.race_class in _FREE for cell in races.classify(whole, program).cells)
