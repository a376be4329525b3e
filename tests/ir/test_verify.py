"""The verifier lets good modules pass and names the rule that a bad one breaks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from starplat.ir import nodes as ir
from starplat.ir.printing.operations import print_ops
from starplat.ir.verifying.modules import InvalidModule, verify
from tests.ir.building import (
    AGAIN,
    DIST,
    FALSE,
    MODIFIED,
    NEXT,
    TRUE,
    E,
    V,
    array,
    binary,
    for_neighbors,
    kernel,
    module,
    number,
    relax,
)

X = ir.Variable("x", ir.Element.INT)
REAL = ir.Variable("real", ir.Element.DOUBLE)
LONG = ir.Variable("long_", ir.Element.LONG)


def sssp(*extra: ir.HostOp) -> ir.Module:
    """A whole program: its host function ends with `extra`."""
    source = ir.Variable("src", ir.Element.NODE)
    body: tuple[ir.HostOp, ...] = (
        ir.Fill(DIST, number(2**31 - 1)),
        ir.Fill(MODIFIED, FALSE),
        ir.WriteCell(DIST, ir.Ref(source), number(0)),
        ir.WriteCell(MODIFIED, ir.Ref(source), TRUE),
        ir.DeclareVariable(AGAIN, TRUE),
        ir.Loop(
            (),
            ir.Ref(AGAIN),
            (ir.SetVariable(AGAIN, FALSE), ir.Fill(NEXT, FALSE), ir.Launch("k"), ir.Swap(MODIFIED, NEXT)),
        ),
    )
    host = ir.HostFunction("sssp", (ir.Parameter(DIST), ir.Parameter(source)), (MODIFIED, NEXT), None, (*body, *extra))
    return replace(module(relax(), host=host), results=(DIST,))


def test_a_good_module_passes() -> None:
    verify(sssp())


def refused(what: ir.Module, message: str) -> None:
    with pytest.raises(InvalidModule, match=message):
        verify(what)


def use(expression: ir.Expression) -> ir.Kernel:
    """A kernel that computes the expression."""
    return kernel(ir.Let(ir.Variable("used", expression.element), expression))


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (binary("+", ir.Ref(X), ir.Ref(REAL)), "do not meet"),
        (binary("+", ir.Ref(X), ir.Ref(LONG)), "do not meet"),
        (replace(binary("<", ir.Ref(X), ir.Ref(X)), element=ir.Element.INT), "a condition is bool"),
        (replace(binary("+", ir.Ref(X), ir.Ref(X)), element=ir.Element.LONG), "its operands' type"),
        (binary("&&", ir.Ref(X), ir.Ref(X)), "takes bool"),
        (binary("+", TRUE, TRUE), "must be of its operands' type"),
        (binary("%", ir.Ref(REAL), ir.Ref(REAL)), "takes integers"),
        (binary("+inf", ir.Ref(REAL), ir.Ref(REAL)), "takes integers"),
        (binary("&", ir.Ref(REAL), ir.Ref(REAL)), "bits are of"),
        (ir.Unary(ir.UnaryOperator.NOT, ir.Ref(X)), "does not take it"),
        (ir.Unary(ir.UnaryOperator.COMPLEMENT, TRUE), "does not take it"),
        (ir.Select(ir.Ref(X), ir.Ref(X), ir.Ref(X)), "must be bool"),
        (ir.Select(TRUE, ir.Ref(X), ir.Ref(REAL)), "must be int"),
        (ir.Load(DIST, ir.Ref(REAL)), "an index must be an integer"),
        (ir.Const(2**31, ir.Element.INT), "no value of this type"),
        (ir.Const(1.5, ir.Element.INT), "no value of this type"),
        (ir.Const(1, ir.Element.BOOL), "no value of this type"),
        (ir.Apply(ir.MathFunction.SQRT, (ir.Ref(X),), ir.Element.INT), "sqrt does not take it"),
        (ir.Apply(ir.MathFunction.MIN, (ir.Ref(X),), ir.Element.INT), "takes 2 arguments"),
        (ir.CallFunction("missing", (), ir.Element.INT), "no helper 'missing'"),
    ],
)
def test_expressions(expression: ir.Expression, message: str) -> None:
    refused(module(use(expression)), message)


@pytest.mark.parametrize(
    ("ops", "message"),
    [
        ((ir.KernelBreak(),), "break outside a loop"),
        ((ir.KernelReturn(None),), "return outside a helper"),
        ((ir.Contribute(X, number(1)),), "'x' is none of the reductions"),
        ((ir.SetLocal(V, number(1)),), "'v' is set but no local"),
        ((ir.SetLocal(ir.Variable("w", ir.Element.INT), number(1)),), "'w' is not declared here"),
        ((ir.Let(X, number(1)), ir.Let(X, number(2))), "'x' is declared twice"),
        ((ir.KernelIf(TRUE, (ir.Let(X, number(1)),)), ir.SetLocal(X, number(2))), "'x' is not declared here"),
        ((ir.Store(DIST, ir.Ref(V), TRUE),), "must be int"),
        ((ir.Store(ir.ROW_OFFSETS, ir.Ref(V), number(1)),), "the graph's array 'row_offsets' is written"),
        ((ir.UpdateCell(ir.Combine.AND, DIST, ir.Ref(V), number(1), False),), "cannot be updated by &&"),
        ((ir.ExtremeCell(ir.Combine.ADD, DIST, ir.Ref(V), number(1), (), False),), "is no extreme"),
        ((ir.ExtremeCell(ir.Combine.MIN, DIST, ir.Ref(V), number(1), (), True, DIST),), "is for nothing"),
        (
            (
                ir.ExtremeCell(
                    ir.Combine.MIN, DIST, ir.Ref(V), number(1), (ir.Carry(NEXT, ir.Ref(V), TRUE),), True, MODIFIED
                ),
            ),
            "is no lock",
        ),
        ((for_neighbors(node=ir.Ref(V)), ir.KernelCall(ir.CallFunction("gone", (), ir.Element.INT))), "no helper"),
    ],
)
def test_kernel_operations(ops: tuple[ir.KernelOp, ...], message: str) -> None:
    refused(module(kernel(*ops)), message)


def test_signatures_and_domains() -> None:
    k = relax()
    refused(module(replace(k, arrays=(*k.arrays, array("more", ir.Element.INT)))), "arrays must be")
    refused(module(replace(k, arrays=k.arrays[::-1])), "must come first")
    refused(module(replace(k, arrays=tuple(a for a in k.arrays if a != ir.COLUMNS))), "'columns' is not declared")
    refused(module(replace(k, scalars=(X,))), "scalars must be")
    refused(module(replace(k, iterator=X)), "iterator is of a wrong type|not declared here")
    refused(module(kernel(iterator=V, domain=ir.AllArcs())), "iterator is of a wrong type")
    refused(module(kernel(iterator=V, domain=ir.Once())), "has an iterator")
    refused(module(replace(k, filter=number(1))), "must be bool")
    refused(module(replace(k, reductions=(ir.Reduction(AGAIN, ir.Combine.ADD),))), "cannot be combined by")
    own = kernel(ir.Store(DIST, number(0), number(1), shared=True), domain=ir.Once(), iterator=None)
    refused(module(own), "there is one iteration")


def test_the_module_s_own_lists() -> None:
    whole = sssp()
    refused(replace(whole, graph_arrays=()), "graph_arrays are not")
    refused(replace(whole, entry="other"), "the entry 'other' is missing")
    refused(replace(whole, kernels=(relax(), relax())), "two have one name")
    refused(replace(whole, results=(MODIFIED,)), "no parameter of the entry")


def test_helpers() -> None:
    parameter = ir.Parameter(X)

    def helper(*body: ir.KernelOp, result: ir.Element | None = ir.Element.INT) -> ir.Function:
        return ir.Function("h", (parameter,), result, body)

    call = ir.CallFunction("h", (number(1),), ir.Element.INT)
    verify(module(use(call), helpers=[helper(ir.KernelReturn(ir.Ref(X)))]))
    refused(module(use(call), helpers=[helper(ir.KernelReturn(None))]), "does not suit the result")
    refused(module(use(call), helpers=[helper(ir.KernelReturn(call))]), "calls itself")
    refused(module(use(call), helpers=[helper(result=None)]), "does not return")
    refused(module(use(call), helpers=[helper(ir.Store(DIST, ir.Ref(X), ir.Ref(X)))]), "'dist' is not declared here")
    refused(module(use(replace(call, arguments=(DIST,))), helpers=[helper()]), "is not such an array")
    refused(module(use(replace(call, arguments=(REAL,))), helpers=[helper()]), "not declared here|not by reference")
    refused(module(use(replace(call, arguments=())), helpers=[helper()]), "called with 0 arguments")


@pytest.mark.parametrize(
    ("op", "message"),
    [
        (ir.Launch("gone"), "no kernel 'gone'"),
        (ir.DeclareVariable(X, ir.Load(DIST, number(0))), "the host loads from 'dist'"),
        (ir.DeclareVariable(X, ir.CallFunction("h", (), ir.Element.INT)), "called on the host"),
        (ir.DeclareVariable(AGAIN, TRUE), "'again' is declared twice"),
        (ir.SetVariable(X, number(1)), "'x' is not declared here"),
        (ir.SetVariable(AGAIN, number(1)), "must be bool"),
        (ir.Fill(array("other", ir.Element.INT), number(1)), "'other' is not declared here"),
        (ir.Fill(DIST, TRUE), "must be int"),
        (ir.CopyArray(DIST, MODIFIED), "differ in type or extent"),
        (ir.Swap(DIST, MODIFIED), "differ in type or extent"),
        (ir.ReadCell(AGAIN, DIST, number(0)), "cannot hold 'dist'"),
        (ir.WriteCell(ir.COLUMNS, number(0), number(0)), "not declared here|is written"),
        (ir.HostBreak(), "outside a loop"),
        (ir.HostReturn(number(1)), "does not suit the result"),
        (ir.HostForMembers(V, DIST, ()), "is no set"),
        (ir.HostCall("gone", (), None), "no host function 'gone'"),
        (ir.HostCall("sssp", (DIST, number(0)), None), "calls itself"),
        (ir.HostCall("sssp", (MODIFIED, number(0)), None), "is not such an array"),
        (ir.HostBlock((ir.HostForRange(X, number(0), TRUE, ()),)), "must be int"),
    ],
)
def test_host_operations(op: ir.HostOp, message: str) -> None:
    refused(sssp(op), message)


def test_what_a_launch_needs_must_be_declared() -> None:
    late = kernel(ir.Store(DIST, ir.Ref(V), ir.Ref(X)))
    host = ir.HostFunction("f", (ir.Parameter(DIST),), (), None, (ir.Launch("k"),))
    refused(module(late, host=host), "'x' is not declared here")
    refused(module(late, host=replace(host, parameters=(ir.Parameter(X),))), "'dist' is not declared here")


def test_a_launch_pulls_where_a_set_has_many() -> None:
    many = array("many", ir.Element.BOOL)
    host = ir.HostFunction("f", (ir.Parameter(DIST), ir.Parameter(many)), (), None, ())
    clears = kernel(ir.Store(DIST, ir.Ref(V), number(1)))

    def launching(launch: ir.Launch) -> ir.Module:
        return module(clears, host=replace(host, body=(launch,)))

    verify(launching(ir.Launch("k", many, (ir.Launch("k"),))))
    assert "  pull if many has many\n    launch k" in "\n".join(print_ops([ir.Launch("k", many, (ir.Launch("k"),))]))
    refused(launching(ir.Launch("k", None, (ir.Launch("k"),))), "pulls where no set has many")
    refused(launching(ir.Launch("k", many)), "pulls where no set has many")
    refused(launching(ir.Launch("k", many, (ir.Launch("gone"),))), "no kernel 'gone'")
    refused(launching(ir.Launch("k", array("lost", ir.Element.BOOL), (ir.Launch("k"),))), "'lost' is not declared here")


def test_indices_of_every_width() -> None:
    wide = ir.Cast(ir.Ref(V), ir.Element.LONG)
    verify(module(use(ir.Load(DIST, wide))))
    verify(module(kernel(for_neighbors(direction=ir.Direction.IN))))
    verify(module(use(ir.Load(array("total", ir.Element.INT, ir.Extent.ONE), number(0)))))


def test_a_slot_is_no_arc() -> None:
    slot = ir.Ref(E)
    by_slot = ir.Let(X, ir.Load(ir.WEIGHTS, slot))
    refused(
        module(kernel(for_neighbors(by_slot, direction=ir.Direction.IN))),
        "'weights' has a cell for every arc and is indexed by a slot",
    )
    by_arc = ir.Let(X, ir.Load(ir.WEIGHTS, ir.REVERSE.arc_id(slot)))
    verify(module(kernel(for_neighbors(by_arc, direction=ir.Direction.IN))))


def test_an_arc_is_no_slot() -> None:
    other = ir.Variable("other", ir.Element.NODE)
    refused(
        module(kernel(for_neighbors(ir.Let(other, ir.REVERSE.neighbor(ir.Ref(E)))))),
        "'in_columns' has a cell for every slot and is indexed by an arc",
    )
    verify(module(kernel(for_neighbors(ir.Let(other, ir.CSR.neighbor(ir.Ref(E)))))))
