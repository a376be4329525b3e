"""The inside of a kernel, or of a function that kernels call: statements and expressions that one thread runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import assert_never

from starplat.analysis.effects import aliases
from starplat.frontend import typed
from starplat.frontend.types import PropertyType, Scalar, SetType
from starplat.ir import nodes as ir
from starplat.ir.lowering.context import (
    COMBINES,
    ELEMENTS,
    EXTREMES,
    Context,
    both,
    equal,
    false,
    plus,
    true,
    zero,
)
from starplat.ir.lowering.expressions import ExpressionLowering
from starplat.ir.lowering.names import Names
from starplat.ir.lowering.uses import holds_still


@dataclass(frozen=True, slots=True)
class ArcPlace:
    """Where an enclosing neighbor loop stands: the forward arc id and the two ends."""

    arc: ir.Expression
    source: ir.Expression
    destination: ir.Expression


@dataclass(frozen=True, slots=True)
class LevelScope:
    """Inside a BFS pass: neighbors of `iterator` are children or parents only. `pulling` holds the ids of loops over
    `neighbors` that mean parents; `judged` the nodes of the level that passed the pass's filter, where the host drives
    a body that may change what the filter reads."""

    iterator: typed.Symbol
    levels: ir.Array
    depth: ir.Variable
    pulling: frozenset[int]
    judged: ir.Array | None = None


@dataclass
class Surroundings:
    """What a kernel sees of its host function.

    `values` are host scalars read by value; `arrays` device arrays; `reductions` outer scalars that iterations
    contribute to; `words` outer scalars that live in a one-cell array meanwhile; `flags` outer scalars of which only
    the storing is told; `stand_ins` replace an array where it is written (the second copy of a fixed point's flags);
    `announce` are reductions that hear of every True stored to an array; `lock_of` gives the locks of an array's
    cells; `hoisted` are numbers worked out before.
    """

    values: dict[typed.Symbol, ir.Expression] = field(default_factory=dict)
    arrays: dict[typed.Symbol, ir.Array] = field(default_factory=dict)
    reductions: dict[typed.Symbol, ir.Reduction] = field(default_factory=dict)
    flags: dict[typed.Symbol, ir.Variable] = field(default_factory=dict)
    words: dict[typed.Symbol, ir.Array] = field(default_factory=dict)
    stand_ins: dict[ir.Array, ir.Array] = field(default_factory=dict)
    announce: dict[ir.Array, ir.Variable] = field(default_factory=dict)
    lock_of: Callable[[ir.Array], ir.Array] | None = None
    hoisted: dict[int, ir.Expression] = field(default_factory=dict)


class KernelLowering(ExpressionLowering):
    """Lowers the body of one kernel. `shared` holds the ids of places that other iterations may touch too."""

    def __init__(
        self,
        context: Context,
        names: Names,
        around: Surroundings,
        shared: frozenset[int],
        levels: LevelScope | None = None,
    ) -> None:
        self.context = context
        self.names = names
        self.around = around
        self.shared = shared
        self.levels = levels
        self.locals: dict[typed.Symbol, ir.Variable] = {}
        self.arcs: dict[typed.Symbol, ArcPlace] = {}
        self.aliases: dict[typed.Symbol, typed.Expression] = {}
        self.announced: set[ir.Variable] = set()

    # --- names

    def local(self, symbol: typed.Symbol) -> ir.Variable:
        """A new local for a symbol."""
        variable = ir.Variable(self.names.fresh(symbol.name), ELEMENTS[symbol.scalar])
        self.locals[symbol] = variable
        return variable

    def temporary(self, name: str, element: ir.Element) -> ir.Variable:
        return ir.Variable(self.names.fresh(name), element)

    def array(self, symbol: typed.Symbol) -> ir.Array:
        return self.around.arrays[symbol]

    def written_array(self, symbol: typed.Symbol) -> ir.Array:
        array = self.array(symbol)
        return self.around.stand_ins.get(array, array)

    # --- expressions

    def variable(self, e: typed.Variable) -> ir.Expression:
        if e.symbol in self.locals:
            return ir.Ref(self.locals[e.symbol])
        if e.symbol in self.around.words:
            return ir.Load(self.around.words[e.symbol], ir.Const(0, ir.Element.INT))
        return self.around.values[e.symbol]

    def cell(self, e: typed.Cell) -> ir.Expression:
        return ir.Load(self.array(e.symbol), self.expression(e.index))

    def arc_in_hand(self, iterator: typed.Symbol) -> ir.Expression:
        return self.arcs[iterator].arc

    def arc_ends(self, edge: typed.Expression) -> tuple[ir.Expression, ir.Expression] | None:
        while isinstance(edge, typed.Variable) and edge.symbol in self.aliases:
            edge = self.aliases[edge.symbol]
        if isinstance(edge, typed.ArcInHand) and edge.iterator in self.arcs:
            place = self.arcs[edge.iterator]
            return place.source, place.destination
        return None

    def set_size(self, e: typed.SetSize) -> ir.Expression:
        return self._hoisted(e)

    def aggregate(self, e: typed.Aggregate) -> ir.Expression:
        return self._hoisted(e)

    def weight_extreme(self, e: typed.GraphQuery) -> ir.Expression:
        return self._hoisted(e)

    def _hoisted(self, e: typed.SetSize | typed.Aggregate | typed.GraphQuery) -> ir.Expression:
        """What was worked out once, before the kernel."""
        if id(e) not in self.around.hoisted:
            raise self.context.refuse(
                "E0652", "a whole property cannot be summed up inside a function that a 'forall' calls", e.span,
                help="compute it before the 'forall' and pass the number",
            )  # fmt: skip
        return self.around.hoisted[id(e)]

    def set_contains(self, e: typed.SetContains) -> ir.Expression:
        return ir.Load(self.array(e.symbol), self.expression(e.member))

    def call(self, e: typed.Call) -> ir.CallFunction:
        helper = self.context.lower_helper(e.function)
        given = [self._argument(a, e) for a in e.arguments if not _is_graph(a)]
        graph = [p.what for p in helper.parameters if isinstance(p.what, ir.Array) and p.what in ir.GRAPH_ARRAYS]
        element = ir.Element.INT if helper.result is None else helper.result
        return ir.CallFunction(helper.name, (*given, *graph), element)

    def _argument(
        self, argument: typed.Expression | typed.Symbol, call: typed.Call
    ) -> ir.Expression | ir.Array | ir.Variable:
        if not isinstance(argument, typed.Symbol):
            return self.expression(argument)
        if isinstance(argument.type, PropertyType | SetType):
            return self.written_array(argument)
        if argument in self.locals:
            return self.locals[argument]
        raise self.context.refuse(
            "E0653", f"'{argument.name}' is passed by reference although all iterations share it", call.span,
            help="give the function a local variable and combine it afterwards with '+=', 'Min' or the like",
        )  # fmt: skip

    # --- statements

    def block(self, block: typed.Block) -> tuple[ir.KernelOp, ...]:
        return tuple(op for statement in block.statements for op in self.statement(statement))

    def statement(self, s: typed.Statement) -> list[ir.KernelOp]:
        """The operations of one statement."""
        match s:
            case typed.Block():
                return list(self.block(s))
            case typed.Declare():
                return self._declare(s)
            case typed.Assign():
                return self.assign(s.place, self.expression(s.value), s.value)
            case typed.Update():
                return self._update(s)
            case typed.AssignExtreme():
                return self._extreme(s)
            case typed.AddToSet():
                return [ir.Store(self.written_array(s.symbol), self.expression(s.member), true(), id(s) in self.shared)]
            case typed.CallStatement():
                return [ir.KernelCall(self.call(s.call))]
            case typed.Return():
                return [ir.KernelReturn(None if s.value is None else self.expression(s.value))]
            case typed.Break():
                return [ir.KernelBreak()]
            case typed.Continue():
                return [ir.KernelContinue()]
            case typed.If():
                otherwise = () if s.otherwise is None else self.block(s.otherwise)
                return [ir.KernelIf(self.expression(s.condition), self.block(s.then), otherwise)]
            case typed.While():
                return [ir.KernelWhile(self.expression(s.condition), self.block(s.body))]
            case typed.DoWhile():
                return [ir.KernelWhile(self.expression(s.condition), self.block(s.body), test_last=True)]
            case typed.CountedLoop():
                return self._counted(s)
            case typed.ForEach():
                return self._for_each(s)
            case typed.Attach() | typed.CopyProperty() | typed.FixedPoint() | typed.IterateInBFS():
                raise AssertionError(f"{type(s).__name__} inside a kernel")
            case typed.Unsupported():
                raise self.unsupported(s.construct, s)
        assert_never(s)

    def _declare(self, s: typed.Declare) -> list[ir.KernelOp]:
        if s.symbol in self.locals:
            return []  # an edge that is the arc in hand of the loop around
        value = zero(ELEMENTS[s.symbol.scalar]) if s.value is None else self.expression(s.value)
        return [ir.Let(self.local(s.symbol), value)]

    def assign(self, place: typed.Place, value: ir.Expression, said: typed.Expression | None) -> list[ir.KernelOp]:
        """`place = value`, wherever the place lives; `said` is the value in the program's words."""
        match place:
            case typed.Cell():
                return self._store(place, value, said)
            case typed.Variable(symbol=symbol) if symbol in self.locals:
                return [ir.SetLocal(self.locals[symbol], value)]
            case typed.Variable(symbol=symbol) if symbol in self.around.words:
                return [
                    ir.Store(self.around.words[symbol], ir.Const(0, ir.Element.INT), value, id(place) in self.shared)
                ]
            case typed.Variable(symbol=symbol) if symbol in self.around.flags:
                return [ir.Contribute(self.around.flags[symbol], true())]
            case typed.Variable(symbol=symbol):
                return [ir.Contribute(self.around.reductions[symbol].variable, value)]
        assert_never(place)

    def _store(self, place: typed.Cell, value: ir.Expression, said: typed.Expression | None) -> list[ir.KernelOp]:
        array = self.written_array(place.symbol)
        store = ir.Store(array, self.expression(place.index), value, id(place) in self.shared)
        return [store, *self._announce(array)]

    def _announce(self, array: ir.Array) -> list[ir.KernelOp]:
        if array not in self.around.announce:
            return []
        flag = self.around.announce[array]
        self.announced.add(flag)
        return [ir.Contribute(flag, false())]

    def _update(self, s: typed.Update) -> list[ir.KernelOp]:
        combine, value = COMBINES[s.combine], self.expression(s.value)
        match s.place:
            case typed.Cell(symbol=symbol, index=index):
                shared = id(s.place) in self.shared
                return [ir.UpdateCell(combine, self.written_array(symbol), self.expression(index), value, shared)]
            case typed.Variable(symbol=symbol) if symbol in self.locals:
                variable = self.locals[symbol]
                return [ir.SetLocal(variable, self._combined(s, ir.Ref(variable), value))]
            case typed.Variable(symbol=symbol) if symbol in self.around.words:
                word, shared = self.around.words[symbol], id(s.place) in self.shared
                return [ir.UpdateCell(combine, word, ir.Const(0, ir.Element.INT), value, shared)]
            case typed.Variable(symbol=symbol):
                return [ir.Contribute(self.around.reductions[symbol].variable, value)]
        assert_never(s.place)

    def _combined(self, s: typed.Update, old: ir.Expression, value: ir.Expression) -> ir.Expression:
        operator = ir.BinaryOperator(s.combine.value.removesuffix("="))
        infinite = s.place.type.is_integer and (
            self.context.may_be_infinite(s.place) or self.context.may_be_infinite(s.value)
        )
        if operator is ir.BinaryOperator.ADD and infinite:
            operator = ir.BinaryOperator.ADD_INF
        if (
            operator is ir.BinaryOperator.ADD
            and isinstance(value, ir.Unary)
            and value.operator is ir.UnaryOperator.NEGATE
        ):
            return ir.Binary(ir.BinaryOperator.SUBTRACT, old, value.operand, old.element)
        return ir.Binary(operator, old, value, old.element)

    def _extreme(self, s: typed.AssignExtreme) -> list[ir.KernelOp]:
        match s.place:
            case typed.Cell(symbol=symbol, index=index):
                array, where = self.written_array(symbol), self.expression(index)
            case typed.Variable(symbol=symbol) if symbol in self.around.words:
                array, where = self.around.words[symbol], ir.Const(0, ir.Element.INT)
            case typed.Variable(symbol=symbol) if symbol in self.locals:
                return self._local_extreme(s, self.locals[symbol])
            case typed.Variable(symbol=symbol):
                return [ir.Contribute(self.around.reductions[symbol].variable, self.expression(s.candidate))]
        shared = id(s.place) in self.shared
        carries, also = self._carries(s)
        lock = self._lock(array, s) if shared and not all(_is_constant(c.value) for c in carries) else None
        candidate = self.expression(s.candidate)
        return [ir.ExtremeCell(EXTREMES[s.extreme], array, where, candidate, tuple(carries), shared, lock, also)]

    def _lock(self, array: ir.Array, s: typed.AssignExtreme) -> ir.Array:
        if self.around.lock_of is None:
            raise self.context.refuse(
                "E0657", "a function that a 'forall' calls cannot carry values along with a shared 'Min' or 'Max'",
                s.span, help="write the multi-assignment in the 'forall' itself",
            )  # fmt: skip
        return self.around.lock_of(array)

    def _carries(self, s: typed.AssignExtreme) -> tuple[list[ir.Carry], tuple[ir.KernelOp, ...]]:
        """What is carried to memory; what the winner does besides."""
        carries: list[ir.Carry] = []
        also: list[ir.KernelOp] = []
        for c in s.carried:
            value = self.expression(c.value)
            match c.place:
                case typed.Cell(symbol=symbol, index=index):
                    carries.append(ir.Carry(self.written_array(symbol), self.expression(index), value))
                    also += self._announce(carries[-1].array)
                case typed.Variable(symbol=symbol) if symbol in self.around.words:
                    carries.append(ir.Carry(self.around.words[symbol], ir.Const(0, ir.Element.INT), value))
                case typed.Variable():
                    also += self.assign(c.place, value, c.value)
        return carries, tuple(also)

    def _local_extreme(self, s: typed.AssignExtreme, variable: ir.Variable) -> list[ir.KernelOp]:
        candidate = self.temporary("candidate", variable.element)
        less = ir.BinaryOperator.LESS if s.extreme is typed.Extreme.MIN else ir.BinaryOperator.GREATER
        wins = ir.Binary(less, ir.Ref(candidate), ir.Ref(variable), ir.Element.BOOL)
        values: list[ir.KernelOp] = []
        stores: list[ir.KernelOp] = []
        for c in s.carried:
            value = self.expression(c.value)
            if not isinstance(value, ir.Const | ir.Ref):
                held = self.temporary("carried", ELEMENTS[c.place.type])
                values.append(ir.Let(held, value))
                value = ir.Ref(held)
            stores += self.assign(c.place, value, c.value)
        first = ir.Let(candidate, self.expression(s.candidate))
        return [first, ir.KernelIf(wins, (*values, ir.SetLocal(variable, ir.Ref(candidate)), *stores))]

    # --- loops

    def _counted(self, s: typed.CountedLoop) -> list[ir.KernelOp]:
        first = self.expression(s.first)
        start: list[ir.KernelOp]
        if s.declares:
            start = [ir.Let(self.local(s.symbol), first)]
        else:
            start = self.assign(typed.Variable(s.symbol), first, s.first)
        step = tuple(self.statement(s.step))
        return [*start, ir.KernelFor(self.expression(s.condition), step, self.block(s.body))]

    def _for_each(self, s: typed.ForEach) -> list[ir.KernelOp]:
        match s.domain:
            case typed.Neighbors(direction=typed.Direction.BOTH):
                return self._both_neighbors(s, s.domain)
            case typed.Neighbors():
                return self._neighbors(s, s.domain)
            case typed.AllNodes():
                return self._range(s, ir.NumNodes(ir.Element.NODE), None)
            case typed.AllEdges():
                return self._range(s, ir.NumArcs(ir.Element.ARC), None)
            case typed.Members(symbol=symbol):
                array = self.array(symbol)
                nodes = array.extent is ir.Extent.NODES
                end: ir.Expression = ir.NumNodes(ir.Element.NODE) if nodes else ir.NumArcs(ir.Element.ARC)
                return self._range(s, end, array)
        assert_never(s.domain)

    def _range(self, s: typed.ForEach, end: ir.Expression, members: ir.Array | None) -> list[ir.KernelOp]:
        variable = self.local(s.iterator)
        contained = None if members is None else ir.Load(members, ir.Ref(variable))
        body = self._filtered(both(contained, self._filter(s)), s)
        return [ir.ForRange(variable, ir.Const(0, variable.element), end, body)]

    def _filter(self, s: typed.ForEach) -> ir.Expression | None:
        return None if s.filter is None else self.expression(s.filter)

    def _filtered(self, condition: ir.Expression | None, s: typed.ForEach) -> tuple[ir.KernelOp, ...]:
        body = self.block(s.body)
        return body if condition is None else (ir.KernelIf(condition, body),)

    def _neighbors(self, s: typed.ForEach, domain: typed.Neighbors) -> list[ir.KernelOp]:
        direction, level = self.direction(s, domain)
        before, node = self._held(domain.node, s.body)
        neighbor = self.local(s.iterator)
        position = self._position(s, direction)
        if direction is ir.Direction.OUT:
            self.arcs[s.iterator] = ArcPlace(ir.Ref(position), node, ir.Ref(neighbor))
        else:
            self.arcs[s.iterator] = ArcPlace(ir.Load(ir.IN_ARCS, ir.Ref(position)), ir.Ref(neighbor), node)
        body = self._filtered(both(self.at_level(neighbor, level), self._filter(s)), s)
        return [*before, ir.ForNeighbors(direction, node, neighbor, position, body, s.parallel)]

    def _held(self, value: typed.Expression, body: typed.Statement) -> tuple[list[ir.KernelOp], ir.Expression]:
        """A node as a constant or as a variable that `body` leaves alone, and what brings it about."""
        node = self.expression(value)
        if isinstance(node, ir.Ref | ir.Const) and holds_still(value, body):
            return [], node
        held = self.temporary("node", ir.Element.NODE)
        return [ir.Let(held, node)], ir.Ref(held)

    def _position(self, s: typed.ForEach, direction: ir.Direction) -> ir.Variable:
        """The loop's own arc. For out-arcs it has the name that the program gives it, and is that edge."""
        named = [x for x, value in aliases(s.body).items() if value == typed.ArcInHand(s.iterator)]
        self.aliases.update({x: typed.ArcInHand(s.iterator) for x in named})
        if direction is ir.Direction.IN:
            return self.temporary("in_e", ir.Element.ARC)
        position = self.temporary(named[0].name if named else "e", ir.Element.ARC)
        self.locals.update(dict.fromkeys(named, position))
        return position

    def direction(self, s: typed.ForEach, domain: typed.Neighbors) -> tuple[ir.Direction, int]:
        """Which arcs a neighbor loop walks, and how many levels on it must arrive in a BFS pass (0: anywhere).

        `domain` is the loop's own, or one half of `inOutNbrs`, which knows no levels."""
        halved = domain != s.domain
        if not halved and self.levels is not None and self._is_level_iterator(domain.node):
            if domain.direction is typed.Direction.OUT and id(s) in self.levels.pulling:
                return ir.Direction.IN, -1
            return (ir.Direction.OUT, 1) if domain.direction is typed.Direction.OUT else (ir.Direction.IN, -1)
        return (ir.Direction.OUT if domain.direction is typed.Direction.OUT else ir.Direction.IN), 0

    def _is_level_iterator(self, node: typed.Expression) -> bool:
        return self.levels is not None and isinstance(node, typed.Variable) and node.symbol is self.levels.iterator

    def at_level(self, node: ir.Variable, step: int) -> ir.Expression | None:
        if self.levels is None or step == 0:
            return None
        depth = plus(ir.Ref(self.levels.depth), step, ir.Element.INT)
        return equal(ir.Load(self.levels.levels, ir.Ref(node)), depth)

    def _both_neighbors(self, s: typed.ForEach, domain: typed.Neighbors) -> list[ir.KernelOp]:
        """Out-neighbors, then in-neighbors, in one loop, so that `break` ends it."""
        before, here = self._held(domain.node, s.body)
        after = plus(here, 1, ir.Element.NODE)
        first_out, first_in = self.temporary("first_out", ir.Element.ARC), self.temporary("first_in", ir.Element.ARC)
        outs, step = self.temporary("outs", ir.Element.ARC), self.temporary("i", ir.Element.ARC)

        def minus(a: ir.Expression, b: ir.Expression) -> ir.Expression:
            return ir.Binary(ir.BinaryOperator.SUBTRACT, a, b, ir.Element.ARC)

        def add(a: ir.Expression, b: ir.Expression) -> ir.Expression:
            return ir.Binary(ir.BinaryOperator.ADD, a, b, ir.Element.ARC)

        ins = minus(ir.Load(ir.IN_ROW_OFFSETS, after), ir.Ref(first_in))
        is_out = ir.Binary(ir.BinaryOperator.LESS, ir.Ref(step), ir.Ref(outs), ir.Element.BOOL)
        out_arc = add(ir.Ref(first_out), ir.Ref(step))
        in_place = add(ir.Ref(first_in), minus(ir.Ref(step), ir.Ref(outs)))
        neighbor = self.local(s.iterator)
        w = ir.Ref(neighbor)
        arc = ir.Select(is_out, out_arc, ir.Load(ir.IN_ARCS, in_place))
        self.arcs[s.iterator] = ArcPlace(arc, ir.Select(is_out, here, w), ir.Select(is_out, w, here))
        reached = ir.Select(is_out, ir.Load(ir.COLUMNS, out_arc), ir.Load(ir.IN_COLUMNS, in_place))
        body = (ir.Let(neighbor, reached), *self._filtered(self._filter(s), s))
        return [
            *before,
            ir.Let(first_out, ir.Load(ir.ROW_OFFSETS, here)),
            ir.Let(outs, minus(ir.Load(ir.ROW_OFFSETS, after), ir.Ref(first_out))),
            ir.Let(first_in, ir.Load(ir.IN_ROW_OFFSETS, here)),
            ir.ForRange(step, ir.Const(0, ir.Element.ARC), add(ir.Ref(outs), ins), body),
        ]


def _is_constant(value: ir.Expression) -> bool:
    return isinstance(value, ir.Const)


def _is_graph(argument: typed.Expression | typed.Symbol) -> bool:
    return isinstance(argument, typed.Symbol) and not isinstance(argument.type, PropertyType | SetType | Scalar)
