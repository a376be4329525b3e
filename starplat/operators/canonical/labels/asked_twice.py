"""A loop that asks whether any arc would change something becomes part of the loop that makes the changes.

    forall (v in g.nodes()) {                        forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {                   forall (w in g.neighbors(v)) {
        if (v.d + 1 < w.d) { more = True; }              <w.d, more> = <Min(w.d, v.d + 1), True>;
      }                                                }
    }                                                }
    if (more) {
      forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) { w.d = Min(w.d, v.d + 1); }
      }
    }

If the first loop finds no such arc, the second changes nothing. If it finds one, that arc changes something in its
turn, unless another has before. So both say the same, whatever is offered, as long as the second does nothing else. The
question may also be the end of rounds that go on if it is so: they then go on once more, and change nothing.
"""

import operator
from collections.abc import Iterator
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import (
    MIRRORED,
    all_asked,
    conjuncts,
    leaves_out_end,
    mentions,
    says_that_it_wins,
)
from starplat.frontend import typed
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, rebuilding
from starplat.operators.canonical.arcs import by_rows
from starplat.operators.canonical.counters import as_flags
from starplat.operators.canonical.extremes import as_extremes

_STRICT = (typed.Operator.LESS, typed.Operator.GREATER)


def asked_where_it_changes(body: typed.Block) -> typed.Block:
    """A function's body without such questions of their own; counters of such arcs become flags."""
    flagged = as_flags(body)
    asked = rebuilding.with_host_blocks(flagged, _asked_once)
    return body if asked is flagged else asked


def _asked_once(statements: rebuilding.Statements) -> rebuilding.Statements:
    done = tuple(_asked_in(statements))
    return statements if len(done) == len(statements) and all(map(operator.is_, done, statements)) else done


def _asked_in(statements: rebuilding.Statements) -> Iterator[typed.Statement]:
    rest = list(statements)
    while rest:
        s = rest.pop(0)
        if isinstance(s, typed.While | typed.DoWhile):
            yield _ends_without_question(s)
            continue
        if (question := _question(s)) is not None and (flag := question.flag) is not None:
            match rest:
                case [typed.If(condition, typed.Block((first, *others)), None) as branch, *behind] if (
                    condition == flag and (changes := _with_flag(first, question, flag))
                ):
                    left = (replace(branch, then=replace(branch.then, statements=tuple(others))),) if others else ()
                    s, rest = changes, [*left, *behind]
                case [typed.If(condition, typed.Block((typed.Break(),)), None) as leaves, first, *behind] if [
                    *conjuncts(condition, holds=False)
                ] == [flag] and (changes := _with_flag(first, question, flag)):
                    s, rest = changes, [leaves, *behind]
                case [first, *behind] if changes := _with_flag(first, question, flag):
                    s, rest = changes, behind
        yield s


def _ends_without_question(loop: typed.While | typed.DoWhile) -> typed.Statement:
    """Rounds that make changes, and go on for a flag that they ask for in the end."""
    *others, last = loop.body.statements or (loop,)
    if (question := _question(last)) is None or (flag := question.flag) is None or loop.condition != flag:
        return loop
    resets = [s for s in others if isinstance(s, typed.Assign) and (s.place, s.value) == (flag, typed.FALSE)]
    rounds = [s for s in others if s not in resets]
    if not resets or len(rounds) != 1 or (changes := _with_flag(rounds[0], question, flag)) is None:
        return loop
    return replace(loop, body=replace(loop.body, statements=(resets[0], changes)))


@dataclass(frozen=True)
class _Arcs:
    """A loop over arcs, and what it does with those for which some conditions hold; these, and what it offers, are said
    without locals."""

    loop: typed.ForEach
    row: typed.Neighbors
    node: typed.Symbol
    there: typed.Symbol
    when: tuple[typed.Expression, ...]
    inner: rebuilding.Statements
    values: effects.Locals

    @property
    def flag(self) -> typed.Variable | None:
        """What is set if there is such an arc, if that is all."""
        match self.inner:
            case (typed.Assign(typed.Variable() as flag, value), *rest) if value == typed.TRUE:
                alone = all(isinstance(s, typed.Break) for s in rest) and not self.reads(flag.symbol)
                return flag if alone else None
        return None

    def reads(self, symbol: typed.Symbol) -> bool:
        """Whether it has to do with a scalar but for storing to it."""
        return any(mentions(value, {symbol}) for value in walk.all_values(self.loop))

    def seen_as(self, other: "_Arcs") -> tuple[typed.Expression, ...] | None:
        """The conditions with another loop's names for the ends of arcs."""
        if self.row.graph is not other.row.graph:
            return None
        if self.row.direction is other.row.direction:
            return rebuilding.substituted(self.when, {self.node: other.node, self.there: other.there})
        if self.row.direction is not effects.REVERSED[other.row.direction]:
            return None
        turned = rebuilding.rebuilt(self.when, lambda part: effects.seen_from(part, self.there, self.node))
        return rebuilding.substituted(turned, {self.node: other.there, self.there: other.node})


def _question(s: typed.Statement) -> _Arcs | None:
    """A loop over arcs that changes no cell."""
    asks = isinstance(s, typed.ForEach) and not any(isinstance(place, typed.Cell) for place in walk.places(s))
    return _read(s) if asks else None


def _read(s: typed.Statement) -> _Arcs | None:
    """A loop over arcs that does one thing with each of them."""
    match as_extremes(by_rows(s, may_only_ask=True) or s) if isinstance(s, typed.ForEach) else None:
        case typed.ForEach(iterator=node, domain=typed.AllNodes()) as loop:
            pass
        case _:
            return None
    when, statements = [*all_asked(loop.filter)], loop.body.statements
    row: typed.ForEach | None = None
    values: effects.Locals = {}
    while statements:
        match statements:
            case (typed.Declare(local, value), *others) if value is not None:
                values[local] = effects.forwarded(value, values)
                statements = tuple(others)
            case (typed.If(condition, then, None),):
                when += [effects.forwarded(c, values) for c in conjuncts(condition)]
                statements = then.statements
            case (typed.ForEach(domain=typed.Neighbors(node=typed.Variable(own))) as arcs,) if own is node and not row:
                row = arcs
                when += [effects.forwarded(c, values) for c in all_asked(arcs.filter)]
                statements = arcs.body.statements
            case _:
                break
    if row is None or not isinstance(row.domain, typed.Neighbors) or _has_effects(loop):
        return None
    if {place.symbol for place in walk.places(loop)} & {*values, node, row.iterator}:
        return None
    return _Arcs(loop, row.domain, node, row.iterator, tuple(when), statements, values)


def _has_effects(loop: typed.ForEach) -> bool:
    """Whether a loop evaluates anything that may change something."""
    values = (part for value in walk.all_values(loop) for part in walk.within(value))
    return any(isinstance(part, typed.Call | typed.Incremented) for part in values)


def _with_flag(s: typed.Statement, question: _Arcs, flag: typed.Variable) -> typed.Statement | None:
    """A loop that sets the flag where it changes something; None if the question is another, or it does more."""
    changes = _read(s)
    if changes is None or changes.reads(flag.symbol) or (asked := question.seen_as(changes)) is None:
        return None
    build = Builder(question.loop.span)
    made: tuple[typed.Statement, ...]
    match changes.inner:
        case (typed.AssignExtreme(place=typed.Cell()) as store,):
            offer = effects.forwarded(replace(store, carried=()), changes.values)
            asked, when = (tuple(_without_idle(c, offer, changes)) for c in (asked, changes.when))
            wins = [c for c in asked if _is_strict(c) and says_that_it_wins(c, offer)]
            asked = tuple(c for c in asked if c not in wins)
            when = tuple(c for c in when if not (_is_strict(c) and says_that_it_wins(c, offer)))
            last, made = store, (replace(store, carried=(*store.carried, build.carried(flag, True))),)
            if not wins or any(c.place == flag for c in store.carried):
                return None
        case (*_, last) as stores if all(
            isinstance(i, typed.Assign) and isinstance(i.place, typed.Cell) for i in stores
        ):
            when, made = changes.when, (last, build.assign(flag, True))
        case _:
            return None
    if {*map(_one_way, asked)} != {*map(_one_way, when)}:
        return None
    return rebuilding.with_each_statement(changes.loop, lambda i: made if i is last else None)


def _without_idle(
    conditions: tuple[typed.Expression, ...], offer: typed.AssignExtreme, arcs: _Arcs
) -> Iterator[typed.Expression]:
    """The conditions but those that only leave out a node at the end of the order, which offers nothing."""
    ends = [typed.Cell(offer.place.symbol, typed.Variable(end)) for end in (arcs.node, arcs.there)]
    for c in conditions:
        if not any(
            leaves_out_end(c, e, offer.extreme) and effects.is_end(offer.candidate, e, offer.extreme) for e in ends
        ):
            yield c


def _is_strict(condition: typed.Expression) -> bool:
    return isinstance(condition, typed.Binary) and condition.operator in _STRICT


def _one_way(condition: typed.Expression) -> typed.Expression:
    """A comparison with its lesser side on the left."""
    match condition:
        case typed.Binary(typed.Operator.GREATER | typed.Operator.GREATER_EQUAL as way, left, right):
            return replace(condition, operator=MIRRORED[way], left=right, right=left)
    return condition
