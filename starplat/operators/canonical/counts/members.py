"""Sets of nodes represented by the values of a property: tests of membership, and statements that change it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from starplat.analysis import walk
from starplat.analysis.settling.monotone import asked_flag, conjuncts
from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.operators.canonical.rising import least, number

FLAG = PropertyType(Carrier.NODE, Scalar.BOOL)
NUMBER = PropertyType(Carrier.NODE, Scalar.INT)


@dataclass(frozen=True)
class Members:
    """The nodes whose cell holds a constant: True or False in a flag, an integer in another property."""

    symbol: typed.Symbol
    value: bool | int

    def has(self, node: typed.Symbol) -> typed.Expression:
        """The condition that a node is a member."""
        cell = typed.Cell(self.symbol, typed.Variable(node))
        if self.symbol.type != FLAG:
            return typed.Binary(typed.Operator.EQUAL, cell, typed.Literal(self.value, Scalar.INT), Scalar.BOOL)
        return cell if self.value else typed.Unary(typed.UnaryOperator.NOT, cell)

    def has_not(self, node: typed.Symbol) -> typed.Expression:
        """The condition that a node is not a member."""
        return next(conjuncts(self.has(node), holds=False))

    def asked(self, condition: typed.Expression, node: typed.Symbol) -> bool:
        """Whether a condition tests that `node` is a member."""
        found = member_of(condition)
        return found is not None and found == (typed.Cell(self.symbol, typed.Variable(node)), self.value)

    def asked_by(self, loop: typed.ForEach) -> bool:
        """Whether the filter of a loop selects only members."""
        return loop.filter is not None and any(self.asked(c, loop.iterator) for c in conjuncts(loop.filter))

    def joins(self, stored: typed.Expression, body: typed.Statement) -> bool | None:
        """True if a node is a member after this value is stored, False if it is not; None if that is unknown."""
        if self.symbol.type == FLAG:
            return stored.value == self.value if isinstance(stored, typed.Literal) else None
        if (held := number(stored)) is not None:
            return held == self.value
        lowest = least(stored.symbol, body) if isinstance(stored, typed.Variable) else None
        return False if lowest is not None and lowest > self.value else None

    def sure_to_leave(
        self, loop: typed.ForEach, body: typed.Statement, before: Sequence[typed.Statement] = ()
    ) -> typed.Assign | None:
        """The store that removes members in a loop over members, if it is the only one to their cells; statements
        `before` the loop in its block may say which nodes are."""
        asked = () if loop.filter is None else tuple(conjuncts(loop.filter))
        of_members = self.asked_by(loop) or any(are_part_of(c, loop.iterator, self, before) for c in asked)
        writers = walk.writers(self.symbol, loop.body)
        own = typed.Cell(self.symbol, typed.Variable(loop.iterator))
        for s in walk.own_statements(loop.body):
            if isinstance(s, typed.Assign) and s.place == own and len(writers) == 1 and of_members:
                return s if self.joins(s.value, body) is False else None
        return None


def member_of(condition: typed.Expression) -> tuple[typed.Cell, bool | int] | None:
    """The cell that a condition compares with a constant, and the constant."""
    match condition:
        case typed.Cell() if condition.type is Scalar.BOOL:
            return condition, True
        case typed.Unary(typed.UnaryOperator.NOT, typed.Cell() as cell) if cell.type is Scalar.BOOL:
            return cell, False
        case typed.Binary(typed.Operator.EQUAL, typed.Cell() as cell, right) if (
            cell.type is Scalar.INT and (held := number(right)) is not None
        ):
            return cell, held
    return None


def is_over_nodes(loop: typed.ForEach) -> bool:
    """Whether a loop is parallel over all nodes."""
    return loop.parallel and isinstance(loop.domain, typed.AllNodes)


def loops_over_nodes(body: typed.Statement) -> Iterator[typed.ForEach]:
    """The outermost parallel loops over all nodes."""
    if isinstance(body, typed.ForEach) and is_over_nodes(body):
        yield body
    elif not isinstance(body, typed.IterateInBFS) and not (isinstance(body, typed.ForEach) and body.parallel):
        for inner in walk.blocks(body):
            yield from loops_over_nodes(inner)


def empties(s: typed.Statement, members: typed.Symbol) -> bool:
    """Whether a statement clears a flag of all nodes."""
    return isinstance(s, typed.Attach) and (members, typed.FALSE) in s.items


def filled_with(symbol: typed.Symbol, before: Sequence[typed.Statement]) -> typed.Expression | None:
    """The value of all cells of a property after some statements, if the last of them to write it is a fill."""
    last = [s for s in before if symbol in walk.all_written(s)][-1:]
    values = (value for s in last if isinstance(s, typed.Attach) for to, value in s.items if to is symbol)
    return next((value for value in values if isinstance(value, typed.Expression)), None)


def only_join(s: typed.Statement, joined: typed.Symbol, of: Members) -> bool:
    """Whether a statement inserts only members of a set into `joined`, and changes nothing of that set."""
    inside = list(walk.statements(s))
    joins = [i for i in inside if joined in walk.written(i)]
    if any(of.symbol in walk.written(i) for i in inside):
        return False
    if not joins:
        return True
    if not isinstance(s, typed.ForEach) or not is_over_nodes(s) or not of.asked_by(s):
        return False
    own = typed.Cell(joined, typed.Variable(s.iterator))
    return all(isinstance(i, typed.Assign) and i.place == own for i in joins)


def are_part_of(
    condition: typed.Expression, node: typed.Symbol, of: Members, before: Sequence[typed.Statement]
) -> bool:
    """Whether a condition implies membership: it tests a flag that was cleared, then set for members only, none of
    which has been removed since."""
    if (joined := asked_flag(condition, node)) is None:
        return False
    since = [i for i, s in enumerate(before) if empties(s, joined)][-1:]
    return any(all(only_join(s, joined, of) for s in before[place + 1 :]) for place in since)


def constant(value: typed.Expression) -> bool | int | None:
    """The flag or whole number that an expression is known to be."""
    return value.value if isinstance(value, typed.Literal) and isinstance(value.value, bool) else number(value)
