"""Maintains a count of neighbors in a set in a property, where the program recounts in every round.

forall (v in g.nodes().filter(alive)) {               forall (v in g.nodes().filter(alive)) {
  int d = 0;                                            if (v.degree < k) { v.alive = False; v.leaving = True; }
  for (u in g.nodes_to(v).filter(alive)) { d++; }     }
  if (d < k) { v.alive = False; }                     forall (v in g.nodes().filter(leaving)) {
}                                                       v.leaving = False;
                                                        forall (w in g.neighbors(v)) { w.degree -= 1; }
                                                      }

A node that is inserted or removed updates the count of its neighbors; a fill that inserts all nodes recounts all. That
pays where counts are more frequent than fills. Nodes removed in a loop that reads the count push their updates after
the loop, which is one of the orders in which its iterations may run.
"""

from collections.abc import Iterator, Sequence

from starplat.analysis import walk
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed
from starplat.operators.canonical.counts.counting import Count, all_counts, loops_around
from starplat.operators.canonical.counts.members import FLAG, NUMBER, Members, loops_over_nodes
from starplat.operators.canonical.counts.updates import ZERO, Keeping, Store
from starplat.operators.canonical.rebuilding import rebuilt
from starplat.same import Same


def with_kept_counts(body: typed.Block) -> typed.Block:
    """A function's body with such counts maintained."""
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
        if not any(own in _touched(s) for s in walk.statements(changed)):  # the old property has no other use
            body = changed


def _keeping(body: typed.Block, counts: Sequence[Count]) -> Keeping | None:
    """The changes that maintain counts of the members of a set; None if that is not possible or would not pay."""
    members, own = counts[0].members, counts[0].property
    loops = list(loops_over_nodes(body))
    stores = {Same(s): Store(s, loop, joins) for loop in loops for s, joins in _stores(loop, members, body)}
    alike = all(counts[0].alike(other) and other.property is own for other in counts)
    known = all(_is_known(s, members, stores, body) for s in walk.statements(body))
    if not alike or not known or not _tell_in_time(counts, stores) or not all(_pays(body, count) for count in counts):
        return None
    first = _first(body, members)
    if first is None or (own is not None and not _is_kept_in(own, body, counts, stores)):
        return None
    kept = typed.Symbol(f"number_of_{members.symbol.name}", NUMBER, typed.Role.LOCAL, members.symbol.span)
    counting = {Same(count.loop) for count in counts}
    names = {True: "joining", False: "leaving"}
    marks: dict[tuple[Same, bool], typed.Symbol] = {}
    for store in stores.values():
        if Same(store.loop) in counting or own in {s for i in walk.statements(store.loop) for s in walk.read(i)}:
            name = f"{names[store.joins]}_{members.symbol.name}"
            mark = typed.Symbol(name, FLAG, typed.Role.LOCAL, store.statement.span)
            marks.setdefault((Same(store.loop), store.joins), mark)
    blocks = (s.statements for s in walk.statements(body) if isinstance(s, typed.Block))
    before = {Same(s): every[:place] for every in blocks for place, s in enumerate(every)}
    sure = {Same(s) for loop in loops if (s := members.sure_to_leave(loop, body, before[Same(loop)])) is not None}
    return Keeping(counts, stores, marks, sure, kept, first)


def _tell_in_time(counts: Sequence[Count], stores: dict[Same, Store]) -> bool:
    """Whether iterations count before they change membership, and change it in one direction or once in each."""
    for count in counts:
        order = [Same(s) for s in walk.statements(count.loop)]
        if any(place in stores for place in order[: order.index(Same(count.parts[-1]))]):
            return False
    directions: dict[Same, list[bool]] = {}
    for store in stores.values():
        directions.setdefault(Same(store.loop), []).append(store.joins)
    return all(len(joins) <= 2 or len(set(joins)) == 1 for joins in directions.values())


def _stores(loop: typed.ForEach, members: Members, body: typed.Block) -> Iterator[tuple[typed.Assign, bool]]:
    own = typed.Cell(members.symbol, typed.Variable(loop.iterator))
    for s in walk.own_statements(loop.body):
        if isinstance(s, typed.Assign) and s.place == own and (joins := members.joins(s.value, body)) is not None:
            yield s, joins


def _is_known(s: typed.Statement, members: Members, stores: dict[Same, Store], body: typed.Block) -> bool:
    """Whether a statement does not change the set, fills it with one value, or is one of the stores."""
    if isinstance(s, typed.FixedPoint) and mentions(s.condition, {members.symbol}):
        return False  # a fixed point swaps flags between its rounds
    if members.symbol not in walk.written(s):
        return True
    if isinstance(s, typed.Attach):
        values = [value for symbol, value in s.items if symbol is members.symbol]
        return (
            len(values) == 1 and isinstance(values[0], typed.Expression) and members.joins(values[0], body) is not None
        )
    return Same(s) in stores


def _first(body: typed.Block, members: Members) -> typed.Statement | None:
    """The statement after which membership is known: the declaration of a flag that begins cleared, or a fill at the
    top of the function that is the first statement to touch the property."""
    declared = [s for s in walk.statements(body) if isinstance(s, typed.Declare) and s.symbol is members.symbol]
    if declared and members.joins(typed.FALSE if members.symbol.type == FLAG else ZERO, body) is False:
        return declared[0]
    touched = [s for s in body.statements if any(members.symbol in _touched(i) for i in walk.statements(s))][:1]
    return next((s for s in touched if isinstance(s, typed.Attach)), None)


def _touched(s: typed.Statement) -> tuple[typed.Symbol, ...]:
    return (*walk.written(s), *walk.read(s))


def _pays(body: typed.Block, count: Count) -> bool:
    """Whether the count repeats in a loop of the host that does not fill the set."""
    around = loops_around(body, count.loop)
    inside = [s for loop in around[-1:] for s in walk.statements(loop)]
    return bool(around) and not any(
        isinstance(s, typed.Attach) and count.members.symbol in walk.written(s) for s in inside
    )


def _is_kept_in(own: typed.Symbol, body: typed.Block, counts: Sequence[Count], stores: dict[Same, Store]) -> bool:
    """Whether the local property of a count has no other writer, and in a round is not read after the set changes."""
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
    changes = [i for i, s in enumerate(every) if any(Same(j) in stores for j in walk.statements(s))]
    if (
        (needs_fill and not fills)
        or not changes
        or changes[0] < places[0]
        or not any(every[changes[0]] is store.loop for store in stores.values())
    ):
        return False
    readers = every[places[0] + 1 : changes[0] + 1]
    inside = {Same(j) for s in (*fills, count.loop, *readers) for j in walk.statements(s)}
    others = [s for s in walk.statements(body) if own in _touched(s) and Same(s) not in inside]
    if not all(isinstance(s, typed.Attach) and all(value is not own for _, value in s.items) for s in others):
        return False
    if count.for_members and not all(_is_about_members(s, own, count.members) for s in readers):
        return False
    return not any(own in walk.written(j) for s in readers for j in walk.statements(s))


def _is_about_members(s: typed.Statement, own: typed.Symbol, members: Members) -> bool:
    """Whether a statement reads a property only in the cells of members, each its own."""
    if not any(own in walk.read(i) for i in walk.statements(s)):
        return True
    cells = [p for p in walk.all_parts(s) if isinstance(p, typed.Cell) and p.symbol is own]
    mine = isinstance(s, typed.ForEach) and all(cell.index == typed.Variable(s.iterator) for cell in cells)
    return mine and isinstance(s, typed.ForEach) and members.asked_by(s)
