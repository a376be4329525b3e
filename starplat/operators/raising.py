"""From a checked program in canonical form to operators."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from starplat.analysis import walk
from starplat.analysis.settling.monotone import MIRRORED, all_asked, asked_flag, conjuncts, mentions
from starplat.frontend import typed, types
from starplat.frontend.walk import children
from starplat.operators import records as op
from starplat.operators.answers.triangles import with_intersections
from starplat.operators.canonical.effects import REVERSED, forwarded
from starplat.same import Same

_HOW = {
    typed.Combine.ADD: op.How.SUM,
    typed.Combine.MULTIPLY: op.How.PRODUCT,
    typed.Combine.AND: op.How.ALL,
    typed.Combine.OR: op.How.ANY,
    typed.Combine.BIT_AND: op.How.BITS,
    typed.Combine.BIT_OR: op.How.BITS,
    typed.Combine.BIT_XOR: op.How.BITS,
}


def graph_program(
    function: typed.FunctionDefinition,
    program: typed.Program,
    settling: Mapping[Same, op.Spreading | None] | None = None,
) -> op.GraphProgram:
    """The operators of a function of a program; `settling` are the loops that do nothing but let arcs offer what they
    have, by their `id`s."""
    frontiers = frozenset(_frontiers(function))
    body, found = with_intersections(function.body, program)
    raiser = _Raiser(frontiers, _unread(function), settling or {}, found)
    return op.GraphProgram(function, frontiers, raiser.block(body))


def _unread(function: typed.FunctionDefinition) -> frozenset[typed.Symbol]:
    """The scalars of the host whose value is never asked for, such as flags of loops that go over a frontier."""
    inside = list(walk.statements(function.body))
    values = (value for s in inside for value in walk.expressions(s))
    read = walk.variables(*values) | walk.lent(function.body)
    locals_ = {s.symbol for s in inside if isinstance(s, typed.Declare) and isinstance(s.symbol.type, types.Scalar)}
    return frozenset(locals_ - read)


def _frontiers(function: typed.FunctionDefinition) -> Iterator[typed.Symbol]:
    """The local flags of nodes that loops over nodes ask first."""
    for s in walk.statements(function.body):
        if isinstance(s, typed.ForEach) and isinstance(s.domain, typed.AllNodes) and s.filter is not None:
            for condition in conjuncts(s.filter):
                symbol = asked_flag(condition, s.iterator)
                if symbol is not None and symbol.role is typed.Role.LOCAL:
                    yield symbol


class _Raiser:
    def __init__(
        self,
        frontiers: frozenset[typed.Symbol],
        unread: frozenset[typed.Symbol],
        settling: Mapping[Same, op.Spreading | None],
        intersections: Mapping[Same, op.Intersect],
    ) -> None:
        self._frontiers, self._unread, self._settling = frontiers, unread, settling
        self._intersections = intersections

    def block(self, block: typed.Block) -> tuple[op.Operator, ...]:
        return tuple(raised for s in block.statements for raised in self._statement(s))

    def _statement(self, s: typed.Statement) -> Iterator[op.Operator]:
        match s:
            case typed.Block():
                yield from self.block(s)
            case typed.ForEach() if Same(s) in self._intersections:
                yield self._intersections[Same(s)]
            case typed.ForEach(parallel=True):
                yield from self._loop(s)
            case typed.ForEach():
                yield op.Each(s.iterator, s.domain, s.filter, self.block(s.body))
            case typed.FixedPoint():
                yield self._fixed_point(s)
            case typed.While() | typed.DoWhile():
                last = isinstance(s, typed.DoWhile)
                body = self.block(_with_late_scalars(s.body))
                yield op.Loop(s.condition, False, last, None, body, self._settling.get(Same(s)))
            case typed.CountedLoop():
                yield op.Counted(s, self.block(_with_late_scalars(s.body)))
            case typed.IterateInBFS():
                back = () if s.reverse is None else self._of_search(s, s.reverse.body)
                yield op.Search(s, self._of_search(s, s.body), back)
            case typed.Declare(symbol) if symbol in self._unread:
                pass
            case typed.Assign(place) | typed.Update(place=place) if place.symbol in self._unread:
                pass
            case typed.If():
                otherwise = () if s.otherwise is None else self.block(s.otherwise)
                yield op.Choice(s.condition, self.block(s.then), otherwise)
            case _:
                yield s

    def _fixed_point(self, s: typed.FixedPoint) -> op.Loop:
        match s.condition:
            case typed.Unary(typed.UnaryOperator.NOT, asked):
                frontier = asked_flag(asked, s.node)
            case _:
                frontier = None
        return op.Loop(s.condition, True, True, frontier, self.block(s.body), self._settling.get(Same(s)))

    def _of_search(self, s: typed.IterateInBFS, body: typed.Block) -> tuple[op.Operator, ...]:
        loop = typed.ForEach(True, s.iterator, typed.AllNodes(s.graph), None, body, span=s.span)
        return tuple(self._loop(loop))

    def _loop(self, s: typed.ForEach) -> Iterator[op.Operator]:
        """A parallel loop as one operator, or as several that follow each other."""
        when = () if s.filter is None else tuple(_asked(c, s.iterator) for c in conjuncts(s.filter))
        own, rows = _parted(s.body.statements, s.iterator)
        if own is None or rows is None:
            yield op.Foreach(s)
            return
        effects = [tuple(self._effects(s.iterator, row)) for row in rows]
        if not all(effects):
            yield op.Foreach(s)
        elif own and when:
            yield op.VertexMap(
                s.iterator, s.domain, when, own, tuple(map(partial(_in_hand, s.iterator), rows, effects))
            )
        else:
            if own:
                yield op.VertexMap(s.iterator, s.domain, when, own)
            for row, of_row in zip(rows, effects, strict=True):
                yield self._advance(s, row, when, of_row)

    def _advance(
        self,
        s: typed.ForEach,
        row: typed.ForEach,
        when: tuple[typed.Expression, ...],
        effects: tuple[op.EdgeEffect, ...],
    ) -> op.Advance:
        """A row of the nodes for which conditions hold, as an operator of its own."""
        flags = [flag for c in when if (flag := asked_flag(c, s.iterator)) in self._frontiers and flag is not None]
        frontier = flags[0] if len(flags) == 1 else None
        rest = tuple(c for c in when if frontier is None or asked_flag(c, s.iterator) is not frontier)
        whole = replace(_in_hand(s.iterator, row, effects), domain=s.domain, frontier=frontier, when=rest)
        return _from_sources(whole) if not when and all(_is_of(e.target, s.iterator) for e in effects) else whole

    def _effects(self, node: typed.Symbol, row: typed.ForEach) -> Iterator[op.EdgeEffect]:
        assert isinstance(row.domain, typed.Neighbors)
        when = all_asked(row.filter)
        yield from self._stores(node, row, row.domain.direction, row.body.statements, when, {})

    def _stores(
        self,
        node: typed.Symbol,
        row: typed.ForEach,
        direction: typed.Direction,
        statements: Sequence[typed.Statement],
        when: tuple[typed.Expression, ...],
        values: dict[typed.Symbol, typed.Expression],
    ) -> Iterator[op.EdgeEffect]:
        def made(how: op.How, value: typed.Expression, s: typed.Statement) -> op.EdgeEffect:
            place, *beside = (forwarded(p, values) if isinstance(p, typed.Cell) else p for p in walk.written_places(s))
            with_winner = zip(s.carried if isinstance(s, typed.AssignExtreme) else (), beside, strict=True)
            carried = tuple(replace(c, place=p, value=forwarded(c.value, values)) for c, p in with_winner)
            conditions = tuple(_asked(forwarded(c, values), row.iterator) for c in when)
            whole = forwarded(value, values)
            return op.EdgeEffect(node, row.iterator, direction, conditions, place, how, whole, carried, None, s.span)

        for s in statements:
            match s:
                case typed.Declare(local, value) if value is not None:
                    values[local] = forwarded(value, values)
                case typed.Block(inside):
                    yield from self._stores(node, row, direction, inside, when, values)
                case typed.If(otherwise=None):
                    inner = (*when, *conjuncts(s.condition))
                    yield from self._stores(node, row, direction, s.then.statements, inner, values)
                case typed.Assign():
                    yield made(op.How.STORE, s.value, s)
                case typed.Update():
                    yield made(_HOW[s.combine], s.value, s)
                case typed.AssignExtreme():
                    yield made(op.How(s.extreme.value.lower()), s.candidate, s)


def _in_hand(node: typed.Symbol, row: typed.ForEach, effects: tuple[op.EdgeEffect, ...]) -> op.Advance:
    assert isinstance(row.domain, typed.Neighbors)
    return op.Advance(node, row.iterator, row.domain.direction, None, None, (), effects)


def _from_sources(gather: op.Advance) -> op.Advance:
    """What all nodes gather, as what all nodes send: the same arcs, seen from their other ends."""
    way = REVERSED[gather.direction]
    here, there = gather.destination, gather.source
    effects = tuple(replace(e, source=here, destination=there, direction=way) for e in gather.effects)
    return replace(gather, source=here, destination=there, direction=way, effects=effects)


def _is_of(place: typed.Place, node: typed.Symbol) -> bool:
    return isinstance(place, typed.Cell) and place.index == typed.Variable(node)


def _asked(condition: typed.Expression, node: typed.Symbol) -> typed.Expression:
    """A condition as one would ask it of a node: the node on the left."""
    match condition:
        case typed.Binary(operator, left, right) if operator in MIRRORED:
            turned = mentions(right, {node}) and not mentions(left, {node})
            return replace(condition, operator=MIRRORED[operator], left=right, right=left) if turned else condition
    return condition


def _with_late_scalars(block: typed.Block) -> typed.Block:
    """A round with constants given to scalars just before these are needed, as it could be written as well."""
    statements = list(block.statements)
    for place in reversed(range(len(statements))):
        if (symbol := _begun(statements[place])) is None:
            continue
        to = place
        while to + 1 < len(statements) and not _touches(statements[to + 1], symbol):
            to += 1
        if to + 1 < len(statements):
            while to > place and _begun(statements[to]) is not None:
                to -= 1  # both are needed at one place
            statements.insert(to, statements.pop(place))
    return replace(block, statements=tuple(statements))


def _begun(s: typed.Statement) -> typed.Symbol | None:
    """The scalar that a statement gives a constant."""
    match s:
        case typed.Declare(symbol, typed.Literal() | typed.Infinity()):
            return symbol if isinstance(symbol.type, types.Scalar) else None
        case typed.Assign(typed.Variable(symbol), typed.Literal() | typed.Infinity()):
            return symbol
    return None


def _touches(s: typed.Statement, symbol: typed.Symbol) -> bool:
    """Whether a statement reads or writes a scalar, or may end the round."""
    return walk.leaves(s) or walk.touches(s, symbol)


def _parted(
    statements: Sequence[typed.Statement], node: typed.Symbol
) -> tuple[tuple[typed.Statement, ...] | None, tuple[typed.ForEach, ...] | None]:
    """What an iteration does by itself, and then its loops over neighbors, which only store to cells and scalars; None
    for what is neither."""
    own: list[typed.Statement] = []
    rows: list[typed.ForEach] = []
    declared = {symbol for s in statements for symbol in walk.declared(s)}
    for s in statements:
        if isinstance(s, typed.ForEach) and _is_row(s, node) and not _accumulates(s, declared):
            rows.append(s)
        elif rows or not _is_alone(s, node):
            return None, None
        else:
            own.append(s)
    return tuple(own), tuple(rows)


def _is_row(s: typed.ForEach, node: typed.Symbol) -> bool:
    plain = (typed.Block, typed.If, typed.Declare, typed.Assign, typed.Update, typed.AssignExtreme)
    return _is_over_row(s, node) and all(
        isinstance(i, plain) and not (isinstance(i, typed.If) and i.otherwise is not None)
        for i in walk.statements(s.body)
    )


def _accumulates(s: typed.ForEach, declared: set[typed.Symbol]) -> bool:
    inside = set(walk.declared(s.body))
    written = {place.symbol for place in walk.places(s.body)}
    return bool((written & declared) - inside)


def _is_alone(s: typed.Statement, node: typed.Symbol) -> bool:
    """Whether a statement writes the iteration's own cells, its locals and reductions only, gathering from neighbors
    among them."""
    plain = (typed.Block, typed.If, typed.Declare, typed.Assign, typed.Update, typed.AssignExtreme, typed.ForEach)
    for inner in walk.statements(s):
        if not isinstance(inner, plain):
            return False
        if isinstance(inner, typed.ForEach) and not _is_over_row(inner, node):
            return False
        for place in walk.written_places(inner):
            if isinstance(place, typed.Cell) and children(place) != (typed.Variable(node),):
                return False
    return True


def _is_over_row(s: typed.ForEach, node: typed.Symbol) -> bool:
    """Whether a loop is over the neighbors of the node in hand."""
    return isinstance(s.domain, typed.Neighbors) and s.domain.node == typed.Variable(node)
