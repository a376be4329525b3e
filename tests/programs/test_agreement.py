"""On any graph every device says what the interpreter says, and what a program calls its things changes nothing."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

import starplat
from starplat import Program
from starplat.graph import Graph
from tests.programs.cases import CASES, Arguments, Case
from tests.programs.targets import REFERENCE, Target, compiled, every_device, every_target
from tests.zoo import ZOO, fewer_examples, random_graphs

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.program)


def answer(case: Case, target: Target, program: Program, graph: Graph, call: Arguments) -> list[NDArray[Any]]:
    """What was returned and every property."""
    result = target.run(program, graph, call)
    return [np.array(result.returned if result.returned is not None else 0), *(result[p] for p in case.properties)]


def assert_equal(found: list[NDArray[Any]], expected: list[NDArray[Any]]) -> None:
    """Whole numbers bit by bit, reals to the precision that the language promises."""
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        if one.dtype.kind == "f":
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-300)
        else:
            np.testing.assert_array_equal(one, other)


def agree(case: Case, graph: Graph, target: Target) -> None:
    program = compiled(case.path)
    for call in case.calls(graph):
        expected = answer(case, REFERENCE, program, graph, call)
        assert_equal(answer(case, target, program, graph, call), expected)


@every_device
@every_case
def test_devices_agree_with_the_interpreter(case: Case, target: Target) -> None:
    given(random_graphs())(lambda graph: agree(case, graph, target))()


@pytest.mark.campaign
@pytest.mark.thin(plain=4)
@every_device
@every_case
def test_devices_agree_with_the_interpreter_on_many_graphs(case: Case, target: Target) -> None:
    fewer_examples()(given(random_graphs(60, 300))(lambda graph: agree(case, graph, target)))()


@every_case
def test_the_interpreter_is_right_on_random_graphs(case: Case) -> None:
    def right(graph: Graph) -> None:
        graph = case.suits(graph)
        for call in case.calls(graph):
            result = REFERENCE.run(compiled(case.path), graph, call)
            case.check(graph, call, {name: result[name] for name in case.properties}, result.returned)

    given(random_graphs())(right)()


# --- renaming ------------------------------------------------------------------------------------------------------

LANGUAGE = """
    function int long float double bool Graph node edge propNode propEdge SetN forall for in filter if else while do
    fixedPoint until iterateInBFS iterateInReverse from return True False INF Min Max abs max pow nodes edges neighbors
    nodes_to inOutNbrs num_nodes get_edge is_an_edge count_outNbrs count_inNbrs attachNodeProperty attachEdgeProperty
    source destination weight map best break
"""
ELSEWHERE = """
    float4 kernel restrict main NULL barrier get_global_id atomic_min typedef uint size_t auto register template this
    delete default switch class global local constant private printf row_offsets columns num_arcs std assert CL_SUCCESS
    operator _x x_1 __x extern inline sampler_t half bool4 event_t goto union short char unsigned signed volatile
"""
KEPT, HOSTILE = frozenset(LANGUAGE.split()), ELSEWHERE.split()


def renamed(text: str, renames: dict[str, str]) -> str:
    """The program with all its own names replaced."""
    code = re.sub(r"//.*", "", text)
    return re.sub(r"\b[A-Za-z_]\w*\b", lambda word: renames.get(word[0], word[0]), code)


def own_names(text: str) -> list[str]:
    """The words of a program that it chose itself."""
    code = re.sub(r"//.*", "", text)
    words = re.findall(r"(?<![\w.])[A-Za-z_]\w*", code)
    return [word for word in dict.fromkeys(words) if word not in KEPT]


@pytest.mark.thin(plain=4)
@every_target
@every_case
def test_a_program_with_hostile_names_gives_the_same_answer(case: Case, target: Target) -> None:
    text = case.path.read_text(encoding="utf-8")
    names = own_names(text)
    assert len(names) <= len(HOSTILE)
    renames = dict(zip(names, HOSTILE, strict=False))
    program = starplat.compile(renamed(text, renames))
    graph = case.suits(ZOO["random"])
    for call in case.calls(graph)[:1]:
        result = target.run(program, graph, {renames[name]: value for name, value in call.items()})
        case.check(graph, call, {name: result[renames[name]] for name in case.properties}, result.returned)
