"""Evaluates the expressions of a checked tree; each that goes wrong names its place."""

from collections.abc import Callable, Sequence
from functools import cached_property

from starplat.frontend import typed, types
from starplat.frontend.typed import Aggregation, Operator, Query, UnaryOperator, scalar_of
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.python import arithmetic
from starplat.ir.python.arithmetic import Fault, Value
from starplat.runtime import elements, items, resident
from starplat.runtime.checked import numbers
from starplat.runtime.checked.memory import Box, Frame, Thing, Whereabouts, cell_of, written

Caller = Callable[[typed.Call, Frame], "Value | None"]


class Expressions:
    """Values on one graph. `call` runs a function of the program."""

    def __init__(self, graph: Graph, where: Whereabouts, call: Caller) -> None:
        self.where, self.call = where, call
        self.at_graph(graph)

    def at_graph(self, graph: Graph) -> None:
        """From here on the values are those on this graph."""
        self.graph = self.where.graph = graph
        self.offsets = graph.row_offsets.tolist()
        self.columns = graph.columns.tolist()
        self.sources = graph.sources.tolist()
        self.__dict__.pop("weights", None)

    @cached_property
    def weights(self) -> list[int]:
        """The graph's weights, of a program that has no property for them."""
        cells: list[int] = resident.weights_as(self.graph, ir.Element.INT).tolist()
        return cells

    def value(self, e: typed.Expression, frame: Frame) -> Value:
        """The value of an expression. Raises E0703, E0704, E0715, E0716, E0717, E0720."""
        try:
            return self._value(e, frame)
        except Fault as fault:
            raise self.where.stopped(fault, e.span) from fault

    def integer(self, e: typed.Expression, frame: Frame) -> int:
        return int(self.value(e, frame))

    def _value(self, e: typed.Expression, frame: Frame) -> Value:
        match e:
            case typed.Literal():
                return numbers.stored(float(e.value) if e.type.is_real else e.value, e.type)
            case typed.Infinity():
                return _infinity(e)
            case typed.Variable():
                return written(frame.box(e.symbol).value, e.symbol.name)
            case typed.Cell():
                cells = frame.cells(e.symbol).values
                place = cell_of(cells, self.integer(e.index, frame), e.symbol.name)
                return written(cells[place], e.symbol.name)
            case typed.Unary():
                return self._unary(e, frame)
            case typed.Binary():
                return self._binary(e, frame)
            case typed.Conditional():
                return self.value(e.then if self.value(e.condition, frame) else e.otherwise, frame)
            case typed.Convert():
                return numbers.converted(self.value(e.operand, frame), scalar_of(e.operand), e.type)
            case typed.Cast():
                return numbers.cast(self.value(e.operand, frame), scalar_of(e.operand), e.type)
            case typed.Apply():
                return numbers.applied(e.function, [self.value(a, frame) for a in e.arguments], e.type)
            case typed.Aggregate():
                return self._aggregate(e, frame)
            case typed.Call():
                found = self.call(e, frame)
                assert found is not None
                return found
            case typed.ListItem():
                return items.item(frame.elements(e.symbol), e.symbol.name, self.integer(e.index, frame))
            case typed.ListSize():
                return len(frame.elements(e.symbol))
            case typed.MapValue():
                return frame.sums(e.symbol).get(self.integer(e.key, frame), numbers.stored(0, e.type))
            case typed.MapSize():
                return len(frame.sums(e.symbol))
            case typed.MapBest():
                sums = frame.sums(e.symbol)
                return min(sums, key=lambda key: (-sums[key], key), default=-1)
            case typed.SetSize():
                return sum(map(bool, frame.cells(e.symbol).values))
            case typed.SetContains():
                member, flags = self.integer(e.member, frame), frame.cells(e.symbol).values
                return bool(flags[cell_of(flags, member, e.symbol.name)])
        return self._of_graph(e, frame)

    def _of_graph(self, e: typed.Expression, frame: Frame) -> Value:
        match e:
            case typed.GraphWeight():
                arc = cell_of(self.columns, self.integer(e.edge, frame), "weight")
                return self.weights[arc]
            case typed.EdgeEnd():
                arc = cell_of(self.columns, self.integer(e.edge, frame), "edges")
                return int((self.sources if e.end is typed.End.SOURCE else self.columns)[arc])
            case typed.ArcInHand():
                return frame.arcs[e.iterator]
            case typed.GraphQuery():
                return self._query(e, frame)
        raise AssertionError(f"{e} was refused before")

    def _unary(self, e: typed.Unary, frame: Frame) -> Value:
        operand = self.value(e.operand, frame)
        match e.operator:
            case UnaryOperator.NOT:
                return not operand
            case UnaryOperator.NEGATE:
                return numbers.negated(operand, e.type)
            case UnaryOperator.COMPLEMENT:
                return ~int(operand)

    def _binary(self, e: typed.Binary, frame: Frame) -> Value:
        left = self.value(e.left, frame)
        match e.operator:
            case Operator.AND:
                return bool(left and self.value(e.right, frame))
            case Operator.OR:
                return bool(left or self.value(e.right, frame))
        return numbers.binary(e.operator, left, self.value(e.right, frame), scalar_of(e.left))

    def _aggregate(self, e: typed.Aggregate, frame: Frame) -> Value:
        values = [written(value, e.property.name) for value in frame.cells(e.property).values]
        match e.aggregation:
            case Aggregation.COUNT:
                return sum(1 for value in values if value)
            case Aggregation.MIN | Aggregation.MAX:
                return _extreme_of(values, e.type, least=e.aggregation is Aggregation.MIN)
            case Aggregation.SUM | Aggregation.PRODUCT:
                adds = e.aggregation is Aggregation.SUM
                total: Value = float(not adds) if e.type.is_real else int(not adds)
                for value in values:
                    total = numbers.binary(Operator.ADD if adds else Operator.MULTIPLY, total, value, e.type)
                return total

    def _query(self, e: typed.GraphQuery, frame: Frame) -> Value:
        given = [self.integer(a, frame) for a in e.arguments]
        match e.query:
            case Query.NUM_NODES:
                return self.graph.num_nodes
            case Query.NUM_EDGES:
                return self.graph.num_arcs
            case Query.OUT_DEGREE:
                node = self.node(given[0])
                return int(self.offsets[node + 1] - self.offsets[node])
            case Query.IN_DEGREE:
                node, offsets = self.node(given[0]), self.graph.reverse.row_offsets
                return int(offsets[node + 1] - offsets[node])
            case Query.FIRST_EDGE:
                return int(self.offsets[self.node(given[0])])
            case Query.FIND_EDGE | Query.IS_EDGE:
                arc = arithmetic.find_arc(self.offsets, self.columns, self.graph.num_nodes, *given)
                return arc >= 0 if e.query is Query.IS_EDGE else arc
            case Query.MIN_WEIGHT | Query.MAX_WEIGHT:
                return self._extreme_weight(e, frame)

    def _extreme_weight(self, e: typed.GraphQuery, frame: Frame) -> Value:
        values = self.weights if e.weight is None else [written(w, "weight") for w in frame.cells(e.weight).values]
        return _extreme_of(values, e.type, least=e.query is Query.MIN_WEIGHT)

    def node(self, node: int) -> int:
        """The node, if there is such a one. Raises Fault: E0704."""
        if 0 <= node < self.graph.num_nodes:
            return node
        message = f"there is no node {node} (there are {self.graph.num_nodes})"
        raise Fault("E0704", message, "test the node before it is used; -1 stands for none")

    def argument(self, given: typed.Expression | typed.Symbol, frame: Frame) -> Thing:
        """What a parameter stands for: the thing itself by reference, a value in a box of its own otherwise."""
        if isinstance(given, typed.Symbol):
            return frame.things[given]
        return Box(self.value(given, frame))


def _extreme_of(values: Sequence[Value], type: types.Scalar, *, least: bool) -> Value:
    """The least (greatest) of the values, INF (-INF) of none."""
    start = _infinity(typed.Infinity(type, negative=not least))
    return min(values, default=start) if least else max(values, default=start)


def _infinity(e: typed.Infinity) -> Value:
    if e.type.is_real:
        return -float("inf") if e.negative else float("inf")
    element = elements.element_of(e.type)
    return ir.limits(element)[0] if e.negative else int(ir.infinity(element).value)
