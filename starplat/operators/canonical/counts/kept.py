"""A count of neighbors in a set that nodes make anew in every round is kept in a property.

forall (v in g.nodes().filter(alive)) {               forall (v in g.nodes().filter(alive)) {
  int d = 0;                                            if (v.degree < k) { v.alive = False; v.leaving = True; }
  for (u in g.nodes_to(v).filter(alive)) { d++; }     }
  if (d < k) { v.alive = False; }                     forall (v in g.nodes().filter(leaving)) {
}                                                       v.leaving = False;
                                                        forall (w in g.neighbors(v)) { w.degree -= 1; }
                                                      }

A node that joins the set or leaves it tells the neighbors whose count it is in; where all join at once, all are
counted. That pays where nodes count more often than cells are filled. Nodes that leave in a loop that reads the count
tell after it, which is one of the orders in which their turns could come.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from starplat.analysis import walk
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed
from starplat.operators.canonical.counts.counting import Count, all_counts, loops_around
from starplat.operators.canonical.counts.members import FALSE, FLAG, NUMBER, Members, loops_over_nodes
from starplat.operators.canonical.counts.telling import ZERO, Keeping, Store
from starplat.operators.canonical.hosts import own_statements, read
from starplat.operators.canonical.rebuilding import rebuilt


def with_kept_counts(body: typed.Block) -> typed.Block:
    """A function's body with such counts kept."""
    return _with_kept(_with_kept(body, in_locals=False), in_locals=True)


def _with_kept(body: typed.Block, *, in_locals: bool) -> typed.Block:
    tried: set[Members] = set()
    while True:
        counts = [count for count in all_counts(body, in_locals=in_locals) if count.members not in tried]
        if not counts:
            return body
        members = counts[0].members
        tried.add(members)
        keeping = _keeping(body, [count for count in counts if count.members == members])
        changed = body if keeping is None else rebuilt(body, keeping.change)
        own = counts[0].property
        if not any(
            own in _touched(s) for s in walk.statements(changed)
        ):  # as a whole, which no other number stands for
            body = changed


def _keeping(body: typed.Block, counts: Sequence[Count]) -> Keeping | None:
    """The changes that keep counts of the members of a set; None if they cannot be kept, or that would not pay."""
    members, own = counts[0].members, counts[0].property
    loops = list(loops_over_nodes(body))
    stores = {id(s): Store(s, loop, joins) for loop in loops for s, joins in _stores(loop, members, body)}
    alike = all(counts[0].alike(other) and other.property is own for other in counts)
    known = all(_is_known(s, members, stores, body) for s in walk.statements(body))
    if not alike or not known or not _tell_in_time(counts, stores) or not all(_pays(body, count) for count in counts):
        return None
    first = _first(body, members)
    if first is None or (own is not None and not _is_kept_in(own, body, counts, stores)):
        return None
    kept = typed.Symbol(f"number_of_{members.symbol.name}", NUMBER, typed.Role.LOCAL, members.symbol.span)
    counting = {id(count.loop) for count in counts}
    names = {True: "joining", False: "leaving"}
    marks: dict[tuple[int, bool], typed.Symbol] = {}
    for store in stores.values():
        if id(store.loop) in counting or own in {s for i in walk.statements(store.loop) for s in read(i)}:
            name = f"{names[store.joins]}_{members.symbol.name}"
            mark = typed.Symbol(name, FLAG, typed.Role.LOCAL, store.statement.span)
            marks.setdefault((id(store.loop), store.joins), mark)
    sure = {id(s) for loop in loops if (s := members.sure_to_leave(loop, body)) is not None}
    return Keeping(counts, stores, marks, sure, kept, first)


def _tell_in_time(counts: Sequence[Count], stores: dict[int, Store]) -> bool:
    """Whether nodes count before they join or leave in their turn, where they tell after it, and do either once."""
    for count in counts:
        order = [id(s) for s in walk.statements(count.loop)]
        if any(place in stores for place in order[: order.index(id(count.parts[-1]))]):
            return False
    directions: dict[int, list[bool]] = {}
    for store in stores.values():
        directions.setdefault(id(store.loop), []).append(store.joins)
    return all(len(joins) <= 2 or len(set(joins)) == 1 for joins in directions.values())


def _stores(loop: typed.ForEach, members: Members, body: typed.Block) -> Iterator[tuple[typed.Assign, bool]]:
    own = typed.Cell(members.symbol, typed.Variable(loop.iterator))
    for s in own_statements(loop.body):
        if isinstance(s, typed.Assign) and s.place == own and (joins := members.joins(s.value, body)) is not None:
            yield s, joins


def _is_known(s: typed.Statement, members: Members, stores: dict[int, Store], body: typed.Block) -> bool:
    """Whether a statement leaves a set alone, gives all nodes one value, or is one of the stores."""
    if isinstance(s, typed.FixedPoint) and mentions(s.condition, {members.symbol}):
        return False  # its rounds may begin with other flags than they leave
    if members.symbol not in walk.written(s):
        return True
    if isinstance(s, typed.Attach):
        values = [value for symbol, value in s.items if symbol is members.symbol]
        return (
            len(values) == 1 and isinstance(values[0], typed.Expression) and members.joins(values[0], body) is not None
        )
    return id(s) in stores


def _first(body: typed.Block, members: Members) -> typed.Statement | None:
    """The statement after which it is known who is a member: the declaration of a flag that begins cleared, or the
    first that has to do with the property, if that fills it at the top of the function."""
    declared = [s for s in walk.statements(body) if isinstance(s, typed.Declare) and s.symbol is members.symbol]
    if declared and members.joins(FALSE if members.symbol.type == FLAG else ZERO, body) is False:
        return declared[0]
    touched = [s for s in body.statements if any(members.symbol in _touched(i) for i in walk.statements(s))][:1]
    return next((s for s in touched if isinstance(s, typed.Attach)), None)


def _touched(s: typed.Statement) -> tuple[typed.Symbol, ...]:
    return (*walk.written(s), *read(s))


def _pays(body: typed.Block, count: Count) -> bool:
    """Whether a loop of the host counts again and again between two times that all cells are filled."""
    around = loops_around(body, count.loop)
    inside = [s for loop in around[-1:] for s in walk.statements(loop)]
    return bool(around) and not any(
        isinstance(s, typed.Attach) and count.members.symbol in walk.written(s) for s in inside
    )


def _is_kept_in(own: typed.Symbol, body: typed.Block, counts: Sequence[Count], stores: dict[int, Store]) -> bool:
    """Whether a local property in which nodes count in each round is not read from the first change of the set on
    until they count again, and not changed otherwise."""
    if own.role is not typed.Role.LOCAL or len(counts) != 1:
        return False
    (count,) = counts
    loop = loops_around(body, count.loop)[-1]
    every = loop.body.statements
    places = [i for i, s in enumerate(every) if s is count.loop]
    if not places:
        return False
    fills = [s for s in every[: places[0]] if own in walk.written(s)][-1:]
    needs_fill = isinstance(count.loop.body.statements[-1], typed.ForEach)
    changes = [i for i, s in enumerate(every) if any(id(j) in stores for j in walk.statements(s))]
    if (
        (needs_fill and not fills)
        or not changes
        or changes[0] < places[0]
        or not any(every[changes[0]] is store.loop for store in stores.values())
    ):
        return False
    readers = every[places[0] + 1 : changes[0] + 1]
    inside = {id(j) for s in (*fills, count.loop, *readers) for j in walk.statements(s)}
    others = [s for s in walk.statements(body) if own in _touched(s) and id(s) not in inside]
    if not all(isinstance(s, typed.Attach) and all(value is not own for _, value in s.items) for s in others):
        return False
    if count.for_members and not all(_is_about_members(s, own, count.members) for s in readers):
        return False
    return not any(own in walk.written(j) for s in readers for j in walk.statements(s))


def _is_about_members(s: typed.Statement, own: typed.Symbol, members: Members) -> bool:
    """Whether only members read a property in a statement, and only their own cells."""
    if not any(own in read(i) for i in walk.statements(s)):
        return True
    cells = [p for v in walk.all_values(s) for p in walk.within(v) if isinstance(p, typed.Cell) and p.symbol is own]
    mine = isinstance(s, typed.ForEach) and all(cell.index == typed.Variable(s.iterator) for cell in cells)
    return mine and isinstance(s, typed.ForEach) and members.asked_by(s)
