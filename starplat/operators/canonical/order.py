"""What may stand in any order stands in one: fills of whole properties come out of loops, a node's own constants come
before its rows, and iterations in which the host has a part come one after another.

forall (v in g.nodes()) {                             g.attachNodeProperty(rank = 1.0 / n);
  v.rank = 1.0 / n;                                   forall (v in g.nodes()) {
  v.out = g.count_outNbrs(v);                           v.out = g.count_outNbrs(v);
}                                                     }
forall (v in g.nodes().filter(taken)) {               forall (v in g.nodes().filter(taken)) {
  forall (w in g.neighbors(v)) { w.degree -= 1; }       v.taken = False;
  v.taken = False;                                      forall (w in g.neighbors(v)) { w.degree -= 1; }
}                                                     }
forall (s in sources) { iterateInBFS (...) }          for (s in sources) { iterateInBFS (...) }
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.hosting import Hosting
from starplat.frontend import typed
from starplat.operators.canonical.rebuilding import rebuilt, with_statements


def in_order(body: typed.Block) -> typed.Block:
    """A function's body in that order."""
    return with_fills(body, _own_first)


def with_fills(body: typed.Block, inside: Callable[[typed.ForEach], typed.ForEach] = lambda loop: loop) -> typed.Block:
    """A function's body with fills out of loops, and what `inside` makes of loops that all nodes go through."""

    def change(part: Any) -> Any:
        match part:
            case typed.ForEach(parallel=True, domain=typed.AllNodes()):
                return inside(part)
            case typed.ForEach(parallel=True) | typed.IterateInBFS():
                return part
            case typed.Block():
                return with_statements(part, [new for s in part.statements for new in _filled(rebuilt(s, change))])
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


def _filled(s: typed.Statement) -> Iterator[typed.Statement]:
    """A loop in which every node is given the same values first, as fills and what is left of it; one node after
    another, only if nothing is left."""
    match s:
        case typed.ForEach(parallel=False, domain=typed.AllNodes(), filter=None):
            fills = list(_filled(replace(s, parallel=True)))
            yield from fills if all(isinstance(fill, typed.Attach) for fill in fills) else (s,)
        case typed.ForEach(parallel=True, domain=typed.AllNodes(graph=graph), filter=None, body=body):
            rest = list(body.statements)
            written = walk.all_written(body)
            while rest and (fill := _fill(rest[0], s.iterator, graph, written)) is not None:
                yield fill
                rest.pop(0)
            if rest:
                yield s if len(rest) == len(body.statements) else replace(s, body=replace(body, statements=tuple(rest)))
        case _:
            yield s


def _fill(
    s: typed.Statement, node: typed.Symbol, graph: typed.Symbol, written: set[typed.Symbol]
) -> typed.Attach | None:
    match s:
        case typed.Assign(place=typed.Cell(symbol=symbol, index=typed.Variable(symbol=own)), value=value) if (
            own is node
        ):
            plain = all(not isinstance(part, typed.Cell | typed.Call) for part in walk.within(value))
            return typed.Attach(graph, ((symbol, value),), span=s.span) if plain and _is_one(value, written) else None
    return None


def _is_one(value: typed.Expression, written: set[typed.Symbol]) -> bool:
    """Whether a value is the same for all nodes: it comes from constants and scalars of the host."""
    constant = (typed.Literal, typed.Infinity, typed.Unary, typed.Binary, typed.Convert, typed.Apply)
    for part in walk.within(value):
        match part:
            case typed.Variable(symbol=symbol):
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
        case typed.Assign(place=typed.Cell(symbol=symbol, index=typed.Variable(symbol=own)), value=typed.Literal()) if (
            own is node and all(isinstance(b, typed.ForEach) for b in before)
        ):
            return not any(_touches(b, symbol) for b in before)
    return False


def _touches(s: typed.Statement, symbol: typed.Symbol) -> bool:
    return walk.touches(s, symbol) or walk.leaves(s)
