"""Modules made by hand, for tests of what backends make of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from starplat.frontend.types import Carrier, GraphType, PropertyType, Scalar, Type
from starplat.ir import nodes as ir
from starplat.ir.verifying.operations import combines
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


def node_array(name: str, element: ir.Element, origin: ir.Origin = ir.Origin.LOCAL) -> ir.Array:
    return ir.Array(name, element, ir.Extent.NODES, origin)


def variable(name: str, element: ir.Element = ir.Element.INT) -> ir.Variable:
    return ir.Variable(name, element)


def load(array: ir.Array, index: ir.Variable) -> ir.Load:
    return ir.Load(array, ir.Ref(index))


def number(value: int) -> ir.Const:
    return ir.Const(value, ir.Element.INT)


NUMBERS = (ir.Element.INT, ir.Element.LONG, ir.Element.FLOAT, ir.Element.DOUBLE)
REDUCTIONS = [(how, what) for how in ir.Combine for what in (*NUMBERS, ir.Element.BOOL) if combines(how, what)]
every_reduction = pytest.mark.parametrize(("combine", "element"), REDUCTIONS, ids=lambda value: value.name.lower())

V = ir.Variable("v", ir.Element.NODE)
NBR = ir.Variable("nbr", ir.Element.NODE)
E = ir.Variable("e", ir.Element.ARC)


def over_nodes(
    body: Sequence[ir.KernelOp],
    arrays: Sequence[ir.Array],
    *,
    name: str = "work",
    scalars: Sequence[ir.Variable] = (),
    reductions: Sequence[ir.Reduction] = (),
    filter: ir.Expression | None = None,
) -> ir.Kernel:
    """A kernel over all nodes v."""
    return ir.Kernel(
        name,
        ir.AllNodes(),
        V,
        tuple(body),
        filter=filter,
        arrays=tuple(arrays),
        scalars=tuple(scalars),
        reductions=tuple(reductions),
    )


def module_of(kernel: ir.Kernel, *helpers: ir.Function, source: str = "program.sp") -> ir.Module:
    """A module with one kernel, and a host function that launches it once."""
    arrays = tuple(array for array in kernel.arrays if array.origin is not ir.Origin.GRAPH)
    declared = tuple(
        ir.DeclareVariable(scalar, ir.Const(0, scalar.element))
        for scalar in (*kernel.scalars, *(reduction.variable for reduction in kernel.reductions))
    )
    function = ir.HostFunction("run", tuple(map(ir.Parameter, arrays)), (), None, (*declared, ir.Launch(kernel.name)))
    arguments = (
        ir.Argument("g", GraphType()),
        *(ir.Argument(array.name, PropertyType(Carrier.NODE, Scalar.INT)) for array in arrays),
    )
    graph = tuple(array for array in kernel.arrays if array.origin is ir.Origin.GRAPH)
    return ir.Module(
        SourceFile(source, ""), "run", (function,), (kernel,), helpers, arguments, arrays, arrays, (), graph
    )


def sssp() -> ir.Module:
    """Shortest paths as the compiler would lower them."""
    source = SourceFile("sssp.sp", SSSP_TEXT)
    dist = node_array("dist", ir.Element.INT, ir.Origin.PARAMETER)
    weight = ir.Array("weight", ir.Element.INT, ir.Extent.ARCS, ir.Origin.WEIGHT)
    modified, modified_next = node_array("modified", ir.Element.BOOL), node_array("modified_next", ir.Element.BOOL)
    src, finished = ir.Variable("src", ir.Element.NODE), ir.Variable("finished", ir.Element.BOOL)
    candidate = ir.Binary(ir.BinaryOperator.ADD_INF, load(dist, V), load(weight, E), ir.Element.INT)
    true, false = ir.Const(True, ir.Element.BOOL), ir.Const(False, ir.Element.BOOL)
    relax = ir.ExtremeCell(
        ir.Combine.MIN, dist, ir.Ref(NBR), candidate, (ir.Carry(modified_next, ir.Ref(NBR), true),), shared=True
    )
    kernels = (
        ir.Kernel(
            "sssp_relax",
            ir.AllNodes(),
            V,
            (ir.ForNeighbors(ir.Direction.OUT, ir.Ref(V), NBR, E, (relax,), parallel=True),),
            filter=load(modified, V),
            arrays=(ir.ROW_OFFSETS, ir.COLUMNS, modified, dist, weight, modified_next),
            span=_span("forall (v"),
        ),
        ir.Kernel(
            "sssp_finished",
            ir.AllNodes(),
            V,
            (ir.Contribute(finished, ir.Unary(ir.UnaryOperator.NOT, load(modified, V))),),
            arrays=(modified,),
            reductions=(ir.Reduction(finished, ir.Combine.AND),),
            span=_span("fixedPoint"),
        ),
    )
    body = (
        ir.Fill(dist, ir.infinity(ir.Element.INT)),
        ir.Fill(modified, false),
        ir.WriteCell(modified, ir.Ref(src), true),
        ir.WriteCell(dist, ir.Ref(src), number(0)),
        ir.DeclareVariable(finished, false),
        ir.Loop(
            (),
            ir.Unary(ir.UnaryOperator.NOT, ir.Ref(finished)),
            (
                ir.SetVariable(finished, true),
                ir.Fill(modified_next, false),
                ir.Launch("sssp_relax"),
                ir.Swap(modified, modified_next),
                ir.Launch("sssp_finished"),
            ),
        ),
    )
    parameters = (ir.Parameter(dist), ir.Parameter(weight), ir.Parameter(src))
    function = ir.HostFunction("sssp", parameters, (modified, modified_next), None, body, _span("function"))
    arguments: tuple[tuple[str, Type], ...] = (
        ("g", GraphType()),
        ("dist", PropertyType(Carrier.NODE, Scalar.INT)),
        ("weight", PropertyType(Carrier.EDGE, Scalar.INT)),
        ("src", Scalar.NODE),
    )
    return ir.Module(
        source,
        "sssp",
        (function,),
        kernels,
        (),
        tuple(ir.Argument(name, type) for name, type in arguments),
        (weight,),
        (dist, weight),
        (),
        (ir.ROW_OFFSETS, ir.COLUMNS),
    )


def _span(text: str) -> Span:
    start = SSSP_TEXT.index(text)
    return Span(start, start + len(text))
