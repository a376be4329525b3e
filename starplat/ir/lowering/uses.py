"""The effects of a loop on outer scalars: which are returned to the host, and how."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from starplat.analysis import common, effects, parallel, walk
from starplat.analysis.races import CellSet, LoopRaces, RaceClass
from starplat.frontend import typed, types
from starplat.ir import nodes as ir
from starplat.ir.lowering.elements import COMBINES, EXTREMES


class Return(Enum):
    """How a scalar that a kernel changes is returned to the host."""

    REDUCTION = "reduction"  # contributions are combined with it
    FLAG = "flag"  # one common value: a hidden bool tells whether it was stored
    WORD = "word"  # it lives in a one-cell array meanwhile


@dataclass(frozen=True, slots=True)
class Returned:
    """An outer scalar, how it comes back, the combination (REDUCTION), the common value (FLAG)."""

    symbol: typed.Symbol
    how: Return
    combine: ir.Combine | None = None
    value: typed.Expression | None = None


def returned_scalars(races: LoopRaces) -> list[Returned]:
    """The scalars that a kernel made of a parallel loop returns."""
    leaders = extreme_leaders(races.loop.body)
    inside = set(walk.declared(races.loop.body))
    return [
        Returned(cell.symbol, Return.WORD) if cell.symbol in leaders else _returned(cell, races.loop)
        for cell in races.cells
        if isinstance(cell.symbol.type, types.Scalar)
        and cell.race_class is not RaceClass.READ_ONLY
        and cell.symbol not in inside
    ]


def _returned(cell: CellSet, loop: parallel.ParallelLoop) -> Returned:
    writes = [a for a in cell.accesses if a.kind is not effects.Kind.READ]
    reads = len(writes) < len(cell.accesses)
    first = writes[0]
    if cell.race_class is RaceClass.REDUCTION:
        assert first.combine is not None
        return Returned(cell.symbol, Return.REDUCTION, COMBINES[first.combine])
    if cell.race_class is RaceClass.MONOTONE and not reads and all(a.kind is effects.Kind.EXTREME for a in writes):
        assert first.extreme is not None
        return Returned(cell.symbol, Return.REDUCTION, EXTREMES[first.extreme])
    if cell.race_class is RaceClass.COMMON_VALUE:
        match first.value:
            case typed.Literal(True, types.Scalar.BOOL):
                return Returned(cell.symbol, Return.REDUCTION, ir.Combine.OR)
            case typed.Literal(False, types.Scalar.BOOL):
                return Returned(cell.symbol, Return.REDUCTION, ir.Combine.AND)
            case value if value is not None and common.is_common(value, loop):  # the host can compute it too
                return Returned(cell.symbol, Return.FLAG, value=value)
    return Returned(cell.symbol, Return.WORD)


def extreme_leaders(body: typed.Block) -> frozenset[typed.Symbol]:
    """Scalars whose Min or Max carries anything: they must be memory, so that one winner is known."""
    return frozenset(
        s.place.symbol
        for s in walk.statements(body)
        if isinstance(s, typed.AssignExtreme) and s.carried and isinstance(s.place, typed.Variable)
    )


def written_scalars(statement: typed.Statement) -> Iterator[typed.Symbol]:
    """Scalars from outside that a piece of sequential code changes."""
    inside = set(walk.declared(statement))
    seen: set[typed.Symbol] = set()
    for inner in walk.statements(statement):
        places = [p.symbol for p in walk.written_places(inner) if isinstance(p, typed.Variable)]
        if isinstance(inner, typed.CountedLoop) and not inner.declares:
            places.append(inner.symbol)
        lent = [a for v in walk.values(inner) for e in walk.within(v) if isinstance(e, typed.Call)
                for a in e.arguments if isinstance(a, typed.Symbol) and isinstance(a.type, types.Scalar)]  # fmt: skip
        for symbol in (*places, *lent):
            if symbol not in inside and symbol not in seen:
                seen.add(symbol)
                yield symbol


def holds_still(value: typed.Expression, statement: typed.Statement) -> bool:
    """Whether `value`, if it is a variable at all, is one that sequential code leaves alone."""
    return not isinstance(value, typed.Variable) or value.symbol not in set(written_scalars(statement))
