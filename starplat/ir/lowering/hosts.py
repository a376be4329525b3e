"""The host's side of a function: statements become host operations, parallel loops become kernels that it launches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import assert_never

from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar, SetType
from starplat.ir import nodes as ir
from starplat.ir.lowering.context import (
    COMBINES,
    ELEMENTS,
    EXTREMES,
    Context,
    array_of,
    element_of,
    false,
    true,
    zero,
)
from starplat.ir.lowering.expressions import ExpressionLowering
from starplat.ir.lowering.host_loops import lower_for_each
from starplat.ir.lowering.kernels import ArcPlace, LevelScope, Surroundings
from starplat.ir.lowering.names import Names
from starplat.ir.lowering.regions import RegionLowering
from starplat.ir.lowering.rounds import lower_bfs, lower_fixed_point
from starplat.ir.lowering.uses import holds_still


class HostLowering(ExpressionLowering):
    """Lowers one function for the host. Operations go to the end of `ops`, which `collect` exchanges for inner
    blocks."""

    def __init__(self, context: Context, function: typed.FunctionDefinition, is_entry: bool) -> None:
        self.context = context
        self.function = function
        self.is_entry = is_entry
        self.names = Names(array.name for array in ir.GRAPH_ARRAYS)
        self.ops: list[ir.HostOp] = []
        self.prologue: list[ir.HostOp] = []
        self.variables: dict[typed.Symbol, ir.Variable] = {}
        self.values: dict[typed.Symbol, ir.Expression] = {}
        self.arrays: dict[typed.Symbol, ir.Array] = {}
        self.own_arrays: list[ir.Array] = []
        self.arcs: dict[typed.Symbol, ArcPlace] = {}
        self.stand_ins: dict[ir.Array, ir.Array] = {}
        self.announce: dict[ir.Array, ir.Variable] = {}
        self.levels: LevelScope | None = None
        self._words: dict[typed.Symbol, ir.Array] = {}
        self._locks: dict[ir.Array, ir.Array] = {}
        self._second_copies: dict[ir.Array, ir.Array] = {}
        self.regions = RegionLowering(self)

    # --- the function

    def lower(self) -> ir.HostFunction:
        """The whole function."""
        function = self.function
        parameters = tuple(
            self._parameter(p) for p in function.parameters if isinstance(p.type, Scalar | PropertyType | SetType)
        )
        self.block(function.body)
        result = element_of(function.result) if isinstance(function.result, Scalar) else None
        body = (*self.prologue, *self.ops)
        return ir.HostFunction(function.name, parameters, tuple(self.own_arrays), result, body, function.span)

    def _parameter(self, symbol: typed.Symbol) -> ir.Parameter:
        if isinstance(symbol.type, Scalar):
            variable = self.bind(symbol, ir.Variable(self.names.fresh(symbol.name), ELEMENTS[symbol.type]))
            return ir.Parameter(variable, symbol.role is typed.Role.REFERENCE)
        weight = self.is_entry and symbol.name == "weight" and _is_edge_property(symbol)
        origin = ir.Origin.WEIGHT if weight else ir.Origin.PARAMETER
        self.arrays[symbol] = array_of(symbol, self.names.fresh(symbol.name), origin)
        return ir.Parameter(self.arrays[symbol], by_reference=True)

    def bind(self, symbol: typed.Symbol, variable: ir.Variable) -> ir.Variable:
        """Notes the variable that a symbol is."""
        self.variables[symbol] = variable
        self.values[symbol] = ir.Ref(variable)
        return variable

    # --- making operations

    def do(self, op: ir.HostOp) -> None:
        self.ops.append(op)

    @contextmanager
    def collect(self) -> Iterator[list[ir.HostOp]]:
        """Operations made meanwhile land in the list given."""
        outer, self.ops = self.ops, []
        try:
            yield self.ops
        finally:
            self.ops = outer

    def collected(self, block: typed.Block) -> tuple[ir.HostOp, ...]:
        """What a block comes to."""
        with self.collect() as ops:
            self.block(block)
        return tuple(ops)

    def declare(self, name: str, element: ir.Element, value: ir.Expression) -> ir.Variable:
        """A host variable of the compiler's own."""
        variable = ir.Variable(self.names.fresh(name), element)
        self.do(ir.DeclareVariable(variable, value))
        return variable

    def simple(self, e: typed.Expression, name: str) -> ir.Expression:
        """The expression's value as a constant or variable."""
        value = self.expression(e)
        return value if isinstance(value, ir.Ref | ir.Const) else ir.Ref(self.declare(name, value.element, value))

    def held(self, e: typed.Expression, name: str, body: typed.Statement) -> ir.Expression:
        """As `simple`, but not a variable that `body` changes: a loop's domain is fixed on entry."""
        if holds_still(e, body):
            return self.simple(e, name)
        value = self.expression(e)
        return ir.Ref(self.declare(name, value.element, value))

    def new_array(self, name: str, element: ir.Element, extent: ir.Extent, origin: ir.Origin) -> ir.Array:
        """An array that lives as long as the function runs."""
        array = ir.Array(self.names.fresh_throughout(name), element, extent, origin)
        self.own_arrays.append(array)
        return array

    def word(self, symbol: typed.Symbol) -> ir.Array:
        """The one-cell array in which a scalar lives while a kernel changes it."""
        if symbol not in self._words:
            element = ELEMENTS[symbol.scalar]
            self._words[symbol] = self.new_array(f"{symbol.name}_word", element, ir.Extent.ONE, ir.Origin.TEMPORARY)
        return self._words[symbol]

    def lock_of(self, array: ir.Array) -> ir.Array:
        """The locks of an array's cells, all free between kernels."""
        if array not in self._locks:
            lock = self.new_array(f"{array.name}_lock", ir.Element.INT, array.extent, ir.Origin.TEMPORARY)
            self._locks[array] = lock
            self.prologue.append(ir.Fill(lock, ir.Const(0, ir.Element.INT)))
        return self._locks[array]

    def second_copy(self, array: ir.Array) -> ir.Array:
        """The array that takes the new flags of a fixed point while `array` holds the old ones."""
        if array not in self._second_copies:
            name = f"{array.name}_next"
            self._second_copies[array] = self.new_array(name, array.element, array.extent, ir.Origin.TEMPORARY)
        return self._second_copies[array]

    def surroundings(self) -> Surroundings:
        """What a kernel made here sees."""
        return Surroundings(
            self.values, self.arrays, stand_ins=self.stand_ins, announce=self.announce, lock_of=self.lock_of
        )

    # --- expressions

    def variable(self, e: typed.Variable) -> ir.Expression:
        return self.values[e.symbol]

    def cell(self, e: typed.Cell) -> ir.Expression:
        return self.read(self.arrays[e.symbol], self.expression(e.index))

    def read(self, array: ir.Array, index: ir.Expression) -> ir.Expression:
        """A cell, brought over."""
        variable = self.declare(f"{array.name}_value", array.element, zero(array.element))
        self.do(ir.ReadCell(variable, array, index))
        return ir.Ref(variable)

    def arc_in_hand(self, iterator: typed.Symbol) -> ir.Expression:
        return self.arcs[iterator].arc

    def arc_ends(self, edge: typed.Expression) -> tuple[ir.Expression, ir.Expression] | None:
        if isinstance(edge, typed.ArcInHand) and edge.iterator in self.arcs:
            return self.arcs[edge.iterator].source, self.arcs[edge.iterator].destination
        return None

    def set_contains(self, e: typed.SetContains) -> ir.Expression:
        return self.read(self.arrays[e.symbol], self.expression(e.member))

    def set_size(self, e: typed.SetSize) -> ir.Expression:
        array = self.arrays[e.symbol]
        return self._reduced(f"{array.name}_size", ir.Combine.ADD, array, ir.Element.INT, e)

    def aggregate(self, e: typed.Aggregate) -> ir.Expression:
        array, element = self.arrays[e.property], ELEMENTS[e.type]
        match e.aggregation:
            case typed.Aggregation.SUM:
                return self._reduced(f"{array.name}_sum", ir.Combine.ADD, array, element, e)
            case typed.Aggregation.PRODUCT:
                return self._reduced(f"{array.name}_product", ir.Combine.MULTIPLY, array, element, e)
            case typed.Aggregation.COUNT:
                return self._reduced(f"{array.name}_count", ir.Combine.ADD, array, element, e)
            case typed.Aggregation.MIN:
                return self._reduced(f"{array.name}_min", ir.Combine.MIN, array, element, e)
            case typed.Aggregation.MAX:
                return self._reduced(f"{array.name}_max", ir.Combine.MAX, array, element, e)
        assert_never(e.aggregation)

    def weight_extreme(self, e: typed.GraphQuery) -> ir.Expression:
        array = ir.WEIGHTS if e.weight is None else self.arrays[e.weight]
        least = e.query is typed.Query.MIN_WEIGHT
        name, combine = ("least_weight", ir.Combine.MIN) if least else ("largest_weight", ir.Combine.MAX)
        return self._reduced(name, combine, array, array.element, e)

    def _reduced(
        self, name: str, combine: ir.Combine, array: ir.Array, element: ir.Element, node: typed.Node
    ) -> ir.Expression:
        """A whole array combined into one new variable."""
        variable = self.declare(name, element, _identity(combine, element))
        over_nodes = array.extent is ir.Extent.NODES
        over = ir.Variable(
            self.names.inner().fresh("v" if over_nodes else "e"), ir.Element.NODE if over_nodes else ir.Element.ARC
        )
        value: ir.Expression = ir.Load(array, ir.Ref(over))
        counts = array.is_set or (isinstance(node, typed.Aggregate) and node.aggregation is typed.Aggregation.COUNT)
        if counts:
            holds = value if array.element is ir.Element.BOOL else ir.Binary(
                ir.BinaryOperator.NOT_EQUAL, value, zero_of(array.element), ir.Element.BOOL)  # fmt: skip
            value = ir.Select(holds, ir.Const(1, element), ir.Const(0, element))
        elif element is not array.element:
            value = ir.Cast(value, element)
        self.regions.reduce(variable, combine, array, value, over, node.span)
        return ir.Ref(variable)

    def binary(self, e: typed.Binary) -> ir.Expression:
        """`&&` and `||` must not touch the device for a right side that is not evaluated."""
        if e.operator not in (typed.Operator.AND, typed.Operator.OR):
            return super().binary(e)
        left = self.expression(e.left)
        with self.collect() as ops:
            right = self.expression(e.right)
        operator = ir.BinaryOperator.AND if e.operator is typed.Operator.AND else ir.BinaryOperator.OR
        if not ops:
            return ir.Binary(operator, left, right, ir.Element.BOOL)
        held = self.declare("holds", ir.Element.BOOL, left)
        test = ir.Ref(held) if operator is ir.BinaryOperator.AND else ir.Unary(ir.UnaryOperator.NOT, ir.Ref(held))
        self.do(ir.HostIf(test, (*ops, ir.SetVariable(held, right))))
        return ir.Ref(held)

    def conditional(self, e: typed.Conditional) -> ir.Expression:
        condition = self.expression(e.condition)
        with self.collect() as then_ops:
            then = self.expression(e.then)
        with self.collect() as else_ops:
            otherwise = self.expression(e.otherwise)
        if not then_ops and not else_ops:
            return ir.Select(condition, then, otherwise)
        held = self.declare("chosen_value", then.element, zero(then.element))
        set_then, set_else = ir.SetVariable(held, then), ir.SetVariable(held, otherwise)
        self.do(ir.HostIf(condition, (*then_ops, set_then), (*else_ops, set_else)))
        return ir.Ref(held)

    def call(self, e: typed.Call) -> ir.Expression:
        assert isinstance(e.type, Scalar)
        result = self.declare(f"{e.function}_result", ELEMENTS[e.type], zero(ELEMENTS[e.type]))
        self._call(e, result)
        return ir.Ref(result)

    def _call(self, call: typed.Call, result: ir.Variable | None) -> None:
        self.context.host_calls.setdefault(call.function)
        arguments: list[ir.Expression | ir.Array | ir.Variable] = []
        for argument in call.arguments:
            if not isinstance(argument, typed.Symbol):
                arguments.append(self.expression(argument))
            elif isinstance(argument.type, PropertyType | SetType):
                arguments.append(self.arrays[argument])
            elif isinstance(argument.type, Scalar):
                arguments.append(self.variables[argument])
        self.do(ir.HostCall(call.function, tuple(arguments), result))

    # --- statements

    def block(self, block: typed.Block) -> None:
        for statement in block.statements:
            self.statement(statement)

    def statement(self, s: typed.Statement) -> None:
        """Appends the operations of one statement."""
        match s:
            case typed.Block():
                self.block(s)
            case typed.Declare():
                self._declare(s)
            case typed.Assign():
                self._assign(s.place, self.expression(s.value))
            case typed.Update():
                self._update(s)
            case typed.AssignExtreme():
                self._extreme(s)
            case typed.Attach():
                self._attach(s)
            case typed.CopyProperty():
                if s.destination is not s.source:
                    self.do(ir.CopyArray(self.arrays[s.destination], self.arrays[s.source]))
            case typed.AddToSet():
                self.do(ir.WriteCell(self.arrays[s.symbol], self.expression(s.member), true()))
            case typed.CallStatement():
                self._call(s.call, None)
            case typed.Return():
                self.do(ir.HostReturn(None if s.value is None else self.expression(s.value)))
            case typed.Break():
                self.do(ir.HostBreak())
            case typed.Continue():
                self.do(ir.HostContinue())
            case typed.If():
                self._if(s)
            case typed.While() | typed.DoWhile() | typed.CountedLoop():
                self._loop(s)
            case typed.ForEach():
                lower_for_each(self, s)
            case typed.FixedPoint():
                lower_fixed_point(self, s)
            case typed.IterateInBFS():
                lower_bfs(self, s)
            case typed.Unsupported():
                raise self.unsupported(s.construct, s)
            case _:
                assert_never(s)

    def _declare(self, s: typed.Declare) -> None:
        symbol = s.symbol
        match symbol.type:
            case Scalar():
                value = zero(ELEMENTS[symbol.type]) if s.value is None else self.expression(s.value)
                variable = self.bind(symbol, ir.Variable(self.names.fresh(symbol.name), ELEMENTS[symbol.type]))
                self.do(ir.DeclareVariable(variable, value))
            case PropertyType() | SetType():
                array = array_of(symbol, self.names.fresh(symbol.name), ir.Origin.LOCAL)
                self.own_arrays.append(array)
                self.arrays[symbol] = array
                self.do(ir.Fill(array, zero(array.element)))
            case _:
                raise self.unsupported(str(symbol.type), s)

    def _assign(self, place: typed.Place, value: ir.Expression) -> None:
        match place:
            case typed.Variable(symbol=symbol):
                self.do(ir.SetVariable(self.variables[symbol], value))
            case typed.Cell(symbol=symbol, index=index):
                self._write(symbol, self.expression(index), value)

    def _write(self, symbol: typed.Symbol, index: ir.Expression, value: ir.Expression) -> None:
        array = self.stand_ins.get(self.arrays[symbol], self.arrays[symbol])
        self.do(ir.WriteCell(array, index, value))
        if array in self.announce:
            self.do(ir.SetVariable(self.announce[array], false()))

    def _update(self, s: typed.Update) -> None:
        value = self.expression(s.value)
        match s.place:
            case typed.Variable(symbol=symbol):
                variable = self.variables[symbol]
                self.do(ir.SetVariable(variable, self._combined(s, ir.Ref(variable), value)))
            case typed.Cell(symbol=symbol, index=index):
                where = self.simple(index, "where")
                self._write(symbol, where, self._combined(s, self.read(self.arrays[symbol], where), value))

    def _combined(self, s: typed.Update, old: ir.Expression, value: ir.Expression) -> ir.Expression:
        operator = ir.BinaryOperator(COMBINES[s.combine].value)
        whole = s.place.type.is_integer
        if operator is ir.BinaryOperator.ADD and whole and (
            self.context.may_be_infinite(s.place) or self.context.may_be_infinite(s.value)
        ):  # fmt: skip
            operator = ir.BinaryOperator.ADD_INF
        return ir.Binary(operator, old, value, old.element)

    def _extreme(self, s: typed.AssignExtreme) -> None:
        element = ELEMENTS[s.place.type]
        candidate = ir.Ref(self.declare("candidate", element, self.expression(s.candidate)))
        carried = []
        for c in s.carried:
            value = self.expression(c.value)
            carried.append((c.place, ir.Ref(self.declare("carried", value.element, value))))
        less = ir.BinaryOperator.LESS if EXTREMES[s.extreme] is ir.Combine.MIN else ir.BinaryOperator.GREATER
        wins = ir.Binary(less, candidate, self.expression(s.place), ir.Element.BOOL)
        with self.collect() as ops:
            self._assign(s.place, candidate)
            for place, kept in carried:
                self._assign(place, kept)
        self.do(ir.HostIf(wins, tuple(ops)))

    def _attach(self, s: typed.Attach) -> None:
        """Right-hand sides see the state before: values are computed first, and a property that is copied after being
        overwritten is saved."""
        computed: list[tuple[typed.Symbol, ir.Expression | ir.Array]] = []
        targets = [target for target, _ in s.items]
        for place, (target, value) in enumerate(s.items):
            if not isinstance(value, typed.Symbol):
                computed.append((target, self.expression(value)))
            elif value in targets[:place]:
                source = self.arrays[value]
                saved = self.new_array(f"{source.name}_before", source.element, source.extent, ir.Origin.TEMPORARY)
                self.do(ir.CopyArray(saved, source))
                computed.append((target, saved))
            else:
                computed.append((target, self.arrays[value]))
        for target, what in computed:
            array = self.arrays[target]
            self.do(ir.CopyArray(array, what) if isinstance(what, ir.Array) else ir.Fill(array, what))

    # --- control

    def _if(self, s: typed.If) -> None:
        condition = self.expression(s.condition)
        otherwise = () if s.otherwise is None else self.collected(s.otherwise)
        self.do(ir.HostIf(condition, self.collected(s.then), otherwise))

    def _loop(self, s: typed.While | typed.DoWhile | typed.CountedLoop) -> None:
        if self.context.facts.hosting.is_sequential_kernel(s):
            self.regions.run_once(s)
        elif isinstance(s, typed.CountedLoop):
            self._counted(s)
        else:
            with self.collect() as before:
                condition = self.expression(s.condition)
            body = self.collected(s.body)
            self.do(ir.HostWhile(tuple(before), condition, body, test_last=isinstance(s, typed.DoWhile)))

    def _counted(self, s: typed.CountedLoop) -> None:
        first = self.expression(s.first)
        if s.declares:
            variable = self.bind(s.symbol, ir.Variable(self.names.fresh(s.symbol.name), ELEMENTS[s.symbol.scalar]))
            self.do(ir.DeclareVariable(variable, first))
        else:
            self.do(ir.SetVariable(self.variables[s.symbol], first))
        with self.collect() as before:
            condition = self.expression(s.condition)
        with self.collect() as step:
            self.statement(s.step)
        self.do(ir.HostFor(tuple(before), condition, tuple(step), self.collected(s.body)))


def _is_edge_property(symbol: typed.Symbol) -> bool:
    return isinstance(symbol.type, PropertyType) and symbol.type.carrier is Carrier.EDGE


def zero_of(element: ir.Element) -> ir.Const:
    """The number 0 (for NODE and ARC, too)."""
    return ir.Const(0.0 if element.is_real else 0, element)


def _identity(combine: ir.Combine, element: ir.Element) -> ir.Const:
    match combine:
        case ir.Combine.ADD:
            return zero_of(element)
        case ir.Combine.MULTIPLY:
            return ir.Const(1.0 if element.is_real else 1, element)
        case ir.Combine.MIN:
            return ir.infinity(element)
        case _:
            return ir.Const(float("-inf") if element.is_real else ir.limits(element)[0], element)
