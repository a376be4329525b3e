"""What flagged nodes give to nodes that have nothing yet, and these are flagged for the next round."""

from collections.abc import Sequence

from starplat.analysis import walk
from starplat.analysis.settling.monotone import asked_flag
from starplat.frontend import typed, types
from starplat.operators.canonical.hosts import Known, Loop
from starplat.operators.canonical.searches.initial_values import initial_values
from starplat.operators.canonical.searches.levels import Counter, begins_at, in_first_round, is_next, number, one_more
from starplat.operators.canonical.searches.stores import Offer, Store, compared, says


def of_wave(
    store: Store, loop: Loop, before: Sequence[typed.Statement], known: Known, counters: dict[typed.Symbol, Counter]
) -> Offer | None:
    """What flagged nodes give to nodes that have nothing yet, and these are flagged for the next round: the flagged
    ones are all at one level, so any of them will do. The next level is counted by rounds, or 1 more than theirs."""
    mine = typed.Cell(store.place.symbol, typed.Variable(store.source))
    flags = [flag for c in store.when if (flag := asked_flag(c, store.source)) is not None]
    if len(flags) != 1 or not _next_wave(flags[0], store, loop):
        return None
    is_mark = store.value == typed.TRUE
    unreached = [c for c in store.when if _asks_for_none(c, store.place, is_mark)]
    rest = tuple(c for c in store.when if c not in unreached)
    if is_mark and unreached:
        true = typed.Literal(True, types.Scalar.BOOL, span=store.place.span)
        return typed.AssignExtreme(typed.Extreme.MAX, store.place, true, store.beside, span=store.place.span), rest
    level = flagged_at_level(flags[0], mine.symbol, before, known)
    if not unreached or level is None:
        return None
    if not is_next(mine, store.value) and in_first_round(store.value, store, loop, counters) != level + 1:
        return None
    following = one_more(mine, store.place.span)
    return typed.AssignExtreme(typed.Extreme.MIN, store.place, following, store.beside, span=store.place.span), rest


def _asks_for_none(condition: typed.Expression, place: typed.Cell, is_mark: bool) -> bool:
    end = compared(condition, place)
    return says(condition, place, False) if is_mark else isinstance(end, typed.Infinity) and not end.negative


def _next_wave(flag: typed.Symbol, store: Store, loop: Loop) -> bool:
    """Whether a node is flagged for the next round exactly if it is given something in this one."""
    nexts = {
        c.place.symbol
        for c in store.beside
        if isinstance(c.place, typed.Cell) and c.place.index == store.place.index and c.value == typed.TRUE
    }
    writers = [s for s in walk.statements(loop.body) if {flag, *nexts} & set(walk.written(s))]
    beside = [s for s in writers if isinstance(s, typed.Assign) and any(s.place is c.place for c in store.beside)]
    moved = False
    for s in (s for s in writers if not any(s is b for b in beside)):
        match s:
            case typed.CopyProperty(destination=destination, source=following) if s in loop.body.statements:
                moved = destination is flag and following in nexts
                if not moved:
                    return False
            case typed.Attach(items=items) if s in loop.body.statements:
                if not all(symbol in nexts and symbol is not flag and v == typed.FALSE for symbol, v in items):
                    return False
            case _:
                return False
    itself = isinstance(loop, typed.FixedPoint) and flag in nexts and len(beside) == len(writers)
    return moved or itself


def flagged_at_level(
    flag: typed.Symbol, symbol: typed.Symbol, before: Sequence[typed.Statement], known: Known
) -> int | None:
    """The one number that the flagged nodes are given at first, if they are those, and all others are at INF."""
    levels, flags = initial_values(symbol, before), initial_values(flag, before)
    if levels is None or flags is None or flags.fill != typed.FALSE or not all(v == typed.TRUE for _, v in flags.set):
        return None
    if not levels.set or {index for index, _ in levels.set} != {index for index, _ in flags.set}:
        return None
    first = number(levels.set[0][1], known)
    return first if first is not None and begins_at(symbol, first, before, known) else None
