"""Replaces bounds that fall until as many neighbors as they say have bounds as high by peeling: both give core numbers.

forall (v in g.nodes()) {                             g.attachNodeProperty(core = -1);
  for (u in g.nodes_to(v)) { v.core += 1; }           forall (v in g.nodes()) {
}                                                       for (u in g.nodes_to(v)) { v.degree += 1; }
bool fell = True;                                     }
while (fell) {                                        while (left > 0) {
  fell = False;                                          int peeled = 0;
  forall (v in g.nodes()) {                             forall (v in g.nodes().filter(core == -1 && degree <= k)) {
    int high = 0;                                         v.core = k; v.peeling = True; peeled += 1;
    for (u in g.nodes_to(v)) {                          }
      if (u.core >= v.core) { high += 1; }              forall (v in g.nodes().filter(peeling)) {
    }                                                     v.peeling = False;
    if (high < v.core) {                                  forall (u in g.neighbors(v)) { u.degree -= 1; }
      v.core -= 1; fell = True;                         }
    }                                                   left -= peeled;
  }                                                     if (peeled == 0) { k += 1; }
}                                                     }

When no bound falls, nodes whose bound is at least k each see k such nodes, so no bound is above the core number. None
falls below it: the nodes of a set in which each has k neighbors see each other at k or above as long as none has fallen
below. So neither the order matters, nor whether nodes read bounds as they were before the round, or fall by several.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import MIRRORED
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, hosts, rebuilding, rising
from starplat.operators.canonical.counts.followed import Followed, Rows, When
from starplat.operators.canonical.counts.members import NUMBER, is_over_nodes
from starplat.operators.canonical.counts.peelings import peeled
from starplat.operators.canonical.counts.rows import Row, mirrored

_PLAIN = (typed.Variable, typed.Literal, typed.Binary, typed.Unary)
_LESS = {o: o in (typed.Operator.LESS, typed.Operator.LESS_EQUAL, typed.Operator.NOT_EQUAL) for o in MIRRORED}
_EQUAL = {o: o in (typed.Operator.EQUAL, typed.Operator.LESS_EQUAL, typed.Operator.GREATER_EQUAL) for o in MIRRORED}
_ENOUGH = {typed.Operator.LESS: False, typed.Operator.GREATER_EQUAL: True}
"""What comparisons of two numbers say where the first is less, both are equal, or the first is at least the second."""
_LEFT = typed.Variable(Builder().local("left", types.Scalar.BOOL))
"""Stands for a `break` among what is stored."""
_Stored = dict[typed.Expression, typed.Expression]


def as_peeling(body: typed.Block) -> typed.Block:
    """A function's body with such loops as peelings."""
    around = hosts.surroundings(body)
    for loop in around.loops:
        if (found := _bounds(loop, around)) is not None and _begin_with_counts(*found, body, around.before(loop)):
            return as_peeling(peeled(loop, around, *found))
    return body


def _bounds(loop: hosts.HostLoop, around: hosts.Surroundings) -> tuple[typed.Symbol, Row] | None:
    """The bounds that a loop lowers until none falls, and the neighbors that count where theirs are as high."""
    match loop:
        case typed.While(typed.Variable(more)) | typed.DoWhile(condition=typed.Variable(more)):
            reset = Builder().assign(typed.Variable(more), False)
        case _:
            return None
    every = hosts.at_once(loop.body).statements
    rounds = [s for s in every if not isinstance(s, typed.Declare) or s.value is not None]
    match [s for s in rounds if s != reset]:
        case [typed.ForEach() as visits]:
            was: dict[typed.Symbol, typed.Expression | typed.Symbol] = {}
        case [typed.CopyProperty(old, new), typed.ForEach() as visits] if old.role is typed.Role.LOCAL:
            was = {old: new}
        case _:
            return None
    symbols = {place.symbol for place in walk.places(visits.body) if isinstance(place, typed.Cell)}
    ends = rounds.count(reset) == 1 and rounds[-1] is visits
    begins = hosts.surely_begins(loop, around.known_before(loop), ())
    is_seen = any(around.is_seen(symbol, loop) for symbol in (more, *was))
    if not ends or not begins or is_seen or not is_over_nodes(visits) or visits.filter is not None or len(symbols) != 1:
        return None
    (symbol,) = symbols
    own = typed.Cell(symbol, typed.Variable(visits.iterator))
    row = _visit(rebuilding.substituted(visits.body.statements, was), own, typed.Variable(more))
    if row is None or symbol.type != NUMBER or not symbols.issuperset(was.values()):
        return None
    plain = all(isinstance(part, _PLAIN) for c in row.conditions for part in walk.within(c))
    return (symbol, row) if plain and walk.variables(*row.conditions) <= {row.node, row.there} else None


def _visit(statements: Sequence[typed.Statement], own: typed.Cell, more: typed.Variable) -> Row | None:
    """The neighbors whose bounds a node counts, if it lowers its own where they are too few, by one or as far as it
    goes, and notes so in `more`."""
    begins = next((s for s in statements if isinstance(s, typed.Declare) and s.value == own), None)
    if begins is not None:
        statements = tuple(s for s in statements if s is not begins)
        if begins.symbol in walk.all_written(*statements):
            return _far(statements, own, typed.Variable(begins.symbol), more)
        statements = rebuilding.substituted(statements, {begins.symbol: own})
    if (found := _counted(statements, own, own)) is None:
        return None
    row, count, rest = found
    falls, stays = (_Case(count, own, says).done(rest, {}) for says in (_LESS, _ENOUGH))
    return row if falls in [{own: less, more: typed.TRUE} for less in _one_less(own)] and stays == {} else None


def _far(
    statements: Sequence[typed.Statement], own: typed.Cell, bound: typed.Variable, more: typed.Variable
) -> Row | None:
    """The neighbors that are counted in each turn of a loop that lowers a local until they are enough."""
    begun = [s for s in statements if isinstance(s, typed.Declare)]
    flags: _Stored = {typed.Variable(s.symbol): s.value for s in begun if isinstance(s.value, typed.Literal)}
    match [s for s in statements if s not in begun]:
        case [typed.While() | typed.DoWhile() as search, *rest] if len(flags) == len(begun):
            found = _counted(search.body.statements, own, bound)
        case _:
            return None
    falls, stays = (_Case(bound, own, says).done(rest, {}) for says in (_LESS, _EQUAL))
    if found is None or falls != {own: bound, more: typed.TRUE} or stays not in ({}, {own: bound}):
        return None
    row, count, turn = found
    low, high = _Case(count, bound, _LESS), _Case(count, bound, _ENOUGH)

    def after(begun: _Stored) -> _Stored | None:
        """The flags after a turn that lowers the bound, if turns that begin with some do what they should."""
        short, enough = low.done(turn, dict(begun)), high.done(turn, dict(begun))
        if short is None or enough is None or not {*short, *enough} <= {bound, _LEFT, *flags}:
            return None
        goes_on = _LEFT not in short and low.truth(search.condition, short)
        ends = _LEFT in enough or high.truth(search.condition, enough) is False
        lowers = short.get(bound) in _one_less(bound) and bound not in enough
        return {flag: short[flag] for flag in flags} if goes_on and ends and lowers else None

    begins = isinstance(search, typed.DoWhile) or low.truth(search.condition, flags)
    later = after(flags)
    return row if begins and later is not None and after(later) == later else None


def _counted(
    statements: Sequence[typed.Statement], own: typed.Cell, bound: typed.Place
) -> tuple[Row, typed.Variable, Sequence[typed.Statement]] | None:
    """The neighbors with bounds as high as the node's that are counted first, the count, and what follows."""
    match statements:
        case (typed.Declare(count, value), typed.ForEach() as loop, *rest) if rising.number(value) == 0:
            row = _row_of(loop, typed.Variable(count), own.index)
        case _:
            return None
    if row is None:
        return None
    there = typed.Cell(own.symbol, typed.Variable(row.there))
    asked = Builder().compared(there, typed.Operator.GREATER_EQUAL, bound)
    as_high = [c for c in row.conditions if c in (asked, mirrored(asked))]
    others = tuple(c for c in row.conditions if c not in as_high)
    return (replace(row, conditions=others), typed.Variable(count), rest) if len(as_high) == 1 else None


def _row_of(loop: typed.ForEach, place: typed.Place, own: typed.Expression) -> Row | None:
    """The neighbors of a node that a loop counts in a place."""
    match loop.domain, effects.asked_by_loop(loop):
        case typed.Neighbors(node=typed.Variable(node)) as domain, (asked, (typed.Update() as s,)) if (
            domain.node == own
        ):
            counts = s.combine is typed.Combine.ADD and s.place == place and rising.number(s.value) == 1
            return Row(node, loop.iterator, domain, asked) if counts else None
    return None


def _one_less(place: typed.Expression) -> tuple[typed.Expression, ...]:
    """How one less than what a place holds is written."""
    one = Builder().number(1)
    return Builder().plus(place, -1), typed.Binary(typed.Operator.SUBTRACT, place, one, types.Scalar.INT)


@dataclass(frozen=True)
class _Case:
    """What comparisons of two numbers say."""

    left: typed.Expression
    right: typed.Expression
    says: Mapping[typed.Operator, bool]

    def truth(self, condition: typed.Expression, stored: _Stored) -> bool | None:
        """Whether a condition holds after some stores; None if that is not known."""
        match stored.get(condition, condition):
            case typed.Literal(bool() as value):
                return value
            case typed.Unary(typed.UnaryOperator.NOT, operand):
                found = self.truth(operand, stored)
                return None if found is None else not found
            case typed.Binary(operator, left, right) if operator in MIRRORED and not {left, right} & stored.keys():
                if (left, right) == (self.right, self.left):
                    operator, left, right = MIRRORED[operator], right, left
                return self.says.get(operator) if (left, right) == (self.left, self.right) else None
        return None

    def done(self, statements: Sequence[typed.Statement], stored: _Stored) -> _Stored | None:
        """What statements store, with what is `stored` before; None if that is not known."""
        for s in statements:
            match s:
                case typed.Assign(place, value) if value.type is types.Scalar.BOOL:
                    if (found := self.truth(value, stored)) is None:
                        return None
                    stored[place] = Builder().truth(found)
                case typed.Assign(place, value) if not stored.keys() & {place, *walk.within(value)}:
                    stored[place] = value
                case typed.Update(typed.Combine.ADD, place, value) if place not in stored:
                    stored[place] = typed.Binary(typed.Operator.ADD, place, value, types.Scalar.INT)
                case typed.If():
                    taken = self.truth(s.condition, stored)
                    branch = s.then if taken else s.otherwise
                    inner = () if branch is None else branch.statements
                    if taken is None or self.done(inner, stored) is None:
                        return None
                case typed.Break():
                    stored[_LEFT] = typed.TRUE
                case _:
                    return None
            if _LEFT in stored:
                break
        return stored


def _begin_with_counts(symbol: typed.Symbol, row: Row, body: typed.Block, before: Sequence[typed.Statement]) -> bool:
    """Whether bounds begin with counts of no fewer neighbors."""
    begun = Followed(body, Rows())
    if hosts.may_leave(before):
        return False
    begun.begin(before)
    if begun.cells.get(symbol, {}).get(When.MEMBER) != {When.MEMBER: 1} or (counted := begun.rows.counted) is None:
        return False
    domain, asked = counted.named_as(row)
    return domain == row.domain and all(c in row.conditions or mirrored(c) in row.conditions for c in asked)
