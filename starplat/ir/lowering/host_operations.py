"""The parts of a host function under construction: operations in order, variables, arrays."""

from collections.abc import Iterator
from contextlib import contextmanager

from starplat.frontend import typed
from starplat.ir import nodes as ir
from starplat.ir.fresh_names import FreshNames
from starplat.ir.lowering.context import ELEMENTS, Context
from starplat.ir.lowering.expressions import ExpressionLowering
from starplat.ir.lowering.surroundings import ArcPlace, LevelScope, Surroundings
from starplat.ir.lowering.uses import holds_still


class HostOperations(ExpressionLowering):
    """A host function that grows: its operations go to the end of `ops`, which `collect` exchanges for inner
    blocks."""

    def __init__(self, context: Context, function: typed.FunctionDefinition, is_entry: bool) -> None:
        self.context = context
        self.function = function
        self.is_entry = is_entry
        self.names = FreshNames(array.name for array in ir.GRAPH_ARRAYS)
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
            self.values,
            self.arrays,
            stand_ins=self.stand_ins,
            announce=self.announce,
            new_array=self.new_array,
            lock_of=self.lock_of,
        )
