"""Short ways to write modules and graphs for the tests of the intermediate form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from starplat.ir import nodes as ir
from starplat.ir.interpreting.interpreter import KernelRunner
from starplat.ir.visitor import with_signature
from starplat.source import SourceFile, Span

SOURCE = SourceFile("small.sp", "function f(Graph g) {\n  forall (v in g.nodes()) { }\n}\n")
LOOP = Span(24, 51)

V = ir.Variable("v", ir.Element.NODE)
NBR = ir.Variable("nbr", ir.Element.NODE)
E = ir.Variable("e", ir.Element.ARC)
DIST = ir.Array("dist", ir.Element.INT, ir.Extent.NODES, ir.Origin.PARAMETER)
MODIFIED = ir.Array("modified", ir.Element.BOOL, ir.Extent.NODES, ir.Origin.LOCAL)
NEXT = ir.Array("modified_next", ir.Element.BOOL, ir.Extent.NODES, ir.Origin.TEMPORARY)
AGAIN = ir.Variable("again", ir.Element.BOOL)
TRUE, FALSE = ir.Const(True, ir.Element.BOOL), ir.Const(False, ir.Element.BOOL)


def binary(operator: str, left: ir.Expression, right: ir.Expression) -> ir.Binary:
    sign = ir.BinaryOperator(operator)
    logical = operator in ("&&", "||", "==", "!=", "<", "<=", ">", ">=")
    return ir.Binary(sign, left, right, ir.Element.BOOL if logical else left.element)


def number(value: float, element: ir.Element = ir.Element.INT) -> ir.Const:
    return ir.Const(value, element)


def array(
    name: str, element: ir.Element, extent: ir.Extent = ir.Extent.NODES, origin: ir.Origin = ir.Origin.PARAMETER
) -> ir.Array:
    return ir.Array(name, element, extent, origin)


def kernel(
    *body: ir.KernelOp,
    domain: ir.Domain | None = None,
    iterator: ir.Variable | None = V,
    filter: ir.Expression | None = None,
    reductions: Iterable[ir.Reduction] = (),
    name: str = "k",
) -> ir.Kernel:
    loop = ir.AllNodes() if domain is None else domain
    return with_signature(ir.Kernel(name, loop, iterator, body, filter=filter, reductions=tuple(reductions), span=LOOP))


def module(*kernels: ir.Kernel, helpers: Iterable[ir.Function] = (), host: ir.HostFunction | None = None) -> ir.Module:
    """A module whose host function has the kernels' arrays and scalars as parameters, if none is given."""
    graph = [a for k in kernels for a in k.arrays if a.origin is ir.Origin.GRAPH]
    parameters = [a for k in kernels for a in k.arrays if a.origin is not ir.Origin.GRAPH]
    scalars = [s for k in kernels for s in (*k.scalars, *(r.variable for r in k.reductions))]
    whole = dict.fromkeys([*parameters, *scalars])
    main = host or ir.HostFunction("f", tuple(ir.Parameter(what) for what in whole), (), None, ())
    return ir.Module(
        source=SOURCE,
        entry=main.name,
        functions=(main,),
        kernels=kernels,
        helpers=tuple(helpers),
        arguments=(),
        inputs=(),
        results=(),
        result_types=(),
        graph_arrays=tuple(dict.fromkeys(graph)),
    )


class Csr:
    """A graph from its arcs, with the arrays that kernels read."""

    def __init__(self, n: int, arcs: Iterable[tuple[int, int, int]]) -> None:
        rows = sorted(arcs)
        sources, columns, weights = (np.array([row[i] for row in rows], np.int32) for i in range(3))
        backward = np.lexsort((np.arange(len(rows)), sources, columns)).astype(np.int64)
        self.n, self.m, self.rows = n, len(rows), rows
        self.arrays: dict[str, np.ndarray[Any, Any]] = {
            "row_offsets": np.searchsorted(sources, np.arange(n + 1)).astype(np.int64),
            "columns": columns,
            "weights": weights,
            "arc_sources": sources,
            "in_row_offsets": np.searchsorted(columns[backward], np.arange(n + 1)).astype(np.int64),
            "in_columns": sources[backward],
            "in_arcs": backward,
        }


SMALL = Csr(5, [(0, 1, 7), (0, 2, 3), (2, 1, 1), (1, 3, 2), (3, 0, 9), (3, 3, 5), (2, 1, 4)])


def run(
    what: ir.Kernel | ir.Module,
    graph: Csr = SMALL,
    *,
    scalars: dict[str, Any] | None = None,
    **arrays: np.ndarray[Any, Any],
) -> dict[str, Any]:
    """Runs kernel 'k' on the graph and the arrays given, which change in place."""
    whole = what if isinstance(what, ir.Module) else module(what)
    return KernelRunner(whole).run("k", {**graph.arrays, **arrays}, scalars or {}, graph.n, graph.m)


def for_neighbors(
    *body: ir.KernelOp, direction: ir.Direction = ir.Direction.OUT, node: ir.Expression | None = None
) -> ir.ForNeighbors:
    return ir.ForNeighbors(direction, node or ir.Ref(V), NBR, E, body, parallel=True)


def relax() -> ir.Kernel:
    """One round of shortest paths."""
    candidate = binary("+inf", ir.Load(DIST, ir.Ref(V)), ir.Load(ir.WEIGHTS, ir.Ref(E)))
    store = ir.ExtremeCell(
        ir.Combine.MIN, DIST, ir.Ref(NBR), candidate, (ir.Carry(NEXT, ir.Ref(NBR), TRUE),), shared=True
    )
    body = (for_neighbors(store), ir.Contribute(AGAIN, TRUE))
    return kernel(*body, filter=ir.Load(MODIFIED, ir.Ref(V)), reductions=[ir.Reduction(AGAIN, ir.Combine.OR)])
