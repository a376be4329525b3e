"""What may stand in any order stands in one: fills of whole properties come out of loops, a node's own constants come
before its rows, and iterations in which the host has a part come one after another.

forall (v in g.nodes()) {                             g.attachNodeProperty(rank = 1.0 / n);
  v.rank = 1.0 / n;                                   forall (v in g.nodes()) {
  v.out = g.count_outNbrs(v);                           v.out = g.count_outNbrs(v);
}                                                     }
forall (v in g.nodes()) {                             g.attachNodeProperty(sum = 0.0);
  int out = g.count_outNbrs(v);                       forall (v in g.nodes()) {
  v.sum = 0.0;                                          int out = g.count_outNbrs(v);
  v.share = v.rank / out;                               v.share = v.rank / out;
}                                                     }
forall (v in g.nodes().filter(taken)) {               forall (v in g.nodes().filter(taken)) {
  forall (w in g.neighbors(v)) { w.degree -= 1; }       v.taken = False;
  v.taken = False;                                      forall (w in g.neighbors(v)) { w.degree -= 1; }
}                                                     }
forall (s in sources) { iterateInBFS (...) }          for (s in sources) { iterateInBFS (...) }

What one node begins with is stored apart, if there is such a node:

forall (v in g.nodes()) {                             g.attachNodeProperty(level = INF);
  v.level = v == src ? 0 : INF;                       if (src >= 0) { src.level = 0; }
}

A loop that only copies is a copy:

forall (v in g.nodes()) { v.rank = v.next; }          rank = next;
"""

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import groupby
from typing import Any

from starplat.analysis import walk
from starplat.analysis.hosting import Hosting
from starplat.frontend import typed
from starplat.operators.build import Builder
from starplat.operators.canonical.rebuilding import rebuilt, with_statements


def in_order(body: typed.Block) -> typed.Block:
    """A function's body in that order."""
    return with_fills(body, _own_first)


def with_fills(
    body: typed.Block,
    inside: Callable[[typed.ForEach], typed.ForEach] = lambda loop: loop,
    sources: Set[typed.Symbol] = frozenset(),
) -> typed.Block:
    """A function's body with fills out of loops, and what `inside` makes of loops that all nodes go through. `sources`
    are scalars that hold a node or -1, and keep it."""

    def change(part: Any) -> Any:
        match part:
            case typed.ForEach(parallel=True, domain=typed.AllNodes()):
                return inside(part)
            case typed.ForEach(parallel=True) | typed.IterateInBFS():
                return part
            case typed.Block():
                filled = (new for s in part.statements for new in _filled(rebuilt(s, change), sources))
                return with_statements(part, list(filled))
        return None

    return rebuilt(body, change)


def one_by_one(body: typed.Block, program: typed.Program) -> typed.Block:
    """A function's body in which a `forall` that no kernel can hold is a `for`, whose iterations may come in any order;
    what is then rewritten inside is that of the host."""
    hosting = Hosting(program)

    def change(part: Any) -> Any:
        match part:
            case typed.ForEach(parallel=True, domain=domain, filter=None, body=inside) if hosting.needs_host(inside):
                if isinstance(domain, typed.AllNodes) or _is_still(domain, inside):
                    return replace(part, parallel=False, any_order=True, body=rebuilt(inside, change))
                return None
        return None

    return rebuilt(body, change)


def _is_still(domain: typed.Domain, body: typed.Block) -> bool:
    """Whether a set stays as it is while its members are visited."""
    return isinstance(domain, typed.Members) and domain.symbol not in walk.all_written(body)


# --- fills


def _filled(s: typed.Statement, sources: Set[typed.Symbol]) -> Iterator[typed.Statement]:
    """A loop in which every node is given the same values first, but for sources, as fills, stores and what is left of
    it; one node after another, only if nothing is left."""
    match s:
        case typed.ForEach(
            domain=typed.AllNodes(),
            filter=None,
            body=typed.Block((typed.Assign(typed.Cell(to, at), typed.Cell(of, from_)),)),
        ) if at == from_ == typed.Variable(s.iterator) and to.type == of.type:
            yield typed.CopyProperty(to, of, span=s.span)
        case typed.ForEach(parallel=False, domain=typed.AllNodes(), filter=None):
            apart = list(_filled(replace(s, parallel=True), sources))
            yield from (s,) if any(isinstance(one, typed.ForEach) for one in apart) else apart
        case typed.ForEach(parallel=True, domain=typed.AllNodes(graph=graph), filter=None, body=body):
            rest = list(body.statements)
            written = walk.all_written(body)
            of_sources: list[tuple[typed.Symbol, typed.Attach]] = []
            while rest and (given := _given(rest[0], s.iterator, sources)) is not None:
                source, of_it, of_all = given
                fills, stores = ([_fill(one, s.iterator, graph, written) for one in some] for some in (of_all, of_it))
                kept = {store.items[0][0] for _, store in of_sources}
                if any(fill is None or fill.items[0][0] in kept for fill in (*fills, *stores)):
                    break
                yield from (fill for fill in fills if fill is not None)
                of_sources += ((source, fill) for fill in stores if source is not None and fill is not None)
                rest.pop(0)
            own = written | set(walk.declared(body))
            kept = {store.items[0][0] for _, store in of_sources}
            for place in range(len(rest) - 1, 0, -1):
                others = (*rest[:place], *rest[place + 1 :])
                fill = _fill(rest[place], s.iterator, graph, own)
                if fill is None or fill.items[0][0] in kept:
                    continue
                if not any(walk.touches(o, fill.items[0][0]) or walk.leaves(o) for o in others):
                    yield fill
                    rest.pop(place)
            for source, together in groupby(of_sources, lambda store: store[0]):
                yield from _stores(source, [fill for _, fill in together])
            if rest:
                yield s if len(rest) == len(body.statements) else replace(s, body=replace(body, statements=tuple(rest)))
        case _:
            yield s


_Given = tuple[typed.Symbol | None, Sequence[typed.Statement], Sequence[typed.Statement]]


def _given(s: typed.Statement, node: typed.Symbol, sources: Set[typed.Symbol]) -> _Given | None:
    """The source for which a statement of a loop over nodes does something else, what that is, and what it does for
    all others; no source where it does not ask."""
    match s:
        case typed.If(condition, typed.Block(then)):
            others = () if s.otherwise is None else s.otherwise.statements
            asked = _asked(condition, node, sources)
            return asked and _apart(*asked, then, others)
        case typed.Assign(value=typed.Conditional(condition) as choice) if asked := _asked(condition, node, sources):
            then, others = ((replace(s, value=value),) for value in (choice.then, choice.otherwise))
            return _apart(*asked, then, others)
        case typed.Assign(value=condition) if asked := _asked(condition, node, sources):
            then, others = ((replace(s, value=truth),) for truth in (typed.TRUE, typed.FALSE))
            return _apart(*asked, then, others)
    return None, (), (s,)


def _asked(
    condition: typed.Expression, node: typed.Symbol, sources: Set[typed.Symbol]
) -> tuple[typed.Symbol, bool] | None:
    """The source that a condition compares a node with, and whether it asks if they are the same."""
    match condition:
        case typed.Binary(
            typed.Operator.EQUAL | typed.Operator.NOT_EQUAL as operator, typed.Variable(left), typed.Variable(right)
        ) if node in (left, right):
            source = right if left is node else left
            return (source, operator is typed.Operator.EQUAL) if source in sources else None
    return None


def _apart(
    source: typed.Symbol, is_same: bool, then: Sequence[typed.Statement], others: Sequence[typed.Statement]
) -> _Given | None:
    """What is done for the source and for all; None if it does not store all that the others do."""
    of_source, of_others = (then, others) if is_same else (others, then)
    stored, filled = ({symbol for s in some for symbol in walk.all_written(s)} for some in (of_source, of_others))
    return (source, of_source, of_others) if filled <= stored else None


def _stores(source: typed.Symbol, fills: Sequence[typed.Attach]) -> tuple[typed.Statement, ...]:
    """The stores for a source, in place of the fills for all; a parameter may be no node."""
    build = Builder(fills[0].span)
    items = ((symbol, value) for fill in fills for symbol, value in fill.items if not isinstance(value, typed.Symbol))
    stores = tuple(build.assign(build.cell(symbol, source), value) for symbol, value in items)
    return build.if_a_node(source, *stores)


def _fill(
    s: typed.Statement, node: typed.Symbol, graph: typed.Symbol, written: set[typed.Symbol]
) -> typed.Attach | None:
    match s:
        case typed.Assign(typed.Cell(symbol, typed.Variable(own)), value) if own is node:
            plain = all(not isinstance(part, typed.Cell | typed.Call) for part in walk.within(value))
            return typed.Attach(graph, ((symbol, value),), span=s.span) if plain and _is_one(value, written) else None
    return None


def _is_one(value: typed.Expression, written: set[typed.Symbol]) -> bool:
    """Whether a value is the same for all nodes: it comes from constants and scalars of the host."""
    constant = (typed.Literal, typed.Infinity, typed.Unary, typed.Binary, typed.Convert, typed.Apply)
    for part in walk.within(value):
        match part:
            case typed.Variable(symbol):
                if symbol.role is typed.Role.ITERATOR or symbol in written:
                    return False
            case typed.GraphQuery(query=typed.Query.NUM_NODES | typed.Query.NUM_EDGES):
                pass
            case _ if not isinstance(part, constant):
                return False
    return True


# --- a node's own constants


def _own_first(loop: typed.ForEach) -> typed.ForEach:
    first: list[typed.Statement] = []
    rest: list[typed.Statement] = []
    for s in loop.body.statements:
        (first if rest and _may_come_first(s, loop.iterator, rest) else rest).append(s)
    return loop if not first else replace(loop, body=replace(loop.body, statements=(*first, *rest)))


def _may_come_first(s: typed.Statement, node: typed.Symbol, before: Sequence[typed.Statement]) -> bool:
    """Whether a statement stores a constant in the node's own cell, which nothing before it has to do with."""
    match s:
        case typed.Assign(typed.Cell(symbol, typed.Variable(own)), typed.Literal()) if own is node and all(
            isinstance(b, typed.ForEach) for b in before
        ):
            return not any(walk.touches(b, symbol) or walk.leaves(b) for b in before)
    return False
