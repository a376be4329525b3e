"""Printed expressions mean in C what they mean in the intermediate form."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from starplat.backends.cexpr import ExpressionPrinter
from starplat.backends.cpp import CPP
from starplat.backends.helpers import Helpers
from starplat.backends.opencl import SPELLING
from starplat.backends.render import helper_texts
from starplat.ir.evaluate import evaluate
from starplat.ir.nodes import (
    ROW_OFFSETS,
    Apply,
    Binary,
    BinaryOperator,
    Cast,
    Const,
    Element,
    Expression,
    Load,
    MathFunction,
    NumArcs,
    Ref,
    Select,
    Unary,
    UnaryOperator,
    Variable,
    infinity,
)

VALUES = {"a": 5, "b": -3, "c": 2**31 - 1, "p": True, "q": False}
A, B, C = (Ref(Variable(name, Element.INT)) for name in "abc")
L, X = Ref(Variable("l", Element.LONG)), Ref(Variable("x", Element.DOUBLE))
P, Q = (Ref(Variable(name, Element.BOOL)) for name in "pq")
OPERATOR = BinaryOperator


def text(expression: Expression, spelling: object = SPELLING) -> str:
    return ExpressionPrinter(spelling, lambda what: what.name, str, Helpers()).expression(expression)  # type: ignore[arg-type]


def both(operator: BinaryOperator, left: Expression, right: Expression, element: Element = Element.INT) -> Binary:
    return Binary(operator, left, right, element)


def test_brackets_only_where_they_matter() -> None:
    difference = both(OPERATOR.SUBTRACT, A, both(OPERATOR.SUBTRACT, B, C))
    assert text(difference) == "a - (b - c)"
    assert text(both(OPERATOR.SUBTRACT, both(OPERATOR.SUBTRACT, A, B), C)) == "a - b - c"
    either = both(OPERATOR.OR, both(OPERATOR.AND, P, Q, Element.BOOL), P, Element.BOOL)
    assert text(either) == "(p && q) || p"
    assert text(Unary(UnaryOperator.NOT, both(OPERATOR.LESS, A, B, Element.BOOL))) == "a >= b"
    assert text(Unary(UnaryOperator.NOT, both(OPERATOR.LESS, X, X, Element.BOOL))) == "!(x < x)"  # x may be NaN


def test_negative_numbers_stay_apart() -> None:
    minus = Const(-1, Element.INT)
    assert text(both(OPERATOR.SUBTRACT, A, minus)) == "a - -1"
    assert text(Unary(UnaryOperator.NEGATE, minus)) == "-(-1)"
    assert text(Unary(UnaryOperator.NEGATE, Unary(UnaryOperator.NEGATE, A))) == "-(-a)"


def test_conversions_are_said_where_they_matter() -> None:
    wide = Cast(A, Element.LONG)
    assert text(wide) == "a"
    assert text(both(OPERATOR.ADD, L, wide, Element.LONG)) == "l + a"
    assert text(both(OPERATOR.ADD, wide, Cast(B, Element.LONG), Element.LONG)) == "(long)a + (long)b"
    assert text(both(OPERATOR.SUBTRACT, wide, Const(1, Element.LONG), Element.LONG)) == "(long)a - 1L"
    assert text(both(OPERATOR.GREATER, wide, Const(0, Element.LONG), Element.BOOL)) == "a > 0"
    assert text(both(OPERATOR.LESS, L, Const(2**40, Element.LONG), Element.BOOL)) == f"l < {2**40}L"
    assert text(Cast(wide, Element.DOUBLE)) == "(double)(long)a"


def test_degrees_are_plain_differences() -> None:
    after = Binary(OPERATOR.ADD, A, Const(1, Element.INT), Element.NODE)
    arcs = Binary(OPERATOR.SUBTRACT, Load(ROW_OFFSETS, after), Load(ROW_OFFSETS, A), Element.ARC)
    degree = Cast(arcs, Element.INT)
    assert text(degree) == "row_offsets[a + 1] - row_offsets[a]"
    assert text(both(OPERATOR.EQUAL, degree, Const(0, Element.INT), Element.BOOL)).endswith(" - row_offsets[a] == 0")
    assert text(Cast(degree, Element.DOUBLE)) == "(double)(row_offsets[a + 1] - row_offsets[a])"
    assert text(both(OPERATOR.ADD, degree, A)).startswith("(int)(row_offsets")


def test_what_is_taken_away_is_subtracted() -> None:
    assert text(both(OPERATOR.ADD, A, Unary(UnaryOperator.NEGATE, B))) == "a - b"
    assert text(both(OPERATOR.ADD, A, Unary(UnaryOperator.NEGATE, both(OPERATOR.ADD, B, C)))) == "a - (b + c)"


def test_ends_of_ranges_have_names() -> None:
    assert [text(infinity(element)) for element in (Element.INT, Element.LONG, Element.FLOAT)] == [
        "INT_MAX",
        "LONG_MAX",
        "INFINITY",
    ]
    assert text(Const(-(2**31), Element.INT)) == "INT_MIN"
    assert text(Const(-(2**63), Element.LONG)) == "LONG_MIN"


def test_comparing_with_a_truth_value_is_spelled_shortly() -> None:
    assert text(both(OPERATOR.EQUAL, P, Const(True, Element.BOOL), Element.BOOL)) == "p"
    assert text(both(OPERATOR.EQUAL, P, Const(False, Element.BOOL), Element.BOOL)) == "!p"


def test_wide_arithmetic_is_done_wide() -> None:
    assert text(both(OPERATOR.ADD, NumArcs(), Const(1, Element.LONG), Element.LONG)) == "num_arcs + 1L"
    assert text(both(OPERATOR.ADD, NumArcs(), NumArcs(), Element.LONG)) == "(long)num_arcs + num_arcs"
    smaller = Apply(MathFunction.MIN, (NumArcs(), Const(7, Element.LONG)), Element.LONG)
    assert text(smaller) == "min((long)num_arcs, 7L)"


@given(st.floats(width=32))
def test_floats_read_back_as_themselves(value: float) -> None:
    shown = text(Const(value, Element.FLOAT))
    if np.isnan(value):
        assert shown == "NAN"
    elif not np.isinf(value):
        assert shown.endswith("f")
        assert np.float32(shown.removesuffix("f")) == np.float32(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_doubles_read_back_as_themselves(value: float) -> None:
    shown = text(Const(value, Element.DOUBLE))
    assert float(shown) == value
    assert any(mark in shown for mark in ".e")


def integers() -> st.SearchStrategy[Expression]:
    leaves = st.one_of(
        st.sampled_from([A, B, C]),
        st.sampled_from([0, 1, -1, 7, 2**31 - 1, -(2**31)]).map(lambda value: Const(value, Element.INT)),
    )
    return st.recursive(leaves, _larger, max_leaves=12)


def _larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    arithmetic = [OPERATOR.ADD_INF, OPERATOR.MULTIPLY, OPERATOR.BIT_AND, OPERATOR.BIT_OR, OPERATOR.BIT_XOR]
    comparisons = st.builds(
        both,
        st.sampled_from([OPERATOR.LESS, OPERATOR.EQUAL, OPERATOR.GREATER_EQUAL]),
        inner,
        inner,
        st.just(Element.BOOL),
    )
    truths = st.one_of(
        comparisons,
        st.sampled_from([P, Q]),
        st.builds(both, st.sampled_from([OPERATOR.AND, OPERATOR.OR]), comparisons, comparisons, st.just(Element.BOOL)),
        st.builds(lambda c: Unary(UnaryOperator.NOT, c), comparisons),
    )
    small = st.integers(1, 9).map(lambda value: Const(value, Element.INT))
    return st.one_of(
        st.builds(both, st.sampled_from([*arithmetic, OPERATOR.ADD, OPERATOR.SUBTRACT]), inner, inner),
        st.builds(both, st.sampled_from([OPERATOR.DIVIDE, OPERATOR.REMAINDER]), inner, small),
        st.builds(lambda operand: Unary(UnaryOperator.COMPLEMENT, operand), inner),
        st.builds(lambda operand: Unary(UnaryOperator.NEGATE, operand), inner),
        st.builds(Select, truths, inner, inner),
        st.builds(lambda truth: Cast(truth, Element.INT), truths),
        st.builds(lambda a, b: Apply(MathFunction.MAX, (a, b), Element.INT), inner, inner),
    )


def test_random_expressions_have_their_value_in_cpp(tmp_path: Path) -> None:
    """Precedence, signs, wrapping and infinity: all at once, by a compiler's judgement."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    expressions: list[Expression] = []

    @settings(
        max_examples=150,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(integers())
    def collect(expression: Expression) -> None:
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
