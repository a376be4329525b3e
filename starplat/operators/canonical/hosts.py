"""Loops of the host: what is known when one begins, whether a first round runs, and who sees what it leaves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import conjuncts
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.canonical.rebuilding import rebuilt

Loop = typed.While | typed.DoWhile | typed.FixedPoint
Known = Mapping[typed.Symbol, int | float | bool]


def host_loops(body: typed.Block) -> list[Loop | typed.CountedLoop]:
    """The loops that hold loops over nodes or arcs, and are in no parallel loop, outermost first."""
    found: list[Loop | typed.CountedLoop] = []
    pending: list[typed.Statement] = [body]
    while pending:
        s = pending.pop(0)
        if isinstance(s, Loop | typed.CountedLoop) and any(isinstance(i, typed.ForEach) for i in walk.statements(s)):
            found.append(s)
        if not isinstance(s, typed.IterateInBFS) and not (isinstance(s, typed.ForEach) and s.parallel):
            pending += walk.blocks(s)
    return found


def block_of(statement: typed.Statement, body: typed.Block) -> tuple[typed.Block, int]:
    """The block that a statement stands in, and its place there."""
    for block in walk.statements(body):
        if isinstance(block, typed.Block):
            for place, s in enumerate(block.statements):
                if s is statement:
                    return block, place
    raise ValueError(statement)


def known_before(statement: typed.Statement, body: typed.Block) -> Known:
    """The values of scalars that its block has given them when it comes to a statement."""
    block, place = block_of(statement, body)
    known: dict[typed.Symbol, int | float | bool] = {}
    for s in block.statements[:place]:
        match s:
            case typed.Declare(symbol=symbol, value=typed.Literal(value=value)):
                known[symbol] = value
            case typed.Assign(place=typed.Variable(symbol=symbol), value=typed.Literal(value=value)):
                known[symbol] = value
            case _:
                for symbol in {w for inner in walk.statements(s) for w in walk.written(inner)}:
                    known.pop(symbol, None)
    return known


def surely_begins(loop: Loop, known: Known) -> bool:
    """Whether a first round runs, as far as is known of scalars."""
    return not isinstance(loop, typed.While) or all(_is_true(c, known) for c in conjuncts(loop.condition))


def _is_true(condition: typed.Expression, known: Known) -> bool:
    match condition:
        case typed.Variable(symbol=symbol):
            return known.get(symbol) is True
        case typed.Unary(operator=typed.UnaryOperator.NOT, operand=typed.Variable(symbol=symbol)):
            return known.get(symbol) is False
        case typed.Binary(
            operator=typed.Operator.EQUAL, left=typed.Variable(symbol=symbol), right=typed.Literal(value=value)
        ):
            return known.get(symbol) is value
        case _:
            return False


def until_quiet(loop: typed.CountedLoop) -> typed.DoWhile | None:
    """A loop of at least as many rounds as there are nodes, that is left after a round without a flag, as a loop that
    ends then; for rounds each of which but the last gives a node its last value. None for other loops."""
    match loop.body.statements, loop.condition:
        case (
            (*rounds, typed.If(condition=quiet, otherwise=None, then=typed.Block(statements=(typed.Break(),)))),
            typed.Binary(
                operator=typed.Operator.LESS | typed.Operator.LESS_EQUAL,
                left=typed.Variable(symbol=counter),
                right=typed.GraphQuery(query=typed.Query.NUM_NODES),
            ),
        ) if counter is loop.symbol and loop.first == typed.Literal(0, Scalar.INT):
            body = typed.Block((*rounds, loop.step), span=loop.body.span)
            left = any(isinstance(i, typed.Break | typed.Continue | typed.Return) for s in rounds for i in _own(s))
            again = typed.Unary(typed.UnaryOperator.NOT, quiet, span=quiet.span)
            return None if left else typed.DoWhile(body, again, span=loop.span)
        case _:
            return None


def _own(s: typed.Statement) -> Iterator[typed.Statement]:
    """The statements below one that belong to the loop around it, not to one inside."""
    yield s
    if not isinstance(s, typed.ForEach | typed.While | typed.DoWhile | typed.CountedLoop | typed.FixedPoint):
        for inner in walk.blocks(s):
            yield from _own(inner)


def is_seen(symbol: typed.Symbol, loop: typed.Statement, body: typed.Block) -> bool:
    """Whether a function may read later what a loop leaves in a symbol: after it, or in another round of a loop around
    it."""
    inside = {id(s) for s in walk.statements(loop)}
    loops = (typed.While, typed.DoWhile, typed.CountedLoop, typed.ForEach, typed.FixedPoint, typed.IterateInBFS)
    seen = [s for s in walk.statements(body) if id(s) not in inside]
    again = any(isinstance(s, loops) and any(inner is loop for inner in walk.statements(s)) for s in seen)
    order = {id(s): place for place, s in enumerate(walk.statements(body))}
    return any(symbol in read(s) for s in seen if again or order[id(s)] > order[id(loop)])


def read(s: typed.Statement) -> Iterator[typed.Symbol]:
    """The symbols that a statement itself reads, or touches as a whole without writing it anew."""
    for value in walk.expressions(s):
        for part in walk.within(value):
            match part:
                case typed.Variable(symbol=symbol) | typed.Cell(symbol=symbol):
                    yield symbol
                case typed.SetSize(symbol=symbol) | typed.SetContains(symbol=symbol):
                    yield symbol
                case typed.Aggregate(property=symbol):
                    yield symbol
                case typed.Call(arguments=arguments):
                    yield from (a for a in arguments if isinstance(a, typed.Symbol))
                case _:
                    pass
    match s:
        case typed.CopyProperty(source=source):
            yield source
        case typed.Attach(items=items):
            yield from (value for _, value in items if isinstance(value, typed.Symbol))
        case typed.ForEach(domain=typed.Members(symbol=symbol)):
            yield symbol
        case typed.FixedPoint(flag=flag):
            yield flag
        case typed.Update(place=place) | typed.AssignExtreme(place=place):
            yield place.symbol
        case _:
            pass


def in_place_of(old: typed.Statement, new: Sequence[typed.Statement], body: typed.Block) -> typed.Block:
    """The body with other statements where one was."""
    block, place = block_of(old, body)
    changed = replace(block, statements=(*block.statements[:place], *new, *block.statements[place + 1 :]))
    return rebuilt(body, lambda part: changed if part is block else None)
