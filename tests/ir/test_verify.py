"""The verifier lets good modules pass and names the rule that a bad one breaks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from starplat.ir.nodes import (
    COLUMNS,
    ROW_OFFSETS,
    AllArcs,
    Apply,
    CallFunction,
    Carry,
    Cast,
    Combine,
    Const,
    Contribute,
    CopyArray,
    DeclareVariable,
    Direction,
    Element,
    Expression,
    Extent,
    ExtremeCell,
    Fill,
    Function,
    HostBlock,
    HostBreak,
    HostCall,
    HostForMembers,
    HostForRange,
    HostFunction,
    HostOp,
    HostReturn,
    HostWhile,
    Kernel,
    KernelBreak,
    KernelCall,
    KernelIf,
    KernelOp,
    KernelReturn,
    Launch,
    Let,
    Load,
    MathFunction,
    Module,
    Once,
    Parameter,
    ReadCell,
    Reduction,
    Ref,
    Select,
    SetLocal,
    SetVariable,
    Store,
    Swap,
    Unary,
    UnaryOperator,
    UpdateCell,
    Variable,
    WriteCell,
)
from starplat.ir.verify import InvalidModule, verify
from tests.ir.building import (
    AGAIN,
    DIST,
    FALSE,
    MODIFIED,
    NEXT,
    TRUE,
    V,
    array,
    binary,
    for_neighbors,
    kernel,
    module,
    number,
    relax,
)

X = Variable("x", Element.INT)
REAL = Variable("real", Element.DOUBLE)
LONG = Variable("long_", Element.LONG)


def sssp(*extra: HostOp) -> Module:
    """A whole program: its host function ends with `extra`."""
    source = Variable("src", Element.NODE)
    body: tuple[HostOp, ...] = (
        Fill(DIST, number(2**31 - 1)),
        Fill(MODIFIED, FALSE),
        WriteCell(DIST, Ref(source), number(0)),
        WriteCell(MODIFIED, Ref(source), TRUE),
        DeclareVariable(AGAIN, TRUE),
        HostWhile((), Ref(AGAIN), (SetVariable(AGAIN, FALSE), Fill(NEXT, FALSE), Launch("k"), Swap(MODIFIED, NEXT))),
    )
    host = HostFunction("sssp", (Parameter(DIST), Parameter(source)), (MODIFIED, NEXT), None, (*body, *extra))
    return replace(module(relax(), host=host), results=(DIST,))


def test_a_good_module_passes() -> None:
    verify(sssp())


def refused(what: Module, message: str) -> None:
    with pytest.raises(InvalidModule, match=message):
        verify(what)


def use(expression: Expression) -> Kernel:
    """A kernel that computes the expression."""
    return kernel(Let(Variable("used", expression.element), expression))


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (binary("+", Ref(X), Ref(REAL)), "do not meet"),
        (binary("+", Ref(X), Ref(LONG)), "do not meet"),
        (replace(binary("<", Ref(X), Ref(X)), element=Element.INT), "a condition is bool"),
        (replace(binary("+", Ref(X), Ref(X)), element=Element.LONG), "its operands' type"),
        (binary("&&", Ref(X), Ref(X)), "takes bool"),
        (binary("+", TRUE, TRUE), "must be of its operands' type"),
        (binary("%", Ref(REAL), Ref(REAL)), "takes integers"),
        (binary("+inf", Ref(REAL), Ref(REAL)), "takes integers"),
        (binary("&", Ref(REAL), Ref(REAL)), "bits are of"),
        (Unary(UnaryOperator.NOT, Ref(X)), "does not take it"),
        (Unary(UnaryOperator.COMPLEMENT, TRUE), "does not take it"),
        (Select(Ref(X), Ref(X), Ref(X)), "must be bool"),
        (Select(TRUE, Ref(X), Ref(REAL)), "must be int"),
        (Load(DIST, Ref(REAL)), "an index must be an integer"),
        (Const(2**31, Element.INT), "no value of this type"),
        (Const(1.5, Element.INT), "no value of this type"),
        (Const(1, Element.BOOL), "no value of this type"),
        (Apply(MathFunction.SQRT, (Ref(X),), Element.INT), "sqrt does not take it"),
        (Apply(MathFunction.MIN, (Ref(X),), Element.INT), "takes 2 arguments"),
        (CallFunction("missing", (), Element.INT), "no helper 'missing'"),
    ],
)
def test_expressions(expression: Expression, message: str) -> None:
    refused(module(use(expression)), message)


@pytest.mark.parametrize(
    ("ops", "message"),
    [
        ((KernelBreak(),), "break outside a loop"),
        ((KernelReturn(None),), "return outside a helper"),
        ((Contribute(X, number(1)),), "'x' is none of the reductions"),
        ((SetLocal(V, number(1)),), "'v' is set but no local"),
        ((SetLocal(Variable("w", Element.INT), number(1)),), "'w' is not declared here"),
        ((Let(X, number(1)), Let(X, number(2))), "'x' is declared twice"),
        ((KernelIf(TRUE, (Let(X, number(1)),)), SetLocal(X, number(2))), "'x' is not declared here"),
        ((Store(DIST, Ref(V), TRUE),), "must be int"),
        ((Store(ROW_OFFSETS, Ref(V), number(1)),), "the graph's array 'row_offsets' is written"),
        ((UpdateCell(Combine.AND, DIST, Ref(V), number(1), False),), "cannot be updated by &&"),
        ((ExtremeCell(Combine.ADD, DIST, Ref(V), number(1), (), False),), "is no extreme"),
        ((ExtremeCell(Combine.MIN, DIST, Ref(V), number(1), (), True, DIST),), "is for nothing"),
        (
            (ExtremeCell(Combine.MIN, DIST, Ref(V), number(1), (Carry(NEXT, Ref(V), TRUE),), True, MODIFIED),),
            "is no lock",
        ),
        ((for_neighbors(node=Ref(V)), KernelCall(CallFunction("gone", (), Element.INT))), "no helper"),
    ],
)
def test_kernel_operations(ops: tuple[KernelOp, ...], message: str) -> None:
    refused(module(kernel(*ops)), message)


def test_signatures_and_domains() -> None:
    k = relax()
    refused(module(replace(k, arrays=(*k.arrays, array("more", Element.INT)))), "arrays must be")
    refused(module(replace(k, arrays=k.arrays[::-1])), "must come first")
    refused(module(replace(k, arrays=tuple(a for a in k.arrays if a != COLUMNS))), "'columns' is not declared")
    refused(module(replace(k, scalars=(X,))), "scalars must be")
    refused(module(replace(k, iterator=X)), "iterator is of a wrong type|not declared here")
    refused(module(kernel(iterator=V, domain=AllArcs())), "iterator is of a wrong type")
    refused(module(kernel(iterator=V, domain=Once())), "has an iterator")
    refused(module(replace(k, filter=number(1))), "must be bool")
    refused(module(replace(k, reductions=(Reduction(AGAIN, Combine.ADD),))), "cannot be combined by")
    own = kernel(Store(DIST, number(0), number(1), shared=True), domain=Once(), iterator=None)
    refused(module(own), "there is one iteration")


def test_the_module_s_own_lists() -> None:
    whole = sssp()
    refused(replace(whole, graph_arrays=()), "graph_arrays are not")
    refused(replace(whole, entry="other"), "the entry 'other' is missing")
    refused(replace(whole, kernels=(relax(), relax())), "two have one name")
    refused(replace(whole, results=(MODIFIED,)), "no parameter of the entry")


def test_helpers() -> None:
    parameter = Parameter(X)

    def helper(*body: KernelOp, result: Element | None = Element.INT) -> Function:
        return Function("h", (parameter,), result, body)

    call = CallFunction("h", (number(1),), Element.INT)
    verify(module(use(call), helpers=[helper(KernelReturn(Ref(X)))]))
    refused(module(use(call), helpers=[helper(KernelReturn(None))]), "does not suit the result")
    refused(module(use(call), helpers=[helper(KernelReturn(call))]), "calls itself")
    refused(module(use(call), helpers=[helper(result=None)]), "does not return")
    refused(module(use(call), helpers=[helper(Store(DIST, Ref(X), Ref(X)))]), "'dist' is not declared here")
    refused(module(use(replace(call, arguments=(DIST,))), helpers=[helper()]), "is not such an array")
    refused(module(use(replace(call, arguments=(REAL,))), helpers=[helper()]), "not declared here|not by reference")
    refused(module(use(replace(call, arguments=())), helpers=[helper()]), "called with 0 arguments")


@pytest.mark.parametrize(
    ("op", "message"),
    [
        (Launch("gone"), "no kernel 'gone'"),
        (DeclareVariable(X, Load(DIST, number(0))), "the host loads from 'dist'"),
        (DeclareVariable(X, CallFunction("h", (), Element.INT)), "called on the host"),
        (DeclareVariable(AGAIN, TRUE), "'again' is declared twice"),
        (SetVariable(X, number(1)), "'x' is not declared here"),
        (SetVariable(AGAIN, number(1)), "must be bool"),
        (Fill(array("other", Element.INT), number(1)), "'other' is not declared here"),
        (Fill(DIST, TRUE), "must be int"),
        (CopyArray(DIST, MODIFIED), "differ in type or extent"),
        (Swap(DIST, MODIFIED), "differ in type or extent"),
        (ReadCell(AGAIN, DIST, number(0)), "cannot hold 'dist'"),
        (WriteCell(COLUMNS, number(0), number(0)), "not declared here|is written"),
        (HostBreak(), "outside a loop"),
        (HostReturn(number(1)), "does not suit the result"),
        (HostForMembers(V, DIST, ()), "is no set"),
        (HostCall("gone", (), None), "no host function 'gone'"),
        (HostCall("sssp", (DIST, number(0)), None), "calls itself"),
        (HostCall("sssp", (MODIFIED, number(0)), None), "is not such an array"),
        (HostBlock((HostForRange(X, number(0), TRUE, ()),)), "must be int"),
    ],
)
def test_host_operations(op: HostOp, message: str) -> None:
    refused(sssp(op), message)


def test_what_a_launch_needs_must_be_declared() -> None:
    late = kernel(Store(DIST, Ref(V), Ref(X)))
    host = HostFunction("f", (Parameter(DIST),), (), None, (Launch("k"),))
    refused(module(late, host=host), "'x' is not declared here")
    refused(module(late, host=replace(host, parameters=(Parameter(X),))), "'dist' is not declared here")


def test_indices_of_every_width() -> None:
    wide = Cast(Ref(V), Element.LONG)
    verify(module(use(Load(DIST, wide))))
    verify(module(kernel(for_neighbors(direction=Direction.IN))))
    verify(module(use(Load(array("total", Element.INT, Extent.ONE), number(0)))))
