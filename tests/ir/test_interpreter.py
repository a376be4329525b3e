"""The interpreter gives the answers that plain Python and NumPy give, and refuses what has no meaning."""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np
import pytest

from starplat.diagnostics import DiagnosticError
from starplat.ir import nodes as ir
from starplat.ir.interpreting import vectorize
from starplat.ir.interpreting.interpreter import KernelRunner
from starplat.ir.verifying.modules import verify
from tests.ir.building import (
    DIST,
    FALSE,
    MODIFIED,
    NBR,
    SMALL,
    TRUE,
    Csr,
    E,
    V,
    array,
    binary,
    for_neighbors,
    kernel,
    module,
    number,
    relax,
    run,
)

INT_MAX, INT_MIN, LONG_MAX = 2**31 - 1, -(2**31), 2**63 - 1
OUT = array("out", ir.Element.INT)
X = ir.Variable("x", ir.Element.INT)
Y = ir.Variable("y", ir.Element.INT)


def once(expression: ir.Expression, element: ir.Element | None = None, **scalars: Any) -> Any:
    """The value of an expression in a kernel that runs once and stores it in one cell."""
    kind = element or expression.element
    cell = array("cell", kind, ir.Extent.ONE)
    k = kernel(ir.Store(cell, number(0), expression), domain=ir.Once(), iterator=None)
    dtype = {"bool": bool, "int": "i4", "node": "i4", "long": "i8", "arc": "i8", "float": "f4", "double": "f8"}
    out = np.zeros(1, dtype[kind.value])
    verify(module(k))
    run(k, scalars=scalars, cell=out)
    return out[0].item()


def real(value: float) -> ir.Const:
    return ir.Const(value, ir.Element.DOUBLE)


def dijkstra(graph: Csr, source: int) -> list[int]:
    dist = [INT_MAX] * graph.n
    dist[source] = 0
    queue = [(0, source)]
    while queue:
        d, v = heapq.heappop(queue)
        for a, b, w in graph.rows:
            if a == v and d + w < dist[b]:
                dist[b] = d + w
                heapq.heappush(queue, (d + w, b))
    return dist


@pytest.mark.parametrize("seed", range(3))
def test_shortest_paths_by_relaxing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    arcs = rng.integers(0, [20, 20, 9], (50, 3)).tolist()
    graph = Csr(20, [(a, b, w) for a, b, w in arcs])
    dist = np.full(20, INT_MAX, np.int32)
    dist[0] = 0
    modified = np.zeros(20, bool)
    modified[0] = True
    again = True
    while again:
        following = np.zeros(20, bool)
        again = run(relax(), graph, dist=dist, modified=modified, modified_next=following)["again"]
        modified = following
    assert dist.tolist() == dijkstra(graph, 0)


@pytest.mark.parametrize(
    ("combine", "expected"),
    [
        (ir.Combine.ADD, 31),
        (ir.Combine.MULTIPLY, 7 * 3 * 4 * 1 * 2 * 9 * 5),
        (ir.Combine.MIN, 1),
        (ir.Combine.MAX, 9),
        (ir.Combine.BIT_AND, 0),
        (ir.Combine.BIT_OR, 15),
        (ir.Combine.BIT_XOR, 7 ^ 3 ^ 4 ^ 1 ^ 2 ^ 9 ^ 5),
    ],
)
def test_reductions_of_integers(combine: ir.Combine, expected: int) -> None:
    arc = ir.Variable("a", ir.Element.ARC)
    k = kernel(
        ir.Contribute(X, ir.Load(ir.WEIGHTS, ir.Ref(arc))),
        domain=ir.AllArcs(),
        iterator=arc,
        reductions=[ir.Reduction(X, combine)],
    )
    verify(module(k))
    assert run(k) == {"x": expected}


def test_reductions_wrap_around() -> None:
    k = kernel(ir.Contribute(X, number(INT_MAX)), reductions=[ir.Reduction(X, ir.Combine.ADD)])
    assert run(k) == {"x": 5 * INT_MAX + 2**32 - 3 * 2**32}
    k = kernel(ir.Contribute(X, number(65537)), reductions=[ir.Reduction(X, ir.Combine.MULTIPLY)])
    assert run(k) == {"x": int(np.full(5, 65537, np.int32).prod(dtype=np.int32))}


def test_reductions_of_nothing_are_the_identities() -> None:
    d = ir.Variable("d", ir.Element.DOUBLE)
    reductions = [ir.Reduction(d, ir.Combine.MIN), ir.Reduction(X, ir.Combine.MAX)]
    k = kernel(ir.Contribute(d, real(1.0)), ir.Contribute(X, number(1)), reductions=reductions, filter=FALSE)
    assert run(k) == {"d": math.inf, "x": INT_MIN}


def test_logical_reductions_are_bools() -> None:
    a, o = ir.Variable("all", ir.Element.BOOL), ir.Variable("any", ir.Element.BOOL)
    body = [ir.Contribute(a, ir.Load(MODIFIED, ir.Ref(V))), ir.Contribute(o, ir.Load(MODIFIED, ir.Ref(V)))]
    k = kernel(*body, reductions=[ir.Reduction(a, ir.Combine.AND), ir.Reduction(o, ir.Combine.OR)])
    assert run(k, modified=np.array([1, 1, 0, 1, 1], np.uint8)) == {"all": False, "any": True}
    assert run(k, modified=np.ones(5, np.uint8)) == {"all": True, "any": True}
    assert run(k, modified=np.zeros(5, bool)) == {"all": False, "any": False}


def test_the_first_extreme_stays_and_carries_values_from_before() -> None:
    parent = array("parent", ir.Element.NODE)
    old = array("old", ir.Element.INT)
    carried = (ir.Carry(parent, ir.Ref(NBR), ir.Ref(V)), ir.Carry(old, ir.Ref(NBR), ir.Load(DIST, ir.Ref(NBR))))
    k = kernel(for_neighbors(ir.ExtremeCell(ir.Combine.MIN, DIST, ir.Ref(NBR), number(4), carried, shared=True)))
    dist = np.array([4, 5, 3, INT_MAX, 0], np.int32)
    parents, olds = np.full(5, -1, np.int32), np.zeros(5, np.int32)
    run(k, dist=dist, parent=parents, old=olds)
    assert dist.tolist() == [4, 4, 3, 4, 0]
    assert parents.tolist() == [-1, 0, -1, 1, -1]
    assert olds.tolist() == [0, 5, 0, INT_MAX, 0]


def test_inf_is_no_candidate_for_a_minimum() -> None:
    k = kernel(
        ir.ExtremeCell(
            ir.Combine.MIN, DIST, ir.Ref(V), number(INT_MAX), (ir.Carry(MODIFIED, ir.Ref(V), TRUE),), shared=False
        )
    )
    modified = np.zeros(5, bool)
    run(k, dist=np.full(5, INT_MAX, np.int32), modified=modified)
    assert not modified.any()


def test_nan_is_never_an_extreme() -> None:
    cells = array("cells", ir.Element.DOUBLE)
    nan = binary("/", real(0.0), real(0.0))
    for combine in (ir.Combine.MIN, ir.Combine.MAX):
        values = np.arange(5.0)
        body = [
            ir.ExtremeCell(combine, cells, ir.Ref(V), nan, (), shared=False),
            ir.UpdateCell(combine, cells, ir.Ref(V), nan, shared=False),
        ]
        run(kernel(*body), cells=values)
        assert values.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("direction", ir.Direction)
def test_neighbors_both_ways(direction: ir.Direction) -> None:
    arc: ir.Expression = ir.Ref(E) if direction is ir.Direction.OUT else ir.Load(ir.IN_ARCS, ir.Ref(E))
    weight = binary("*", binary("+", ir.Ref(NBR), number(1)), ir.Load(ir.WEIGHTS, arc))
    body = for_neighbors(ir.UpdateCell(ir.Combine.ADD, OUT, ir.Ref(V), weight, shared=False), direction=direction)
    out = np.zeros(5, np.int32)
    verify(module(kernel(body)))
    run(kernel(body), out=out)
    expected = [0] * 5
    for source, destination, w in SMALL.rows:
        here, there = (source, destination) if direction is ir.Direction.OUT else (destination, source)
        expected[here] += (there + 1) * w
    assert out.tolist() == expected


def test_neighbors_without_positions_come_ascending() -> None:
    last = ir.Variable("last", ir.Element.INT)
    order = ir.SetLocal(last, binary("+", binary("*", ir.Ref(last), number(10)), ir.Ref(NBR)))
    k = kernel(ir.Let(last, number(0)), for_neighbors(order), ir.Store(OUT, ir.Ref(V), ir.Ref(last)))
    out = np.zeros(5, np.int32)
    run(k, out=out)
    assert out.tolist() == [12, 3, 11, 3, 0]


def test_the_neighbors_of_one_node() -> None:
    s = ir.Variable("s", ir.Element.NODE)
    sum_ = ir.Contribute(X, binary("*", ir.Ref(NBR), ir.Load(ir.WEIGHTS, ir.Ref(E))))
    domain = ir.NodeNeighbors(ir.Direction.OUT, ir.Ref(s), E)
    k = kernel(
        sum_,
        domain=domain,
        iterator=NBR,
        reductions=[ir.Reduction(X, ir.Combine.ADD)],
        filter=binary(">", ir.Ref(NBR), number(1)),
    )
    verify(module(k))
    assert run(k, scalars={"s": 0}) == {"x": 6}
    with pytest.raises(DiagnosticError, match="no cell -1"):
        run(k, scalars={"s": -1})


def test_only_the_chosen_side_is_evaluated() -> None:
    division = binary("/", number(6), ir.Ref(X))
    assert once(ir.Select(binary("==", ir.Ref(X), number(0)), number(-1), division), x=0) == -1
    assert once(binary("||", binary("==", ir.Ref(X), number(0)), binary(">", division, number(1))), x=0) is True
    assert once(binary("&&", binary("!=", ir.Ref(X), number(0)), binary(">", division, number(1))), x=0) is False


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (binary("+", number(INT_MAX), number(1)), INT_MIN),
        (binary("*", binary("*", number(65536), number(65536)), number(65536)), 0),
        (binary("/", number(INT_MIN), number(-1)), INT_MIN),
        (binary("%", number(INT_MIN), number(-1)), 0),
        (binary("/", number(-7), number(2)), -3),
        (binary("%", number(-7), number(2)), -1),
        (binary("%", number(7), number(-2)), 1),
        (ir.Unary(ir.UnaryOperator.NEGATE, number(INT_MIN)), INT_MIN),
        (ir.Unary(ir.UnaryOperator.COMPLEMENT, number(5)), -6),
        (ir.Apply(ir.MathFunction.ABS, (number(INT_MIN),), ir.Element.INT), INT_MIN),
        (binary("+inf", number(INT_MAX), number(-5)), INT_MAX),
        (binary("+inf", number(3), number(INT_MAX)), INT_MAX),
        (binary("+inf", number(3), number(-4)), -1),
        (binary("+", ir.Const(LONG_MAX, ir.Element.LONG), ir.Const(1, ir.Element.LONG)), -(2**63)),
        (binary("<", binary("+", number(INT_MAX), number(1)), number(0)), True),
        (ir.Apply(ir.MathFunction.MIN, (number(3), number(-4)), ir.Element.INT), -4),
        (ir.Apply(ir.MathFunction.MAX, (real(3), binary("/", real(0), real(0))), ir.Element.DOUBLE), 3.0),
        (ir.Apply(ir.MathFunction.MIN, (binary("/", real(0), real(0)), real(3)), ir.Element.DOUBLE), 3.0),
        (binary("/", real(1), real(0)), math.inf),
        (binary("/", real(-1), real(0)), -math.inf),
        (ir.Apply(ir.MathFunction.LOG, (real(0),), ir.Element.DOUBLE), -math.inf),
        (ir.Apply(ir.MathFunction.EXP, (real(1000),), ir.Element.DOUBLE), math.inf),
        (ir.Apply(ir.MathFunction.POW, (real(-10), real(999)), ir.Element.DOUBLE), -math.inf),
        (ir.Apply(ir.MathFunction.POW, (real(0), real(-1)), ir.Element.DOUBLE), math.inf),
        (ir.Apply(ir.MathFunction.FLOOR, (real(-1.5),), ir.Element.DOUBLE), -2.0),
        (ir.Apply(ir.MathFunction.CEIL, (real(math.inf),), ir.Element.DOUBLE), math.inf),
        (binary("*", real(1e300), real(1e300)), math.inf),
    ],
)
def test_arithmetic(expression: ir.Expression, expected: float) -> None:
    assert once(expression) == expected


@pytest.mark.parametrize(
    "expression",
    [
        binary("/", real(0), real(0)),
        ir.Apply(ir.MathFunction.SQRT, (real(-1),), ir.Element.DOUBLE),
        ir.Apply(ir.MathFunction.LOG, (real(-1),), ir.Element.DOUBLE),
        ir.Apply(ir.MathFunction.POW, (real(-8), real(0.5)), ir.Element.DOUBLE),
    ],
)
def test_what_is_not_a_number(expression: ir.Expression) -> None:
    assert math.isnan(once(expression))
    assert once(binary("!=", expression, expression)) is True


@pytest.mark.parametrize(
    ("cast", "expected"),
    [
        (ir.Cast(real(2.9), ir.Element.INT), 2),
        (ir.Cast(real(-2.9), ir.Element.INT), -2),
        (ir.Cast(real(1e30), ir.Element.INT), INT_MAX),
        (ir.Cast(real(-math.inf), ir.Element.LONG), -(2**63)),
        (ir.Cast(binary("/", real(0), real(0)), ir.Element.INT), 0),
        (ir.Cast(number(2**32 + 5, ir.Element.LONG), ir.Element.INT), 5),
        (ir.Cast(number(LONG_MAX, ir.Element.LONG), ir.Element.INT), -1),
        (ir.Cast(number(LONG_MAX, ir.Element.LONG), ir.Element.INT, keeps_inf=True), INT_MAX),
        (ir.Cast(number(INT_MAX), ir.Element.LONG, keeps_inf=True), LONG_MAX),
        (ir.Cast(number(INT_MAX), ir.Element.LONG), INT_MAX),
        (ir.Cast(number(INT_MAX), ir.Element.DOUBLE, keeps_inf=True), math.inf),
        (ir.Cast(real(math.inf), ir.Element.LONG, keeps_inf=True), LONG_MAX),
        (ir.Cast(TRUE, ir.Element.INT), 1),
        (ir.Cast(TRUE, ir.Element.DOUBLE), 1.0),
        (ir.Cast(real(0.5), ir.Element.BOOL), True),
        (ir.Cast(number(-1), ir.Element.NODE), -1),
        (ir.Cast(binary("+", number(INT_MAX), number(1)), ir.Element.LONG), INT_MIN),
        (ir.Cast(real(0.1), ir.Element.FLOAT), float(np.float32(0.1))),
        (ir.Cast(real(1e300), ir.Element.FLOAT), math.inf),
    ],
)
def test_casts(cast: ir.Cast, expected: float) -> None:
    assert once(cast) == expected


def test_floats_are_compared_as_devices_would() -> None:
    """0.1f + 0.2f is not below the cell that holds it, or a fixed point would never be reached."""
    cells = array("cells", ir.Element.FLOAT)
    value = binary("+", ir.Const(0.1, ir.Element.FLOAT), ir.Const(0.2, ir.Element.FLOAT))
    k = kernel(
        ir.KernelIf(
            binary("<", value, ir.Load(cells, ir.Ref(V))),
            (ir.Store(cells, ir.Ref(V), value), ir.Contribute(X, number(1))),
        ),
        reductions=[ir.Reduction(X, ir.Combine.ADD)],
    )
    values = np.full(5, 9, np.float32)
    assert run(k, cells=values) == {"x": 5}
    assert run(k, cells=values) == {"x": 0}
    carry = kernel(
        ir.ExtremeCell(ir.Combine.MIN, cells, ir.Ref(V), value, (ir.Carry(MODIFIED, ir.Ref(V), TRUE),), shared=False)
    )
    modified = np.zeros(5, bool)
    run(carry, cells=values, modified=modified)
    assert not modified.any()


def test_filters_for_all_nodes_at_once_or_one_by_one() -> None:
    degree = binary("-", ir.Load(ir.ROW_OFFSETS, binary("+", ir.Ref(V), number(1))), ir.Load(ir.ROW_OFFSETS, ir.Ref(V)))
    parts = [
        binary(">", degree, number(0, ir.Element.ARC)),
        binary("<", ir.Ref(V), ir.Cast(ir.Ref(Y), ir.Element.NODE)),
        ir.Unary(ir.UnaryOperator.NOT, ir.Load(MODIFIED, ir.Ref(V))),
        binary("==", binary("/", ir.Load(DIST, ir.Ref(V)), number(2)), number(1)),
    ]
    whole = binary("&&", binary("&&", binary("&&", parts[0], parts[1]), parts[2]), parts[3])
    k = kernel(ir.Store(OUT, ir.Ref(V), number(1)), filter=whole)
    verify(module(k))
    assert None not in vectorize.split_filter(k)
    out = np.zeros(5, np.int32)
    run(
        k,
        scalars={"y": 3},
        out=out,
        dist=np.array([2, 3, 1, 2, 2], np.int32),
        modified=np.array([0, 0, 0, 0, 1], np.uint8),
    )
    assert out.tolist() == [1, 1, 0, 0, 0]


def test_a_filter_of_scalars_runs_all_or_none() -> None:
    k = kernel(
        ir.Contribute(X, number(1)),
        filter=binary(">", ir.Ref(Y), number(0)),
        reductions=[ir.Reduction(X, ir.Combine.ADD)],
    )
    assert run(k, scalars={"y": 1}) == {"x": 5}
    assert run(k, scalars={"y": 0}) == {"x": 0}


def test_loops_break_and_continue() -> None:
    i, total = ir.Variable("i", ir.Element.INT), ir.Variable("total", ir.Element.INT)
    step = (ir.SetLocal(i, binary("+", ir.Ref(i), number(1))),)
    skip = ir.KernelIf(binary("==", binary("%", ir.Ref(i), number(2)), number(0)), (ir.KernelContinue(),))
    stop = ir.KernelIf(binary(">", ir.Ref(i), number(7)), (ir.KernelBreak(),))
    add = ir.SetLocal(total, binary("+", ir.Ref(total), ir.Ref(i)))
    start = (ir.Let(i, number(0)), ir.Let(total, number(0)))
    for loop in (
        ir.KernelFor(binary("<", ir.Ref(i), number(100)), step, (skip, stop, add)),
        ir.KernelWhile(TRUE, (*step, stop, skip, add)),
        ir.KernelWhile(binary("<", ir.Ref(i), number(7)), (*step, skip, add), test_last=True),
        ir.KernelFor(
            binary("<", ir.Ref(i), number(8)),
            step,
            (ir.KernelIf(ir.Unary(ir.UnaryOperator.NOT, skip.condition), (add,)),),
        ),
    ):
        k = kernel(
            *start,
            loop,
            ir.Contribute(X, ir.Ref(total)),
            domain=ir.Once(),
            iterator=None,
            reductions=[ir.Reduction(X, ir.Combine.ADD)],
        )
        verify(module(k))
        assert run(k) == {"x": 1 + 3 + 5 + 7}


def test_a_range_whose_end_moves() -> None:
    end = array("end", ir.Element.INT, ir.Extent.ONE)
    i = ir.Variable("i", ir.Element.INT)
    grow = ir.KernelIf(
        binary("<", ir.Load(end, number(0)), number(9)),
        (ir.UpdateCell(ir.Combine.ADD, end, number(0), number(2), shared=False),),
    )
    loop = ir.ForRange(i, number(0), ir.Load(end, number(0)), (grow, ir.Contribute(X, number(1))))
    k = kernel(loop, domain=ir.Once(), iterator=None, reductions=[ir.Reduction(X, ir.Combine.ADD)])
    assert run(k, end=np.array([1], np.int32)) == {"x": 9}
    fixed = ir.ForRange(i, number(2), ir.NumNodes(), (ir.KernelContinue(), ir.Contribute(X, number(1))))
    assert run(kernel(fixed, reductions=[ir.Reduction(X, ir.Combine.ADD)])) == {"x": 0}


def test_continue_outside_a_loop_ends_the_iteration() -> None:
    k = kernel(
        ir.KernelIf(binary(">", ir.Ref(V), number(1)), (ir.KernelContinue(),)), ir.Store(OUT, ir.Ref(V), number(1))
    )
    out = np.zeros(5, np.int32)
    run(k, out=out)
    assert out.tolist() == [1, 1, 0, 0, 0]


def test_helpers_return_and_change_what_they_get_by_reference() -> None:
    a, cells = ir.Variable("a", ir.Element.INT), array("cells", ir.Element.INT)
    bump = ir.Function(
        "bump",
        (ir.Parameter(a, by_reference=True), ir.Parameter(cells), ir.Parameter(ir.Variable("v", ir.Element.NODE))),
        ir.Element.INT,
        (
            ir.SetLocal(a, binary("+", ir.Ref(a), number(1))),
            ir.Store(cells, ir.Ref(V), ir.Ref(a)),
            ir.KernelReturn(binary("*", ir.Ref(a), number(10))),
        ),
    )
    local = ir.Variable("local", ir.Element.INT)
    call = ir.CallFunction("bump", (local, OUT, ir.Ref(V)), ir.Element.INT)
    body = (ir.Let(local, ir.Ref(V)), ir.KernelCall(call), ir.Contribute(X, binary("+", call, ir.Ref(local))))
    whole = module(kernel(*body, reductions=[ir.Reduction(X, ir.Combine.ADD)]), helpers=[bump])
    verify(whole)
    out = np.zeros(5, np.int32)
    assert run(whole, out=out) == {"x": sum((v + 2) * 11 for v in range(5))}
    assert out.tolist() == [2, 3, 4, 5, 6]


def test_find_arc_gives_the_lowest() -> None:
    k = kernel(ir.Store(array("arc", ir.Element.ARC), ir.Ref(V), ir.FindArc(ir.Ref(V), number(1))))
    arcs = np.zeros(5, np.int64)
    run(k, arc=arcs)
    assert arcs.tolist() == [0, -1, 3, -1, -1]


def test_arcs_fit_in_narrow_and_wide_cells() -> None:
    k = kernel(ir.Store(array("arc", ir.Element.ARC), ir.Ref(V), ir.Ref(ir.Variable("a", ir.Element.ARC))))
    for dtype in (np.int32, np.int64):
        arcs = np.zeros(5, dtype)
        run(k, scalars={"a": LONG_MAX}, arc=arcs)
        assert arcs.tolist() == [np.iinfo(dtype).max] * 5


@pytest.mark.parametrize("index", [-1, 5])
def test_an_index_outside_is_refused(index: int) -> None:
    for body in (
        ir.Store(OUT, number(index), number(1)),
        ir.Store(OUT, ir.Ref(V), ir.Load(OUT, binary("+", ir.Ref(X), number(0)))),
    ):
        with pytest.raises(DiagnosticError, match=f"E0704.*'out' has no cell {index} .it has 5.") as raised:
            run(kernel(body), scalars={"x": index}, out=np.zeros(5, np.int32))
        assert "small.sp:2:3" in str(raised.value)


def test_division_by_zero_is_refused() -> None:
    for sign in "/%":
        with pytest.raises(DiagnosticError, match=r"E0703.*division by zero in kernel 'k'") as raised:
            once(binary(sign, number(1), ir.Ref(X)), x=0)
        assert "small.sp:2:3" in str(raised.value)


def test_too_deep_an_expression_is_refused() -> None:
    deep: ir.Expression = ir.Ref(X)
    for _ in range(300):
        deep = binary("/", number(1), deep)
    k = kernel(ir.Contribute(X, deep), reductions=[ir.Reduction(X, ir.Combine.ADD)])
    with pytest.raises(DiagnosticError, match="E0705"):
        run(k, scalars={"x": 1})


def test_names_of_a_program_never_become_code() -> None:
    evil = array("a'); raise SystemExit #{n}", ir.Element.INT)
    name = ir.Variable("import os; x", ir.Element.INT)
    k = kernel(ir.Let(name, number(7)), ir.Store(evil, ir.Ref(X), ir.Ref(name)))
    out = np.zeros(5, np.int32)
    KernelRunner(module(k)).run("k", {evil.name: out}, {"x": 2}, 5, 0)
    assert out.tolist() == [0, 0, 7, 0, 0]
    with pytest.raises(DiagnosticError, match="no cell 9"):
        KernelRunner(module(k)).run("k", {evil.name: out}, {"x": 9}, 5, 0)


def test_an_array_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match="must hold int32"):
        run(kernel(ir.Store(OUT, ir.Ref(V), number(1))), out=np.zeros(5, np.int64))


def test_the_empty_graph() -> None:
    empty = Csr(0, [])
    nothing = {name: np.zeros(0, bool) for name in ("modified", "modified_next")}
    assert run(relax(), empty, dist=np.zeros(0, np.int32), **nothing) == {"again": False}
