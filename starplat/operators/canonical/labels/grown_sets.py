"""Sets of nodes that rounds add neighbors to until they are no larger than before are flags that spread.

int before = 0;                                       bool more = True;
while (inside.size() > before) {                      while (more) {
  before = inside.size();                               more = False;
  for (v in inside) {                                   forall (v in g.nodes().filter(inside)) {
    for (w in g.neighbors(v)) { inside.add(w); }          forall (w in g.neighbors(v)) {
  }                                                         if (!w.inside) { w.inside = True; more = True; }
}                                                     } } }

Either loop ends with the least set that has the first members and all that is added for a member.
"""

from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import conjuncts
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical.hosts import Surroundings, surroundings
from starplat.operators.canonical.rebuilding import rebuilt, spliced

_SET = types.SetType(types.Scalar.NODE)
_Loop = typed.While | typed.DoWhile


def with_flags_for_grown_sets(body: typed.Block) -> typed.Block:
    """A function's body with such flags."""
    around = surroundings(body)
    for loop in around.loops:
        if isinstance(loop, _Loop) and (growth := _read(loop, around)) is not None:
            made = growth.flagged(around.with_in_place(loop, growth.made(loop)))
            if made is not None:
                return with_flags_for_grown_sets(made)
    return body


@dataclass(frozen=True)
class _Growth:
    """The set that a loop adds to, the graph of its arcs, and the loops over members in a round."""

    members: typed.Symbol
    graph: typed.Symbol
    rounds: tuple[typed.ForEach, ...]

    def made(self, loop: _Loop) -> tuple[typed.Statement, ...]:
        """The loop that goes on while a node is added."""
        build = Builder(loop.span)
        more = build.variable(build.local("more", types.Scalar.BOOL))

        def change(part: Any) -> Any:
            match part:
                case typed.AddToSet(member=member):
                    asked = build.negated(typed.SetContains(self.members, member, span=part.span))
                    return build.when(asked, part, build.assign(more, True))
                case typed.ForEach(domain=typed.Members(symbol=of)) if of is self.members:
                    of_nodes = replace(part, domain=typed.AllNodes(self.graph), filter=self._member(part))
                    return replace(of_nodes, parallel=True, body=rebuilt(part.body, change))
                case typed.ForEach():
                    return replace(part, parallel=True, body=rebuilt(part.body, change))
            return None

        body = build.block(build.assign(more, False), *rebuilt(self.rounds, change))
        return build.declare(more.symbol, build.truth(True)), replace(loop, condition=more, body=body)

    def _member(self, loop: typed.ForEach) -> typed.Expression:
        member = typed.SetContains(self.members, typed.Variable(loop.iterator), span=loop.span)
        return member if loop.filter is None else Builder(loop.span).both(member, loop.filter)

    def flagged(self, body: typed.Block) -> typed.Block | None:
        """A function's body with a flag for the set; None if it does anything else with that."""
        build, left = Builder(self.members.span), list[typed.Symbol]()
        flag = build.of_nodes(self.members.name, types.Scalar.BOOL)

        def change(part: Any) -> Any:
            match part:
                case typed.Block(statements=every) if any(walk.declares(s, self.members) for s in every):
                    none = typed.Attach(self.graph, ((flag, build.truth(False)),), span=flag.span)
                    begins = (build.declare(flag), none)
                    place = next(i for i, s in enumerate(every) if walk.declares(s, self.members))
                    return rebuilt(spliced(part, place, begins), change)
                case typed.AddToSet(symbol=symbol, member=member) if symbol is self.members:
                    return Builder(part.span).assign(typed.Cell(flag, member, span=part.span), True)
                case typed.SetContains(symbol=symbol, member=member) if symbol is self.members:
                    return typed.Cell(flag, member, span=part.span)
                case typed.Symbol() if part is self.members:
                    left.append(part)
            return None

        changed = rebuilt(body, change)
        return None if left else changed


def _read(loop: _Loop, around: Surroundings) -> _Growth | None:
    """The growth of a set that a loop waits for the end of, if its rounds do nothing else."""
    match loop.condition:
        case typed.Binary(
            operator=typed.Operator.GREATER | typed.Operator.NOT_EQUAL,
            left=typed.SetSize(symbol=members),
            right=typed.Variable(symbol=last),
        ):
            pass
        case typed.Binary(
            operator=typed.Operator.LESS | typed.Operator.NOT_EQUAL,
            left=typed.Variable(symbol=last),
            right=typed.SetSize(symbol=members),
        ):
            pass
        case _:
            return None
    match loop.body.statements:
        case (typed.Assign(place=typed.Variable(symbol=to), value=typed.SetSize(symbol=of)), *rounds) if (
            to is last and of is members
        ):
            over = tuple(s for s in rounds if isinstance(s, typed.ForEach) and s.domain == typed.Members(members))
        case _:
            return None
    inside = (s.domain for r in over for s in walk.statements(r) if isinstance(s, typed.ForEach))
    graphs = {domain.graph for domain in inside if isinstance(domain, typed.Neighbors)}
    grows = bool(over) and len(over) == len(rounds) and all(_grows(r, members, {members, last}) for r in over)
    if not grows or len(graphs) != 1 or members.type != _SET or members.role is not typed.Role.LOCAL:
        return None
    if around.is_seen(last, loop) or not (isinstance(loop, typed.DoWhile) or _begins(loop, members, last, around)):
        return None
    return _Growth(members, graphs.pop(), over)


def _begins(loop: _Loop, members: typed.Symbol, last: typed.Symbol, around: Surroundings) -> bool:
    """Whether a set surely has members when a loop begins that compares their number with 0."""
    added = any(isinstance(s, typed.AddToSet) and s.symbol is members for s in around.before(loop))
    return added and around.known_before(loop).get(last) == 0


def _grows(s: typed.Statement, members: typed.Symbol, own: set[typed.Symbol]) -> bool:
    """Whether a statement only adds to a set, on conditions that its growth does not change."""
    match s:
        case typed.ForEach(domain=typed.Members() | typed.Neighbors(), filter=condition, body=body):
            steady = condition is None or not _mentions(condition, own)
            return steady and all(_grows(inner, members, own) for inner in body.statements)
        case typed.If(condition=condition, then=then, otherwise=None):
            left = [c for c in conjuncts(condition) if not _is_missing(c, then, members)]
            return not any(_mentions(c, own) for c in left) and all(_grows(i, members, own) for i in then.statements)
        case typed.AddToSet(symbol=symbol):
            return symbol is members
        case _:
            return False


def _is_missing(condition: typed.Expression, then: typed.Block, members: typed.Symbol) -> bool:
    """Whether a condition asks whether a set lacks the node that is all that is added to it."""
    match condition, then.statements:
        case (
            typed.Unary(operator=typed.UnaryOperator.NOT, operand=typed.SetContains(symbol=of, member=asked)),
            (typed.AddToSet(member=added),),
        ):
            return of is members and asked == added
        case _:
            return False


def _mentions(condition: typed.Expression, own: set[typed.Symbol]) -> bool:
    parts = walk.within(condition)
    return any(getattr(part, "symbol", None) in own for part in parts)
