"""Facts about loops of the host: values known when one begins, whether a round runs, and which results are read
later."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import conjuncts
from starplat.frontend import typed
from starplat.operators.canonical.rebuilding import Statements, spliced, with_block, with_statements
from starplat.same import Same, remembered

Loop = typed.While | typed.DoWhile | typed.FixedPoint
HostLoop = Loop | typed.CountedLoop
_LOOPS = (typed.While, typed.DoWhile, typed.CountedLoop, typed.ForEach, typed.FixedPoint, typed.IterateInBFS)
Known = Mapping[typed.Symbol, int | float | bool]
_MOST = 1 << 20
"""The greatest number that is taken in, as nothing that counts on from it reaches the end of a type."""


@remembered(16)
def surroundings(body: typed.Block) -> "Surroundings":
    """What stands around the loops of a function's body, found once however many rewrites ask."""
    return Surroundings(body)


class Surroundings:
    """What stands around the loops of a function's `body`, found in one walk over it.

    `loops` are the loops of the host that hold loops over nodes or arcs, outermost first.
    """

    def __init__(self, body: typed.Block) -> None:
        self.body = body
        self.loops: list[HostLoop] = []
        self._known: dict[Same, Known] = {}
        self._place: dict[Same, tuple[typed.Block, int]] = {}
        self._span: dict[Same, tuple[int, int]] = {}
        self._again: set[Same] = set()
        self._reads: dict[typed.Symbol, list[int]] = defaultdict(list)
        self._count = 0
        self._enter(body, on_host=True, again=False)

    def block_of(self, loop: typed.Statement) -> tuple[typed.Block, int]:
        """The block that a loop stands in, and its place there."""
        return self._place[Same(loop)]

    def before(self, loop: typed.Statement) -> tuple[typed.Statement, ...]:
        """What stands before a loop in its block."""
        block, place = self.block_of(loop)
        return block.statements[:place]

    def with_in_place(self, loop: typed.Statement, statements: Statements) -> typed.Block:
        """The function's body with others in the place of a loop."""
        block, place = self.block_of(loop)
        return with_block(self.body, block, spliced(block, place, statements))

    def known_before(self, loop: typed.Statement) -> Known:
        """The values of scalars that its block has given them when it comes to a loop."""
        return self._known[Same(loop)]

    def is_seen(self, symbol: typed.Symbol, loop: typed.Statement) -> bool:
        """Whether the function may read later what a loop leaves in a symbol: after it, or in another round of a loop
        around it."""
        first, last = self._span[Same(loop)]
        reads = self._reads[symbol]
        after = bisect_left(reads, last)
        return after < len(reads) or (Same(loop) in self._again and bisect_left(reads, first) > 0)

    def _enter(self, s: typed.Statement, *, on_host: bool, again: bool) -> None:
        first = self._count
        self._count += 1
        for symbol in walk.read(s):
            self._reads[symbol].append(first)
        on_host = (
            on_host and not isinstance(s, typed.IterateInBFS) and not (isinstance(s, typed.ForEach) and s.parallel)
        )
        if isinstance(s, typed.Block):
            self._enter_block(s, on_host=on_host, again=again)
        else:
            for inner in walk.blocks(s):
                self._enter(inner, on_host=on_host, again=again or isinstance(s, _LOOPS))
        self._span[Same(s)] = first, self._count

    def _enter_block(self, block: typed.Block, *, on_host: bool, again: bool) -> None:
        known: dict[typed.Symbol, int | float | bool] = {}
        for place, s in enumerate(block.statements):
            if on_host and isinstance(s, HostLoop) and any(isinstance(i, typed.ForEach) for i in walk.statements(s)):
                self.loops.append(s)
                self._known[Same(s)] = dict(known)
                self._place[Same(s)] = block, place
                if again:
                    self._again.add(Same(s))
            self._enter(s, on_host=on_host, again=again)
            match s:
                case typed.Declare(symbol, typed.Literal(value)) | typed.Assign(
                    typed.Variable(symbol), typed.Literal(value)
                ) if abs(value) <= _MOST:
                    known[symbol] = value
                case _ if known:
                    for symbol in walk.all_written(s):
                        known.pop(symbol, None)


def with_loops(body: typed.Block, made: Callable[[HostLoop, Surroundings], Statements | None]) -> typed.Block:
    """A function's body with what is `made` of a loop in its place, as long as that is anything."""
    around = surroundings(body)
    for loop in around.loops:
        if (found := made(loop, around)) is not None:
            return with_loops(around.with_in_place(loop, found), made)
    return body


def surely_begins(loop: Loop, known: Known, before: Sequence[typed.Statement]) -> bool:
    """Whether a first round runs, as far as is known of scalars; `before` are the statements before the loop in its
    block. A loop that only begins if there are nodes counts as one that does, as its rounds are about nodes."""
    if not isinstance(loop, typed.While):
        return True
    return all(_is_true(c, known) or asks_for_nodes(c, before) for c in conjuncts(loop.condition))


def asks_for_nodes(condition: typed.Expression, before: Sequence[typed.Statement]) -> bool:
    """Whether a condition asks whether a scalar is above 0 that has been given the number of nodes."""
    match condition:
        case typed.Binary(
            typed.Operator.GREATER | typed.Operator.NOT_EQUAL,
            typed.Variable(symbol),
            typed.Literal(0) | typed.Convert(typed.Literal(0)),
        ):
            inside = [(s, i) for s in before for i in walk.statements(s)]
            writers = [s for s, i in inside if symbol in (*walk.written(i), *walk.declared(i))]
        case _:
            return False
    match writers[-1:]:
        case [typed.Declare(value=value)] | [typed.Assign(typed.Variable(), value)]:
            number = value.operand if isinstance(value, typed.Convert) else value
            return isinstance(number, typed.GraphQuery) and number.query is typed.Query.NUM_NODES
    return False


def _is_true(condition: typed.Expression, known: Known) -> bool:
    match condition:
        case typed.Variable(symbol):
            return known.get(symbol) is True
        case typed.Unary(typed.UnaryOperator.NOT, typed.Variable(symbol)):
            return known.get(symbol) is False
        case typed.Binary(typed.Operator.EQUAL, typed.Variable(symbol), typed.Literal(value)):
            return known.get(symbol) is value
    return False


def at_once(body: typed.Block) -> typed.Block:
    """The body of a loop, with loops over all nodes or arcs in it parallel whose iterations come one after another, but
    for those that may be left; for proofs about any order, of which the written one is one."""

    def freed(s: typed.Statement) -> typed.Statement:
        match s:
            case typed.ForEach(parallel=False, domain=typed.AllNodes() | typed.AllEdges(), body=inside):
                return s if walk.may_be_last(inside) else replace(s, parallel=True)
        return s

    return with_statements(body, [freed(s) for s in body.statements])


def may_leave(statements: Sequence[typed.Statement]) -> bool:
    """Whether one of the statements of a block may leave it, or the function, before its end."""
    leaves = any(isinstance(i, typed.Break | typed.Continue) for s in statements for i in walk.own_statements(s))
    return leaves or any(isinstance(i, typed.Return) for s in statements for i in walk.statements(s))
