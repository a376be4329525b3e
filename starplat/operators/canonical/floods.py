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
number, or nothing yet. A search may go over a frontier that is its own, in which it begins with the node.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked, asked_flag, mentions
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical.effects import asked_by_loop
from starplat.operators.canonical.hosts import HostLoop, surroundings
from starplat.operators.canonical.labels.spreading import whole_number
from starplat.operators.canonical.rebuilding import rebuilt, spliced, substituted
from starplat.operators.canonical.rounds import edge_effects
from starplat.operators.canonical.searches.initial_values import InitialValues, initial_values
from starplat.operators.records import EdgeEffect

_EQUALITY = (typed.Operator.EQUAL, typed.Operator.NOT_EQUAL)
_NOBODY = InitialValues(typed.FALSE, ())


def as_spreading(body: typed.Block, program: typed.Program) -> typed.Block:
    """A function's body with such searches as labels that spread."""

    def change(part: Any) -> Any:
        if not isinstance(part, typed.Block):
            return None
        for place, s in enumerate(part.statements):
            search = _search(s, part.statements[:place]) if isinstance(s, typed.ForEach) else None
            if search is not None and search.is_unseen(body) and search.reaches_component(program):
                return spliced(part, place, search.labels())
        return None

    searches = any(isinstance(s, typed.ForEach) and _is_sequential(s) for s in walk.statements(body))
    return rebuilt(body, change) if searches else body


def _is_sequential(s: typed.ForEach) -> bool:
    """Whether a loop visits nodes one after another, with loops of the host in its body."""
    nodes = not s.parallel and isinstance(s.domain, typed.AllNodes)
    return nodes and any(isinstance(i, HostLoop) for i in walk.statements(s.body))


def _search(s: typed.ForEach, before: Sequence[typed.Statement]) -> "_Search | None":
    """What a loop does for each node that holds no number yet, as all do in the beginning."""
    if not _is_sequential(s) or not isinstance(s.domain, typed.AllNodes):
        return None
    conditions, inner = asked_by_loop(s)
    own = typed.Variable(s.iterator)
    match conditions:
        case (typed.Binary(typed.Operator.EQUAL, typed.Cell(label) as cell, none), *others):
            if cell.index != own or any(other != conditions[0] for other in others) or not _is_no_node(none):
                return None
        case _:
            return None
    *prepared, rounds = inner
    given = [i for i in prepared if isinstance(i, typed.Assign) and i.place == cell]
    prepared = [i for i in prepared if i not in given]
    if len(given) != 1 or whole_number(given[0].value) != own or not isinstance(rounds, HostLoop):
        return None
    if not all(isinstance(i, typed.Declare | typed.Attach | typed.Assign) for i in prepared):
        return None
    if initial_values(label, before) != InitialValues(none, ()):
        return None
    if (flag := _emptied(rounds)) is not None and initial_values(flag, before) == _NOBODY:
        prepared.insert(0, typed.Attach(s.domain.graph, ((flag, typed.FALSE),), span=s.span))
    return _Search(s, s.domain.graph, label, none, given[0].value, tuple(prepared), rounds)


def _is_no_node(value: typed.Expression) -> bool:
    match value:
        case typed.Literal(number):
            return number < 0
        case typed.Infinity():
            return True
    return False


def _emptied(rounds: HostLoop) -> typed.Symbol | None:
    """The flag that no node has when the rounds end."""
    match rounds:
        case typed.FixedPoint(condition=typed.Unary(typed.UnaryOperator.NOT, asked), node=node):
            return asked_flag(asked, node)
    return None


@dataclass(frozen=True)
class _Search:
    """What a loop over the nodes of a graph does for `each` that holds `none`: it gives its `number` as `label` to the
    node and in rounds to others, before which more is `prepared`."""

    each: typed.ForEach
    graph: typed.Symbol
    label: typed.Symbol
    none: typed.Expression
    number: typed.Expression
    prepared: tuple[typed.Statement, ...]
    rounds: HostLoop

    @property
    def own(self) -> typed.Variable:
        return typed.Variable(self.each.iterator)

    def is_unseen(self, body: typed.Block) -> bool:
        """Whether nothing else in the function's body, nor its caller, reads what is written beside the label."""
        beside = walk.all_written(self.each) - {self.label, *walk.declared(self.each)}
        readers = (
            sum(not beside.isdisjoint(walk.read(i)) for i in walk.statements(part)) for part in (body, self.each)
        )
        is_own = all(s.role is typed.Role.LOCAL and initial_values(s, self.prepared) is not None for s in beside)
        return is_own and len(set(readers)) == 1

    def reaches_component(self, program: typed.Program) -> bool:
        """Whether the rounds give the number to all of the node's component, and nothing to others."""
        build = Builder(self.label.span)
        mark = build.of_nodes("mark", types.Scalar.BOOL)
        search = rebuilt(self.rounds, lambda part: self._marking(part, mark))
        names = {self.label, self.own.symbol}
        inside = [i for s in (*self.prepared, search) for i in walk.statements(s)]
        values = [v for i in inside for v in ((i.value,) if isinstance(i, typed.Assign) else walk.values(i))]
        if any(names & set(walk.written(i)) for i in inside) or any(mentions(v, names) for v in values):
            return False
        begins = {flag: initial_values(flag, self.prepared) for flag in walk.all_written(search) - {mark}}
        search = _asking(search, mark, {flag for flag, values in begins.items() if values in (_NOBODY, self._first)})
        unmarked = typed.Attach(self.graph, ((mark, build.truth(False)),))
        begun = build.assign(typed.Cell(mark, self.own), True)
        around = surroundings(build.block(build.declare(mark), unmarked, begun, *self.prepared, search))
        if search not in around.loops:
            return False
        effects = edge_effects(search, around, program, frozenset())
        ways = {effect.direction for effect in effects}
        both = typed.Direction.BOTH in ways or len(ways) > 1
        return both and all(effect.symbol is mark and self._spreads(effect) for effect in effects)

    def _spreads(self, effect: EdgeEffect) -> bool:
        """Whether nodes give their mark: those that have it, or members of a frontier that begins with the first."""
        if effect.when or effect.carried or effect.value != effect.own:
            return False
        return effect.frontier is None or initial_values(effect.frontier, self.prepared) == self._first

    @property
    def _first(self) -> InitialValues:
        """A flag that the first node has."""
        return InitialValues(typed.FALSE, ((self.own, typed.TRUE),))

    def _marking(self, part: Any, mark: typed.Symbol) -> Any:
        """A part of the rounds with a mark in the place of the number."""
        match part:
            case typed.Binary(operator, typed.Cell(symbol) as cell, right) if (
                symbol is self.label and operator in _EQUALITY and (right == self.none or self._is_own(right))
            ):
                marked = typed.Cell(mark, cell.index, span=cell.span)
                is_marked = (operator is typed.Operator.EQUAL) is (right != self.none)
                return marked if is_marked else Builder(part.span).negated(marked)
            case typed.Assign(typed.Cell(symbol) as cell, value) if symbol is self.label and self._is_own(value):
                return Builder(part.span).assign(typed.Cell(mark, cell.index, span=cell.span), True)
        return None

    def _is_own(self, value: typed.Expression) -> bool:
        return whole_number(value) == self.own

    def labels(self) -> Sequence[typed.Statement]:
        """Every node begins with its number, and the least spreads."""
        build, nodes = Builder(self.each.span), typed.AllNodes(self.graph)
        more = build.local("more", types.Scalar.BOOL)
        first, here, there = (replace(self.own.symbol, name=name) for name in ("v", "v", "w"))
        flag = build.variable(more)
        begins = build.assign(build.cell(self.label, first), substituted(self.number, {self.own.symbol: first}))
        set_flag = build.carried(flag, True)
        offer = build.extreme(typed.Extreme.MIN, build.cell(self.label, there), build.cell(self.label, here), set_flag)
        arcs = build.over(there, build.row(self.graph, here, typed.Direction.BOTH), offer)
        return (
            build.over(first, nodes, begins),
            build.declare(more, build.truth(True)),
            typed.While(flag, build.block(build.assign(flag, False), build.over(here, nodes, arcs)), span=build.span),
        )


def _asking(search: HostLoop, mark: typed.Symbol, flags: set[typed.Symbol]) -> HostLoop:
    """Rounds in which nodes with one of the flags ask for their mark too, as far as only marked nodes get these."""
    blocks = [i.statements for i in walk.statements(search) if isinstance(i, typed.Block)]
    written = [(s, block) for block in blocks for s in block]
    while others := {f for f in flags if not all(_marked(s, f, block, mark, flags) for s, block in written)}:
        flags -= others

    def change(part: Any) -> Any:
        match part:
            case typed.ForEach(domain=typed.AllNodes(), filter=condition, iterator=node) if any(
                asked_flag(c, node) in flags for c in all_asked(condition)
            ):
                build = Builder(part.span)
                return replace(part, filter=build.both(*all_asked(condition), build.cell(mark, node)))
        return None

    return rebuilt(search, change)


def _marked(
    s: typed.Statement,
    flag: typed.Symbol,
    block: Sequence[typed.Statement],
    mark: typed.Symbol,
    flags: set[typed.Symbol],
) -> bool:
    """Whether a statement of a block gives a flag to marked nodes only."""
    match s:
        case typed.Assign(typed.Cell(symbol) as cell, value) if symbol is flag:
            marking = typed.Assign(replace(cell, symbol=mark), typed.TRUE)
            return value == typed.FALSE or (value == typed.TRUE and marking in block)
        case typed.CopyProperty(to, of) if to is flag:
            return of in flags
        case typed.Attach(items=items):
            return all(value == typed.FALSE or value in flags for symbol, value in items if symbol is flag)
    return flag not in walk.written(s)
