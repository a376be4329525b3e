"""Interfaces between the parts of host lowering.

`regions` makes kernels, `rounds` makes loops of launches, `host_loops` all other loops over the graph; they append to
the host function that `hosts` lowers, which they know as a `HostSide`.
"""

from contextlib import AbstractContextManager
from typing import Protocol

from starplat.analysis.races import LoopRaces
from starplat.frontend import typed
from starplat.ir import nodes as ir
from starplat.ir.fresh_names import FreshNames
from starplat.ir.lowering.checking import Risk
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


class HostSide(Protocol):
    """A host function that is being lowered."""

    context: Context
    function: typed.FunctionDefinition
    names: FreshNames
    arrays: dict[typed.Symbol, ir.Array]
    lists: dict[typed.Symbol, ir.HostList]
    put_lists: dict[ir.HostList, ir.Array]
    variables: dict[typed.Symbol, ir.Variable]
    values: dict[typed.Symbol, ir.Expression]
    arcs: dict[typed.Symbol, ArcPlace]
    stand_ins: dict[ir.Array, ir.Array]
    announce: dict[ir.Array, ir.Variable]
    levels: LevelScope | None
    loops: list[typed.Symbol]

    @property
    def regions(self) -> Launcher: ...

    def do(self, op: ir.HostOp) -> None: ...

    def put(self, symbol: typed.Symbol) -> tuple[ir.Array, ir.Variable]: ...

    def runs_as_kernel(self, s: typed.ForEach) -> bool: ...

    def answered(self, s: typed.Statement, loop: ir.Loop) -> ir.Loop: ...

    def collect(self) -> AbstractContextManager[list[ir.HostOp]]: ...

    def collected(self, block: typed.Block) -> tuple[ir.HostOp, ...]: ...

    def bind(self, symbol: typed.Symbol, variable: ir.Variable) -> ir.Variable: ...

    def read(self, array: ir.Array, index: ir.Expression) -> ir.Expression: ...

    def declare(self, name: str, element: ir.Element, value: ir.Expression) -> ir.Variable: ...

    def expression(self, e: typed.Expression) -> ir.Expression: ...

    def node(self, e: typed.Expression) -> ir.Expression: ...

    def guarded(self, risk: Risk, operands: tuple[ir.Expression, ...], span: Span) -> ir.Expression: ...

    def tell_recorded(self, iterator: str) -> None: ...

    def simple(self, e: typed.Expression, name: str) -> ir.Expression: ...

    def named(self, value: ir.Expression, name: str) -> ir.Expression: ...

    def held(self, e: typed.Expression, name: str, body: typed.Statement) -> ir.Expression: ...

    def block(self, block: typed.Block) -> None: ...

    def new_array(self, name: str, element: ir.Element, extent: ir.Extent, origin: ir.Origin) -> ir.Array: ...

    def word(self, symbol: typed.Symbol) -> ir.Array: ...

    def second_copy(self, array: ir.Array) -> ir.Array: ...

    def surroundings(self) -> Surroundings: ...
