"""A search that only numbers the levels is rounds in which nodes offer the next number.

    g.attachNodeProperty(depth = INF);               g.attachNodeProperty(depth = INF);
    src.depth = 0;                                   src.depth = 0;
    iterateInBFS (v in g.nodes() from src) {         do {
      forall (child in g.neighbors(v)) {               more = False;
        child.depth = v.depth + 1;                     forall (v in g.nodes()) {
      }                                                  forall (child in g.neighbors(v)) {
    }                                                      <child.depth, more> = <Min(child.depth, v.depth + 1), True>;
                                                         }
                                                       }
                                                     } while (more);

The children of a node are one level further from the source, whose number is the least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.canonical.rebuilding import rebuilt


def as_rounds(body: typed.Block) -> typed.Block:
    """A function's body with such searches as rounds."""

    def change(part: object) -> object:
        if not isinstance(part, typed.Block):
            return None
        statements: list[typed.Statement] = []
        for place, s in enumerate(part.statements):
            numbered = _numbered(s, part.statements[:place]) if isinstance(s, typed.IterateInBFS) else None
            statements += (rebuilt(s, change),) if numbered is None else numbered
        same = len(statements) == len(part.statements) and all(
            a is b for a, b in zip(statements, part.statements, strict=True)
        )
        return part if same else replace(part, statements=tuple(statements))

    return rebuilt(body, change)


def _numbered(search: typed.IterateInBFS, before: Sequence[typed.Statement]) -> tuple[typed.Statement, ...] | None:
    node = typed.Variable(search.iterator)
    match search:
        case typed.IterateInBFS(
            filter=None,
            reverse=None,
            body=typed.Block(
                statements=(
                    typed.ForEach(
                        domain=typed.Neighbors(node=own, direction=typed.Direction.OUT),
                        filter=None,
                        body=typed.Block(statements=(typed.Assign(place=typed.Cell() as cell, value=value),)),
                    ) as children,
                )
            ),
        ) if own == node and cell.index == typed.Variable(children.iterator):
            pass
        case _:
            return None
    mine = typed.Cell(cell.symbol, node)
    match value:
        case typed.Binary(operator=typed.Operator.ADD, left=left, right=typed.Literal(value=int() as step)) if (
            left == mine and step > 0 and value.type is Scalar.INT
        ):
            pass
        case _:
            return None
    return _rounds(search, children, cell, value) if _begins_at(cell.symbol, search.source, before) else None


def _begins_at(symbol: typed.Symbol, source: typed.Expression, before: Sequence[typed.Statement]) -> bool:
    """Whether all cells are INF after these statements, but that of the source, which holds a number."""
    writes = [s for s in before if any(symbol in walk.written(i) for i in walk.statements(s))]
    match writes[-2:]:
        case [
            typed.Attach(items=items),
            typed.Assign(place=typed.Cell(index=typed.Variable() as index), value=typed.Literal()) as store,
        ] if index == source:
            (value,) = (value for target, value in items if target is symbol)
            since = before[next(place for place, s in enumerate(before) if s is store) :]
            moved = any(index.symbol in walk.written(i) for s in since for i in walk.statements(s))
            return isinstance(value, typed.Infinity) and not value.negative and not moved
        case _:
            return False


def _rounds(
    search: typed.IterateInBFS, children: typed.ForEach, cell: typed.Cell, value: typed.Expression
) -> tuple[typed.Statement, ...]:
    span = search.span
    more = typed.Variable(typed.Symbol("more", Scalar.BOOL, typed.Role.LOCAL, span), span=span)
    true, false = (typed.Literal(each, Scalar.BOOL, span=span) for each in (True, False))
    offer = typed.AssignExtreme(typed.Extreme.MIN, cell, value, (typed.Carried(more, true, span=span),), span=span)
    arcs = replace(children, parallel=True, body=replace(children.body, statements=(offer,)))
    nodes = typed.AllNodes(search.graph)
    every = typed.ForEach(True, search.iterator, nodes, None, typed.Block((arcs,), span=span), span=span)
    body = typed.Block((typed.Assign(more, false, span=span), every), span=span)
    return typed.Declare(more.symbol, false, span=span), typed.DoWhile(body, more, span=span)
