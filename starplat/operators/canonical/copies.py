"""Values that only pass through another name, or through a loop over nodes, are stored where they go.

bool moved = False; ... moved = True; ...        going = False; ... going = True; ...
going = moved;

bool found = False; ... found = True; ...          ... more = True; ...
if (found) { more = True; }

forall (v in g.nodes()) {                        now = next;
  v.now = v.next; v.next = False;                g.attachNodeProperty(next = False);
  if (v.now) { more = True; }                    forall (v in g.nodes()) { if (v.now) { more = True; } }
}

forall (v in g.nodes()) {                        now = next;
  v.now = v.next;                                g.attachNodeProperty(next = False);
  if (v.next) { v.next = False; more = True; }   forall (v in g.nodes()) { if (v.now) { more = True; } }
}

forall (v in g.nodes()) {                        forall (v in g.nodes()) { if (v.next) { size += 1; } }
  if (v.next) { size += 1; }                     now = next;
  v.now = v.next; v.next = False;                g.attachNodeProperty(next = False);
}

g.attachNodeProperty(now = False);               now = next;
forall (v in g.nodes()) {                        g.attachNodeProperty(next = False);
  if (v.next) {                                  forall (v in g.nodes()) { if (v.now) { more = True; } }
    v.next = False; v.now = True; more = True;
  }
}

double next = …;                                 v.next = …;
moved += abs(next - v.rank); v.next = next;      moved += abs(v.next - v.rank);

forall (v in g.nodes()) {                        g.attachNodeProperty(now = False);
  v.now = v.a < v.b;                             forall (v in g.nodes()) {
  if (v.now) { v.b = v.a; }                        if (v.a < v.b) { v.now = True; v.b = v.a; }
}                                                }
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed
from starplat.operators.build import Builder
from starplat.operators.canonical.rebuilding import rebuilt, substituted, with_each_statement, with_statements


def without_copies(body: typed.Block) -> typed.Block:
    """A function's body without such copies."""

    def change(part: Any) -> Any:
        if not isinstance(part, typed.Block):
            return None
        inner = tuple(new for s in _inside(rebuilt(part.statements, change)) for new in _distributed(s))
        return _renamed(_signalled_at_once(replace(part, statements=inner)))

    return rebuilt(body, change)


# --- scalars


def _renamed(block: typed.Block) -> typed.Block:
    """The block with a local called what its value is copied to, where that is not used meanwhile."""
    for last, copy in enumerate(block.statements):
        match copy:
            case typed.Assign(typed.Variable(to), typed.Variable(local)):
                pass
            case _:
                continue
        first = next((i for i, s in enumerate(block.statements) if walk.declares(s, local)), None)
        if first is None or first > last or to.type != local.type:
            continue
        between = block.statements[first + 1 : last]
        leaves = (typed.Break, typed.Continue, typed.Return)
        if any(isinstance(inner, leaves) for s in between for inner in walk.statements(s)):
            continue
        if any(to in _used(s) for s in between) or any(local in _used(s) for s in block.statements[last + 1 :]):
            continue
        begun = block.statements[first]
        assert isinstance(begun, typed.Declare)
        if begun.value is None or not isinstance(begun.value, typed.Literal):
            continue
        assigned = typed.Assign(typed.Variable(to, span=begun.span), begun.value, span=begun.span)
        kept = (*block.statements[:first], assigned, *substituted(between, {local: to}), *block.statements[last + 1 :])
        return _renamed(replace(block, statements=kept))
    return block


def _signalled_at_once(block: typed.Block) -> typed.Block:
    """The block without a local flag for which others are set at its end: they are set where the local is."""
    for last, s in enumerate(block.statements):
        match s:
            case typed.If(typed.Variable(local), typed.Block(found), None):
                pass
            case _:
                continue
        first = next((i for i, s in enumerate(block.statements[:last]) if walk.declares(s, local)), None)
        signals = [t.place.symbol for t in found if isinstance(t, typed.Assign) and t.value == typed.TRUE]
        if first is None or len(signals) < len(found) or not _begins_false(block.statements[first]):
            continue
        between, after = block.statements[first + 1 : last], block.statements[last + 1 :]
        inside = [i for s in between for i in walk.statements(s)]
        stores = [i for i in inside if local in walk.written(i)]
        plain = all(isinstance(i, typed.Assign) and i.value == typed.TRUE for i in stores)
        asked = {symbol for i in inside for symbol in walk.read(i)} | {s for a in after for s in _used(a)}
        leaves = any(isinstance(i, typed.Break | typed.Continue | typed.Return) for i in inside)
        cells = any(isinstance(t, typed.Assign) and isinstance(t.place, typed.Cell) for t in found)
        if not plain or leaves or cells or local in asked or asked & set(signals):
            continue

        kept = _with_signals(typed.Block(between), local, found).statements
        return _signalled_at_once(replace(block, statements=(*block.statements[:first], *kept, *after)))
    return block


def _with_signals(block: typed.Block, local: typed.Symbol, found: tuple[typed.Statement, ...]) -> typed.Block:
    """The block with other statements wherever a local is stored, each time anew."""
    return with_each_statement(block, lambda s: map(replace, found) if local in walk.written(s) else None)


def _begins_false(s: typed.Statement) -> bool:
    return isinstance(s, typed.Declare) and s.value == typed.FALSE


def stored_at_once(loop: typed.ForEach) -> typed.ForEach:
    """A loop over all nodes in which values of locals are stored in a node's own cells as soon as they are known."""
    new = next((new for s in loop.body.statements if (new := _stored_first(loop, s)) is not None), None)
    return loop if new is None else stored_at_once(new)


def _stored_first(loop: typed.ForEach, store: typed.Statement) -> typed.ForEach | None:
    """The loop with a cell in the place of the local that it is given, where nothing else stores in either, or reads
    the cell."""
    match store:
        case typed.Assign(typed.Cell(to, typed.Variable(node)) as cell, typed.Variable(local) as value) if (
            node is loop.iterator and value.type == cell.type
        ):
            pass
        case _:
            return None
    statements = loop.body.statements
    inside = [i for s in statements for i in walk.statements(s)]
    leaves = any(isinstance(i, typed.Break | typed.Continue | typed.Return) for i in inside)
    written = [i for i in inside if local in walk.written(i)]
    declared = next((s for s in statements if isinstance(s, typed.Declare) and s.symbol is local), None)
    if declared is None or written or leaves or any(s is not store and walk.touches(s, to) for s in statements):
        return None
    uses = [i for i in inside if i is not store and walk.touches(i, local)]
    if not uses or any(isinstance(i, typed.ForEach) for i in uses):
        return None
    if declared.value is None or (loop.filter is not None and mentions(loop.filter, {to})):
        return None
    rest = (replace(store, value=declared.value) if s is declared else s for s in statements if s is not store)
    kept = tuple(s if isinstance(s, typed.Assign) and s.place is cell else substituted(s, {local: cell}) for s in rest)
    return replace(loop, body=replace(loop.body, statements=kept))


def _used(s: typed.Statement) -> set[typed.Symbol]:
    """All symbols that a statement and what is in it read or write."""
    found = walk.all_written(s)
    parts = walk.all_parts(s)
    return found | {part.symbol for part in parts if isinstance(part, typed.Variable | typed.Cell)}


# --- properties


def _inside(statements: Sequence[typed.Statement]) -> Sequence[typed.Statement]:
    """Statements with what all nodes take over, or back, in the loop behind, where that begins with a copy then."""
    done: list[typed.Statement] = []
    for s in statements:
        whole = _with_first(done[-1], s) if done else None
        done[-1:] = [*done[-1:], s] if whole is None else [whole]
    return done


def _with_first(whole: typed.Statement, loop: typed.Statement) -> typed.ForEach | None:
    """A loop over all nodes with a flag that is taken over or back in front of it."""
    match loop:
        case typed.ForEach(parallel=True, domain=typed.AllNodes(), body=body):
            build, node = Builder(whole.span), loop.iterator
        case _:
            return None
    match whole:
        case typed.Attach(items=((flag, value),)) if value == typed.FALSE:
            store = build.assign(build.cell(flag, node), False)
        case typed.CopyProperty(flag, of) if walk.touches(loop, of):
            store = build.assign(build.cell(flag, node), build.cell(of, node))
        case _:
            return None
    asked = body.statements if loop.filter is None else (build.when(loop.filter, *body.statements),)
    made = replace(loop, filter=None, body=replace(body, statements=(store, *asked)))
    return made if isinstance(next(_distributed(made)), typed.CopyProperty) else None


def _distributed(s: typed.Statement) -> Iterator[typed.Statement]:
    """A loop over all nodes whose first or last statements copy and fill own cells, as copies and fills of whole
    properties around what is left of the loop."""
    match s:
        case typed.ForEach(domain=typed.AllNodes(graph=graph), filter=None, body=body):
            pass
        case _:
            yield s
            return
    own, wholes = typed.Variable(s.iterator), list[typed.Statement]()
    rest = list(_taken_over(_given_when_as_update(body.statements), own))
    while rest and (whole := _whole(rest[0], own, graph)) is not None:
        wholes.append(whole)
        rest = list(_asked_again(whole, rest[1:], own))
    changed = len(rest) > 0 and rest[-1] is not body.statements[-1]
    last = list[typed.Statement]()
    while rest and not changed and (whole := _whole(rest[-1], own, graph)) is not None:
        last.insert(0, whole)
        rest.pop()
    copied = any(isinstance(whole, typed.CopyProperty) for whole in (*wholes, *last))
    if not (copied or changed) or not all(_is_own(r, own) for r in rest):
        yield s
        return
    yield from wholes
    if rest:
        yield replace(s, body=replace(body, statements=tuple(rest)))
    yield from last


def _given_when_as_update(statements: Sequence[typed.Statement]) -> Sequence[typed.Statement]:
    """A flag that says what the branch behind it asks, set in that branch."""
    match statements:
        case [
            typed.Assign(typed.Cell() as flag, typed.Binary() as value) as store,
            typed.If(condition=asked, otherwise=None) as branch,
        ] if asked == flag and not mentions(value, {flag.symbol}):
            given = typed.Assign(flag, typed.TRUE, span=store.span)
            then = replace(branch.then, statements=(given, *branch.then.statements))
            return replace(store, value=typed.FALSE), replace(branch, condition=value, then=then)
    return statements


def _taken_over(statements: Sequence[typed.Statement], own: typed.Variable) -> Sequence[typed.Statement]:
    """A flag that is taken back, whether or not it is asked before, and set where another is, as a copy of that."""
    match statements:
        case [typed.If(typed.Cell() as flag, typed.Block((typed.Assign(place) as first,)), None), *rest] if (
            place == flag
        ):
            pass
        case [typed.Assign(typed.Cell() as flag) as first, *rest]:
            pass
        case _:
            return statements
    match rest:
        case [typed.If(typed.Cell(index=index) as asked, then, None) as branch, *others] if (
            first.value == typed.FALSE and flag.index == index == own and flag != asked
        ):
            left = [s for s in then.statements if s not in (typed.Assign(flag, typed.TRUE),)]
            kept = replace(branch, then=with_statements(then, left))
            if len(left) == len(then.statements) - 1 and not walk.touches(kept, flag.symbol):
                return typed.Assign(flag, asked, span=first.span), kept, *others
    return statements


def _asked_again(
    whole: typed.Statement, rest: Sequence[typed.Statement], own: typed.Variable
) -> Iterator[typed.Statement]:
    """What follows a copy, where a branch that asks for the flag that was copied asks for the copy, and takes back that
    flag before it: elsewhere it is not set."""
    match whole, rest:
        case (typed.CopyProperty(to, of), [typed.If(typed.Cell(asked, index), then, None) as branch, *others]) if (
            asked in (to, of) and index == own
        ):
            taken = [s for s in then.statements if isinstance(s, typed.Assign) and s.place == typed.Cell(of, own)]
            left = with_statements(then, [s for s in then.statements if s not in taken])
            if len(taken) < 2 and all(s.value == typed.FALSE for s in taken) and not walk.touches(left, of):
                yield from taken
                yield replace(branch, condition=typed.Cell(to, index, span=branch.condition.span), then=left)
                yield from others
                return
    yield from rest


def _whole(s: typed.Statement, own: typed.Variable, graph: typed.Symbol) -> typed.Statement | None:
    match s:
        case typed.Assign(typed.Cell(to, index), typed.Cell(of, other)):
            same = index == own and other == own and to.type == of.type
            return typed.CopyProperty(to, of, span=s.span) if same else None
        case typed.Assign(typed.Cell(to, index), typed.Literal() as value) if index == own:
            return typed.Attach(graph, ((to, value),), span=s.span)
    return None


def _is_own(s: typed.Statement, own: typed.Variable) -> bool:
    """Whether a statement reads and writes no cells but the iteration's own."""
    inside = list(walk.statements(s))
    places = [place for inner in inside for place in walk.written_places(inner)]
    values = [part for inner in inside for part in walk.own_parts(inner)]
    cells = [part for part in (*places, *values) if isinstance(part, typed.Cell)]
    plain = all(isinstance(i, typed.Block | typed.If | typed.Assign | typed.Update | typed.Declare) for i in inside)
    return plain and all(cell.index == own for cell in cells)
