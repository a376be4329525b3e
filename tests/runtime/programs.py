"""Modules written by hand that use every host operation."""

from __future__ import annotations

from starplat.frontend.types import Carrier, GraphType, PropertyType, Scalar, SetType, Type
from starplat.ir import nodes as ir
from starplat.ir.visitor import with_signature
from starplat.source import SourceFile

A = ir.Array("a", ir.Element.INT, ir.Extent.NODES, ir.Origin.PARAMETER)
B = ir.Array("b", ir.Element.INT, ir.Extent.NODES, ir.Origin.PARAMETER)
LOCAL = ir.Array("spare", ir.Element.INT, ir.Extent.NODES, ir.Origin.LOCAL)
MEMBERS = ir.Array("members", ir.Element.BOOL, ir.Extent.NODES, ir.Origin.PARAMETER, is_set=True)
WEIGHT = ir.Array("weight", ir.Element.INT, ir.Extent.ARCS, ir.Origin.WEIGHT)

V = ir.Variable("v", ir.Element.NODE)
E = ir.Variable("e", ir.Element.ARC)
I = ir.Variable("i", ir.Element.INT)  # noqa: E741
N = ir.Variable("count", ir.Element.INT)
SRC = ir.Variable("src", ir.Element.NODE)

TYPES: dict[str, Type] = {
    "a": PropertyType(Carrier.NODE, Scalar.INT),
    "b": PropertyType(Carrier.NODE, Scalar.INT),
    "members": SetType(Scalar.NODE),
    "weight": PropertyType(Carrier.EDGE, Scalar.INT),
}


def number(value: int) -> ir.Const:
    return ir.Const(value, ir.Element.INT)


def plus(left: ir.Expression, right: ir.Expression) -> ir.Binary:
    return ir.Binary(ir.BinaryOperator.ADD, left, right, ir.Element.INT)


def compare(sign: str, left: ir.Expression, right: ir.Expression) -> ir.Binary:
    return ir.Binary(ir.BinaryOperator(sign), left, right, ir.Element.BOOL)


def kernel(
    name: str,
    *body: ir.KernelOp,
    domain: ir.Domain | None = None,
    iterator: ir.Variable | None = V,
    reductions: tuple[ir.Reduction, ...] = (),
) -> ir.Kernel:
    """A kernel over all nodes v unless told otherwise."""
    return with_signature(ir.Kernel(name, domain or ir.AllNodes(), iterator, body, reductions=reductions))


def module(
    *body: ir.HostOp,
    parameters: tuple[ir.Array | ir.Variable, ...] = (A,),
    kernels: tuple[ir.Kernel, ...] = (),
    functions: tuple[ir.HostFunction, ...] = (),
    arrays: tuple[ir.Array, ...] = (),
    inputs: tuple[ir.Array, ...] | None = None,
    returns: Scalar | None = None,
) -> ir.Module:
    """A module whose entry has `body`; every array parameter is an input and every property a result."""
    given = tuple(p for p in parameters if isinstance(p, ir.Array))
    graph = dict.fromkeys(a for k in kernels for a in k.arrays if a.origin is ir.Origin.GRAPH)
    element = None if returns is None else ir.Element(returns.value)
    main = ir.HostFunction("main", tuple(map(ir.Parameter, parameters)), arrays, element, body)
    types = [ir.Argument("g", GraphType())]
    types += [ir.Argument(p.name, TYPES.get(p.name) or Scalar(p.element.value)) for p in parameters]
    return ir.Module(
        source=SourceFile("small.sp", ""),
        entry="main",
        functions=(main, *functions),
        kernels=kernels,
        helpers=(),
        arguments=tuple(types),
        inputs=given if inputs is None else inputs,
        results=tuple(a for a in given if not a.is_set),
        result_types=() if returns is None else (returns,),
        graph_arrays=tuple(graph),
    )


def increment(array: ir.Array, name: str = "increment") -> ir.Kernel:
    """array[v] += v + 1."""
    value = plus(ir.Cast(ir.Ref(V), ir.Element.INT), number(1))
    return kernel(name, ir.UpdateCell(ir.Combine.ADD, array, ir.Ref(V), value, shared=False))


def total(array: ir.Array, into: ir.Variable = N, combine: ir.Combine = ir.Combine.ADD) -> ir.Kernel:
    """A reduction over the cells of a property."""
    return kernel("total", ir.Contribute(into, ir.Load(array, ir.Ref(V))), reductions=(ir.Reduction(into, combine),))
