"""Lowers expressions inside a kernel; its symbols are locals, values of the host, or arrays."""

from collections.abc import Mapping

from starplat.frontend import typed
from starplat.frontend.types import PropertyType, Scalar, SetType
from starplat.ir import nodes as ir
from starplat.ir.fresh_names import FreshNames
from starplat.ir.lowering import checking, elements, expressions, maps, surroundings
from starplat.ir.lowering.context import Context
from starplat.operators.answers.triangles import CountedRow
from starplat.same import Same
from starplat.source import Span


class KernelExpressions(expressions.ExpressionLowering):
    """Lowers the expressions of one kernel. `shared` holds the ids of places that other iterations may touch too."""

    def __init__(
        self,
        context: Context,
        names: FreshNames,
        around: surroundings.Surroundings,
        shared: frozenset[Same],
        levels: surroundings.LevelScope | None = None,
    ) -> None:
        self.context, self.names, self.around, self.shared = context, names, around, shared
        self.levels = levels
        self.locals: dict[typed.Symbol, ir.Variable] = {}
        self.counted: Mapping[Same, CountedRow] = {}
        self.arcs: dict[typed.Symbol, surroundings.ArcPlace] = {}
        self.map_rows: Mapping[typed.Symbol, maps.MapRow] = {}
        self.maps: dict[typed.Symbol, maps.MapWindow] = {}
        self.aliases: dict[typed.Symbol, typed.Expression] = {}
        self.announced: set[ir.Variable] = set()
        self.iteration: ir.Expression = ir.Const(0, ir.Element.LONG)
        self.around_node: ir.Expression = ir.Const(-1, ir.Element.NODE)
        self.loops: list[typed.Symbol] = []

    # --- names

    def local(self, symbol: typed.Symbol) -> ir.Variable:
        variable = self.names.variable(symbol.name, elements.ELEMENTS[symbol.scalar])
        self.locals[symbol] = variable
        return variable

    def temporary(self, name: str, element: ir.Element) -> ir.Variable:
        return self.names.variable(name, element)

    def array(self, symbol: typed.Symbol) -> ir.Array:
        return self.around.arrays[symbol]

    def written_array(self, symbol: typed.Symbol) -> ir.Array:
        array = self.array(symbol)
        return self.around.stand_ins.get(array, array)

    # --- checks

    def guarded(self, risk: checking.Risk, operands: tuple[ir.Expression, ...], span: Span) -> ir.Expression:
        assert self.context.checks is not None
        record, inner = self.record()
        return self.context.checks.call(risk, operands, span, record, inner)

    def record(self) -> tuple[checking.Record, str]:
        """Where this iteration tells of faults, and what the program calls the innermost node in hand."""
        assert self.around.faults is not None
        inside = [s for s in self.loops if s in self.locals and s.type is Scalar.NODE]
        node: ir.Expression = ir.Ref(self.locals[inside[-1]]) if inside else self.around_node
        return checking.Record(*self.around.faults, self.iteration, node), inside[-1].name if inside else ""

    # --- expressions

    def variable(self, e: typed.Variable) -> ir.Expression:
        if e.symbol in self.locals:
            return ir.Ref(self.locals[e.symbol])
        if e.symbol in self.around.words:
            return ir.Load(self.around.words[e.symbol], ir.Const(0, ir.Element.INT))
        return self.around.values[e.symbol]

    def cell(self, e: typed.Cell) -> ir.Expression:
        return ir.Load(self.array(e.symbol), self.place(e))

    def place(self, e: typed.Cell) -> ir.Expression:
        """The index of a property's cell."""
        return self.index(e.index, e.symbol.name, self.array(e.symbol).extent, e)

    def arc_in_hand(self, iterator: typed.Symbol) -> ir.Expression:
        return self.arcs[iterator].arc

    def arc_ends(self, edge: typed.Expression) -> tuple[ir.Expression, ir.Expression] | None:
        while isinstance(edge, typed.Variable) and edge.symbol in self.aliases:
            edge = self.aliases[edge.symbol]
        if isinstance(edge, typed.ArcInHand) and edge.iterator in self.arcs:
            place = self.arcs[edge.iterator]
            return place.source, place.destination
        return None

    def _hoisted(self, e: typed.SetSize | typed.Aggregate | typed.GraphQuery) -> ir.Expression:
        """A value computed once, before the kernel."""
        if Same(e) not in self.around.hoisted:
            raise self.context.refuse(
                "E0652", "a whole property cannot be summed up inside a function that a 'forall' calls", e.span,
                help="compute it before the 'forall' and pass the number",
            )  # fmt: skip
        return self.around.hoisted[Same(e)]

    set_size = aggregate = weight_extreme = _hoisted

    def set_contains(self, e: typed.SetContains) -> ir.Expression:
        array = self.array(e.symbol)
        return ir.Load(array, self.index(e.member, e.symbol.name, array.extent, e))

    def of_list(self, e: typed.ListItem | typed.ListSize) -> ir.Expression:
        raise AssertionError("lists are the host's")

    def of_map(self, e: typed.MapValue | typed.MapSize | typed.MapBest) -> ir.Expression:
        window, helpers = self.maps[e.symbol], maps.MapHelpers(self.context)
        match e:
            case typed.MapValue(key=key):
                return helpers.value(window, self.key(key))
            case typed.MapSize():
                return helpers.size(window)
            case typed.MapBest():
                return helpers.best(window)

    def key(self, e: typed.Expression) -> ir.Expression:
        """The key of a map as a whole number."""
        key = self.expression(e)
        return ir.Cast(key, ir.Element.INT) if key.element is ir.Element.BOOL else key

    def call(self, e: typed.Call) -> ir.CallFunction:
        helper = self.context.lower_helper(e.function)
        given = [self._argument(a, e) for a in e.arguments if not _is_graph(a)]
        graph = [array for array in helper.given_arrays if array in ir.GRAPH_ARRAYS]
        element = ir.Element.INT if helper.result is None else helper.result
        record = self.record()[0].arguments if self.context.checks is not None else ()
        lines = () if self.around.lines is None else self.around.lines.arrays
        return ir.CallFunction(helper.name, (*given, *graph, *record, *lines), element)

    def _argument(
        self, argument: typed.Expression | typed.Symbol, call: typed.Call
    ) -> ir.Expression | ir.Array | ir.Variable:
        if not isinstance(argument, typed.Symbol):
            return self.expression(argument)
        if isinstance(argument.type, PropertyType | SetType):
            array = self.array(argument)
            if array in self.around.stand_ins:
                self.context.refuse_stores(call, argument)
            return array
        if argument in self.locals:
            return self.locals[argument]
        raise self.context.refuse(
            "E0653", f"'{argument.name}' is passed by reference although all iterations share it", call.span,
            help="give the function a local variable and combine it afterwards with '+=', 'Min' or the like",
        )  # fmt: skip


def _is_graph(argument: typed.Expression | typed.Symbol) -> bool:
    return isinstance(argument, typed.Symbol) and not isinstance(argument.type, PropertyType | SetType | Scalar)
