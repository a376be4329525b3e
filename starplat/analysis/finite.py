"""Finds cells that are not INF where a loop looks at them, though others of their property are.

A node that `iterateInBFS` comes to was told its number of steps by a node of the level before, and a loop whose filter
leaves out INF has none in hand, if it only lowers the property's cells.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Scalar

FiniteCells = frozenset[tuple[typed.Symbol, typed.Symbol]]
"""Properties of whole numbers, each with the iterator of a loop within which its cell there is not INF."""


def finite_cells(program: typed.Program) -> FiniteCells:
    """The cells of the iterators of loops that never hold INF within them; several loops may share an iterator."""
    found = Counter(cell for function in program.functions for cell in _in_function(function, program))
    loops = Counter(
        s.iterator
        for function in program.functions
        for s in walk.statements(function.body)
        if isinstance(s, typed.ForEach | typed.IterateInBFS)
    )
    return frozenset(cell for cell, count in found.items() if count == loops[cell[1]])


def _in_function(
    function: typed.FunctionDefinition, program: typed.Program
) -> Iterator[tuple[typed.Symbol, typed.Symbol]]:
    for around in walk.statements(function.body):
        match around:
            case typed.ForEach(iterator=node, filter=filter) if filter is not None:
                for cell in dict.fromkeys(_below_infinity(filter)):
                    if cell.index == typed.Variable(node) and _only_lowers(around, cell.symbol, program):
                        yield cell.symbol, node
        for begun, search in pairwise(walk.blocks(around)):
            if isinstance(search, typed.IterateInBFS) and (steps := _steps(begun, search, program)) is not None:
                yield steps, search.iterator


def _below_infinity(condition: typed.Expression) -> Iterator[typed.Cell]:
    """The cells of whole numbers that are not INF where a condition holds."""
    match condition:
        case typed.Binary(typed.Operator.AND):
            yield from _below_infinity(condition.left)
            yield from _below_infinity(condition.right)
        case typed.Binary(
            typed.Operator.NOT_EQUAL | typed.Operator.LESS, typed.Cell() as cell, typed.Infinity(negative=False)
        ) if cell.type.is_integer:
            yield cell


def _only_lowers(loop: typed.Statement, symbol: typed.Symbol, program: typed.Program) -> bool:
    return all(
        isinstance(s, typed.AssignExtreme) and s.extreme is typed.Extreme.MIN and _changes_only(s, symbol)
        for s in _changing(loop, symbol, program)
    )


def _changes_only(s: typed.AssignExtreme, symbol: typed.Symbol) -> bool:
    called = any(isinstance(e, typed.Call) for e in walk.own_parts(s))
    return s.place.symbol is symbol and all(c.place.symbol is not symbol for c in s.carried) and not called


def _steps(begun: typed.Statement, search: typed.IterateInBFS, program: typed.Program) -> typed.Symbol | None:
    """The property that is 0 where a search begins, and that every node sets to one more for its neighbors.

    Counted so it stays below the number of nodes; what else adds up on the way could come to be INF.
    """
    match begun:
        case typed.Assign(typed.Cell(symbol, index), typed.Literal(0)) if (
            index == search.source and search.filter is None and symbol.property.element in (Scalar.INT, Scalar.LONG)
        ):
            told = [
                s
                for row in search.body.statements
                if isinstance(row, typed.ForEach) and row.filter is None and _is_row(row.domain, search)
                for s in row.body.statements
                if _is_next(s, symbol, row.iterator, search.iterator)
            ]
            leaves = any(isinstance(s, typed.Break | typed.Continue | typed.Return) for s in walk.statements(search))
            return symbol if told and told == _changing(search, symbol, program) and not leaves else None
    return None


def _is_row(domain: typed.Domain, search: typed.IterateInBFS) -> bool:
    return domain == typed.Neighbors(search.graph, typed.Variable(search.iterator), typed.Direction.OUT)


def _is_next(s: typed.Statement, symbol: typed.Symbol, there: typed.Symbol, here: typed.Symbol) -> bool:
    match s:
        case typed.AssignExtreme(extreme=typed.Extreme.MIN, place=place, candidate=candidate, carried=()):
            more = typed.Binary(
                typed.Operator.ADD,
                typed.Cell(symbol, typed.Variable(here)),
                typed.Literal(1, symbol.property.element),
                symbol.property.element,
            )
            return place == typed.Cell(symbol, typed.Variable(there)) and candidate == more
    return False


def _changing(loop: typed.Statement, symbol: typed.Symbol, program: typed.Program) -> list[typed.Statement]:
    return [s for s in walk.statements(loop) if symbol in walk.changed(s, program)]
