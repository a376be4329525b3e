"""Splits a pull that sums over parents and takes a node as reached if the sum is above 0: a search for one parent
comes first, then the sum.

    forall (v in g.nodes().filter(level == INF)) {        forall (v in g.nodes().filter(level == INF)) {
      double sum = 0.0;                                     for (u in g.nodes_to(v).filter(level == depth)) {
      for (u in g.nodes_to(v).filter(level == depth)) {       v.level = depth + 1; more = True; break;
        sum += u.paths;                                     }
      }                                                   }
      if (sum > 0.0) {                                    forall (v in g.nodes().filter(level == depth + 1)) {
        v.paths = sum; v.level = depth + 1; more = True;    double sum = 0.0;
      }                                                     for (u in g.nodes_to(v).filter(level == depth)) {
    }                                                         sum += u.paths;
                                                            }
                                                            v.paths = sum;
                                                          }

All nodes with a level have a value above 0: those of the first level are set to one, the others to such a sum. So a sum
is above 0 if there is a parent. A flag that is set beside the sum may say so in its place. The caller, `apart`, proves
that `depth` rises from round to round.
"""

from collections.abc import Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked
from starplat.frontend import typed, types
from starplat.operators.canonical import rebuilding
from starplat.operators.canonical.hosts import Loop
from starplat.operators.canonical.searches.initial_values import initial_values
from starplat.operators.canonical.searches.stores import compared


def with_looks(loop: Loop, before: Sequence[typed.Statement]) -> Loop | None:
    """The loop with such a sum after a search for a parent; None if there is none. `before` are the statements before
    it."""
    for place, s in enumerate(loop.body.statements):
        apart = _apart(s, loop, before) if isinstance(s, typed.ForEach) else ()
        if apart:
            return replace(loop, body=rebuilding.spliced(loop.body, place, apart))
    return None


def _apart(nodes: typed.ForEach, loop: Loop, before: Sequence[typed.Statement]) -> tuple[typed.Statement, ...]:
    own = typed.Variable(nodes.iterator)
    match nodes:
        case typed.ForEach(
            parallel=True,
            domain=typed.AllNodes(),
            body=typed.Block(
                (*begun, typed.ForEach(domain=typed.Neighbors(node=node)) as row, typed.If(condition, then, None))
            ),
        ) if node == own:
            marks = [s for s in begun if isinstance(s, typed.Declare) and typed.Variable(s.symbol) == condition]
            marked, row = row, _unmarked(row, marks)
        case _:
            return ()
    match [s for s in begun if s not in marks]:
        case [typed.Declare(local, typed.Literal(0)) as begins] if all(s.value == typed.FALSE for s in marks):
            sum_ = typed.Variable(local)
        case _:
            return ()
    added = _added(row, sum_)
    stores = [s for s in then.statements if isinstance(s, typed.Assign)]
    sums = [s for s in stores if s.value == sum_]
    if added is None or len(stores) < len(then.statements) or len(sums) != 1:
        return ()
    kept, (total,) = tuple(s for s in stores if s is not sums[0]), sums
    levels = [(s.place, s.value) for s in kept if isinstance(s.place, typed.Cell)]
    if len(levels) != 1 or total.place != typed.Cell(added.symbol, own) or levels[0][0].symbol is added.symbol:
        return ()
    ((level, value),), conditions = levels, all_asked(nodes.filter)
    reads = any(part in (sum_, condition) for s in kept for part in walk.within(s.value))
    reads = reads or any(part == condition for value in walk.all_values(row) for part in walk.within(value))
    if len(conditions) != 1 or compared(conditions[0], level) is None or level.index != own or reads:
        return ()
    is_above = _is_above_zero(condition, sum_) and _all_have_one(added.symbol, level.symbol, total, loop, before)
    if row is marked and not is_above:
        return ()
    span = nodes.span
    look = replace(row, parallel=False, body=typed.Block((*kept, typed.Break(span=span)), span=row.span))
    if isinstance(row.body.statements[0], typed.If):
        branch = row.body.statements[0]
        look = replace(look, body=typed.Block((typed.If(branch.condition, look.body, span=span),), span=span))
    looks = replace(nodes, body=replace(nodes.body, statements=(look,)))
    reached = typed.Binary(typed.Operator.EQUAL, level, value, types.Scalar.BOOL, span=span)
    adds = replace(nodes, filter=reached, body=replace(nodes.body, statements=(begins, row, total)))
    return looks, rebuilding.with_fresh_symbols(adds, (adds,))


def _unmarked(row: typed.ForEach, marks: Sequence[typed.Declare]) -> typed.ForEach:
    """A loop over neighbors without the store of a flag beside what it does."""
    beside = row.body.statements
    if len(beside) == 1 and isinstance(beside[0], typed.If):
        beside = beside[0].then.statements
    stores = [typed.Assign(typed.Variable(s.symbol), typed.TRUE) for s in marks]
    adds = any(isinstance(s, typed.Update) for s in beside)
    return rebuilding.without(row, lambda s: adds and s in stores and s in beside)


def _added(row: typed.ForEach, sum_: typed.Variable) -> typed.Cell | None:
    """The cell of the neighbor that a loop adds to a local, if it does nothing else."""
    match row.body.statements:
        case (typed.If(_, typed.Block((typed.Update() as update,)), None),):
            pass
        case (typed.Update() as update,):
            pass
        case _:
            return None
    cell = update.value
    is_cell = isinstance(cell, typed.Cell) and cell.index == typed.Variable(row.iterator)
    is_real = cell.type in (types.Scalar.DOUBLE, types.Scalar.FLOAT) and sum_.type is cell.type
    adds = update.combine is typed.Combine.ADD and update.place == sum_
    return cell if is_cell and is_real and adds and isinstance(cell, typed.Cell) else None


def _is_above_zero(condition: typed.Expression, sum_: typed.Variable) -> bool:
    match condition:
        case typed.Binary(typed.Operator.GREATER | typed.Operator.NOT_EQUAL, left, typed.Literal(0)):
            return left == sum_
    return False


def _all_have_one(
    symbol: typed.Symbol, level: typed.Symbol, total: typed.Assign, loop: Loop, before: Sequence[typed.Statement]
) -> bool:
    """Whether every node with a level has a value above 0."""
    writers = walk.writers(symbol, loop)
    begun, levels = initial_values(symbol, before), initial_values(level, before)
    if begun is None or levels is None or writers != [total]:
        return False
    given = {index for index, _ in begun.set}
    are_above = all(isinstance(value, typed.Literal) and value.value > 0 for _, value in begun.set)
    return are_above and all(index in given for index, _ in levels.set)
