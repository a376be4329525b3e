"""Modules made by hand, for tests of what backends make of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from starplat.frontend.types import Carrier, GraphType, PropertyType, Scalar, Type
from starplat.ir.nodes import (
    COLUMNS,
    ROW_OFFSETS,
    AllNodes,
    Argument,
    Array,
    Binary,
    BinaryOperator,
    Carry,
    Combine,
    Const,
    Contribute,
    DeclareVariable,
    Direction,
    Element,
    Expression,
    Extent,
    ExtremeCell,
    Fill,
    ForNeighbors,
    Function,
    HostFunction,
    HostWhile,
    Kernel,
    KernelOp,
    Launch,
    Load,
    Module,
    Origin,
    Parameter,
    Reduction,
    Ref,
    SetVariable,
    Swap,
    Unary,
    UnaryOperator,
    Variable,
    WriteCell,
    infinity,
)
from starplat.ir.verify_ops import combines
from starplat.source import SourceFile, Span

SSSP_TEXT = """// Shortest paths.
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, modified = False);
  src.modified = True;
  src.dist = 0;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        <nbr.dist, nbr.modified> = <Min(nbr.dist, v.dist + e.weight), True>;
      }
    }
  }
}
"""


def node_array(name: str, element: Element, origin: Origin = Origin.LOCAL) -> Array:
    return Array(name, element, Extent.NODES, origin)


def variable(name: str, element: Element = Element.INT) -> Variable:
    return Variable(name, element)


def load(array: Array, index: Variable) -> Load:
    return Load(array, Ref(index))


def number(value: int) -> Const:
    return Const(value, Element.INT)


NUMBERS = (Element.INT, Element.LONG, Element.FLOAT, Element.DOUBLE)
REDUCTIONS = [(how, what) for how in Combine for what in (*NUMBERS, Element.BOOL) if combines(how, what)]
every_reduction = pytest.mark.parametrize(("combine", "element"), REDUCTIONS, ids=lambda value: value.name.lower())

V = Variable("v", Element.NODE)
NBR = Variable("nbr", Element.NODE)
E = Variable("e", Element.ARC)


def over_nodes(
    body: Sequence[KernelOp],
    arrays: Sequence[Array],
    *,
    name: str = "work",
    scalars: Sequence[Variable] = (),
    reductions: Sequence[Reduction] = (),
    filter: Expression | None = None,
) -> Kernel:
    """A kernel over all nodes v."""
    return Kernel(name, AllNodes(), V, filter, tuple(body), tuple(arrays), tuple(scalars), tuple(reductions))


def module_of(kernel: Kernel, *helpers: Function, source: str = "program.sp") -> Module:
    """A module with one kernel, and a host function that launches it once."""
    arrays = tuple(array for array in kernel.arrays if array.origin is not Origin.GRAPH)
    declared = tuple(
        DeclareVariable(scalar, Const(0, scalar.element))
        for scalar in (*kernel.scalars, *(reduction.variable for reduction in kernel.reductions))
    )
    function = HostFunction("run", tuple(map(Parameter, arrays)), (), None, (*declared, Launch(kernel.name)))
    arguments = (
        Argument("g", GraphType()),
        *(Argument(array.name, PropertyType(Carrier.NODE, Scalar.INT)) for array in arrays),
    )
    graph = tuple(array for array in kernel.arrays if array.origin is Origin.GRAPH)
    return Module(
        SourceFile(source, ""), "run", (function,), (kernel,), helpers, arguments, arrays, arrays, None, graph
    )


def sssp() -> Module:
    """Shortest paths as the compiler would lower them."""
    source = SourceFile("sssp.sp", SSSP_TEXT)
    dist = node_array("dist", Element.INT, Origin.PARAMETER)
    weight = Array("weight", Element.INT, Extent.ARCS, Origin.WEIGHT)
    modified, modified_next = node_array("modified", Element.BOOL), node_array("modified_next", Element.BOOL)
    src, finished = Variable("src", Element.NODE), Variable("finished", Element.BOOL)
    candidate = Binary(BinaryOperator.ADD_INF, load(dist, V), load(weight, E), Element.INT)
    true, false = Const(True, Element.BOOL), Const(False, Element.BOOL)
    relax = ExtremeCell(Combine.MIN, dist, Ref(NBR), candidate, (Carry(modified_next, Ref(NBR), true),), shared=True)
    kernels = (
        Kernel(
            "sssp_relax",
            AllNodes(),
            V,
            load(modified, V),
            (ForNeighbors(Direction.OUT, Ref(V), NBR, E, (relax,), parallel=True),),
            (ROW_OFFSETS, COLUMNS, modified, dist, weight, modified_next),
            (),
            (),
            _span("forall (v"),
        ),
        Kernel(
            "sssp_finished",
            AllNodes(),
            V,
            None,
            (Contribute(finished, Unary(UnaryOperator.NOT, load(modified, V))),),
            (modified,),
            (),
            (Reduction(finished, Combine.AND),),
            _span("fixedPoint"),
        ),
    )
    body = (
        Fill(dist, infinity(Element.INT)),
        Fill(modified, false),
        WriteCell(modified, Ref(src), true),
        WriteCell(dist, Ref(src), number(0)),
        DeclareVariable(finished, false),
        HostWhile(
            (),
            Unary(UnaryOperator.NOT, Ref(finished)),
            (
                SetVariable(finished, true),
                Fill(modified_next, false),
                Launch("sssp_relax"),
                Swap(modified, modified_next),
                Launch("sssp_finished"),
            ),
        ),
    )
    parameters = (Parameter(dist), Parameter(weight), Parameter(src))
    function = HostFunction("sssp", parameters, (modified, modified_next), None, body, _span("function"))
    arguments: tuple[tuple[str, Type], ...] = (
        ("g", GraphType()),
        ("dist", PropertyType(Carrier.NODE, Scalar.INT)),
        ("weight", PropertyType(Carrier.EDGE, Scalar.INT)),
        ("src", Scalar.NODE),
    )
    return Module(
        source,
        "sssp",
        (function,),
        kernels,
        (),
        tuple(Argument(name, type) for name, type in arguments),
        (weight,),
        (dist, weight),
        None,
        (ROW_OFFSETS, COLUMNS),
    )


def _span(text: str) -> Span:
    start = SSSP_TEXT.index(text)
    return Span(start, start + len(text))
