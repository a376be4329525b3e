"""Moves the store of a level from the second step of a round to the first, which discovers the nodes.

    forall (v in g.nodes().filter(here)) {                forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {                        forall (w in g.neighbors(v)) {
        if (!w.visited) { w.there = True; }                   if (w.level == INF) { w.level = depth + 1; more = True; }
      }                                                     }
    }                                                     }
    depth++;                                              depth++;
    forall (v in g.nodes()) {
      v.here = v.there; v.there = False;
      if (v.here) { v.visited = True; v.level = depth; more = True; }
    }

Nodes at level `depth` may be asked for in the place of those `here`.

Invariant at the start of a round: the nodes in `here` are those at level `depth`, `there` is empty, and the visited
nodes are those with a level. Other effects on a discovered node move to a second loop over the arcs from one level to
the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import MIRRORED, asked_flag, mentions
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical import filters, hosts
from starplat.operators.canonical.effects import no_loop
from starplat.operators.canonical.rebuilding import substituted, with_fresh_symbols, with_statements
from starplat.operators.canonical.searches.gathered_flags import set_by_neighbors
from starplat.operators.canonical.searches.initial_values import InitialValues, initial_values
from starplat.operators.canonical.searches.levels import above, counted_up, number
from starplat.operators.canonical.searches.steps import Steps
from starplat.operators.canonical.searches.stores import Nest, compared, read_nest, says

_Loop = typed.While | typed.DoWhile
_INSIDE = (typed.Block, typed.If, typed.Assign, typed.Update, typed.AssignExtreme)


def discovered_in_one_step(body: typed.Block, results: frozenset[typed.Symbol]) -> typed.Block:
    """Rewrites such rounds in a function's body; `results` are the symbols that its caller sees."""
    around = hosts.surroundings(body)
    for loop in around.loops:
        if not isinstance(loop, _Loop):
            continue
        round_ = replace(
            loop,
            body=with_statements(
                loop.body, [t for s in loop.body.statements for a in _drained_behind(s) for t in set_by_neighbors(a)]
            ),
        )
        read = _read(round_, around.before(loop), around.known_before(loop))
        if read is None or any(s in results or around.is_seen(s, loop) for s in read.flags):
            continue
        return discovered_in_one_step(around.with_in_place(loop, (read.made(loop),)), results)
    return body


@dataclass(frozen=True)
class _Round:
    """The parts of a round.

    `reset` comes first. `nest` walks the arcs; nodes are discovered along those for which `when` holds, and get the
    effects `beside`. `step` increments the `counter` of levels; nodes without a `level` hold `none`. `more` sets the
    flags that request another round. `flags` are the properties of frontier and visited nodes.
    """

    reset: tuple[typed.Statement, ...]
    nest: Nest
    when: tuple[typed.Expression, ...]
    beside: tuple[typed.Statement, ...]
    level: typed.Symbol
    none: typed.Expression
    counter: typed.Variable
    step: typed.Statement
    more: tuple[typed.Statement, ...]
    flags: frozenset[typed.Symbol]

    def made(self, loop: _Loop) -> _Loop:
        """The loop with the level stored on discovery."""
        build = Builder(self.step.span)
        there, following = build.cell(self.level, self.nest.there), build.plus(self.counter, 1)
        finds = self._arcs(build.equal(there, self.none), (build.assign(there, following), *self.more))
        besides = (self._arcs(build.equal(there, following), self.beside),) if self.beside else ()
        statements = (*self.reset, finds, *with_fresh_symbols(besides, besides), self.step)
        return replace(loop, body=replace(loop.body, statements=statements))

    def _arcs(self, test: typed.Expression, inner: tuple[typed.Statement, ...]) -> typed.ForEach:
        """The loop over the arcs of the nodes at the current level."""
        nest, build = self.nest, Builder(self.nest.span)
        here = build.equal(build.cell(self.level, nest.node), self.counter)
        condition = filters.all_of((test, *self.when))
        assert condition is not None
        row = build.row(nest.domain.graph, nest.node, nest.direction)
        arcs = build.over(nest.there, row, build.when(condition, *inner))
        return build.over(nest.node, nest.domain, arcs, condition=here)


def _read(loop: _Loop, before: Sequence[typed.Statement], known: hosts.Known) -> _Round | None:
    """The round of a loop, if it has two such steps and the invariant holds when the loop begins."""
    statements = loop.body.statements
    discovers = [(at, nest) for at, s in enumerate(statements) if (nest := read_nest(s)) is not None]
    counted = [(at, symbol) for at, s in enumerate(statements) if (symbol := counted_up(s)) is not None]
    if len(discovers) != 1 or len(counted) != 1:
        return None
    ((at, nest),), ((step, counter),) = discovers, counted
    discovered = [s for s in nest.inner if isinstance(s, typed.Assign) and _is_marked(s, nest.there)]
    waves = [(c, asked_flag(c, nest.node)) for c in nest.when if _says_who_discovers(c, nest.node, counter)]
    if len(discovered) != 1 or len(waves) != 1 or nest.may_break:
        return None
    ((in_frontier, here),) = waves
    if here is None and step < at:
        return None
    steps = Steps(here, discovered[0].place.symbol)
    signals = [s for s in nest.inner if isinstance(s, typed.Assign) and _is_signal(s)]
    reset: list[typed.Statement] = []
    for place, s in enumerate(statements):
        if place == at:
            steps.begin()
            steps.more += signals
        elif place == step:
            steps.count()
        elif _resets(s) and not steps.more:
            reset.append(s)
        elif not steps.follow(s):
            return None
    again = (substituted(condition, {node: nest.there}) in nest.when for condition, node in steps.asked_again)
    if not steps.are_right(typed.Variable(counter)) or not all(again):
        return None
    level = steps.levels[0][0].place.symbol
    if here is None and compared(in_frontier, typed.Cell(level, typed.Variable(nest.node))) is None:
        return None
    here_if_any = () if here is None else (here,)
    initial = {flag: initial_values(flag, before) for flag in (level, *here_if_any, steps.next_frontier, *steps.marks)}
    source, none = begins(initial, level, steps, known, counter)
    if source is None or none is None:
        return None
    conditions = tuple(c for c in nest.when if c is not in_frontier)
    unreached = [c for c in conditions if is_unreached(c, nest, level, none, counter, steps.marks)]
    when = tuple(c for c in conditions if c not in unreached and not no_loop(c, typed.Variable(nest.node), nest.there))
    beside = tuple(s for s in nest.inner if s is not discovered[0] and s not in signals)
    flags = frozenset((*here_if_any, steps.next_frontier, *steps.marks))
    found = _Round(
        tuple(reset),
        nest,
        when,
        beside,
        level,
        none,
        typed.Variable(counter),
        statements[step],
        tuple(steps.more),
        flags,
    )
    return found if unreached and _is_apart(found, loop) else None


def _drained_behind(s: typed.Statement) -> tuple[typed.Statement, ...]:
    """A loop over the members of a frontier that takes each out, as a loop over them and the emptied frontier."""
    match s:
        case typed.ForEach(parallel=True, domain=typed.AllNodes(graph), filter=condition, body=body) if (
            condition is not None and (here := asked_flag(condition, s.iterator)) is not None
        ):
            drain = typed.Assign(typed.Cell(here, typed.Variable(s.iterator)), typed.FALSE)
            rest = [i for i in body.statements if i != drain]
            if len(rest) + 1 == len(body.statements) and not any(walk.touches(i, here) or walk.leaves(i) for i in rest):
                emptied = typed.Attach(graph, ((here, typed.FALSE),), span=s.span)
                return replace(s, body=with_statements(body, rest)), emptied
    return (s,)


def _says_who_discovers(c: typed.Expression, node: typed.Symbol, counter: typed.Symbol) -> bool:
    """Whether a condition asks for a flag of the node, or for nodes at the level that is counted."""
    if asked_flag(c, node) is not None:
        return True
    own = [part for part in walk.within(c) if isinstance(part, typed.Cell) and part.index == typed.Variable(node)]
    return len(own) == 1 and compared(c, own[0]) == typed.Variable(counter)


def _is_apart(found: _Round, loop: _Loop) -> bool:
    """Whether the effects `beside` are independent of which nodes are reached, and `when` is invariant in the loop."""
    own = {
        found.level,
        found.counter.symbol,
        *found.flags,
        *(p.symbol for s in found.more for p in walk.written_places(s)),
    }
    written = walk.all_written(loop)
    inside = [i for s in found.beside for i in walk.statements(s)]
    values = [value for s in found.beside for value in walk.all_values(s)]
    return (
        all(isinstance(s, _INSIDE) for s in inside)
        and not any(own & set(walk.written(s)) for s in inside)
        and not any(mentions(value, own) for value in values)
        and not any(mentions(c, written - {found.nest.node, found.nest.there}) for c in found.when)
        and not any(any(walk.calls(s)) for s in found.beside)
        and not found.flags & set(walk.read(loop))
    )


def begins(
    initial: dict[typed.Symbol, InitialValues | None],
    level: typed.Symbol,
    steps: Steps,
    known: hosts.Known,
    counter: typed.Symbol,
) -> tuple[typed.Expression | None, typed.Expression | None]:
    """The source, and the value of nodes without a level; None each if the invariant does not hold at first."""
    levels, there = initial[level], initial[steps.next_frontier]
    begins_empty = steps.cleared or (there is not None and not there.set and there.fill == typed.FALSE)
    if levels is None or not begins_empty or len(levels.set) != 1:
        return None, None
    ((source, first),) = levels.set
    marked = [initial[flag] for flag in (steps.frontier, *steps.marks) if flag is not None]
    if not all(b is not None and b.fill == typed.FALSE and b.set == ((source, typed.TRUE),) for b in marked):
        return None, None
    at, fill = number(first, known), levels.fill
    is_below = isinstance(fill, typed.Literal) and isinstance(fill.value, int) and fill.value < 0
    is_none = fill == typed.Infinity(types.Scalar.INT) or (is_below and at is not None and at >= 0)
    fits = at is not None and at == known.get(counter) and is_none and isinstance(source, typed.Variable)
    return (source, fill) if fits else (None, None)


def is_unreached(
    c: typed.Expression,
    nest: Nest,
    level: typed.Symbol,
    none: typed.Expression,
    counter: typed.Symbol,
    marks: Sequence[typed.Symbol],
) -> bool:
    """Whether a condition says that the neighbor has no level yet."""
    there = typed.Variable(nest.there)
    own = typed.Cell(level, there)
    match c:
        case typed.Binary(operator, left, right) if right == own and operator in MIRRORED:
            c = replace(c, operator=MIRRORED[operator], left=right, right=left)
    match c:
        case typed.Binary(typed.Operator.GREATER, left, right) if left == own:
            more = above(right, typed.Variable(counter))
            return more is not None and more >= 0 and isinstance(none, typed.Infinity)
        case typed.Binary(typed.Operator.LESS, left, typed.Literal(0)) if left == own:
            return isinstance(none, typed.Literal)
    return compared(c, own) == none or any(says(c, typed.Cell(mark, there), False) for mark in marks)


def _is_marked(s: typed.Assign, there: typed.Symbol) -> bool:
    return isinstance(s.place, typed.Cell) and s.place.index == typed.Variable(there) and s.value == typed.TRUE


def _is_signal(s: typed.Assign) -> bool:
    """Whether it sets a flag that requests another round."""
    return isinstance(s.place, typed.Variable) and s.value == typed.TRUE


def _resets(s: typed.Statement) -> bool:
    return isinstance(s, typed.Assign) and isinstance(s.place, typed.Variable) and s.value == typed.FALSE
