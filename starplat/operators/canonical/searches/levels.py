"""The next level, which a node without one is given: the least number of arcs, as counted by rounds; and whether
there are rounds enough."""

from collections.abc import Sequence
from dataclasses import dataclass

from starplat.analysis import walk
from starplat.analysis.settling.monotone import asked_of
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical.hosts import Known, Loop
from starplat.operators.canonical.searches.initial_values import initial_values
from starplat.operators.canonical.searches.stores import Offer, Store, compared, is_above
from starplat.source import Span


@dataclass(frozen=True)
class Counter:
    """A local that grows by 1 in every round, by a statement of the round; its value when the loop begins."""

    step: typed.Statement
    place: int
    first: int


def counters_of_rounds(loop: Loop, known: Known) -> dict[typed.Symbol, Counter]:
    found = {}
    for place, s in enumerate(loop.body.statements):
        if (symbol := counted_up(s)) is None:
            continue
        writers = walk.writers(symbol, loop.body)
        first = known.get(symbol)
        if writers == [s] and isinstance(first, int) and not isinstance(first, bool):
            found[symbol] = Counter(s, place, first)
    return found


def counted_up(s: typed.Statement) -> typed.Symbol | None:
    """The variable that a statement makes larger by 1."""
    match s:
        case typed.Update(combine=typed.Combine.ADD, place=typed.Variable(symbol=symbol), value=typed.Literal(value=1)):
            return symbol
        case typed.Assign(place=typed.Variable(symbol=symbol) as own, value=value) if is_next(own, value):
            return symbol
    return None


def is_next(value: typed.Expression, after: typed.Expression) -> bool:
    """Whether one value is 1 more than another."""
    match after:
        case typed.Binary(operator=typed.Operator.ADD, left=left, right=typed.Literal(value=1)) if left == value:
            return True
        case typed.Binary(operator=typed.Operator.ADD, left=typed.Literal(value=1), right=right) if right == value:
            return True
    match value:
        case typed.Binary(operator=typed.Operator.SUBTRACT, left=left, right=typed.Literal(value=1)):
            return left == after
    return False


def one_more(cell: typed.Cell, span: Span) -> typed.Expression:
    """What follows the level in a cell."""
    return typed.Binary(typed.Operator.ADD, cell, typed.Literal(1, cell.type, span=span), cell.type, span=span)


def above(value: typed.Expression | None, of: typed.Expression) -> int | None:
    """How much more one value is than another, where it says so by numbers."""
    match value:
        case _ if value == of:
            return 0
        case typed.Binary(operator=operator, left=left, right=typed.Literal(value=int() as number)) if operator in (
            typed.Operator.ADD,
            typed.Operator.SUBTRACT,
        ):
            less = above(left, of)
            return None if less is None else less + (number if operator is typed.Operator.ADD else -number)
    return None


def asked_level(condition: typed.Expression, cell: typed.Cell) -> typed.Expression | None:
    """What a condition asks a level to be equal to, which no counter of rounds takes beyond its type: `level + 1 == c`
    asks for c - 1."""
    if isinstance(condition, typed.Binary) and condition.operator is typed.Operator.EQUAL:
        for one, other in ((condition.left, condition.right), (condition.right, condition.left)):
            if (more := above(one, cell)) is not None:
                return other if more == 0 else Builder(condition.span).plus(other, -more)
    return None


def of_level(
    store: Store, loop: Loop, before: Sequence[typed.Statement], known: Known, counters: dict[typed.Symbol, Counter]
) -> Offer | None:
    """The next level, which a node without one is given by a neighbor of this level, as the least of all."""
    mine = typed.Cell(store.place.symbol, typed.Variable(store.source))
    levels = [(c, level) for c in store.when if (level := compared(c, mine)) is not None]
    unreached = [c for c in store.when if _asks_for_none(c, store)]
    if len(levels) != 1 or not unreached:
        return None
    ((condition, level),) = levels
    if not is_next(mine, store.value) and not is_next(level, store.value):
        return None
    first = in_first_round(level, store, loop, counters)
    if first is None:
        return None
    if not begins_at(mine.symbol, first, before, known):
        return None
    rest = tuple(c for c in store.when if c is not condition and c not in unreached)
    following = one_more(mine, store.place.span)
    return typed.AssignExtreme(typed.Extreme.MIN, store.place, following, store.beside, span=store.place.span), rest


def _asks_for_none(condition: typed.Expression, store: Store) -> bool:
    """Whether a condition asks whether a cell has no level yet: none is above the next."""
    end = compared(condition, store.place)
    return is_above(condition, store) or (isinstance(end, typed.Infinity) and not end.negative)


def in_first_round(
    level: typed.Expression, store: Store, loop: Loop, counters: dict[typed.Symbol, Counter]
) -> int | None:
    """The value of a level in the first round, beside a store of it; every round after it has one more."""
    for symbol, counter in counters.items():
        if (more := above(level, typed.Variable(symbol))) is not None:
            place = next(i for i, s in enumerate(loop.body.statements) if any(p is store.place for p in walk.places(s)))
            return counter.first + (counter.place < place) + more
    return None


def begins_at(symbol: typed.Symbol, first: int, before: Sequence[typed.Statement], known: Known) -> bool:
    """Whether the cells are all INF after these statements, but for some that hold a number."""
    begun = initial_values(symbol, before)
    if begun is None or not isinstance(begun.fill, typed.Infinity) or begun.fill.negative:
        return False
    return all(number(value, known) == first for _, value in begun.set)


def number(value: typed.Expression, known: Known) -> int | None:
    held = known.get(value.symbol) if isinstance(value, typed.Variable) else None
    found = value.value if isinstance(value, typed.Literal) else held
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def has_enough(loop: typed.CountedLoop, before: Sequence[typed.Statement]) -> bool:
    """Whether there are no fewer rounds than nodes but one."""
    begins = loop.first in (typed.Literal(0, Scalar.INT), typed.Literal(1, Scalar.INT))
    if walk.variables(loop.condition) & (walk.all_written(loop.body) | walk.lent(loop.body)):
        return False
    match asked_of(loop.condition, typed.Variable(loop.symbol)):
        case typed.Operator.LESS | typed.Operator.LESS_EQUAL, end:
            return begins and counted_up(loop.step) is loop.symbol and _is_number_of_nodes(end, before)
    return False


def _is_number_of_nodes(value: typed.Expression, before: Sequence[typed.Statement]) -> bool:
    match value:
        case typed.GraphQuery(query=typed.Query.NUM_NODES):
            return True
        case typed.Variable(symbol):
            writers = walk.writers(symbol, *before)
            declared = [s for s in before if isinstance(s, typed.Declare) and s.symbol is symbol]
            given = [s.value for s in declared if s.value is not None]
            return len(given) == 1 and all(w in declared for w in writers) and _is_number_of_nodes(given[0], ())
    return False
