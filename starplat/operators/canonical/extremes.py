"""Comparing before storing becomes the `Min` or `Max` that it is.

if (d + 1 < w.level) {                           <w.level, more> = <Min(w.level, d + 1), True>;
  w.level = d + 1;
  more = True;
}
int d = v.far < w.far ? v.far : w.far;           int d = min(v.far, w.far);
int d = v.far; if (w.far < d) { d = w.far; }     int d = min(v.far, w.far);

Where neither or one of two cells takes the value of the other, each takes it by itself:

if (w.c > v.c) { w.c = v.c; }                    if (w.c > v.c) { w.c = v.c; }
else if (w.c < v.c) { v.c = w.c; }               if (w.c < v.c) { v.c = w.c; }
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import MIRRORED, conjuncts, mentions, says_that_it_wins
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.canonical.filters import all_of
from starplat.operators.canonical.rebuilding import Tree, rebuilt, with_each_statement_inside_out, with_statements

_WAYS = {typed.Function.MIN: typed.Extreme.MIN, typed.Function.MAX: typed.Extreme.MAX}
_STRICT = (typed.Operator.LESS, typed.Operator.GREATER)
_LESSER = (typed.Operator.LESS, typed.Operator.LESS_EQUAL)
_GREATER = (typed.Operator.GREATER, typed.Operator.GREATER_EQUAL)


def as_extremes(body: Tree) -> Tree:
    """A block (a loop) with every such comparison of a cell in it as one `Min` or `Max`."""

    def change(part: Any) -> Any:
        match part:
            case typed.If():
                return _as_extreme(part)
            case typed.Assign(typed.Cell() as place, typed.Apply(function, (left, right))):
                way = _WAYS.get(function) if place in (left, right) else None
                return way and typed.AssignExtreme(way, place, right if left == place else left, span=part.span)
        return None

    return rebuilt(body, change)


def with_branches_apart(body: typed.Block) -> typed.Block:
    """The body of a loop with such branches apart; for proofs about the loop, since in a `forall` another iteration may
    lower a cell between them."""

    branches = any(isinstance(s, typed.If) and s.otherwise is not None for s in walk.statements(body))
    return with_each_statement_inside_out(body, _apart) if branches else body


def _apart(s: typed.Statement) -> Iterator[typed.Statement]:
    """Two branches as two statements, where the first makes two cells equal and the second asks whether they differ."""
    match s:
        case typed.If(
            typed.Binary(operator, typed.Cell() as one, typed.Cell() as other),
            typed.Block(stores),
            typed.Block((typed.If(condition=typed.Binary() as second, otherwise=None) as branch,)),
        ) if operator in _STRICT and one.symbol is other.symbol and _turns(second, operator, one, other):
            equal = any(isinstance(i, typed.Assign) and {i.place, i.value} == {one, other} for i in stores)
            if equal and all(_is_apart(i, one, other) for i in stores):
                yield from (replace(s, otherwise=None), branch)
                return
    yield s


def _turns(second: typed.Binary, operator: typed.Operator, one: typed.Cell, other: typed.Cell) -> bool:
    """Whether a comparison is of the same two cells, the other way round."""
    way = (second.operator, second.left, second.right)
    return way in ((operator, other, one), (MIRRORED[operator], one, other))


def _is_apart(s: typed.Statement, one: typed.Cell, other: typed.Cell) -> bool:
    """Whether a statement gives one of two cells the value of the other, or stores a constant in a scalar."""
    match s:
        case typed.Assign(typed.Cell() as place, value):
            of_nodes = isinstance(one.index, typed.Variable) and isinstance(other.index, typed.Variable)
            return of_nodes and {place, value} == {one, other}
        case typed.Assign(typed.Variable(symbol), typed.Literal()):
            indices = (one.index, other.index)
            return all(isinstance(at, typed.Variable) and at.symbol is not symbol for at in indices)
    return False


def _as_extreme(branch: typed.If) -> typed.Statement | None:
    """The `Min` or `Max` that a branch with a store asks for, or that it holds already: what happens beside it happens
    if it wins, unless another came between."""
    if branch.otherwise is not None:
        return None
    asked = list(conjuncts(branch.condition))
    for store in branch.then.statements:
        match store:
            case typed.Assign(typed.Cell() as place, value):
                offers = [typed.AssignExtreme(extreme, place, value, span=store.span) for extreme in typed.Extreme]
            case typed.AssignExtreme(place=typed.Cell()):
                offers = [store]
            case _:
                continue
        for offer in offers:
            wins, carried = _wins(asked, offer), _carried(branch.then.statements, store, offer.place)
            only_stores = offer is not store and not carried
            if wins and carried is not None and (only_stores or all(map(_is_strict, wins))):
                return under([c for c in asked if c not in wins], replace(offer, carried=(*offer.carried, *carried)))
    return None


def _wins(asked: list[typed.Expression], s: typed.AssignExtreme) -> list[typed.Expression]:
    """The conditions that say together that a `Min` or `Max` wins: one of the value, or one of each of two values of
    which it takes the worse."""
    if wins := [c for c in asked if says_that_it_wins(c, s)]:
        return wins
    worse = typed.Function.MAX if s.extreme is typed.Extreme.MIN else typed.Function.MIN
    match s.candidate:
        case typed.Apply(function, arguments) if function is worse:
            each = [[c for c in asked if says_that_it_wins(c, replace(s, candidate=a))] for a in arguments]
            return [c for of in each for c in of] if all(each) else []
    return []


def _carried(
    then: tuple[typed.Statement, ...], store: typed.Statement, place: typed.Place
) -> tuple[typed.Carried, ...] | None:
    """What is stored beside the store; None if anything else happens there, or it depends on the place, or more than
    one value is stored in one."""
    carried: list[typed.Carried] = []
    for s in then:
        match s:
            case _ if s is store:
                pass
            case typed.Assign(other, typed.Literal() | typed.Variable() as value) if other != place and all(
                c.place != other for c in carried
            ):
                carried.append(typed.Carried(other, value, span=s.span))
            case _:
                return None
    return tuple(carried)


def _is_strict(condition: typed.Expression) -> bool:
    return isinstance(condition, typed.Binary) and condition.operator in _STRICT


def under(conditions: list[typed.Expression], s: typed.Statement) -> typed.Statement:
    """The statement where all conditions hold."""
    condition = all_of(conditions)
    then = s if isinstance(s, typed.Block) else typed.Block((s,), span=s.span)
    return s if condition is None else typed.If(condition, then, span=s.span)


# --- choices


def without_choices(body: typed.Block) -> typed.Block:
    """A function's body with such choices between whole numbers: of reals, one may be no number."""

    def change(part: Any) -> Any:
        match part:
            case typed.Block():
                return with_statements(part, list(_chosen_in_locals([rebuilt(s, change) for s in part.statements])))
            case typed.Conditional(typed.Binary() as asks) if part.type in (Scalar.INT, Scalar.LONG):
                least = _chosen(part, asks)
                return None if least is None else rebuilt(least, change)
        return None

    return rebuilt(body, change)


def _chosen_in_locals(statements: Sequence[typed.Statement]) -> Iterator[typed.Statement]:
    """The statements with locals that begin with the better of two values, where a branch behind them chooses."""
    rest = list(statements)
    while rest:
        s = rest.pop(0)
        while rest and (chosen := _chosen_next(s, rest[0])) is not None:
            s = chosen
            rest.pop(0)
        yield s


def _chosen_next(s: typed.Statement, branch: typed.Statement) -> typed.Declare | None:
    match s, branch:
        case (
            typed.Declare(local, first),
            typed.If(_, typed.Block((typed.Assign(typed.Variable(to), value) as store,)), None),
        ) if to is local and first is not None and local.type in (Scalar.INT, Scalar.LONG):
            calls = any(isinstance(p, typed.Incremented | typed.Call) for p in walk.within(value))
            for function, extreme in _WAYS.items() if not calls and not mentions(value, {local}) else ():
                if says_that_it_wins(branch.condition, typed.AssignExtreme(extreme, store.place, value)):
                    return replace(s, value=typed.Apply(function, (first, value), local.type, span=store.span))
    return None


def _chosen(choice: typed.Conditional, asks: typed.Binary) -> typed.Expression | None:
    operator, values = asks.operator, (asks.left, asks.right)
    if (choice.otherwise, choice.then) == values and operator in MIRRORED:
        operator, values = MIRRORED[operator], (asks.right, asks.left)
    if (choice.then, choice.otherwise) != values or any(
        isinstance(p, typed.Incremented | typed.Call) for v in values for p in walk.within(v)
    ):
        return None
    if operator not in (*_LESSER, *_GREATER):
        return None
    function = typed.Function.MIN if operator in _LESSER else typed.Function.MAX
    return typed.Apply(function, values, choice.type, span=choice.span)
