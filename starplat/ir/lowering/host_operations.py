"""The parts of a host function under construction: operations in order, variables, arrays."""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Protocol

from starplat.analysis.races import LoopRaces
from starplat.frontend import typed, types
from starplat.ir import build, fresh_names, nodes as ir, rewriter
from starplat.ir.lowering import checking, elements, expressions, uses
from starplat.ir.lowering.context import Context
from starplat.ir.lowering.surroundings import ArcPlace, LevelScope, Surroundings
from starplat.source import Span


class Launcher(Protocol):
    """Makes kernels and launches them."""

    def launch(self, races: LoopRaces, levels: LevelScope | None = None) -> None: ...

    def run_once(self, statement: typed.Statement) -> None: ...

    def emit(self, kernel: ir.Kernel) -> None: ...

    def judged(self, races: LoopRaces, levels: LevelScope | None) -> tuple[ir.Array, ...]: ...

    def changes_its_filter(self, races: LoopRaces) -> bool: ...


class HostOperations(expressions.ExpressionLowering):
    """A host function that grows: its operations go to the end of `ops`, which `collect` exchanges for inner
    blocks. `regions` appends kernels to it, `rounds` loops of launches, `host_loops` all other loops over the graph."""

    regions: Launcher

    @abstractmethod
    def block(self, block: typed.Block) -> None: ...

    @abstractmethod
    def collected(self, block: typed.Block) -> tuple[ir.HostOp, ...]: ...

    @abstractmethod
    def answered(self, s: typed.Statement, loop: ir.Loop) -> ir.Loop: ...

    @abstractmethod
    def read(self, array: ir.Array, index: ir.Expression) -> ir.Expression: ...

    @abstractmethod
    def put(self, symbol: typed.Symbol) -> tuple[ir.Array, ir.Variable]: ...

    @abstractmethod
    def runs_as_kernel(self, s: typed.ForEach) -> bool: ...

    def __init__(self, context: Context, function: typed.FunctionDefinition, is_entry: bool) -> None:
        self.context = context
        self.function = function
        self.is_entry = is_entry
        self.names = fresh_names.FreshNames(array.name for array in ir.GRAPH_ARRAYS)
        self.ops: list[ir.HostOp] = []
        self.outermost = self.ops
        self.prologue: list[ir.HostOp] = []
        self.variables: dict[typed.Symbol, ir.Variable] = {}
        self.values: dict[typed.Symbol, ir.Expression] = {}
        self.arrays: dict[typed.Symbol, ir.Array] = {}
        self.lists: dict[typed.Symbol, ir.HostList] = {}
        self.list_flags: dict[ir.HostList, ir.Variable] = {}
        self.put_lists: dict[ir.HostList, ir.Array] = {}
        self.own_arrays: list[ir.Array] = []
        self.arcs: dict[typed.Symbol, ArcPlace] = {}
        self.stand_ins: dict[ir.Array, ir.Array] = {}
        self.announce: dict[ir.Array, ir.Variable] = {}
        self.levels: LevelScope | None = None
        self.loops: list[typed.Symbol] = []
        self.faults: tuple[ir.Array, ir.Array] | None = None
        self.lines: checking.Lines | None = None
        self._words: dict[typed.Symbol, ir.Array] = {}
        self._locks: dict[ir.Array, ir.Array] = {}
        self._second_copies: dict[ir.Array, ir.Array] = {}

    def bind(self, symbol: typed.Symbol, variable: ir.Variable) -> ir.Variable:
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
        """A host variable of the compiler's own; a kernel that is being made may take it."""
        variable = ir.Variable(self.names.fresh_throughout(name), element)
        self.do(ir.DeclareVariable(variable, value))
        return variable

    def simple(self, e: typed.Expression, name: str) -> ir.Expression:
        """The expression's value as a constant or variable."""
        return self.named(self.expression(e), name)

    def named(self, value: ir.Expression, name: str) -> ir.Expression:
        """The value as a constant or variable."""
        return value if isinstance(value, ir.Ref | ir.Const) else ir.Ref(self.declare(name, value.element, value))

    def held(self, e: typed.Expression, name: str, body: typed.Statement) -> ir.Expression:
        """A node as by `simple`, but not a variable that `body` changes: a loop's domain is fixed on entry."""
        if uses.holds_still(e, body):
            return self.named(self.node(e), name)
        value = self.node(e)
        return ir.Ref(self.declare(name, value.element, value))

    def own(self, array: ir.Array) -> None:
        """Notes an array of this function: no two functions have equal ones, which steps that look at all of a module
        would take for one."""
        self.own_arrays.append(array)
        self.context.arrays.add(array)

    def new_array(self, name: str, element: ir.Element, extent: ir.Extent, origin: ir.Origin) -> ir.Array:
        """An array that lives as long as the function runs."""
        array = ir.Array(self.names.fresh_throughout(name), element, extent, origin)
        while array in self.context.arrays:
            array = replace(array, name=self.names.fresh_throughout(name))
        self.own(array)
        return array

    def word(self, symbol: typed.Symbol) -> ir.Array:
        """The one-cell array in which a scalar lives while a kernel changes it."""
        if symbol not in self._words:
            element = elements.ELEMENTS[symbol.scalar]
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
            faults=None if self.context.checks is None else self.fault_arrays(),
            lines=self.lines,
        )

    # --- checks

    def fault_arrays(self) -> tuple[ir.Array, ir.Array]:
        """Where the function's kernels record what goes wrong."""
        if self.faults is None:
            faulted = self.new_array("faulted", ir.Element.BOOL, ir.Extent.ONE, ir.Origin.TEMPORARY)
            self.faults = faulted, self.new_array("faults", ir.Element.LONG, checking.FAULTS, ir.Origin.TEMPORARY)
            assert self.context.checks is not None
            if self.context.checks.prints:
                self.lines = checking.new_lines(partial(self.new_array, origin=ir.Origin.TEMPORARY))
                self.prologue.append(ir.Fill(self.lines.taken, build.ZERO))
            self.prologue += [ir.Fill(faulted, build.FALSE), ir.Fill(self.faults[1], ir.Const(0, ir.Element.LONG))]
        return self.faults

    @property
    def nodes_around(self) -> tuple[ir.Variable, ...]:
        """The nodes that the host's loops are at."""
        return tuple(self.variables[symbol] for symbol in self.loops if symbol.type is types.Scalar.NODE)

    def guarded(self, risk: checking.Risk, operands: tuple[ir.Expression, ...], span: Span) -> ir.Expression:
        assert self.context.checks is not None
        held = {
            one: self.declare(one.name, one.element, build.converted(value, one.element))
            for one, value in zip(risk.operands, operands, strict=True)
        }
        renamed = rewriter.Renamer(held)
        site = self.context.checks.sites_of(risk, span, "")
        for place, wrong in enumerate(risk.wrongs, site):
            tell = ir.Tell(place, tuple(map(ir.Ref, held.values())), self.nodes_around)
            self.do(ir.HostIf(renamed.expression(wrong.when), (tell,)))
        return renamed.expression(risk.result)

    def tell_recorded(self, iterator: str) -> None:
        """Ends the run if the launch before recorded a fault."""
        if self.context.checks is not None:
            arrays, lines = self.fault_arrays(), () if self.lines is None else self.lines.arrays
            self.do(ir.TellRecorded(*arrays, iterator, self.nodes_around, lines))
