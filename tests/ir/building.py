"""Short ways to write modules and graphs for the tests of the intermediate form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from starplat.ir.interpreter import KernelRunner
from starplat.ir.nodes import (
    WEIGHTS,
    AllNodes,
    Array,
    Binary,
    BinaryOperator,
    Carry,
    Combine,
    Const,
    Contribute,
    Direction,
    Domain,
    Element,
    Expression,
    Extent,
    ExtremeCell,
    ForNeighbors,
    Function,
    HostFunction,
    Kernel,
    KernelOp,
    Load,
    Module,
    Origin,
    Parameter,
    Reduction,
    Ref,
    Variable,
)
from starplat.ir.visitor import with_signature
from starplat.source import SourceFile, Span

SOURCE = SourceFile("small.sp", "function f(Graph g) {\n  forall (v in g.nodes()) { }\n}\n")
LOOP = Span(24, 51)

V = Variable("v", Element.NODE)
NBR = Variable("nbr", Element.NODE)
E = Variable("e", Element.ARC)
DIST = Array("dist", Element.INT, Extent.NODES, Origin.PARAMETER)
MODIFIED = Array("modified", Element.BOOL, Extent.NODES, Origin.LOCAL)
NEXT = Array("modified_next", Element.BOOL, Extent.NODES, Origin.TEMPORARY)
AGAIN = Variable("again", Element.BOOL)
TRUE, FALSE = Const(True, Element.BOOL), Const(False, Element.BOOL)


def binary(operator: str, left: Expression, right: Expression) -> Binary:
    sign = BinaryOperator(operator)
    logical = operator in ("&&", "||", "==", "!=", "<", "<=", ">", ">=")
    return Binary(sign, left, right, Element.BOOL if logical else left.element)


def number(value: float, element: Element = Element.INT) -> Const:
    return Const(value, element)


def array(name: str, element: Element, extent: Extent = Extent.NODES, origin: Origin = Origin.PARAMETER) -> Array:
    return Array(name, element, extent, origin)


def kernel(
    *body: KernelOp,
    domain: Domain | None = None,
    iterator: Variable | None = V,
    filter: Expression | None = None,
    reductions: Iterable[Reduction] = (),
    name: str = "k",
) -> Kernel:
    loop = AllNodes() if domain is None else domain
    return with_signature(Kernel(name, loop, iterator, filter, body, (), (), tuple(reductions), LOOP))


def module(*kernels: Kernel, helpers: Iterable[Function] = (), host: HostFunction | None = None) -> Module:
    """A module whose host function has the kernels' arrays and scalars as parameters, if none is given."""
    graph = [a for k in kernels for a in k.arrays if a.origin is Origin.GRAPH]
    parameters = [a for k in kernels for a in k.arrays if a.origin is not Origin.GRAPH]
    scalars = [s for k in kernels for s in (*k.scalars, *(r.variable for r in k.reductions))]
    whole = dict.fromkeys([*parameters, *scalars])
    main = host or HostFunction("f", tuple(Parameter(what) for what in whole), (), None, ())
    return Module(
        source=SOURCE,
        entry=main.name,
        functions=(main,),
        kernels=kernels,
        helpers=tuple(helpers),
        arguments=(),
        inputs=(),
        results=(),
        result_type=None,
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
    what: Kernel | Module, graph: Csr = SMALL, *, scalars: dict[str, Any] | None = None, **arrays: np.ndarray[Any, Any]
) -> dict[str, Any]:
    """Runs kernel 'k' on the graph and the arrays given, which change in place."""
    whole = what if isinstance(what, Module) else module(what)
    return KernelRunner(whole).run("k", {**graph.arrays, **arrays}, scalars or {}, graph.n, graph.m)


def for_neighbors(
    *body: KernelOp, direction: Direction = Direction.OUT, node: Expression | None = None
) -> ForNeighbors:
    return ForNeighbors(direction, node or Ref(V), NBR, E, body, parallel=True)


def relax() -> Kernel:
    """One round of shortest paths."""
    candidate = binary("+inf", Load(DIST, Ref(V)), Load(WEIGHTS, Ref(E)))
    store = ExtremeCell(Combine.MIN, DIST, Ref(NBR), candidate, (Carry(NEXT, Ref(NBR), TRUE),), shared=True)
    body = (for_neighbors(store), Contribute(AGAIN, TRUE))
    return kernel(*body, filter=Load(MODIFIED, Ref(V)), reductions=[Reduction(AGAIN, Combine.OR)])
