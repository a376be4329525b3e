"""Printed expressions mean in C what they mean in the intermediate form."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from starplat.backends.c.expressions import ExpressionPrinter
from starplat.backends.files.render import helper_texts
from starplat.backends.host.words import CPP
from starplat.backends.opencl import SPELLING
from starplat.backends.text.helpers import Helpers
from starplat.ir import nodes as ir
from starplat.ir.interpreting.evaluate import evaluate

VALUES = {"a": 5, "b": -3, "c": 2**31 - 1, "p": True, "q": False}
A, B, C = (ir.Ref(ir.Variable(name, ir.Element.INT)) for name in "abc")
L, X = ir.Ref(ir.Variable("l", ir.Element.LONG)), ir.Ref(ir.Variable("x", ir.Element.DOUBLE))
P, Q = (ir.Ref(ir.Variable(name, ir.Element.BOOL)) for name in "pq")
OPERATOR = ir.BinaryOperator


def text(expression: ir.Expression, spelling: object = SPELLING) -> str:
    return ExpressionPrinter(spelling, lambda what: what.name, str, Helpers()).expression(expression)  # type: ignore[arg-type]


def both(
    operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression, element: ir.Element = ir.Element.INT
) -> ir.Binary:
    return ir.Binary(operator, left, right, element)


def test_brackets_only_where_they_matter() -> None:
    difference = both(OPERATOR.SUBTRACT, A, both(OPERATOR.SUBTRACT, B, C))
    assert text(difference) == "a - (b - c)"
    assert text(both(OPERATOR.SUBTRACT, both(OPERATOR.SUBTRACT, A, B), C)) == "a - b - c"
    either = both(OPERATOR.OR, both(OPERATOR.AND, P, Q, ir.Element.BOOL), P, ir.Element.BOOL)
    assert text(either) == "(p && q) || p"
    less = both(OPERATOR.LESS, A, B, ir.Element.BOOL)
    assert text(both(OPERATOR.NOT_EQUAL, less, P, ir.Element.BOOL)) == "(a < b) != p"  # compilers warn of it without
    assert text(ir.Unary(ir.UnaryOperator.NOT, both(OPERATOR.LESS, A, B, ir.Element.BOOL))) == "a >= b"
    assert (
        text(ir.Unary(ir.UnaryOperator.NOT, both(OPERATOR.LESS, X, X, ir.Element.BOOL))) == "!(x < x)"
    )  # x may be NaN


def test_negative_numbers_stay_apart() -> None:
    minus = ir.Const(-1, ir.Element.INT)
    assert text(both(OPERATOR.SUBTRACT, A, minus)) == "a - -1"
    assert text(ir.Unary(ir.UnaryOperator.NEGATE, minus)) == "-(-1)"
    assert text(ir.Unary(ir.UnaryOperator.NEGATE, ir.Unary(ir.UnaryOperator.NEGATE, A))) == "-(-a)"


def test_conversions_are_said_where_they_matter() -> None:
    wide = ir.Cast(A, ir.Element.LONG)
    assert text(wide) == "a"
    assert text(both(OPERATOR.ADD, L, wide, ir.Element.LONG)) == "l + a"
    assert text(both(OPERATOR.ADD, wide, ir.Cast(B, ir.Element.LONG), ir.Element.LONG)) == "(long)a + (long)b"
    assert text(both(OPERATOR.SUBTRACT, wide, ir.Const(1, ir.Element.LONG), ir.Element.LONG)) == "(long)a - 1L"
    assert text(both(OPERATOR.GREATER, wide, ir.Const(0, ir.Element.LONG), ir.Element.BOOL)) == "a > 0"
    assert text(both(OPERATOR.LESS, L, ir.Const(2**40, ir.Element.LONG), ir.Element.BOOL)) == f"l < {2**40}L"
    assert text(ir.Cast(wide, ir.Element.DOUBLE)) == "(double)(long)a"


def test_degrees_are_plain_differences() -> None:
    after = ir.Binary(OPERATOR.ADD, A, ir.Const(1, ir.Element.INT), ir.Element.NODE)
    arcs = ir.Binary(OPERATOR.SUBTRACT, ir.Load(ir.ROW_OFFSETS, after), ir.Load(ir.ROW_OFFSETS, A), ir.Element.ARC)
    degree = ir.Cast(arcs, ir.Element.INT)
    assert text(degree) == "row_offsets[a + 1] - row_offsets[a]"
    assert text(both(OPERATOR.EQUAL, degree, ir.Const(0, ir.Element.INT), ir.Element.BOOL)).endswith(
        " - row_offsets[a] == 0"
    )
    assert text(ir.Cast(degree, ir.Element.DOUBLE)) == "(double)(row_offsets[a + 1] - row_offsets[a])"
    assert text(both(OPERATOR.ADD, degree, A)).startswith("(int)(row_offsets")


def test_what_is_taken_away_is_subtracted() -> None:
    assert text(both(OPERATOR.ADD, A, ir.Unary(ir.UnaryOperator.NEGATE, B))) == "a - b"
    assert text(both(OPERATOR.ADD, A, ir.Unary(ir.UnaryOperator.NEGATE, both(OPERATOR.ADD, B, C)))) == "a - (b + c)"


def test_ends_of_ranges_have_names() -> None:
    assert [text(ir.infinity(element)) for element in (ir.Element.INT, ir.Element.LONG, ir.Element.FLOAT)] == [
        "INT_MAX",
        "LONG_MAX",
        "INFINITY",
    ]
    assert text(ir.Const(-(2**31), ir.Element.INT)) == "INT_MIN"
    assert text(ir.Const(-(2**63), ir.Element.LONG)) == "LONG_MIN"


def test_comparing_with_a_truth_value_is_spelled_shortly() -> None:
    assert text(both(OPERATOR.EQUAL, P, ir.Const(True, ir.Element.BOOL), ir.Element.BOOL)) == "p"
    assert text(both(OPERATOR.EQUAL, P, ir.Const(False, ir.Element.BOOL), ir.Element.BOOL)) == "!p"


def test_wide_arithmetic_is_done_wide() -> None:
    assert text(both(OPERATOR.ADD, ir.NumArcs(), ir.Const(1, ir.Element.LONG), ir.Element.LONG)) == "num_arcs + 1L"
    assert text(both(OPERATOR.ADD, ir.NumArcs(), ir.NumArcs(), ir.Element.LONG)) == "(long)num_arcs + num_arcs"
    smaller = ir.Apply(ir.MathFunction.MIN, (ir.NumArcs(), ir.Const(7, ir.Element.LONG)), ir.Element.LONG)
    assert text(smaller) == "min((long)num_arcs, 7L)"


@given(st.floats(width=32))
def test_floats_read_back_as_themselves(value: float) -> None:
    shown = text(ir.Const(value, ir.Element.FLOAT))
    if np.isnan(value):
        assert shown == "NAN"
    elif not np.isinf(value):
        assert shown.endswith("f")
        assert np.float32(shown.removesuffix("f")) == np.float32(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_doubles_read_back_as_themselves(value: float) -> None:
    shown = text(ir.Const(value, ir.Element.DOUBLE))
    assert float(shown) == value
    assert any(mark in shown for mark in ".e")


def integers() -> st.SearchStrategy[ir.Expression]:
    leaves = st.one_of(
        st.sampled_from([A, B, C]),
        st.sampled_from([0, 1, -1, 7, 2**31 - 1, -(2**31)]).map(lambda value: ir.Const(value, ir.Element.INT)),
    )
    return st.recursive(leaves, _larger, max_leaves=12)


def _larger(inner: st.SearchStrategy[ir.Expression]) -> st.SearchStrategy[ir.Expression]:
    arithmetic = [OPERATOR.ADD_INF, OPERATOR.MULTIPLY, OPERATOR.BIT_AND, OPERATOR.BIT_OR, OPERATOR.BIT_XOR]
    comparisons = st.builds(
        both,
        st.sampled_from([OPERATOR.LESS, OPERATOR.EQUAL, OPERATOR.GREATER_EQUAL]),
        inner,
        inner,
        st.just(ir.Element.BOOL),
    )
    truths = st.one_of(
        comparisons,
        st.sampled_from([P, Q]),
        st.builds(
            both, st.sampled_from([OPERATOR.AND, OPERATOR.OR]), comparisons, comparisons, st.just(ir.Element.BOOL)
        ),
        st.builds(lambda c: ir.Unary(ir.UnaryOperator.NOT, c), comparisons),
    )
    small = st.integers(1, 9).map(lambda value: ir.Const(value, ir.Element.INT))
    return st.one_of(
        st.builds(both, st.sampled_from([*arithmetic, OPERATOR.ADD, OPERATOR.SUBTRACT]), inner, inner),
        st.builds(both, st.sampled_from([OPERATOR.DIVIDE, OPERATOR.REMAINDER]), inner, small),
        st.builds(lambda operand: ir.Unary(ir.UnaryOperator.COMPLEMENT, operand), inner),
        st.builds(lambda operand: ir.Unary(ir.UnaryOperator.NEGATE, operand), inner),
        st.builds(ir.Select, truths, inner, inner),
        st.builds(lambda truth: ir.Cast(truth, ir.Element.INT), truths),
        st.builds(lambda a, b: ir.Apply(ir.MathFunction.MAX, (a, b), ir.Element.INT), inner, inner),
    )


def test_random_expressions_have_their_value_in_cpp(tmp_path: Path) -> None:
    """Precedence, signs, wrapping and infinity: all at once, by a compiler's judgement."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    expressions: list[ir.Expression] = []

    @settings(
        max_examples=150,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(integers())
    def collect(expression: ir.Expression) -> None:
        expressions.append(expression)

    collect()
    helpers = Helpers()
    printer = ExpressionPrinter(CPP, lambda what: what.name, str, helpers)
    lines = [f'    std::printf("%d\\n", {printer.expression(expression)});' for expression in expressions]
    text = "\n".join(
        [
            "#include <algorithm>\n#include <climits>\n#include <cstdio>",
            *helper_texts(["common/host_helpers.jinja"], helpers.needed),
            "int main() {\n    volatile int a_ = 5, b_ = -3, c_ = INT_MAX;",
            "    volatile bool p_ = true, q_ = false;",
            "    const int a = a_, b = b_, c = c_;\n    const bool p = p_, q = q_;",
            *lines,
            "}\n",
        ]
    )
    (tmp_path / "e.cpp").write_text(text)
    subprocess.run(["g++", "-std=c++17", "-fwrapv", "-w", "e.cpp", "-o", "e"], cwd=tmp_path, check=True)
    output = subprocess.run([tmp_path / "e"], capture_output=True, text=True, check=True).stdout
    found = [int(line) for line in output.splitlines()]
    expected = [evaluate(expression, VALUES, {}, 0, 0) for expression in expressions]
    assert found == expected
