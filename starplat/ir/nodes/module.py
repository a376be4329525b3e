"""The module: host functions, arguments and kernels."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

from starplat.diagnostics import Diagnostic
from starplat.frontend.types import ListType, Scalar, Type
from starplat.ir.nodes.hosts import HostOp
from starplat.ir.nodes.kernels import Function, Kernel, Parameter, WithParameters
from starplat.ir.nodes.lists import HostList, ListOf
from starplat.ir.nodes.operations import Direction
from starplat.ir.nodes.values import Array, Const, Element, Expression, Placement
from starplat.operators.records import NodeNumbers
from starplat.source import NOWHERE, SourceFile, Span


@dataclass(frozen=True, slots=True)
class HostFunction(WithParameters):
    """`arrays` are allocated on entry, with undefined contents, and freed on return. `more_results` are the types of
    the values after the first of a function that returns several. `lists` are those that it is given, by reference,
    behind its parameters."""

    name: str
    parameters: tuple[Parameter, ...]
    arrays: tuple[Array, ...]
    result: Element | ListOf | None
    body: tuple[HostOp, ...]
    span: Span = field(default=NOWHERE, compare=False)
    more_results: tuple[Element, ...] = ()
    lists: tuple[HostList, ...] = ()

    @property
    def arrays_of_arcs(self) -> tuple[Array, ...]:
        """Those it is given, and its own, that are as long as the graph has arcs, or slots."""
        return tuple(array for array in (*self.given_arrays, *self.arrays) if array.extent.grows_with_arcs)


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of the entry, in the program's own words: what a caller must or may give.

    `shows_infinity`: as a result it may hold INF because the program says so."""

    name: str
    type: Type
    default: Const | None = None
    shows_infinity: bool = False


@dataclass(frozen=True, slots=True)
class Site:
    """A place of the program of which a checked run may tell: the code of a fault, what is said of it with `{0}` and
    `{1}` for numbers, a remedy, and the name of the innermost node in a kernel, if that is not its iterator. A `print`
    has no code, but `parts`: texts, and the types of its values."""

    code: str
    span: Span
    says: str = ""
    help: str | None = None
    inner: str = ""
    parts: tuple[str | Scalar, ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """A host function that does what the entry does, for graphs of some kind: those with all that is asked for.

    `symmetric` graphs have the reverse of every arc; in those with `few_pairs` no node has many neighbors (see
    `schedule.algebra`). `near` ones have room on the device for all their arcs.
    """

    function: str
    symmetric: bool | None = None
    few_pairs: bool | None = None
    near: bool | None = None


KeptArcs = tuple[Direction, Expression]
"""Which arcs of a node pass: a test of the variables `node` and `neighbor`."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Arrays of the graph that a host function makes on the device, once for a graph: they stand for its parameters in
    this order. Neither the function nor its kernels use them by their own names. `kept` tells apart what has one name:
    which arcs the rows have."""

    function: str
    arrays: tuple[Array, ...]
    kept: KeptArcs | None = None


class HeadKind(Enum):
    """Which arcs lie on the device as heads of rows."""

    FIRST = "the first arcs of every row, as many of each"
    SHORT = "all arcs of short rows"


@dataclass(frozen=True)
class Module:
    """A program, ready to be scheduled, legalised, printed or interpreted.

    `inputs` are the entry's arrays whose first contents matter (uploaded if the caller gives them, else zeros; the
    WEIGHT array from the graph); `results` the entry's properties in order: the caller may ask for each.
    `result_types` are the language's types of what the entry returns. `graph_arrays` are those of GRAPH_ARRAYS that any
    kernel uses. `variants` of the entry are called in its place where the graph is of their kind; the first that fits.
    `mapped` are the arrays that lie in mapped host memory, or in `managed` memory; kernels only read them. `on_demand`:
    the runtime places as much of those on the device as there is room for, and copies of `heads`. `prepared`
    are the arrays of the graph that the module itself makes. `returns_infinity`: the entry may return INF because the
    program says so. `numbers` says whether nodes may be renumbered, None where that was not asked; `node_order` in
    which order they are to be: the arrays are those of a graph so numbered, and the runtime translates what
    goes in and comes out.
    With `room` rows may end with slots without arcs, which kernels pass over.
    `sites` are the places that a checked run may tell of, numbered from 1. `race` is what is said of the first race
    that the program has.
    """

    source: SourceFile = field(compare=False, repr=False)
    entry: str
    functions: tuple[HostFunction, ...]
    kernels: tuple[Kernel, ...]
    helpers: tuple[Function, ...]
    arguments: tuple[Argument, ...]
    inputs: tuple[Array, ...]
    results: tuple[Array, ...]
    result_types: tuple[Scalar | ListType, ...]
    graph_arrays: tuple[Array, ...]
    mapped: tuple[Array, ...] = ()
    on_demand: bool = False
    managed: bool = False
    heads: HeadKind | None = None
    prepared: tuple[Prepared, ...] = ()
    variants: tuple[Variant, ...] = ()
    returns_infinity: bool = False
    numbers: NodeNumbers | None = field(default=None, compare=False)
    node_order: str | None = None
    room: bool = False
    sites: tuple[Site, ...] = ()
    race: Diagnostic | None = field(default=None, compare=False, repr=False)

    def placement(self, array: Array) -> Placement:
        """Where the cells of an array lie."""
        if array not in self.mapped:
            return Placement.DEVICE
        return Placement.MANAGED if self.managed else Placement.MAPPED

    @cached_property
    def prepared_arrays(self) -> frozenset[Array]:
        """The arrays of the graph that no host uploads."""
        return frozenset(array for one in self.prepared for array in one.arrays)

    def function(self, name: str) -> HostFunction:
        return self._functions[name]

    def kernel(self, name: str) -> Kernel:
        return self._kernels[name]

    def helper(self, name: str) -> Function:
        return self._helpers[name]

    def with_each_kernel(self, change: Callable[[Kernel], Kernel]) -> "Module":
        """The module with every kernel as `change` gives it; itself if that is what it was."""
        kernels = tuple(map(change, self.kernels))
        return self if kernels == self.kernels else replace(self, kernels=kernels)

    def with_function(self, changed: HostFunction) -> "Module":
        """The module with a function in the place of that of its name."""
        functions = tuple(changed if one.name == changed.name else one for one in self.functions)
        return replace(self, functions=functions)

    @cached_property
    def _functions(self) -> dict[str, HostFunction]:
        return {function.name: function for function in self.functions}

    @cached_property
    def _kernels(self) -> dict[str, Kernel]:
        return {kernel.name: kernel for kernel in self.kernels}

    @cached_property
    def _helpers(self) -> dict[str, Function]:
        return {helper.name: helper for helper in self.helpers}
