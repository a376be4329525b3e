"""The interpreter gives the answers that plain Python and NumPy give, and refuses what has no meaning."""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np
import pytest

from starplat.diagnostics import DiagnosticError
from starplat.ir.interpreter import KernelRunner
from starplat.ir.nodes import (
    IN_ARCS,
    ROW_OFFSETS,
    WEIGHTS,
    AllArcs,
    Apply,
    CallFunction,
    Carry,
    Cast,
    Combine,
    Const,
    Contribute,
    Direction,
    Element,
    Expression,
    Extent,
    ExtremeCell,
    FindArc,
    ForRange,
    Function,
    KernelBreak,
    KernelCall,
    KernelContinue,
    KernelFor,
    KernelIf,
    KernelReturn,
    KernelWhile,
    Let,
    Load,
    MathFunction,
    NodeNeighbors,
    NumNodes,
    Once,
    Parameter,
    Reduction,
    Ref,
    Select,
    SetLocal,
    Store,
    Unary,
    UnaryOperator,
    UpdateCell,
    Variable,
)
from starplat.ir.verify import verify
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
OUT = array("out", Element.INT)
X = Variable("x", Element.INT)
Y = Variable("y", Element.INT)


def once(expression: Expression, element: Element | None = None, **scalars: Any) -> Any:
    """The value of an expression in a kernel that runs once and stores it in one cell."""
    kind = element or expression.element
    cell = array("cell", kind, Extent.ONE)
    k = kernel(Store(cell, number(0), expression), domain=Once(), iterator=None)
    dtype = {"bool": bool, "int": "i4", "node": "i4", "long": "i8", "arc": "i8", "float": "f4", "double": "f8"}
    out = np.zeros(1, dtype[kind.value])
    verify(module(k))
    run(k, scalars=scalars, cell=out)
    return out[0].item()


def real(value: float) -> Const:
    return Const(value, Element.DOUBLE)


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
        (Combine.ADD, 31),
        (Combine.MULTIPLY, 7 * 3 * 4 * 1 * 2 * 9 * 5),
        (Combine.MIN, 1),
        (Combine.MAX, 9),
        (Combine.BIT_AND, 0),
        (Combine.BIT_OR, 15),
        (Combine.BIT_XOR, 7 ^ 3 ^ 4 ^ 1 ^ 2 ^ 9 ^ 5),
    ],
)
def test_reductions_of_integers(combine: Combine, expected: int) -> None:
    arc = Variable("a", Element.ARC)
    k = kernel(
        Contribute(X, Load(WEIGHTS, Ref(arc))), domain=AllArcs(), iterator=arc, reductions=[Reduction(X, combine)]
    )
    verify(module(k))
    assert run(k) == {"x": expected}


def test_reductions_wrap_around() -> None:
    k = kernel(Contribute(X, number(INT_MAX)), reductions=[Reduction(X, Combine.ADD)])
    assert run(k) == {"x": 5 * INT_MAX + 2**32 - 3 * 2**32}
    k = kernel(Contribute(X, number(65537)), reductions=[Reduction(X, Combine.MULTIPLY)])
    assert run(k) == {"x": int(np.full(5, 65537, np.int32).prod(dtype=np.int32))}


def test_reductions_of_nothing_are_the_identities() -> None:
    d = Variable("d", Element.DOUBLE)
    reductions = [Reduction(d, Combine.MIN), Reduction(X, Combine.MAX)]
    k = kernel(Contribute(d, real(1.0)), Contribute(X, number(1)), reductions=reductions, filter=FALSE)
    assert run(k) == {"d": math.inf, "x": INT_MIN}


def test_logical_reductions_are_bools() -> None:
    a, o = Variable("all", Element.BOOL), Variable("any", Element.BOOL)
    body = [Contribute(a, Load(MODIFIED, Ref(V))), Contribute(o, Load(MODIFIED, Ref(V)))]
    k = kernel(*body, reductions=[Reduction(a, Combine.AND), Reduction(o, Combine.OR)])
    assert run(k, modified=np.array([1, 1, 0, 1, 1], np.uint8)) == {"all": False, "any": True}
    assert run(k, modified=np.ones(5, np.uint8)) == {"all": True, "any": True}
    assert run(k, modified=np.zeros(5, bool)) == {"all": False, "any": False}


def test_the_first_extreme_stays_and_carries_values_from_before() -> None:
    parent = array("parent", Element.NODE)
    old = array("old", Element.INT)
    carried = (Carry(parent, Ref(NBR), Ref(V)), Carry(old, Ref(NBR), Load(DIST, Ref(NBR))))
    k = kernel(for_neighbors(ExtremeCell(Combine.MIN, DIST, Ref(NBR), number(4), carried, shared=True)))
    dist = np.array([4, 5, 3, INT_MAX, 0], np.int32)
    parents, olds = np.full(5, -1, np.int32), np.zeros(5, np.int32)
    run(k, dist=dist, parent=parents, old=olds)
    assert dist.tolist() == [4, 4, 3, 4, 0]
    assert parents.tolist() == [-1, 0, -1, 1, -1]
    assert olds.tolist() == [0, 5, 0, INT_MAX, 0]


def test_inf_is_no_candidate_for_a_minimum() -> None:
    k = kernel(ExtremeCell(Combine.MIN, DIST, Ref(V), number(INT_MAX), (Carry(MODIFIED, Ref(V), TRUE),), shared=False))
    modified = np.zeros(5, bool)
    run(k, dist=np.full(5, INT_MAX, np.int32), modified=modified)
    assert not modified.any()


def test_nan_is_never_an_extreme() -> None:
    cells = array("cells", Element.DOUBLE)
    nan = binary("/", real(0.0), real(0.0))
    for combine in (Combine.MIN, Combine.MAX):
        values = np.arange(5.0)
        body = [
            ExtremeCell(combine, cells, Ref(V), nan, (), shared=False),
            UpdateCell(combine, cells, Ref(V), nan, shared=False),
        ]
        run(kernel(*body), cells=values)
        assert values.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("direction", Direction)
def test_neighbors_both_ways(direction: Direction) -> None:
    arc: Expression = Ref(E) if direction is Direction.OUT else Load(IN_ARCS, Ref(E))
    weight = binary("*", binary("+", Ref(NBR), number(1)), Load(WEIGHTS, arc))
    body = for_neighbors(UpdateCell(Combine.ADD, OUT, Ref(V), weight, shared=False), direction=direction)
    out = np.zeros(5, np.int32)
    verify(module(kernel(body)))
    run(kernel(body), out=out)
    expected = [0] * 5
    for source, destination, w in SMALL.rows:
        here, there = (source, destination) if direction is Direction.OUT else (destination, source)
        expected[here] += (there + 1) * w
    assert out.tolist() == expected


def test_neighbors_without_positions_come_ascending() -> None:
    last = Variable("last", Element.INT)
    order = SetLocal(last, binary("+", binary("*", Ref(last), number(10)), Ref(NBR)))
    k = kernel(Let(last, number(0)), for_neighbors(order), Store(OUT, Ref(V), Ref(last)))
    out = np.zeros(5, np.int32)
    run(k, out=out)
    assert out.tolist() == [12, 3, 11, 3, 0]


def test_the_neighbors_of_one_node() -> None:
    s = Variable("s", Element.NODE)
    sum_ = Contribute(X, binary("*", Ref(NBR), Load(WEIGHTS, Ref(E))))
    domain = NodeNeighbors(Direction.OUT, Ref(s), E)
    k = kernel(
        sum_,
        domain=domain,
        iterator=NBR,
        reductions=[Reduction(X, Combine.ADD)],
        filter=binary(">", Ref(NBR), number(1)),
    )
    verify(module(k))
    assert run(k, scalars={"s": 0}) == {"x": 6}
    with pytest.raises(DiagnosticError, match="no cell -1"):
        run(k, scalars={"s": -1})


def test_only_the_chosen_side_is_evaluated() -> None:
    division = binary("/", number(6), Ref(X))
    assert once(Select(binary("==", Ref(X), number(0)), number(-1), division), x=0) == -1
    assert once(binary("||", binary("==", Ref(X), number(0)), binary(">", division, number(1))), x=0) is True
    assert once(binary("&&", binary("!=", Ref(X), number(0)), binary(">", division, number(1))), x=0) is False


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
        (Unary(UnaryOperator.NEGATE, number(INT_MIN)), INT_MIN),
        (Unary(UnaryOperator.COMPLEMENT, number(5)), -6),
        (Apply(MathFunction.ABS, (number(INT_MIN),), Element.INT), INT_MIN),
        (binary("+inf", number(INT_MAX), number(-5)), INT_MAX),
        (binary("+inf", number(3), number(INT_MAX)), INT_MAX),
        (binary("+inf", number(3), number(-4)), -1),
        (binary("+", Const(LONG_MAX, Element.LONG), Const(1, Element.LONG)), -(2**63)),
        (binary("<", binary("+", number(INT_MAX), number(1)), number(0)), True),
        (Apply(MathFunction.MIN, (number(3), number(-4)), Element.INT), -4),
        (Apply(MathFunction.MAX, (real(3), binary("/", real(0), real(0))), Element.DOUBLE), 3.0),
        (Apply(MathFunction.MIN, (binary("/", real(0), real(0)), real(3)), Element.DOUBLE), 3.0),
        (binary("/", real(1), real(0)), math.inf),
        (binary("/", real(-1), real(0)), -math.inf),
        (Apply(MathFunction.LOG, (real(0),), Element.DOUBLE), -math.inf),
        (Apply(MathFunction.EXP, (real(1000),), Element.DOUBLE), math.inf),
        (Apply(MathFunction.POW, (real(-10), real(999)), Element.DOUBLE), -math.inf),
        (Apply(MathFunction.POW, (real(0), real(-1)), Element.DOUBLE), math.inf),
        (Apply(MathFunction.FLOOR, (real(-1.5),), Element.DOUBLE), -2.0),
        (Apply(MathFunction.CEIL, (real(math.inf),), Element.DOUBLE), math.inf),
        (binary("*", real(1e300), real(1e300)), math.inf),
    ],
)
def test_arithmetic(expression: Expression, expected: float) -> None:
    assert once(expression) == expected


@pytest.mark.parametrize(
    "expression",
    [
        binary("/", real(0), real(0)),
        Apply(MathFunction.SQRT, (real(-1),), Element.DOUBLE),
        Apply(MathFunction.LOG, (real(-1),), Element.DOUBLE),
        Apply(MathFunction.POW, (real(-8), real(0.5)), Element.DOUBLE),
    ],
)
def test_what_is_not_a_number(expression: Expression) -> None:
    assert math.isnan(once(expression))
    assert once(binary("!=", expression, expression)) is True


@pytest.mark.parametrize(
    ("cast", "expected"),
    [
        (Cast(real(2.9), Element.INT), 2),
        (Cast(real(-2.9), Element.INT), -2),
        (Cast(real(1e30), Element.INT), INT_MAX),
        (Cast(real(-math.inf), Element.LONG), -(2**63)),
        (Cast(binary("/", real(0), real(0)), Element.INT), 0),
        (Cast(number(2**32 + 5, Element.LONG), Element.INT), 5),
        (Cast(number(LONG_MAX, Element.LONG), Element.INT), -1),
        (Cast(number(LONG_MAX, Element.LONG), Element.INT, keeps_inf=True), INT_MAX),
        (Cast(number(INT_MAX), Element.LONG, keeps_inf=True), LONG_MAX),
        (Cast(number(INT_MAX), Element.LONG), INT_MAX),
        (Cast(number(INT_MAX), Element.DOUBLE, keeps_inf=True), math.inf),
        (Cast(real(math.inf), Element.LONG, keeps_inf=True), LONG_MAX),
        (Cast(TRUE, Element.INT), 1),
        (Cast(TRUE, Element.DOUBLE), 1.0),
        (Cast(real(0.5), Element.BOOL), True),
        (Cast(number(-1), Element.NODE), -1),
        (Cast(binary("+", number(INT_MAX), number(1)), Element.LONG), INT_MIN),
        (Cast(real(0.1), Element.FLOAT), float(np.float32(0.1))),
        (Cast(real(1e300), Element.FLOAT), math.inf),
    ],
)
def test_casts(cast: Cast, expected: float) -> None:
    assert once(cast) == expected


def test_floats_are_compared_as_devices_would() -> None:
    """0.1f + 0.2f is not below the cell that holds it, or a fixed point would never be reached."""
    cells = array("cells", Element.FLOAT)
    value = binary("+", Const(0.1, Element.FLOAT), Const(0.2, Element.FLOAT))
    k = kernel(
        KernelIf(binary("<", value, Load(cells, Ref(V))), (Store(cells, Ref(V), value), Contribute(X, number(1)))),
        reductions=[Reduction(X, Combine.ADD)],
    )
    values = np.full(5, 9, np.float32)
    assert run(k, cells=values) == {"x": 5}
    assert run(k, cells=values) == {"x": 0}
    carry = kernel(ExtremeCell(Combine.MIN, cells, Ref(V), value, (Carry(MODIFIED, Ref(V), TRUE),), shared=False))
    modified = np.zeros(5, bool)
    run(carry, cells=values, modified=modified)
    assert not modified.any()


def test_filters_for_all_nodes_at_once_or_one_by_one() -> None:
    degree = binary("-", Load(ROW_OFFSETS, binary("+", Ref(V), number(1))), Load(ROW_OFFSETS, Ref(V)))
    parts = [
        binary(">", degree, number(0, Element.ARC)),
        binary("<", Ref(V), Cast(Ref(Y), Element.NODE)),
        Unary(UnaryOperator.NOT, Load(MODIFIED, Ref(V))),
        binary("==", binary("/", Load(DIST, Ref(V)), number(2)), number(1)),
    ]
    whole = binary("&&", binary("&&", binary("&&", parts[0], parts[1]), parts[2]), parts[3])
    k = kernel(Store(OUT, Ref(V), number(1)), filter=whole)
    verify(module(k))
    source = KernelRunner(module(k)).source("k")
    assert "def mask" in source
    assert "if " in source.split("def kernel")[1]
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
    k = kernel(Contribute(X, number(1)), filter=binary(">", Ref(Y), number(0)), reductions=[Reduction(X, Combine.ADD)])
    assert run(k, scalars={"y": 1}) == {"x": 5}
    assert run(k, scalars={"y": 0}) == {"x": 0}


def test_loops_break_and_continue() -> None:
    i, total = Variable("i", Element.INT), Variable("total", Element.INT)
    step = (SetLocal(i, binary("+", Ref(i), number(1))),)
    skip = KernelIf(binary("==", binary("%", Ref(i), number(2)), number(0)), (KernelContinue(),))
    stop = KernelIf(binary(">", Ref(i), number(7)), (KernelBreak(),))
    add = SetLocal(total, binary("+", Ref(total), Ref(i)))
    start = (Let(i, number(0)), Let(total, number(0)))
    for loop in (
        KernelFor(binary("<", Ref(i), number(100)), step, (skip, stop, add)),
        KernelWhile(TRUE, (*step, stop, skip, add)),
        KernelWhile(binary("<", Ref(i), number(7)), (*step, skip, add), test_last=True),
        KernelFor(binary("<", Ref(i), number(8)), step, (KernelIf(Unary(UnaryOperator.NOT, skip.condition), (add,)),)),
    ):
        k = kernel(
            *start,
            loop,
            Contribute(X, Ref(total)),
            domain=Once(),
            iterator=None,
            reductions=[Reduction(X, Combine.ADD)],
        )
        verify(module(k))
        assert run(k) == {"x": 1 + 3 + 5 + 7}


def test_a_range_whose_end_moves() -> None:
    end = array("end", Element.INT, Extent.ONE)
    i = Variable("i", Element.INT)
    grow = KernelIf(
        binary("<", Load(end, number(0)), number(9)),
        (UpdateCell(Combine.ADD, end, number(0), number(2), shared=False),),
    )
    loop = ForRange(i, number(0), Load(end, number(0)), (grow, Contribute(X, number(1))))
    k = kernel(loop, domain=Once(), iterator=None, reductions=[Reduction(X, Combine.ADD)])
    assert run(k, end=np.array([1], np.int32)) == {"x": 9}
    fixed = ForRange(i, number(2), NumNodes(), (KernelContinue(), Contribute(X, number(1))))
    assert run(kernel(fixed, reductions=[Reduction(X, Combine.ADD)])) == {"x": 0}


def test_continue_outside_a_loop_ends_the_iteration() -> None:
    k = kernel(KernelIf(binary(">", Ref(V), number(1)), (KernelContinue(),)), Store(OUT, Ref(V), number(1)))
    out = np.zeros(5, np.int32)
    run(k, out=out)
    assert out.tolist() == [1, 1, 0, 0, 0]


def test_helpers_return_and_change_what_they_get_by_reference() -> None:
    a, cells = Variable("a", Element.INT), array("cells", Element.INT)
    bump = Function(
        "bump",
        (Parameter(a, by_reference=True), Parameter(cells), Parameter(Variable("v", Element.NODE))),
        Element.INT,
        (
            SetLocal(a, binary("+", Ref(a), number(1))),
            Store(cells, Ref(V), Ref(a)),
            KernelReturn(binary("*", Ref(a), number(10))),
        ),
    )
    local = Variable("local", Element.INT)
    call = CallFunction("bump", (local, OUT, Ref(V)), Element.INT)
    body = (Let(local, Ref(V)), KernelCall(call), Contribute(X, binary("+", call, Ref(local))))
    whole = module(kernel(*body, reductions=[Reduction(X, Combine.ADD)]), helpers=[bump])
    verify(whole)
    out = np.zeros(5, np.int32)
    assert run(whole, out=out) == {"x": sum((v + 2) * 11 for v in range(5))}
    assert out.tolist() == [2, 3, 4, 5, 6]


def test_find_arc_gives_the_lowest() -> None:
    k = kernel(Store(array("arc", Element.ARC), Ref(V), FindArc(Ref(V), number(1))))
    arcs = np.zeros(5, np.int64)
    run(k, arc=arcs)
    assert arcs.tolist() == [0, -1, 3, -1, -1]


def test_arcs_fit_in_narrow_and_wide_cells() -> None:
    k = kernel(Store(array("arc", Element.ARC), Ref(V), Ref(Variable("a", Element.ARC))))
    for dtype in (np.int32, np.int64):
        arcs = np.zeros(5, dtype)
        run(k, scalars={"a": LONG_MAX}, arc=arcs)
        assert arcs.tolist() == [np.iinfo(dtype).max] * 5


@pytest.mark.parametrize("index", [-1, 5])
def test_an_index_outside_is_refused(index: int) -> None:
    for body in (Store(OUT, number(index), number(1)), Store(OUT, Ref(V), Load(OUT, binary("+", Ref(X), number(0))))):
        with pytest.raises(DiagnosticError, match=f"E0704.*'out' has no cell {index} .it has 5.") as raised:
            run(kernel(body), scalars={"x": index}, out=np.zeros(5, np.int32))
        assert "small.sp:2:3" in str(raised.value)


def test_division_by_zero_is_refused() -> None:
    for sign in "/%":
        with pytest.raises(DiagnosticError, match=r"E0703.*division by zero in kernel 'k'") as raised:
            once(binary(sign, number(1), Ref(X)), x=0)
        assert "small.sp:2:3" in str(raised.value)


def test_too_deep_an_expression_is_refused() -> None:
    deep: Expression = Ref(X)
    for _ in range(300):
        deep = binary("/", number(1), deep)
    k = kernel(Contribute(X, deep), reductions=[Reduction(X, Combine.ADD)])
    with pytest.raises(DiagnosticError, match="E0705"):
        run(k, scalars={"x": 1})


def test_names_of_a_program_never_become_code() -> None:
    evil = array("a'); raise SystemExit #{n}", Element.INT)
    name = Variable("import os; x", Element.INT)
    k = kernel(Let(name, number(7)), Store(evil, Ref(X), Ref(name)))
    out = np.zeros(5, np.int32)
    KernelRunner(module(k)).run("k", {evil.name: out}, {"x": 2}, 5, 0)
    assert out.tolist() == [0, 0, 7, 0, 0]
    with pytest.raises(DiagnosticError, match="no cell 9"):
        KernelRunner(module(k)).run("k", {evil.name: out}, {"x": 9}, 5, 0)


def test_an_array_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match="must hold int32"):
        run(kernel(Store(OUT, Ref(V), number(1))), out=np.zeros(5, np.int64))


def test_the_empty_graph() -> None:
    empty = Csr(0, [])
    nothing = {name: np.zeros(0, bool) for name in ("modified", "modified_next")}
    assert run(relax(), empty, dist=np.zeros(0, np.int32), **nothing) == {"again": False}
