"""Lowers expressions of the host: cells are read back, whole properties are reduced."""

from starplat.frontend import typed, types
from starplat.ir import build, nodes as ir
from starplat.ir.lowering import checking, elements, host_operations
from starplat.ir.lowering.context import zero
from starplat.ir.lowering.regions import RegionLowering
from starplat.ir.python.arithmetic import identity

_AGGREGATIONS = {
    typed.Aggregation.SUM: ir.Combine.ADD,
    typed.Aggregation.PRODUCT: ir.Combine.MULTIPLY,
    typed.Aggregation.COUNT: ir.Combine.ADD,
    typed.Aggregation.MIN: ir.Combine.MIN,
    typed.Aggregation.MAX: ir.Combine.MAX,
}


class HostExpressions(host_operations.HostOperations):
    """Lowers the expressions of a host function; what takes operations of its own, such as a call, is done before.

    `regions` makes the kernels of the function.
    """

    regions: RegionLowering

    def variable(self, e: typed.Variable) -> ir.Expression:
        return self.values[e.symbol]

    def cell(self, e: typed.Cell) -> ir.Expression:
        return self.read(self.arrays[e.symbol], self.place(e))

    def place(self, e: typed.Cell) -> ir.Expression:
        """The index of a property's cell."""
        return self.index(e.index, e.symbol.name, self.arrays[e.symbol].extent, e)

    def read(self, array: ir.Array, index: ir.Expression) -> ir.Expression:
        """A cell, read back."""
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
        array = self.arrays[e.symbol]
        return self.read(array, self.index(e.member, e.symbol.name, array.extent, e))

    def set_size(self, e: typed.SetSize) -> ir.Expression:
        array = self.arrays[e.symbol]
        return self._reduced(f"{array.name}_size", ir.Combine.ADD, array, ir.Element.INT, e)

    def of_list(self, e: typed.ListItem | typed.ListSize) -> ir.Expression:
        items = self.lists[e.symbol]
        match e:
            case typed.ListItem(index=index):
                place = self.expression(index)
                variable = self.declare(f"{items.name}_value", items.element, zero(items.element))
                self.do(ir.ReadItem(variable, items, place, e.span))
            case typed.ListSize():
                variable = self.declare(f"{items.name}_size", ir.Element.INT, build.ZERO)
                self.do(ir.ReadLength(variable, items))
        return ir.Ref(variable)

    def of_map(self, e: typed.MapValue | typed.MapSize | typed.MapBest) -> ir.Expression:
        raise AssertionError("a map belongs to an iteration")

    def aggregate(self, e: typed.Aggregate) -> ir.Expression:
        array, combine = self.arrays[e.property], _AGGREGATIONS[e.aggregation]
        return self._reduced(f"{array.name}_{e.aggregation.name.lower()}", combine, array, elements.ELEMENTS[e.type], e)

    def weight_extreme(self, e: typed.GraphQuery) -> ir.Expression:
        array = ir.WEIGHTS if e.weight is None else self.arrays[e.weight]
        least = e.query is typed.Query.MIN_WEIGHT
        name, combine = ("least_weight", ir.Combine.MIN) if least else ("largest_weight", ir.Combine.MAX)
        return self._reduced(name, combine, array, array.element, e)

    def _reduced(
        self, name: str, combine: ir.Combine, array: ir.Array, element: ir.Element, node: typed.Node
    ) -> ir.Expression:
        """A whole array combined into one new variable. A count of nodes is an INT, whatever it is used as."""
        over_nodes = array.extent is ir.Extent.NODES
        counts = array.is_set or (isinstance(node, typed.Aggregate) and node.aggregation is typed.Aggregation.COUNT)
        asked, element = element, ir.Element.INT if counts and over_nodes else element
        variable = self.declare(name, element, identity(combine, element))
        over = self.names.inner().variable(
            "v" if over_nodes else "e", ir.Element.NODE if over_nodes else ir.Element.ARC
        )
        value: ir.Expression = ir.Load(array, ir.Ref(over))
        if counts:
            value = ir.Select(_holds(value), ir.Const(1, element), ir.Const(0, element))
        elif element is not array.element:
            value = ir.Cast(value, element)
        risk = None
        if self.context.checks is not None and isinstance(node, typed.Aggregate) and not counts:
            risk = checking.risk_of_update(combine, typed.scalar_of(node))
        if risk is not None:
            self.regions.sum_up(variable, risk, value, over, node.span)
        else:
            self.regions.reduce(variable, combine, array, value, over, node.span)
        return build.converted(ir.Ref(variable), asked)

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
        assert isinstance(e.type, types.Scalar)
        result = self.declare(f"{e.function}_result", elements.ELEMENTS[e.type], zero(elements.ELEMENTS[e.type]))
        self._call(e, result)
        return ir.Ref(result)

    def _call(self, call: typed.Call, result: ir.Variable | None) -> None:
        self.context.host_calls.setdefault(call.function)
        arguments: list[ir.Expression | ir.Array | ir.Variable] = []
        for argument in call.arguments:
            if not isinstance(argument, typed.Symbol):
                arguments.append(self.expression(argument))
            elif isinstance(argument.type, types.PropertyType | types.SetType):
                array = self.arrays[argument]
                if array in self.stand_ins:
                    self.context.refuse_stores(call, argument)
                arguments.append(array)
            elif isinstance(argument.type, types.Scalar):
                arguments.append(self.variables[argument])
        lent = tuple(self.lists[a] for a in call.arguments if isinstance(a, typed.Symbol) and a in self.lists)
        self.do(ir.HostCall(call.function, tuple(arguments), result, lent))


def _holds(value: ir.Expression) -> ir.Expression:
    """Whether a cell counts: it is True, or not 0."""
    if value.element is ir.Element.BOOL:
        return value
    nothing = identity(ir.Combine.ADD, value.element)
    return ir.Binary(ir.BinaryOperator.NOT_EQUAL, value, nothing, ir.Element.BOOL)
