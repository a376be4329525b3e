"""Generated code computes as NumPy's integers of the same width do, in kernels, in filters and on the host."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from starplat.diagnostics import DiagnosticError
from starplat.ir import nodes as ir
from starplat.ir.interpreting.evaluate import evaluate
from starplat.ir.python.arithmetic import combined, identity, settled
from tests.ir.building import SMALL, V, array, binary, kernel, number, run

DTYPES = {ir.Element.INT: np.int32, ir.Element.LONG: np.int64}
RING = ("+", "-", "*", "&", "|", "^")
COMPARE = ("<", "<=", ">", ">=", "==", "!=")


def variables(element: ir.Element) -> list[ir.Variable]:
    return [ir.Variable(name, element) for name in ("a", "b", "c")]


def expressions(element: ir.Element, *, divisions: bool = True) -> st.SearchStrategy[ir.Expression]:
    """Expressions over a, b and c of one integer type."""
    lowest, highest = ir.limits(element)
    edges = st.sampled_from([lowest, highest, 0, 1, -1, 2])
    leaves = st.sampled_from([ir.Ref(v) for v in variables(element)]) | st.builds(
        ir.Const, st.integers(lowest, highest) | edges, st.just(element)
    )
    signs = (*RING, "/", "%", "+inf") if divisions else RING

    def deeper(inner: st.SearchStrategy[ir.Expression]) -> st.SearchStrategy[ir.Expression]:
        conditions = st.builds(binary, st.sampled_from(COMPARE), inner, inner)
        unary = st.builds(ir.Unary, st.sampled_from([ir.UnaryOperator.NEGATE, ir.UnaryOperator.COMPLEMENT]), inner)
        result = st.builds(binary, st.sampled_from(signs), inner, inner) | unary
        if divisions:
            result |= st.builds(ir.Select, conditions, inner, inner)
            functions = st.sampled_from([ir.MathFunction.MIN, ir.MathFunction.MAX])
            result |= st.builds(lambda f, x, y: ir.Apply(f, (x, y), element), functions, inner, inner)
            result |= st.builds(lambda x: ir.Apply(ir.MathFunction.ABS, (x,), element), inner)
        return result

    return st.recursive(leaves, deeper, max_leaves=12)


def by_numpy(expression: ir.Expression, values: dict[str, Any]) -> Any:
    """The value, every operation in NumPy's own integers; raises ZeroDivisionError as `/` and `%` must."""

    def of(inner: ir.Expression) -> Any:
        return by_numpy(inner, values)

    match expression:
        case ir.Const(value, element):
            return DTYPES[element](value)
        case ir.Ref(variable):
            return values[variable.name]
        case ir.Unary(operator, operand):
            return -of(operand) if operator is ir.UnaryOperator.NEGATE else ~of(operand)
        case ir.Select(condition, then, otherwise):
            return of(then) if of(condition) else of(otherwise)
        case ir.Apply(ir.MathFunction.ABS, (argument,)):
            return abs(of(argument))
        case ir.Apply(function, (left, right)):
            return min(of(left), of(right)) if function is ir.MathFunction.MIN else max(of(left), of(right))
        case ir.Binary(operator, left, right):
            return numpy_binary(operator, of(left), of(right))
    raise AssertionError(expression)


def numpy_binary(operator: ir.BinaryOperator, left: Any, right: Any) -> Any:
    largest = np.iinfo(type(left)).max
    match operator:
        case ir.BinaryOperator.ADD_INF:
            return largest if largest in (left, right) else left + right
        case ir.BinaryOperator.DIVIDE | ir.BinaryOperator.REMAINDER if right == 0:
            raise ZeroDivisionError
        case ir.BinaryOperator.DIVIDE if right == -1:
            return -left
        case ir.BinaryOperator.DIVIDE:
            return type(left)(abs(int(left)) // abs(int(right)) * (1 if (left < 0) == (right < 0) else -1))
        case ir.BinaryOperator.REMAINDER:
            return np.fmod(left, right) if right != -1 else type(left)(0)
        case _:
            return eval(f"left {operator.value} right")


@pytest.mark.parametrize("element", [ir.Element.INT, ir.Element.LONG])
@given(data=st.data())
def test_integers_compute_as_numpy_s(element: ir.Element, data: st.DataObject) -> None:
    expression = data.draw(expressions(element))
    lowest, highest = ir.limits(element)
    whole = st.integers(lowest, highest) | st.integers(-3, 3)
    values = {name: data.draw(whole) for name in "abc"}
    with np.errstate(all="ignore"):
        try:
            expected = int(by_numpy(expression, {name: DTYPES[element](v) for name, v in values.items()}))
        except ZeroDivisionError:
            with pytest.raises(DiagnosticError, match="E0703"):
                evaluate(expression, values, {}, 1, 0)
            return
    assert evaluate(expression, values, {}, 1, 0) == expected
    out = np.zeros(1, DTYPES[element])
    cell = array("cell", element, ir.Extent.ONE)
    run(kernel(ir.Store(cell, number(0), expression), domain=ir.Once(), iterator=None), scalars=values, cell=out)
    assert out[0] == expected


@pytest.mark.parametrize("element", [ir.Element.INT, ir.Element.LONG])
@given(data=st.data())
def test_a_filter_for_all_nodes_chooses_what_one_by_one_does(element: ir.Element, data: st.DataObject) -> None:
    left, right = (data.draw(expressions(element, divisions=False)) for _ in range(2))
    condition = binary(data.draw(st.sampled_from(COMPARE)), left, right)
    values = {name: data.draw(st.integers(*ir.limits(element))) for name in "abc"}
    out = np.zeros(5, np.int32)
    run(kernel(ir.Store(array("out", ir.Element.INT), ir.Ref(V), number(1)), filter=condition), scalars=values, out=out)
    assert out.tolist() == [int(evaluate(condition, values, {}, 1, 0))] * 5


def test_the_host_reads_the_graph() -> None:
    def at(expression: ir.Expression, **values: Any) -> Any:
        return evaluate(expression, values, SMALL.arrays, SMALL.n, SMALL.m)

    x = ir.Ref(ir.Variable("x", ir.Element.NODE))
    assert at(ir.NumNodes()) == 5
    assert at(ir.NumArcs()) == 7
    assert at(ir.Load(ir.COLUMNS, number(2))) == 3
    assert at(ir.FindArc(x, number(1)), x=2) == 3
    assert at(ir.FindArc(x, number(4)), x=0) == -1
    with pytest.raises(DiagnosticError, match="E0704"):
        at(ir.Load(ir.COLUMNS, x), x=-1)
    with pytest.raises(DiagnosticError, match="E0704"):
        at(ir.FindArc(x, number(1)), x=-1)


def test_values_of_the_host_are_of_python_s_own_types() -> None:
    assert evaluate(binary("<", number(1), number(2)), {}, {}, 1, 0) is True
    assert evaluate(ir.Cast(number(1), ir.Element.DOUBLE), {}, {}, 1, 0) == 1.0
    assert type(evaluate(ir.Load(ir.COLUMNS, number(0)), {}, SMALL.arrays, 5, 7)) is int
    assert evaluate(ir.Const(0.1, ir.Element.FLOAT), {}, {}, 1, 0) == float(np.float32(0.1))
    flag = ir.Variable("flag", ir.Element.BOOL)
    assert evaluate(ir.Unary(ir.UnaryOperator.NOT, ir.Ref(flag)), {"flag": False}, {}, 1, 0) is True


@pytest.mark.parametrize("combine", ir.Combine)
def test_identities_change_nothing(combine: ir.Combine) -> None:
    logical = combine in (ir.Combine.AND, ir.Combine.OR)
    bits = combine in (ir.Combine.BIT_AND, ir.Combine.BIT_OR, ir.Combine.BIT_XOR)
    for element in ir.Element:
        if logical != (element is ir.Element.BOOL) or (bits and element.is_real):
            continue
        start = identity(combine, element).value
        for value in (True, False) if element is ir.Element.BOOL else (0, 1, 17, -3):
            assert combined(combine, element, start, value) == value
            assert combined(combine, element, value, start) == value


def test_combining_wraps_around_and_rounds() -> None:
    assert combined(ir.Combine.ADD, ir.Element.INT, 2**31 - 1, 1) == -(2**31)
    assert combined(ir.Combine.ADD, ir.Element.FLOAT, 0.1, 0.2) == float(np.float32(0.1 + 0.2))
    assert reduce(lambda a, b: combined(ir.Combine.MIN, ir.Element.DOUBLE, a, b), [2.0, math.nan, 1.0]) == 1.0
    assert settled(ir.Element.BOOL, 1) is True
