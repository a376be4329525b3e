"""A checked run on a device stops where the interpreter does, and right programs come out as they do there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import starplat
from starplat import DiagnosticError, Graph
from starplat.frontend import typed
from starplat.frontend.typed import Operator
from starplat.frontend.types import Scalar
from starplat.graph import generators
from starplat.ir import nodes as ir
from starplat.ir.interpreting.evaluate import evaluate
from starplat.ir.lowering.checking import Risk, risk_of
from starplat.ir.lowering.elements import ELEMENTS
from starplat.ir.python.arithmetic import Fault, Value
from starplat.pipeline import kernels_text, lower_checked
from starplat.runtime.checked import numbers
from tests.backends.emulated import Machine, emulated
from tests.programs.cases import CASES, Case
from tests.programs.targets import Target, every_device
from tests.programs.test_generated import FOUND
from tests.programs.test_prints_and_assertions import GRAPH as DIAMOND, LINES, PROGRAM
from tests.runtime.faulty import FAULTY, GRAPH, OF_MANY

every_faulty = pytest.mark.parametrize("name", FAULTY)


@every_device
@every_faulty
@pytest.mark.thin(plain=6, campaign=8)
def test_devices_stop_where_the_interpreter_does(name: str, target: Target) -> None:
    program = starplat.compile(FAULTY[name])
    with pytest.raises(DiagnosticError) as stopped:
        target.run(program, GRAPH, {"checked": True, "function": "f"})
    assert told(stopped.value, name) == told_by_the_interpreter(name)


@every_faulty
@pytest.mark.thin(plain=16, campaign=8)
def test_emulated_cuda_stops_there_too(name: str) -> None:
    program = starplat.compile(FAULTY[name])
    with emulated(Machine(seed=len(name))), pytest.raises(DiagnosticError) as stopped:
        program.run(GRAPH, target="cuda", checked=True, function="f")
    assert told(stopped.value, name) == told_by_the_interpreter(name)


def told_by_the_interpreter(name: str) -> tuple[object, ...]:
    with pytest.raises(DiagnosticError) as stopped:
        starplat.compile(FAULTY[name]).run(GRAPH, checked=True, function="f")
    return told(stopped.value, name)


def told(error: DiagnosticError, name: str) -> tuple[object, ...]:
    """Code, place, message but for what reals are, and the outermost and innermost node; of cells that many iterations
    change, only code and place."""
    (found,) = error.diagnostics
    assert found.place is not None
    if name in OF_MANY:
        return found.code, found.place.span
    said, _, nodes = found.message.partition(", at node ")
    around = nodes.split(", ")
    return found.code, found.place.span, said if found.code != "E0716" else "", around[0], around[-1]


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_checked_runs_have_a_module_of_what_once_differed(path: Path) -> None:
    """A loop of the host is at none of its nodes yet while its domain and its filter on entry are evaluated."""
    assert lower_checked(starplat.compile(path).checked).functions


@every_device
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.program)
@pytest.mark.thin(plain=10, campaign=10)
def test_right_programs_come_out_as_they_do_without(case: Case, target: Target) -> None:
    program = starplat.compile(case.path)
    graph = case.suits(generators.rmat(5, 3, seed=7).with_random_weights(1, 9, 1))
    (call, *_) = case.calls(graph)
    found = target.run(program, graph, {**call, "checked": True})
    expected = program.run(graph, target="reference", arguments=call)
    assert found.returned == pytest.approx(expected.returned)
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-4)


@every_device
def test_lines_come_as_from_the_interpreter(target: Target, capsys: pytest.CaptureFixture[str]) -> None:
    result = target.run(starplat.compile(PROGRAM), DIAMOND, {"src": 10, "checked": True})
    assert capsys.readouterr().err.splitlines() == LINES
    assert (result.returned, result["level"].tolist()) == (4, [0, 1, 1, 2])


@every_device
def test_lines_before_a_fault_are_printed(target: Target, capsys: pytest.CaptureFixture[str]) -> None:
    text = """function f(Graph g, propNode<int> x) {
  forall (v in g.nodes()) { print("at", v, 0.5 * v); v.x = 6 / (v - 2); print("past", v); }
}"""
    with pytest.raises(DiagnosticError, match="at node v = 30"):
        target.run(starplat.compile(text), DIAMOND, {"checked": True})
    assert capsys.readouterr().err.splitlines() == ["at 10 0.0", "past 10", "at 20 0.5", "past 20", "at 30 1.0"]


@pytest.mark.campaign
@every_device
def test_what_finds_no_room_is_told_of(target: Target, capsys: pytest.CaptureFixture[str]) -> None:
    text = "function f(Graph g) { for (v in g.nodes()) { int k = 0; while (k < 50000) { print(k, v); k += 1; } } }"
    nodes = Graph.from_arcs(2, [], [])
    target.run(starplat.compile(text.replace("for (", "forall (")), nodes, {"checked": True})
    *lines, last = capsys.readouterr().err.splitlines()
    assert "131,072" in last
    assert 131_072 // 3 - 2 <= len(lines) <= 131_072 // 3
    assert [line for line in lines if line.endswith(" 0")] == [f"{k} 0" for k in range(len(lines))][
        : sum(line.endswith(" 0") for line in lines)
    ]


def test_a_target_without_long_refuses_by_name() -> None:
    module = lower_checked(starplat.compile(FAULTY["sum"]).checked, "f")
    with pytest.raises(DiagnosticError, match="this target has no 'long'"):
        kernels_text(module, "webgpu", "plain")


# --- the conditions of a fault against arithmetic that raises -----------------------------------------------------

_INTEGERS = st.one_of(
    st.integers(-9, 9),
    st.builds(
        lambda power, sign, near: sign * 2**power + near,
        st.integers(14, 63),
        st.sampled_from((-1, 1)),
        st.integers(-2, 2),
    ),
)
_REALS = st.sampled_from((0.0, 1.0, -1.0, 2.5, 1e300, float("inf"), float("-inf"), float("nan")))


def held(kind: Scalar) -> st.SearchStrategy[Value]:
    if kind.is_real:
        return _REALS
    least, most = ir.limits(ELEMENTS[kind])
    return _INTEGERS.map(lambda value: min(max(value, least), most))


def outcome(risk: Risk, *operands: Value) -> Value | str:
    """The result, or the code of the fault."""
    values = dict(zip((one.name for one in risk.operands), operands, strict=True))
    for wrong in risk.wrongs:
        if evaluate(wrong.when, values, {}, 0, 0):
            return wrong.code
    return evaluate(risk.result, values, {}, 0, 0)


@given(st.data())
def test_conditions_of_faults_are_those_of_checked_arithmetic(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from((Scalar.INT, Scalar.LONG, Scalar.DOUBLE)))
    operators = [Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE]
    operator = data.draw(st.sampled_from(operators if kind.is_real else [*operators, Operator.REMAINDER]))
    left, right = data.draw(held(kind)), data.draw(held(kind))
    x = typed.Variable(typed.Symbol("x", kind, typed.Role.LOCAL))
    found = risk_of(typed.Binary(operator, x, x, kind))
    assert found is not None
    try:
        expected: Value | str = numbers.binary(operator, left, right, kind)
    except Fault as fault:
        expected = fault.code
    assert outcome(found[0], left, right) == pytest.approx(expected, nan_ok=True)


@given(held(Scalar.LONG))
def test_what_does_not_fit_is_told_of(value: int) -> None:
    long = typed.Variable(typed.Symbol("x", Scalar.LONG, typed.Role.LOCAL))
    found = risk_of(typed.Convert(long, Scalar.INT))
    assert found is not None
    try:
        expected: Value | str = numbers.converted(value, Scalar.LONG, Scalar.INT)
    except Fault as fault:
        expected = fault.code
    assert outcome(found[0], value) == expected
