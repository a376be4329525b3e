"""A search from each node that none has reached yet, in ascending order, becomes labels that spread.

g.attachNodeProperty(c = -1);                    forall (v in g.nodes()) { v.c = v; }
for (s in g.nodes()) {                           while (more) {
  if (s.c == -1) {                                 more = False;
    s.c = s;                                       forall (v in g.nodes()) {
    ... until nothing changes: nodes that hold         forall (w in g.inOutNbrs(v)) {
    -1, beside one that holds s, take s ...              <w.c, more> = <Min(w.c, v.c), True>;
  }                                                    }
}                                                  }
                                                 }

One search reaches the component of its node, and no search before has reached any of it; so the first to come there,
the least node of the component, gives its number to all. That the search goes along arcs and against them until nothing
changes is proved of a mark in the place of the number: as what else there is lies in other components, a node holds the
number, or nothing yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical.effects import asked_by_loop
from starplat.operators.canonical.frontiers import as_fill
from starplat.operators.canonical.hosts import HostLoop, surroundings
from starplat.operators.canonical.labels.spreading import whole_number
from starplat.operators.canonical.rebuilding import rebuilt, spliced, substituted
from starplat.operators.canonical.rounds import edge_effects

_EQUALITY = (typed.Operator.EQUAL, typed.Operator.NOT_EQUAL)


def as_spreading(body: typed.Block, program: typed.Program) -> typed.Block:
    """A function's body with such searches as labels that spread."""

    def change(part: Any) -> Any:
        if not isinstance(part, typed.Block):
            return None
        for place, s in enumerate(part.statements):
            if isinstance(s, typed.ForEach) and (found := _spread(s, part.statements[:place], program)) is not None:
                return spliced(part, place, found)
        return None

    searches = any(isinstance(s, typed.ForEach) and _is_sequential(s) for s in walk.statements(body))
    return rebuilt(body, change) if searches else body


def _is_sequential(s: typed.ForEach) -> bool:
    """Whether a loop visits nodes one after another, with loops of the host in its body."""
    nodes = not s.parallel and isinstance(s.domain, typed.AllNodes)
    return nodes and any(isinstance(i, HostLoop) for i in walk.statements(s.body))


def _spread(
    s: typed.ForEach, before: Sequence[typed.Statement], program: typed.Program
) -> tuple[typed.Statement, ...] | None:
    if not _is_sequential(s) or not isinstance(s.domain, typed.AllNodes):
        return None
    conditions, inner = asked_by_loop(s)
    own = typed.Variable(s.iterator)
    match conditions:
        case (typed.Binary(operator=typed.Operator.EQUAL, left=typed.Cell(symbol=label) as cell, right=none), *others):
            if cell.index != own or any(other != conditions[0] for other in others) or not _is_no_node(none):
                return None
        case _:
            return None
    *prepared, loop = inner
    given = [i for i in prepared if isinstance(i, typed.Assign) and i.place == cell]
    declared = [i for i in prepared if i not in given]
    if len(given) != 1 or whole_number(given[0].value) != own or not isinstance(loop, HostLoop):
        return None
    if not all(isinstance(i, typed.Declare) for i in declared) or _filled(label, before) != none:
        return None
    if not _reaches_component(loop, declared, label, none, own, s.domain, program):
        return None
    return tuple(_labels(s, s.domain, label, given[0].value))


def _is_no_node(value: typed.Expression) -> bool:
    match value:
        case typed.Literal(value=number):
            return number < 0
        case typed.Infinity():
            return True
        case _:
            return False


def _filled(label: typed.Symbol, before: Sequence[typed.Statement]) -> typed.Expression | typed.Symbol | None:
    """What all cells of the label hold after these statements, if that is known."""
    for s in reversed(before):
        match as_fill(s):
            case typed.Attach(items=items) if any(symbol is label for symbol, _ in items):
                return next(value for symbol, value in items if symbol is label)
            case _ if label in walk.all_written(s):
                return None
            case _:
                pass
    return None


def _reaches_component(
    loop: HostLoop,
    declared: Sequence[typed.Statement],
    label: typed.Symbol,
    none: typed.Expression,
    own: typed.Variable,
    nodes: typed.AllNodes,
    program: typed.Program,
) -> bool:
    """Whether the loop gives the number of a node to all of its component, and does nothing else that lasts."""
    mark = Builder(label.span).of_nodes("mark", Scalar.BOOL)

    def marked(cell: typed.Cell) -> typed.Cell:
        return typed.Cell(mark, cell.index, span=cell.span)

    def change(part: Any) -> Any:
        match part:
            case typed.Binary(operator=operator, left=typed.Cell(symbol=symbol) as cell, right=right) if (
                symbol is label and operator in _EQUALITY and (right == none or whole_number(right) == own)
            ):
                is_marked = (operator is typed.Operator.EQUAL) is (right != none)
                return marked(cell) if is_marked else Builder(part.span).negated(marked(cell))
            case typed.Assign(place=typed.Cell(symbol=symbol) as cell, value=value) if (
                symbol is label and whole_number(value) == own
            ):
                return Builder(part.span).assign(marked(cell), True)
            case _:
                return None

    search = rebuilt(loop, change)
    inside = [*declared, *walk.statements(search)]
    names = {label, own.symbol}
    if any(names & set(walk.written(i)) or any(mentions(v, names) for v in walk.values(i)) for i in inside):
        return False
    local = {mark, *(symbol for i in inside for symbol in walk.declared(i))}
    if any(symbol not in local for i in inside for symbol in walk.written(i)):
        return False
    build = Builder()
    none_marked = typed.Attach(nodes.graph, ((mark, build.truth(False)),))
    begun = build.assign(typed.Cell(mark, own), True)
    around = surroundings(build.block(build.declare(mark), none_marked, begun, *declared, search))
    if search not in around.loops:
        return False
    effects = edge_effects(search, around, program, frozenset())
    ways = {effect.direction for effect in effects}
    both = typed.Direction.BOTH in ways or len(ways) > 1
    return both and all(
        effect.symbol is mark
        and effect.frontier is None
        and not effect.when
        and not effect.carried
        and effect.value == build.cell(mark, effect.source)
        for effect in effects
    )


def _labels(
    s: typed.ForEach, nodes: typed.AllNodes, label: typed.Symbol, number: typed.Expression
) -> Sequence[typed.Statement]:
    """Every node begins with its number, and the least spreads."""
    build = Builder(s.span)
    more = build.local("more", Scalar.BOOL)
    first, here, there = (replace(s.iterator, name=name) for name in ("v", "v", "w"))
    flag = build.variable(more)
    begins = build.assign(build.cell(label, first), substituted(number, {s.iterator: first}))
    told = build.carried(flag, True)
    offer = build.extreme(typed.Extreme.MIN, build.cell(label, there), build.cell(label, here), told)
    arcs = build.over(there, build.row(nodes.graph, here, typed.Direction.BOTH), offer)
    return (
        build.over(first, nodes, begins),
        build.declare(more, build.truth(True)),
        typed.While(flag, build.block(build.assign(flag, False), build.over(here, nodes, arcs)), span=build.span),
    )
