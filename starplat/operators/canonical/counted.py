"""As many rounds as there are nodes, of rounds that never make a value better along a cycle, are rounds until nothing
changes: a value that comes to a node by way of all others has come through one arc less than there are nodes.

    for (int i = 1; i < g.num_nodes(); i++) {        do {
      forall (v in g.nodes()) {                        more = False;
        forall (w in g.neighbors(v)) {                 forall (v in g.nodes()) {
          w.d = Min(w.d, v.d + 1);                       forall (w in g.neighbors(v)) {
        }                                                  <w.d, more> = <Min(w.d, v.d + 1), True>;
      }                                                  }
    }                                                  }
                                                     } while (more);

Where a value adds what arcs hold, that is so if no arc holds less than 0, which is asked when the program runs. A
`while` may have such a bound beside what else ends it:

    while (more && k < n) { ... k++; }               for (k = 0; k < n; k++) { ... if (!more) { break; } }
"""

from collections.abc import Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import conjuncts, mentions
from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical.effects import is_bounded
from starplat.operators.canonical.hosts import HostLoop, Known, Surroundings, may_leave, surely_begins, with_loops
from starplat.operators.canonical.rebuilding import rebuilt, with_each_statement_inside_out
from starplat.operators.canonical.rising import number as constant
from starplat.operators.canonical.searches.levels import counted_up, has_enough
from starplat.operators.records import EdgeEffect
from starplat.same import Same


def with_bound_as_count(loop: HostLoop, known: Known, before: Sequence[typed.Statement]) -> HostLoop:
    """A loop that a count of its rounds ends, whatever else does, as a counted one, and any other as it is. What else
    ends it must not do so before the first round."""
    if not isinstance(loop, typed.While | typed.DoWhile):
        return loop
    for step in loop.body.statements:
        symbol = counted_up(step)
        bounds = [c for c in conjuncts(loop.condition) if symbol is not None and mentions(c, {symbol})]
        if symbol is None or len(bounds) != 1 or walk.writers(symbol, loop.body) != [step]:
            continue
        goes_on = [c for c in conjuncts(loop.condition) if c is not bounds[0]]
        behind = loop.body.statements[loop.body.statements.index(step) + 1 :]
        asked_behind = any(symbol in walk.read(i) for s in behind for i in walk.statements(s))
        first, build = known.get(symbol), Builder(loop.span)
        rest = replace(loop, condition=build.both(*goes_on) if goes_on else typed.TRUE)
        if (
            asked_behind
            or not isinstance(first, int)
            or not (rest.condition == typed.TRUE or surely_begins(rest, known, before))
        ):
            continue
        ends = (build.when(build.negated(rest.condition), typed.Break(span=loop.span)),) if goes_on else ()
        rounds = (*(s for s in loop.body.statements if s is not step), *ends)
        body = replace(loop.body, statements=rounds)
        return typed.CountedLoop(symbol, False, build.number(first), bounds[0], step, body, span=loop.span)
    return loop


def until_nothing_changes(loop: typed.CountedLoop, before: Sequence[typed.Statement]) -> typed.DoWhile | None:
    """A loop of no fewer rounds than there are nodes but one, as a loop that ends after a round that changes nothing;
    None for other loops. `before` are the statements before it in its block."""
    if may_leave(loop.body.statements):
        return None
    inside = list(walk.statements(loop.body))
    counted = any(loop.symbol in walk.read(i) for i in inside)
    if counted or not has_enough(loop, before):
        return None
    build = Builder(loop.span)
    more = build.variable(build.local("more", Scalar.BOOL))
    mark = build.carried(more, True)

    def marked(part: object) -> object:
        if isinstance(part, typed.AssignExtreme) and isinstance(part.place, typed.Cell):
            return replace(part, carried=(*part.carried, mark))
        return None

    body = rebuilt(loop.body, marked)
    return typed.DoWhile(replace(body, statements=(build.assign(more, False), *body.statements)), more, span=loop.span)


def until_quiet(loop: typed.CountedLoop, before: Sequence[typed.Statement]) -> typed.DoWhile | None:
    """A loop of no fewer rounds than there are nodes but one, that is left after a round without a flag, as a loop that
    ends then; None for other loops. `before` are the statements before it in its block."""
    match loop.body.statements:
        case (*rounds, typed.If(quiet, typed.Block((typed.Break(),)), None)) if not may_leave(rounds) and has_enough(
            loop, before
        ):
            body = replace(loop.body, statements=(*rounds, loop.step))
            return typed.DoWhile(body, Builder(quiet.span).negated(quiet), span=loop.span)
    return None


def without_counters(body: typed.Block) -> typed.Block:
    """A function's body in which loops are no counted loops that anything but their counter may end.

    for (int k = 0; left > 0; k++) { ... }              int k = 0; while (left > 0) { ... k++; }
    for (int k = 0; k < 9 && left > 0; k++) { ... }     int k = 0; while (k < 9 && left > 0) { ... k++; }
    """
    counted = any(isinstance(s, typed.CountedLoop) for s in walk.statements(body))
    return with_each_statement_inside_out(body, _uncounted) if counted else body


def left_at_their_ends(body: typed.Block) -> typed.Block:
    """A function's body in which endless loops that are left at one place are left at their ends. What stands behind
    that place only counts, and nothing asks for it after the loop, or adds what is 0 where the loop is left.

    while (True) {                                      do {
      bool again = False; ...                             again = False; ...
      if (!again) { break; }                              depth++;
      depth++;                                          } while (again);
    }
    """
    return with_loops(body, _left_at_its_end)


def _left_at_its_end(loop: HostLoop, around: Surroundings) -> tuple[typed.Statement, ...] | None:
    if not isinstance(loop, typed.While) or loop.condition != typed.TRUE:
        return None
    statements = loop.body.statements
    places = [i for i, s in enumerate(statements) if _leaves(s) is not None]
    if len(places) != 1 or (quiet := _leaves(statements[places[0]])) is None:
        return None
    ahead, behind = statements[: places[0]], statements[places[0] + 1 :]
    of_none = [s for s in behind if _adds_none(s, quiet)]
    counted = {symbol for s in behind for symbol in walk.written(s)}
    kept = {symbol for s in behind if s not in of_none for symbol in walk.written(s)}
    asked = walk.variables(quiet)
    cells = any(isinstance(part, typed.Cell | typed.Call) for part in walk.within(quiet))
    if cells or counted & asked or may_leave((*ahead, *behind)) or any(around.is_seen(s, loop) for s in kept):
        return None
    if not all(isinstance(s, typed.Update) and (s in of_none or isinstance(s.value, typed.Literal)) for s in behind):
        return None
    return _asked_behind(loop, (*ahead, *behind), quiet)


def _asked_behind(
    loop: HostLoop, rounds: Sequence[typed.Statement], quiet: typed.Expression, *others: typed.Expression
) -> tuple[typed.Statement, ...] | None:
    """Rounds until one is quiet, or any of the other conditions does not hold behind it; what the first asks for is
    declared in front of them."""
    build, asked = Builder(quiet.span), walk.variables(quiet)
    hoisted = [s for s in rounds if isinstance(s, typed.Declare) and s.symbol in asked]
    if any(s.value is None for s in hoisted):
        return None
    given = {Same(s): build.assign(build.variable(s.symbol), s.value) for s in hoisted if s.value is not None}
    body = replace(loop.body, statements=tuple(given.get(Same(s), s) for s in rounds))
    goes_on = quiet.operand if isinstance(quiet, typed.Unary) else build.negated(quiet)
    declared = (build.declare(s.symbol) for s in hoisted)
    return (*declared, typed.DoWhile(body, build.both(goes_on, *others), span=loop.span))


def asked_at_their_ends(body: typed.Block) -> typed.Block:
    """A function's body in which counted loops that are left at the end of a round ask there for all that ends them.

    for (int i = 0; i < most; i++) {                    int i = 0;
      ...                                               if (i < most) {
      if (change <= tolerance) { break; }                 do { ...; i++; } while (!(change <= tolerance) && i < most);
    }                                                   }
    """
    return with_loops(body, _asked_at_its_end)


def _asked_at_its_end(loop: HostLoop, around: Surroundings) -> tuple[typed.Statement, ...] | None:
    match loop:
        case typed.CountedLoop(symbol, True, first, condition, step, typed.Block((*rounds, last))) if (
            quiet := _leaves(last)
        ) is not None and not may_leave(rounds):
            plain = all(isinstance(p, typed.Variable | typed.Binary | typed.Literal) for p in walk.within(quiet))
            found = _asked_behind(loop, (*rounds, step), quiet, condition)
            if plain and found is not None and not mentions(quiet, {symbol}):
                build = Builder(loop.span)
                return build.declare(symbol, first), build.when(condition, *found)
    return None


def _leaves(s: typed.Statement) -> typed.Expression | None:
    """The condition under which a statement leaves the loop, if that is all it does."""
    match s:
        case typed.If(quiet, typed.Block((typed.Break(),)), None):
            return quiet
    return None


def _adds_none(s: typed.Statement, quiet: typed.Expression) -> bool:
    """Whether a statement adds a number, or takes one away, of which a condition says that it is 0."""
    match s, quiet:
        case typed.Update(typed.Combine.ADD, value=value), typed.Binary(typed.Operator.EQUAL, number, zero):
            added = value.operand if isinstance(value, typed.Convert) else value
            if isinstance(added, typed.Unary) and added.operator is typed.UnaryOperator.NEGATE:
                added = added.operand
            return added == number and constant(zero) == 0
    return False


def _uncounted(s: typed.Statement) -> tuple[typed.Statement, ...]:
    if not isinstance(s, typed.CountedLoop) or not s.declares:
        return (s,)
    if all(mentions(c, {s.symbol}) for c in conjuncts(s.condition)):
        return (s,)
    if any(isinstance(i, typed.Continue) for inner in s.body.statements for i in walk.own_statements(inner)):
        return (s,)
    body = replace(s.body, statements=(*s.body.statements, s.step))
    return typed.Declare(s.symbol, s.first, span=s.span), typed.While(s.condition, body, span=s.span)


def never_better(effect: EdgeEffect) -> bool:
    """Whether a value never gets better along a cycle, so that as many rounds as there are nodes are enough."""
    is_truth = isinstance(effect.value, typed.Literal) and effect.value.type is Scalar.BOOL
    return is_truth or is_bounded(effect.value, effect.own, effect.extreme)


def added_by_arcs(effect: EdgeEffect) -> typed.Symbol | None:
    """The property of edges that an effect adds to its source's cell, if that is the least of all values."""
    match effect.value:
        case typed.Binary(typed.Operator.ADD, left, typed.Cell(added)) if left == effect.own:
            is_of_edges = isinstance(added.type, PropertyType) and added.type.carrier is Carrier.EDGE
            return added if is_of_edges and effect.extreme is typed.Extreme.MIN else None
    return None


def where_none_is_negative(
    added: typed.Symbol, graph: typed.Symbol, then: typed.Statement, otherwise: typed.Statement
) -> tuple[typed.Statement, ...]:
    """One statement or the other, by whether all edges hold 0 or more."""
    build, element = Builder(then.span), added.property.element
    least = build.variable(build.local(f"least_{added.name}", element))
    edge = build.iterator("arc", Scalar.EDGE)
    none = build.compared(least, typed.Operator.GREATER_EQUAL, build.number(0, element))
    lower = build.extreme(typed.Extreme.MIN, least, build.cell(added, edge))
    return (
        build.declare(least.symbol, build.infinity(element)),
        build.over(edge, typed.AllEdges(graph), lower),
        typed.If(none, build.block(then), build.block(otherwise), span=build.span),
    )
