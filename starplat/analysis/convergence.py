"""Recognises the frontier form of a fixed point, in both of StarPlat's spellings.

A `fixedPoint until (F : !P)` whose body, with the functions that it lends P to, writes P only by storing True to single
cells works on two copies of P: reads see the round's start, writes go to a fresh all-False copy that becomes P at the
round's end. The same is meant by a body that keeps the second copy itself (`modified = modified_nxt;
attach(modified_nxt = False)`). Either way the True cells are the frontier of the next round.
"""

from dataclasses import dataclass
from enum import Enum

from starplat.analysis import walk
from starplat.frontend import typed


class Spelling(Enum):
    """The spellings of a fixed point's changed nodes."""

    ONE_FLAG = "one flag property: the compiler keeps the second copy"
    TWO_FLAGS = "two flag properties: the program copies the second to the first"
    IN_PLACE = "in place: the condition is judged on what the body leaves"


@dataclass(frozen=True, slots=True, eq=False)
class Convergence:
    """A fixed point's form: `frontier` is P where the condition is `!P`; `next_frontier` the program's own second
    copy (TWO_FLAGS)."""

    loop: typed.FixedPoint
    spelling: Spelling
    frontier: typed.Symbol | None
    next_frontier: typed.Symbol | None
    reason: str


def convergence(loop: typed.FixedPoint, program: typed.Program) -> Convergence:
    if (frontier := negated_property(loop)) is None:
        return Convergence(loop, Spelling.IN_PLACE, None, None, "the condition is not a single '!property'")
    if (copied := _copied_from(loop, frontier)) is not None:
        reason = f"'{copied.name}' becomes '{frontier.name}' in every round"
        return Convergence(loop, Spelling.TWO_FLAGS, frontier, copied, reason)
    obstacle, is_stored = _obstacle(loop.body, frontier, program)
    if obstacle or not is_stored:
        never = f"the body never stores to '{frontier.name}'"
        return Convergence(loop, Spelling.IN_PLACE, frontier, None, obstacle or never)
    reason = f"the body writes '{frontier.name}' only by storing True to single cells"
    return Convergence(loop, Spelling.ONE_FLAG, frontier, None, reason)


def keeps_two_copies(loop: typed.FixedPoint, flag: typed.Symbol, program: typed.Program) -> bool:
    """Whether reads of the flag in the loop's body see how it was when the round began."""
    form = convergence(loop, program)
    return form.frontier is flag and form.spelling is Spelling.ONE_FLAG


def negated_property(loop: typed.FixedPoint) -> typed.Symbol | None:
    """P of a condition `!P`."""
    match loop.condition:
        case typed.Unary(typed.UnaryOperator.NOT, typed.Cell(symbol, typed.Variable())):
            return symbol
    return None


def _copied_from(loop: typed.FixedPoint, frontier: typed.Symbol) -> typed.Symbol | None:
    copied = (copy for s in loop.body.statements for copy in walk.copies(s))
    return next((source for destination, source in copied if destination is frontier), None)


def _obstacle(body: typed.Block, frontier: typed.Symbol, program: typed.Program) -> tuple[str, bool]:
    """Why P must be updated in place, empty if it need not; and whether a cell of it is stored to."""
    is_stored = False
    for statement in walk.statements(body):
        match statement:
            case typed.CopyProperty(symbol) if symbol is frontier:
                return f"'{frontier.name}' is written as a whole", True
            case typed.Attach(items=items) if any(target is frontier for target, _ in items):
                return f"'{frontier.name}' is written as a whole", True
            case typed.FixedPoint() if negated_property(statement) is frontier:
                return f"a fixed point inside has '{frontier.name}', too", True
        for place, value in _stores(statement):
            if place.symbol is frontier:
                is_stored = True
                if value != typed.TRUE:
                    return f"'{frontier.name}' is written otherwise than by storing True", True
    for call in walk.calls(body):
        for at, argument in enumerate(call.arguments):
            if argument is frontier:
                callee = program.function(call.function)
                obstacle, stores = _obstacle(callee.body, callee.parameters[at], program)
                if obstacle:
                    return f"in '{callee.name}' {obstacle}", True
                is_stored = is_stored or stores
    return "", is_stored


def _stores(statement: typed.Statement) -> list[tuple[typed.Place, typed.Expression | None]]:
    match statement:
        case typed.Assign():
            return [(statement.place, statement.value)]
        case typed.Update():
            return [(statement.place, None)]
        case typed.AssignExtreme():
            return [(statement.place, None), *((c.place, c.value) for c in statement.carried)]
    return []
