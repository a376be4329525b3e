"""The memory of a checked run: variables and properties that may be unwritten, sets, and the place of the run."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.frontend import typed, types
from starplat.graph.graph import Graph
from starplat.ir.python.arithmetic import Fault, Value
from starplat.source import SourceFile, Span


@dataclass(slots=True, eq=False)
class Box:
    """A scalar; None while nothing was written."""

    value: Value | None = None


@dataclass(slots=True, eq=False)
class Cells:
    """A property (or, as flags, a set); a cell that nothing was written to is None."""

    values: list[Value | None]


@dataclass(slots=True, eq=False)
class Sums:
    """A map: what was added to each key."""

    by_key: dict[int, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Elements:
    """A list."""

    values: list[Value] = field(default_factory=list)


Thing = Box | Cells | Sums | Elements | Graph


@dataclass(slots=True, eq=False)
class Frame:
    """One call of a function: what its names stand for. `writes` are cells that take what is written to a property
    while it is read as it was; `arcs` are the arcs that loops are at."""

    things: dict[typed.Symbol, Thing] = field(default_factory=dict)
    writes: dict[typed.Symbol, Cells] = field(default_factory=dict)
    arcs: dict[typed.Symbol, int] = field(default_factory=dict)

    def box(self, symbol: typed.Symbol) -> Box:
        found = self.things[symbol]
        assert isinstance(found, Box)
        return found

    def cells(self, symbol: typed.Symbol) -> Cells:
        found = self.things[symbol]
        assert isinstance(found, Cells)
        return found

    def sums(self, symbol: typed.Symbol) -> dict[int, Value]:
        found = self.things[symbol]
        assert isinstance(found, Sums)
        return found.by_key

    def elements(self, symbol: typed.Symbol) -> list[Value]:
        found = self.things[symbol]
        assert isinstance(found, Elements)
        return found.values

    def written(self, symbol: typed.Symbol) -> Cells:
        """The cells that a store goes to."""
        return self.writes.get(symbol) or self.cells(symbol)

    def declare(self, symbol: typed.Symbol, value: Value | None, graph: Graph) -> None:
        """A scalar, property, set, list or map comes to be."""
        match symbol.type:
            case types.PropertyType(carrier=carrier):
                count = graph.num_nodes if carrier is types.Carrier.NODE else graph.num_arcs
                self.things[symbol] = Cells([value] * count)
            case types.SetType(member=member):
                count = graph.num_nodes if member is types.Scalar.NODE else graph.num_arcs
                self.things[symbol] = Cells([False] * count)
            case types.ListType():
                self.things[symbol] = Elements()
            case types.MapType():
                self.things[symbol] = Sums()
            case _:
                self.things[symbol] = Box(value)


@dataclass(slots=True)
class Whereabouts:
    """Where the run is: the nodes of the loops around, and how deep calls are."""

    source: SourceFile
    graph: Graph
    nodes: list[tuple[str, int]] = field(default_factory=list)

    def at(self, span: Span) -> "Place":
        """Around what may go wrong at a place of the program."""
        return Place(self, span)

    def stopped(self, fault: Fault, span: Span) -> DiagnosticError:
        """The fault with its line and its nodes."""
        at = ", ".join(f"{name} = {self.graph.original_id(node)}" for name, node in self.nodes)
        message = f"{fault.message}, at node {at}" if at else fault.message
        return DiagnosticError(Diagnostic(fault.code, message, self.source, Label(span, "here"), help=fault.help))


@dataclass(slots=True)
class Place:
    """The place of whatever goes wrong inside `with`."""

    where: Whereabouts
    span: Span

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        if isinstance(fault, Fault):
            raise self.where.stopped(fault, self.span) from fault


def cell_of(cells: Sequence[Any], index: int, name: str) -> int:
    """The index, if the property has such a cell. Raises Fault: E0704."""
    if 0 <= index < len(cells):
        return index
    none = "; -1 stands for none" if index == -1 else ""
    raise Fault(
        "E0704", f"'{name}' has no cell {index} (it has {len(cells)})", f"test the index before it is used{none}"
    )


def written(value: Value | None, name: str) -> Value:
    """The value, if there is one. Raises Fault: E0717."""
    if value is not None:
        return value
    raise Fault("E0717", f"'{name}' is read, but nothing was ever written there", "give it a value first")
