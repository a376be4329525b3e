"""Every host operation does what `ir.nodes` says, on every device."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from starplat.diagnostics import DiagnosticError
from starplat.frontend.types import Carrier, GraphType, PropertyType, Scalar
from starplat.graph.graph import Graph
from starplat.ir import nodes, nodes as ir
from starplat.runtime import Result, run_module
from starplat.runtime.actions.executor import ACTIONS
from tests.runtime.devices import device_of, every_target
from tests.runtime.programs import (
    LOCAL,
    MEMBERS,
    SRC,
    WEIGHT,
    A,
    B,
    E,
    I,
    N,
    V,
    compare,
    increment,
    kernel,
    module,
    number,
    plus,
    total,
)

GRAPH = Graph.from_arcs(5, [0, 0, 2, 1, 3, 3, 2], [1, 2, 1, 3, 0, 3, 1], [7, 3, 1, 2, 9, 5, 4])


def run(target: str, program: nodes.Module, graph: Graph = GRAPH, **arguments: object) -> Result:
    device_of(target)
    return run_module(program, graph, target=target, arguments=arguments)


def test_every_host_operation_has_an_action() -> None:
    assert set(ACTIONS) == set(nodes.HostOp.__args__)


@every_target
def test_inputs_start_as_given_or_as_zeros(target: str) -> None:
    program = module(ir.Launch("increment"), kernels=(increment(A),))
    assert run(target, program)["a"].tolist() == [1, 2, 3, 4, 5]
    assert run(target, program, a=[10, 20, 30, 40, 50])["a"].tolist() == [11, 22, 33, 44, 55]


@every_target
def test_repetitions_start_from_the_same_arguments(target: str) -> None:
    device_of(target)
    program = module(ir.Launch("increment"), kernels=(increment(A),))
    result = run_module(program, GRAPH, target=target, arguments={"a": [10, 20, 30, 40, 50]}, repeat=3)
    assert result["a"].tolist() == [11, 22, 33, 44, 55]
    assert len(result.seconds.run) == 3


@every_target
def test_fill_copy_swap(target: str) -> None:
    body = (
        ir.Fill(A, number(3)),
        ir.Launch("increment"),
        ir.CopyArray(LOCAL, A),
        ir.Fill(A, number(7)),
        ir.Swap(A, LOCAL),
    )
    program = module(*body, kernels=(increment(A),), arrays=(LOCAL,))
    assert run(target, program)["a"].tolist() == [4, 5, 6, 7, 8]


@every_target
def test_a_swap_in_a_function_is_seen_by_its_caller(target: str) -> None:
    p, q = ir.Array("p", ir.Element.INT, ir.Extent.NODES, ir.Origin.PARAMETER), LOCAL
    function = ir.HostFunction(
        "other", (ir.Parameter(p),), (q,), None, (ir.Fill(q, number(5)), ir.Swap(p, q), ir.Fill(q, number(9)))
    )
    program = module(ir.Fill(A, number(1)), ir.HostCall("other", (A,), None), functions=(function,))
    for _ in range(2):
        assert run(target, program)["a"].tolist() == [5] * 5


@every_target
def test_calls_return_values_and_write_scalars_by_reference(target: str) -> None:
    x, y, r = ir.Variable("x", ir.Element.INT), ir.Variable("y", ir.Element.INT), ir.Variable("r", ir.Element.INT)
    body = (
        ir.SetVariable(y, plus(ir.Ref(y), ir.Ref(x))),
        ir.SetVariable(x, number(99)),
        ir.HostReturn(plus(ir.Ref(y), number(1))),
    )
    function = ir.HostFunction("other", (ir.Parameter(x), ir.Parameter(y, by_reference=True)), (), ir.Element.INT, body)
    main = (
        ir.DeclareVariable(N, number(10)),
        ir.DeclareVariable(r, number(0)),
        ir.HostCall("other", (number(4), N), r),
        ir.HostReturn(plus(ir.Binary(ir.BinaryOperator.MULTIPLY, ir.Ref(N), number(100), ir.Element.INT), ir.Ref(r))),
    )
    assert run(target, module(*main, functions=(function,), returns=Scalar.INT)).returned == 1415


@every_target
@pytest.mark.parametrize(
    ("combine", "expected"), [(ir.Combine.ADD, 1 + 10 + 0 + 7 - 2 + 5), (ir.Combine.MIN, -2), (ir.Combine.MAX, 10)]
)
def test_a_reduction_combines_with_what_the_variable_held(target: str, combine: ir.Combine, expected: int) -> None:
    body = (ir.DeclareVariable(N, number(5)), ir.Launch("total"), ir.HostReturn(ir.Ref(N)))
    program = module(*body, kernels=(total(A, combine=combine),), returns=Scalar.INT)
    assert run(target, program, a=[1, 10, 0, 7, -2]).returned == expected


@every_target
def test_a_bool_reduction(target: str) -> None:
    flag = ir.Variable("flag", ir.Element.BOOL)
    positive = ir.Contribute(flag, compare(">", ir.Load(A, ir.Ref(V)), number(0)))
    work = kernel("all", positive, reductions=(ir.Reduction(flag, ir.Combine.AND),))
    body = (ir.DeclareVariable(flag, ir.Const(True, ir.Element.BOOL)), ir.Launch("all"), ir.HostReturn(ir.Ref(flag)))
    program = module(*body, kernels=(work,), returns=Scalar.BOOL)
    assert run(target, program, a=[1, 1, 1, 1, 1]).returned is True
    assert run(target, program, a=[1, 1, 0, 1, 1]).returned is False


@every_target
def test_scalars_wrap_around(target: str) -> None:
    body = (
        ir.DeclareVariable(N, number(2**31 - 1)),
        ir.SetVariable(N, plus(ir.Ref(N), number(1))),
        ir.HostReturn(ir.Ref(N)),
    )
    assert run(target, module(*body, returns=Scalar.INT)).returned == -(2**31)


@every_target
def test_cells(target: str) -> None:
    body = (
        ir.DeclareVariable(N, number(0)),
        ir.WriteCell(A, ir.Ref(SRC), number(42)),
        ir.ReadCell(N, A, ir.Ref(SRC)),
        ir.HostReturn(ir.Ref(N)),
    )
    result = run(target, module(*body, parameters=(A, SRC), returns=Scalar.INT), src=3)
    assert (result.returned, result["a"].tolist()) == (42, [0, 0, 0, 42, 0])


@every_target
@pytest.mark.parametrize("index", [-1, 5])
def test_a_cell_that_is_not_there_is_an_error(target: str, index: int) -> None:
    program = module(ir.WriteCell(A, number(index), number(1)))
    with pytest.raises(DiagnosticError, match="E0709"):
        run(target, program)


@every_target
def test_loops(target: str) -> None:
    two = number(2)
    odd = compare("==", ir.Binary(ir.BinaryOperator.REMAINDER, ir.Ref(I), two, ir.Element.INT), number(1))
    add = ir.SetVariable(N, plus(ir.Ref(N), ir.Ref(I)))
    body = (
        ir.DeclareVariable(N, number(0)),
        ir.DeclareVariable(I, number(0)),
        ir.Loop(
            (),
            compare("<", ir.Ref(I), number(100)),
            (
                ir.HostIf(odd, (ir.HostContinue(),)),
                ir.HostIf(compare(">", ir.Ref(I), number(8)), (ir.HostBreak(),)),
                add,
            ),
            step=(ir.SetVariable(I, plus(ir.Ref(I), number(1))),),
        ),
        ir.HostReturn(ir.Ref(N)),
    )
    assert run(target, module(*body, returns=Scalar.INT)).returned == 0 + 2 + 4 + 6 + 8


@every_target
def test_while_tests_first_or_last(target: str) -> None:
    def program(test_last: bool) -> nodes.Module:
        step = (ir.SetVariable(N, plus(ir.Ref(N), number(1))),)
        before = (ir.ReadCell(I, A, number(0)),)
        loop = ir.Loop(before, compare("<", ir.Ref(N), ir.Ref(I)), step, test_last)
        return module(
            ir.DeclareVariable(N, number(5)),
            ir.DeclareVariable(I, number(0)),
            loop,
            ir.HostReturn(ir.Ref(N)),
            returns=Scalar.INT,
        )

    assert run(target, program(False), a=[3, 0, 0, 0, 0]).returned == 5
    assert run(target, program(True), a=[3, 0, 0, 0, 0]).returned == 6
    assert run(target, program(True), a=[9, 0, 0, 0, 0]).returned == 9


@every_target
def test_ranges_end_where_they_ended_on_entry(target: str) -> None:
    body = (
        ir.DeclareVariable(N, number(3)),
        ir.HostForRange(I, number(0), ir.Ref(N), (ir.SetVariable(N, plus(ir.Ref(N), number(1))),)),
        ir.HostReturn(ir.Ref(N)),
    )
    assert run(target, module(*body, returns=Scalar.INT)).returned == 6


@every_target
@pytest.mark.parametrize("direction", list(ir.Direction))
def test_neighbors_come_from_the_host_in_order(target: str, direction: ir.Direction) -> None:
    neighbor = ir.Variable("u", ir.Element.NODE)
    digits = ir.Binary(ir.BinaryOperator.MULTIPLY, ir.Ref(N), number(10), ir.Element.INT)
    step = ir.SetVariable(N, plus(digits, ir.Cast(ir.Ref(neighbor), ir.Element.INT)))
    loop = ir.HostForNeighbors(direction, ir.Ref(SRC), neighbor, E, (step,))
    program = module(
        ir.DeclareVariable(N, number(0)), loop, ir.HostReturn(ir.Ref(N)), parameters=(SRC,), returns=Scalar.INT
    )
    expected = {ir.Direction.OUT: 12, ir.Direction.IN: 3}[direction]
    assert run(target, program, src=0).returned == expected


@every_target
def test_members_are_those_on_entry(target: str) -> None:
    body = (
        ir.DeclareVariable(N, number(0)),
        ir.HostForMembers(
            V,
            MEMBERS,
            (
                ir.WriteCell(MEMBERS, number(4), ir.Const(True, ir.Element.BOOL)),
                ir.SetVariable(
                    N, plus(ir.Binary(ir.BinaryOperator.MULTIPLY, ir.Ref(N), number(10), ir.Element.INT), ir.Ref(V))
                ),
            ),
        ),
        ir.HostReturn(ir.Ref(N)),
    )
    program = module(*body, parameters=(MEMBERS,), returns=Scalar.INT)
    assert run(target, program, members=[3, 1]).returned == 13


@every_target
def test_a_set_that_the_caller_gave_is_not_read_back(target: str) -> None:
    loop = ir.HostForMembers(V, MEMBERS, ())
    assert run(target, module(loop, parameters=(MEMBERS,)), members=[1]).bytes.down == 0
    change = ir.WriteCell(MEMBERS, number(4), ir.Const(True, ir.Element.BOOL))
    assert run(target, module(change, loop, parameters=(MEMBERS,)), members=[1]).bytes.down == 5


@every_target
def test_kernels_over_arcs_neighbors_and_once(target: str) -> None:
    arcs = kernel(
        "arcs",
        ir.UpdateCell(ir.Combine.ADD, A, ir.Load(ir.COLUMNS, ir.Ref(E)), ir.Load(ir.WEIGHTS, ir.Ref(E)), shared=True),
        domain=ir.AllArcs(),
        iterator=E,
    )
    around = kernel(
        "around", ir.Store(B, ir.Ref(V), number(1)), domain=ir.NodeNeighbors(ir.Direction.OUT, ir.Ref(SRC), E)
    )
    once = kernel(
        "once", ir.Store(B, number(4), ir.Cast(ir.NumArcs(), ir.Element.INT)), domain=ir.Once(), iterator=None
    )
    program = module(
        ir.Launch("arcs"), ir.Launch("around"), ir.Launch("once"), parameters=(A, B, SRC), kernels=(arcs, around, once)
    )
    result = run(target, program, src=0)
    assert result["a"].tolist() == [9, 12, 3, 7, 0]
    assert result["b"].tolist() == [0, 1, 1, 0, 7]
    assert run(target, program, src=4)["b"].tolist() == [0, 0, 0, 0, 7]


@every_target
@pytest.mark.parametrize("nodes_and_arcs", [(0, 0), (1, 0), (3, 0)])
def test_graphs_without_nodes_or_arcs(target: str, nodes_and_arcs: tuple[int, int]) -> None:
    n, _ = nodes_and_arcs
    graph = Graph.from_arcs(n, [], [])
    arcs = kernel(
        "arcs",
        ir.UpdateCell(ir.Combine.ADD, A, ir.Load(ir.COLUMNS, ir.Ref(E)), ir.Load(ir.WEIGHTS, ir.Ref(E)), shared=True),
        domain=ir.AllArcs(),
        iterator=E,
    )
    body = (
        ir.DeclareVariable(N, ir.NumNodes()),
        ir.Fill(A, number(2)),
        ir.Launch("arcs"),
        ir.Launch("increment"),
        ir.Launch("total"),
        ir.HostReturn(ir.Ref(N)),
    )
    program = module(*body, kernels=(arcs, increment(A), total(A)), returns=Scalar.INT)
    result = run(target, program, graph)
    assert result["a"].tolist() == [3 + v for v in range(n)]
    assert result.returned == n + sum(3 + v for v in range(n))
    assert result.summary("a").count == n


@every_target
def test_nodes_are_given_and_returned_by_their_original_ids(target: str) -> None:
    graph = Graph.from_arcs(3, [0, 1], [1, 2], ids=np.array([10, 20, 30]))
    program = module(ir.HostReturn(ir.Ref(SRC)), parameters=(SRC,), returns=Scalar.NODE)
    assert run(target, program, graph, src=20).returned == 20
    assert run(target, program, graph, src=-1).returned == -1
    with pytest.raises(DiagnosticError, match="E0816"):
        run(target, program, graph, src=1)


@every_target
def test_the_weight_property_starts_as_the_graphs_weights_and_the_graph_keeps_its_own(target: str) -> None:
    double = kernel(
        "double",
        ir.UpdateCell(ir.Combine.MULTIPLY, WEIGHT, ir.Ref(E), number(2), shared=False),
        domain=ir.AllArcs(),
        iterator=E,
    )
    program = module(ir.Launch("double"), parameters=(WEIGHT,), kernels=(double,))
    assert GRAPH.weights is not None
    for _ in range(2):
        assert run(target, program)["weight"].tolist() == [2 * weight for weight in GRAPH.weights]
    unweighted = Graph.from_arcs(3, [0, 1], [1, 2])
    assert run(target, program, unweighted)["weight"].tolist() == [2, 2]


def test_real_weights_do_not_become_whole_numbers() -> None:
    graph = GRAPH.with_weights(np.full(GRAPH.num_arcs, 0.5))
    program = module(parameters=(WEIGHT,))
    with pytest.raises(DiagnosticError, match="E0708"):
        run("reference", program, graph)
    whole = GRAPH.with_weights(np.full(GRAPH.num_arcs, 2.0))
    assert run("reference", program, whole)["weight"].tolist() == [2] * 7


@every_target
def test_parameters_may_be_called_otherwise_inside(target: str) -> None:
    inside = ir.Array("a_2", ir.Element.INT, ir.Extent.NODES, ir.Origin.PARAMETER)
    source = ir.Variable("src_2", ir.Element.NODE)
    plain = module(ir.WriteCell(inside, ir.Ref(source), number(5)), parameters=(inside, source))
    types = (
        ir.Argument("g", GraphType()),
        ir.Argument("a", PropertyType(Carrier.NODE, Scalar.INT)),
        ir.Argument("src", Scalar.NODE),
    )
    result = run(target, replace(plain, arguments=types), a=[1, 2, 3, 4, 5], src=2)
    assert {name: cells.tolist() for name, cells in result.properties.items()} == {"a": [1, 2, 5, 4, 5]}
