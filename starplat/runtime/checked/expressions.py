"""Evaluates the expressions of a checked tree; each that goes wrong names its place.

An expression becomes a function of a frame when it is first met, so that its kind and types are looked at once a run.
"""

from collections.abc import Callable, Sequence
from functools import cached_property

from starplat.frontend import typed, types
from starplat.frontend.typed import Aggregation, Operator, Query, UnaryOperator, scalar_of
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.python import arithmetic
from starplat.ir.python.arithmetic import Fault, Value
from starplat.runtime import items, resident
from starplat.runtime.checked import numbers
from starplat.runtime.checked.memory import Box, Frame, Thing, Whereabouts, cell_of, written

Caller = Callable[[typed.Call, Frame], "Value | None"]
Evaluator = Callable[[Frame], Value]

_FAULTLESS = typed.Literal | typed.Infinity | typed.Conditional
"""Expressions in which nothing goes wrong but in their operands."""


class Expressions:
    """Values on one graph. `call` runs a function of the program."""

    def __init__(self, graph: Graph, where: Whereabouts, call: Caller) -> None:
        self.where, self.call = where, call
        self.known: dict[int, tuple[typed.Expression, Evaluator]] = {}
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
        return self.evaluator(e)(frame)

    def integer(self, e: typed.Expression, frame: Frame) -> int:
        return int(self.evaluator(e)(frame))

    def evaluator(self, e: typed.Expression) -> Evaluator:
        """The function that evaluates an expression."""
        if (known := self.known.get(id(e))) is not None:
            return known[1]
        evaluate = self._evaluator(e)

        def placed(frame: Frame) -> Value:
            try:
                return evaluate(frame)
            except Fault as fault:
                raise self.where.stopped(fault, e.span) from fault

        made = evaluate if isinstance(e, _FAULTLESS) else placed
        self.known[id(e)] = e, made  # with the expression, whose id is no other's as long as it lives
        return made

    def _evaluator(self, e: typed.Expression) -> Evaluator:
        match e:
            case typed.Literal():
                literal = numbers.stored(float(e.value) if e.type.is_real else e.value, e.type)
                return lambda frame: literal
            case typed.Infinity():
                infinity = _infinity(e)
                return lambda frame: infinity
            case typed.Variable(symbol=symbol):
                return lambda frame: written(frame.box(symbol).value, symbol.name)
            case typed.Cell(symbol=symbol):
                return self._cell(symbol, self.evaluator(e.index))
            case typed.Unary():
                return _unary(e, self.evaluator(e.operand))
            case typed.Binary():
                return _binary(e, self.evaluator(e.left), self.evaluator(e.right))
            case typed.Conditional():
                asked, then, otherwise = map(self.evaluator, (e.condition, e.then, e.otherwise))
                return lambda frame: then(frame) if asked(frame) else otherwise(frame)
            case typed.Convert() | typed.Cast():
                operand, source, target = self.evaluator(e.operand), scalar_of(e.operand), e.type
                as_type = numbers.cast if isinstance(e, typed.Cast) else numbers.converted
                return lambda frame: as_type(operand(frame), source, target)
            case typed.Apply():
                arguments, function, kind = [self.evaluator(a) for a in e.arguments], e.function, e.type
                return lambda frame: numbers.applied(function, [a(frame) for a in arguments], kind)
            case typed.Aggregate():
                return lambda frame: self._aggregate(e, frame)
            case typed.Call():
                return lambda frame: self._called(e, frame)
            case typed.GraphWeight() | typed.EdgeEnd():
                return self._of_arc(e, self.evaluator(e.edge))
            case typed.ArcInHand(iterator=iterator):
                return lambda frame: frame.arcs[iterator]
            case typed.GraphQuery():
                return lambda frame: self._query(e, frame)
        return lambda frame: self._of_container(e, frame)

    @staticmethod
    def _cell(symbol: typed.Symbol, index: Evaluator) -> Evaluator:
        name = symbol.name

        def cell(frame: Frame) -> Value:
            cells = frame.cells(symbol).values
            return written(cells[cell_of(cells, int(index(frame)), name)], name)

        return cell

    def _of_arc(self, e: typed.GraphWeight | typed.EdgeEnd, edge: Evaluator) -> Evaluator:
        if isinstance(e, typed.GraphWeight):
            return lambda frame: self.weights[cell_of(self.columns, int(edge(frame)), "weight")]
        if e.end is typed.End.SOURCE:
            return lambda frame: self.sources[cell_of(self.columns, int(edge(frame)), "edges")]
        return lambda frame: self.columns[cell_of(self.columns, int(edge(frame)), "edges")]

    def _called(self, e: typed.Call, frame: Frame) -> Value:
        found = self.call(e, frame)
        assert found is not None
        return found

    def _of_container(self, e: typed.Expression, frame: Frame) -> Value:
        match e:
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
        raise AssertionError(f"{e} was refused before")

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


def _unary(e: typed.Unary, operand: Evaluator) -> Evaluator:
    match e.operator:
        case UnaryOperator.NOT:
            return lambda frame: not operand(frame)
        case UnaryOperator.NEGATE:
            kind = e.type
            return lambda frame: numbers.negated(operand(frame), kind)
        case UnaryOperator.COMPLEMENT:
            return lambda frame: ~int(operand(frame))


def _binary(e: typed.Binary, left: Evaluator, right: Evaluator) -> Evaluator:
    match e.operator:
        case Operator.AND:
            return lambda frame: bool(left(frame) and right(frame))
        case Operator.OR:
            return lambda frame: bool(left(frame) or right(frame))
    compute = numbers.operation(e.operator, scalar_of(e.left))
    return lambda frame: compute(left(frame), right(frame))


def _extreme_of(values: Sequence[Value], type: types.Scalar, *, least: bool) -> Value:
    """The least (greatest) of the values, INF (-INF) of none."""
    start = _infinity(typed.Infinity(type, negative=not least))
    return min(values, default=start) if least else max(values, default=start)


def _infinity(e: typed.Infinity) -> Value:
    if e.type.is_real:
        return -float("inf") if e.negative else float("inf")
    lowest, highest = numbers.RANGES[e.type]
    return lowest if e.negative else highest
