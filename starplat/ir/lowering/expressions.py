"""Lowers expressions: what kernels and the host have in common; two subclasses do the rest."""

from abc import ABC, abstractmethod
from typing import assert_never

from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.ir import build, nodes as ir
from starplat.ir.lowering import checking, elements
from starplat.ir.lowering.context import Context
from starplat.ir.python.arithmetic import identity
from starplat.source import Span

_OPERATORS = {operator: ir.BinaryOperator(operator.value) for operator in typed.Operator}
_UNARY = {operator: ir.UnaryOperator(operator.value) for operator in typed.UnaryOperator}
_FUNCTIONS = {function: ir.MathFunction(function.value) for function in typed.Function}


class ExpressionLowering(ABC):
    """Lowers expressions; subclasses know where symbols live."""

    context: Context

    def expression(self, e: typed.Expression) -> ir.Expression:
        """The expression in the intermediate form."""
        risk = None if self.context.checks is None else checking.risk_of(e)
        if risk is not None:
            return self.guarded(risk[0], tuple(map(self.expression, risk[1])), e.span)
        match e:
            case typed.Literal():
                return ir.Const(e.value, elements.ELEMENTS[e.type])
            case typed.Infinity():
                return identity(ir.Combine.MAX if e.negative else ir.Combine.MIN, elements.ELEMENTS[e.type])
            case typed.Variable():
                return self.variable(e)
            case typed.Cell():
                return self.cell(e)
            case typed.GraphWeight():
                return ir.Load(ir.WEIGHTS, self.index(e.edge, "weight", ir.Extent.ARCS, e))
            case typed.EdgeEnd():
                return self._edge_end(e)
            case typed.ArcInHand():
                return self.arc_in_hand(e.iterator)
            case typed.GraphQuery():
                return self._query(e)
            case typed.SetSize():
                return self.set_size(e)
            case typed.SetContains():
                return self.set_contains(e)
            case typed.MapValue() | typed.MapSize() | typed.MapBest():
                return self.of_map(e)
            case typed.ListItem() | typed.ListSize():
                return self.of_list(e)
            case typed.Unary():
                return ir.Unary(_UNARY[e.operator], self.expression(e.operand))
            case typed.Binary():
                return self.binary(e)
            case typed.Conditional():
                return self.conditional(e)
            case typed.Convert() | typed.Cast():
                return self._convert(e)
            case typed.Apply():
                arguments = tuple(self.expression(a) for a in e.arguments)
                return ir.Apply(_FUNCTIONS[e.function], arguments, elements.ELEMENTS[e.type])
            case typed.Aggregate():
                return self.aggregate(e)
            case typed.Call():
                return self.call(e)
            case typed.WholeList():
                raise AssertionError("the host's return takes it as it is")
            case typed.Together():
                raise AssertionError("the host's return takes them one by one")
            case typed.Incremented():
                raise AssertionError("an increment is a statement by now")
            case typed.UnsupportedValue():
                raise self.unsupported(e.construct, e)
        assert_never(e)

    def unsupported(self, construct: str, node: typed.Node) -> Exception:
        return self.context.unsupported(construct, node.span)

    @abstractmethod
    def guarded(self, risk: checking.Risk, operands: tuple[ir.Expression, ...], span: Span) -> ir.Expression:
        """The result of an operation of a checked run, which tells of what goes wrong in it."""

    def index(self, e: typed.Expression, name: str, extent: ir.Extent, within: typed.Node) -> ir.Expression:
        """The index of a cell of what messages call `name`; a checked run tells of one that is none, `within` what
        asks for the cell. Those of updates come from loops over them."""
        index = self.expression(e)
        if self.context.checks is None or checking.is_iterator(e) or extent is ir.Extent.UPDATES:
            return index
        cells = ir.Cast(build.size(extent), ir.Element.LONG)
        return self.guarded(checking.at_cell(name, index.element), (index, cells), within.span)

    def node(self, e: typed.Expression, within: typed.Node | None = None) -> ir.Expression:
        """A node whose arcs are asked for."""
        return self.index(e, "", ir.Extent.NODES, within or e)

    @abstractmethod
    def variable(self, e: typed.Variable) -> ir.Expression: ...

    @abstractmethod
    def cell(self, e: typed.Cell) -> ir.Expression: ...

    @abstractmethod
    def arc_in_hand(self, iterator: typed.Symbol) -> ir.Expression: ...

    @abstractmethod
    def arc_ends(self, edge: typed.Expression) -> tuple[ir.Expression, ir.Expression] | None:
        """Source and destination where the edge is an arc in hand."""

    @abstractmethod
    def set_size(self, e: typed.SetSize) -> ir.Expression: ...

    @abstractmethod
    def set_contains(self, e: typed.SetContains) -> ir.Expression: ...

    @abstractmethod
    def of_map(self, e: typed.MapValue | typed.MapSize | typed.MapBest) -> ir.Expression: ...

    @abstractmethod
    def of_list(self, e: typed.ListItem | typed.ListSize) -> ir.Expression: ...

    @abstractmethod
    def aggregate(self, e: typed.Aggregate) -> ir.Expression: ...

    @abstractmethod
    def weight_extreme(self, e: typed.GraphQuery) -> ir.Expression: ...

    @abstractmethod
    def call(self, e: typed.Call) -> ir.Expression: ...

    def binary(self, e: typed.Binary) -> ir.Expression:
        left, right = self.expression(e.left), self.expression(e.right)
        operator = _OPERATORS[e.operator]
        if operator is ir.BinaryOperator.ADD and e.type.is_integer and self.context.may_be_infinite(e):
            operator = ir.BinaryOperator.ADD_INF
        return ir.Binary(operator, left, right, elements.ELEMENTS[e.type])

    def conditional(self, e: typed.Conditional) -> ir.Expression:
        return ir.Select(self.expression(e.condition), self.expression(e.then), self.expression(e.otherwise))

    def _convert(self, e: typed.Convert | typed.Cast) -> ir.Expression:
        operand, element, given = self.expression(e.operand), elements.ELEMENTS[e.type], e.operand.type
        if operand.element is element or {operand.element, element} == {ir.Element.NODE, ir.Element.INT}:
            return operand
        numbers = isinstance(given, Scalar) and given.is_numeric and e.type.is_numeric
        return ir.Cast(operand, element, numbers and self.context.may_be_infinite(e))

    def combined(self, s: typed.Update, old: ir.Expression, value: ir.Expression) -> ir.Expression:
        """What becomes of `old` by an update."""
        combine = elements.COMBINES[s.combine]
        risk = None if self.context.checks is None else checking.risk_of_update(combine, typed.scalar_of(s.place))
        if risk is not None:
            return self.guarded(risk, (old, value), s.span)
        operator = ir.BinaryOperator.ADD_INF if self.sum_stays_infinite(s) else ir.BinaryOperator(combine.value)
        return ir.Binary(operator, old, value, old.element)

    def sum_stays_infinite(self, s: typed.Update) -> bool:
        """Whether it adds whole numbers of which one may be INF, which stays."""
        infinite = self.context.may_be_infinite(s.place) or self.context.may_be_infinite(s.value)
        return s.combine is typed.Combine.ADD and s.place.type.is_integer and infinite

    def _edge_end(self, e: typed.EdgeEnd) -> ir.Expression:
        if (ends := self.arc_ends(e.edge)) is not None:
            return ends[0] if e.end is typed.End.SOURCE else ends[1]
        arc = self.index(e.edge, "edges", ir.Extent.ARCS, e)
        return ir.Load(ir.SOURCES, arc) if e.end is typed.End.SOURCE else ir.CSR.neighbor(arc)

    def _query(self, e: typed.GraphQuery) -> ir.Expression:
        match e.query:
            case typed.Query.NUM_NODES:
                return ir.NumNodes()
            case typed.Query.NUM_EDGES:
                return ir.NumArcs()
            case typed.Query.OUT_DEGREE:
                return self._degree(ir.CSR, e)
            case typed.Query.IN_DEGREE:
                return self._degree(ir.REVERSE, e)
            case typed.Query.FIRST_EDGE:
                return ir.CSR.first(self.node(e.arguments[0], e))
            case typed.Query.FIND_EDGE | typed.Query.IS_EDGE:
                source = self.index(e.arguments[0], "row_offsets", ir.Extent.NODES, e)
                found = ir.FindArc(source, self.expression(e.arguments[1]))
                is_one = build.at_least(found, ir.Const(0, ir.Element.ARC))
                return found if e.query is typed.Query.FIND_EDGE else is_one
            case typed.Query.MIN_WEIGHT | typed.Query.MAX_WEIGHT:
                return self.weight_extreme(e)
        assert_never(e.query)

    def _degree(self, layout: ir.Layout, e: typed.GraphQuery) -> ir.Expression:
        return ir.Cast(layout.degree(self.node(e.arguments[0], e)), ir.Element.INT)
