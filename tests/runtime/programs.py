"""Modules written by hand that use every host operation."""

from __future__ import annotations

from starplat.frontend.types import Carrier, GraphType, PropertyType, Scalar, SetType, Type
from starplat.ir.nodes import (
    AllNodes,
    Argument,
    Array,
    Binary,
    BinaryOperator,
    Cast,
    Combine,
    Const,
    Contribute,
    Domain,
    Element,
    Expression,
    Extent,
    HostFunction,
    HostOp,
    Kernel,
    KernelOp,
    Load,
    Module,
    Origin,
    Parameter,
    Reduction,
    Ref,
    UpdateCell,
    Variable,
)
from starplat.ir.visitor import with_signature
from starplat.source import SourceFile

A = Array("a", Element.INT, Extent.NODES, Origin.PARAMETER)
B = Array("b", Element.INT, Extent.NODES, Origin.PARAMETER)
LOCAL = Array("spare", Element.INT, Extent.NODES, Origin.LOCAL)
MEMBERS = Array("members", Element.BOOL, Extent.NODES, Origin.PARAMETER, is_set=True)
WEIGHT = Array("weight", Element.INT, Extent.ARCS, Origin.WEIGHT)

V = Variable("v", Element.NODE)
E = Variable("e", Element.ARC)
I = Variable("i", Element.INT)  # noqa: E741
N = Variable("count", Element.INT)
SRC = Variable("src", Element.NODE)

TYPES: dict[str, Type] = {
    "a": PropertyType(Carrier.NODE, Scalar.INT),
    "b": PropertyType(Carrier.NODE, Scalar.INT),
    "members": SetType(Scalar.NODE),
    "weight": PropertyType(Carrier.EDGE, Scalar.INT),
}


def number(value: int) -> Const:
    return Const(value, Element.INT)


def plus(left: Expression, right: Expression) -> Binary:
    return Binary(BinaryOperator.ADD, left, right, Element.INT)


def compare(sign: str, left: Expression, right: Expression) -> Binary:
    return Binary(BinaryOperator(sign), left, right, Element.BOOL)


def kernel(
    name: str,
    *body: KernelOp,
    domain: Domain | None = None,
    iterator: Variable | None = V,
    reductions: tuple[Reduction, ...] = (),
) -> Kernel:
    """A kernel over all nodes v unless told otherwise."""
    return with_signature(Kernel(name, domain or AllNodes(), iterator, None, body, (), (), reductions))


def module(
    *body: HostOp,
    parameters: tuple[Array | Variable, ...] = (A,),
    kernels: tuple[Kernel, ...] = (),
    functions: tuple[HostFunction, ...] = (),
    arrays: tuple[Array, ...] = (),
    inputs: tuple[Array, ...] | None = None,
    returns: Scalar | None = None,
) -> Module:
    """A module whose entry has `body`; every array parameter is an input and every property a result."""
    given = tuple(p for p in parameters if isinstance(p, Array))
    graph = dict.fromkeys(a for k in kernels for a in k.arrays if a.origin is Origin.GRAPH)
    element = None if returns is None else Element(returns.value)
    main = HostFunction("main", tuple(map(Parameter, parameters)), arrays, element, body)
    types = [Argument("g", GraphType())]
    types += [Argument(p.name, TYPES.get(p.name) or Scalar(p.element.value)) for p in parameters]
    return Module(
        source=SourceFile("small.sp", ""),
        entry="main",
        functions=(main, *functions),
        kernels=kernels,
        helpers=(),
        arguments=tuple(types),
        inputs=given if inputs is None else inputs,
        results=tuple(a for a in given if not a.is_set),
        result_type=returns,
        graph_arrays=tuple(graph),
    )


def increment(array: Array, name: str = "increment") -> Kernel:
    """array[v] += v + 1."""
    value = plus(Cast(Ref(V), Element.INT), number(1))
    return kernel(name, UpdateCell(Combine.ADD, array, Ref(V), value, shared=False))


def total(array: Array, into: Variable = N, combine: Combine = Combine.ADD) -> Kernel:
    """A reduction over the cells of a property."""
    return kernel("total", Contribute(into, Load(array, Ref(V))), reductions=(Reduction(into, combine),))
