"""A watched run tells of every round what the program had to do in it, on every target, and changes nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import starplat
from starplat.backends import BACKENDS
from starplat.backends.cuda import CUDA
from starplat.ir import nodes as ir
from starplat.ir.points import Way
from starplat.ir.verifying.modules import verify
from starplat.ir.visitor import loops_of, with_signature
from starplat.runtime.text import dump_program, kernels_text_to_run
from starplat.runtime.tracing import watch
from starplat.runtime.tracing.reads import Reads
from starplat.runtime.tracing.trace import Held, Round, Trace, Walk
from starplat.runtime.tracing.watch import Watch
from starplat.runtime.tracing.watched import traced
from starplat.runtime.tracing.work import LEFT_OUT
from starplat.schedule import AUTO
from starplat.schedule.apply import scheduled
from tests.backends import nvrtc
from tests.backends.emulated import Machine, emulated
from tests.runtime.devices import device_of, every_target

EXAMPLES = Path(__file__).parents[2] / "examples"
FEW = Machine(blocks=2, threads=64)


def example(name: str) -> starplat.Program:
    return starplat.compile(EXAMPLES / f"{name}.sp")


def random_graph(nodes: int, arcs: int, seed: int) -> starplat.Graph:
    random = np.random.default_rng(seed)
    return starplat.Graph.from_arcs(nodes, random.integers(0, nodes, arcs), random.integers(0, nodes, arcs))


def by_level(graph: starplat.Graph, levels: NDArray[np.int32]) -> list[tuple[int, int]]:
    """How many nodes each level has, and how many arcs they have."""
    degrees = np.diff(graph.row_offsets)
    reached = levels[levels < 2**31 - 1]
    return [(int((levels == n).sum()), int(degrees[levels == n].sum())) for n in range(int(reached.max()) + 1)]


def told_by(trace: Trace | None) -> list[tuple[int | None, int | None]]:
    assert trace is not None
    return [(one.chief.active, one.chief.arcs) for one in trace.rounds]


# --- every target --------------------------------------------------------------------------------------------------


@every_target
def test_the_rounds_of_a_search_are_its_levels(target: str) -> None:
    device_of(target)
    graph = random_graph(200, 700, 5)
    result = example("bfs_levels").run(graph, target=target, src=3, trace=True)
    assert told_by(result.trace) == by_level(graph, result["level"])
    assert result.trace is not None
    assert not result.trace.on_device
    assert [one.number for one in result.trace.rounds] == list(range(1, len(result.trace.rounds) + 1))
    assert {(one.line, one.chief.line) for one in result.trace.rounds} == {(10, 11)}
    many = [bool(one.chief.active and one.chief.active > graph.num_nodes // 16) for one in result.trace.rounds]
    chooses = target != "reference"  # which runs the program as it is written
    ways = [Way.PULL if chooses and pulls else Way.PUSH for pulls in many]
    assert [one.chief.direction for one in result.trace.rounds] == ways
    assert all(one.seconds > 0 for one in result.trace.rounds)
    assert sum(one.seconds for one in result.trace.rounds) <= result.trace.seconds


@given(st.integers(1, 120), st.integers(0, 500), st.integers(0, 1000), st.booleans())
def test_a_launch_tells_of_its_own_rounds(nodes: int, arcs: int, seed: int, limits: bool) -> None:
    graph = random_graph(nodes, arcs, seed)
    with emulated(Machine(blocks=2, threads=64, seed=seed, limits=limits)):
        result = example("bfs_levels").run(graph, target="cuda", src=0, trace=True, validate=True)
    assert told_by(result.trace) == by_level(graph, result["level"])
    assert result.trace is not None
    assert result.trace.on_device
    assert result.trace.left_out == 0


def test_a_launch_tells_which_way_it_went_and_how_members_were_held() -> None:
    graph = random_graph(300, 2400, 7)
    with emulated(Machine(blocks=2, threads=64, limits=False)):
        result = example("bfs_levels").run(graph, target="cuda", src=0, trace=True)
    assert result.trace is not None
    for one in result.trace.rounds:
        assert one.chief.active is not None
        assert one.chief.direction is (Way.PULL if one.chief.active > graph.num_nodes // 32 else Way.PUSH)
        assert one.chief.kernel.endswith("_pull") is (one.chief.direction is Way.PULL)
    with emulated(FEW):  # whose lists are short
        result = example("bfs_levels").run(graph, target="cuda", src=0, trace=True)
    assert result.trace is not None
    assert {one.chief.held for one in result.trace.rounds} == {Held.LIST, Held.BITS}


@pytest.mark.parametrize("target", ["reference", "cuda"])
def test_loops_in_loops_are_apart_and_begin_anew(target: str) -> None:
    graph = random_graph(60, 240, 2)
    with emulated(FEW):
        result = example("betweenness").run(graph, target=target, sources=[0, 7], trace=True)
    assert result.trace is not None
    lines = [(one.line, one.number) for one in result.trace.rounds]
    starts = [place for place, (_, number) in enumerate(lines) if number == 1]
    assert [lines[place][0] for place in starts] == [21, 40, 21, 40]
    forward, back = (result.trace.rounds[begin:end] for begin, end in ((0, starts[1]), (starts[1], starts[2])))
    sizes, sizes_back = ([one.chief.active for one in rounds] for rounds in (forward, reversed(back)))
    assert sizes[1:] == list(sizes_back)[1:]  # going back, the source itself is left out


@pytest.mark.thin(plain=2)
@pytest.mark.parametrize("name", ["sssp", "sssp_two_flags", "pagerank", "k_core", "maximal_independent_set"])
def test_watching_changes_no_answer(name: str) -> None:
    graph = random_graph(80, 320, 4)
    program = example(name)
    arguments = {"src": 0} if any(a.name == "src" for a in program.module().arguments) else {}
    for target in ("reference", "cuda"):
        with emulated(FEW):
            program.run(graph, target=target, arguments=arguments)  # the graph is there now
            plain = program.run(graph, target=target, arguments=arguments)
            watched = program.run(graph, target=target, arguments=arguments, trace=True)
        assert watched.trace is not None
        assert watched.trace.rounds
        assert plain.trace is None
        assert (watched.bytes, watched.launches, len(watched.seconds.run)) == (plain.bytes, plain.launches, 1)
        for key, cells in plain.properties.items():
            np.testing.assert_allclose(watched[key], cells, rtol=1e-9 if cells.dtype.kind == "f" else 0)


STEP = "active = 0; forall (v in g.nodes().filter(out < 3)) { v.out = v.out + 1; active += 1; }"
LOOPS = {
    "while": f"while (active > 0) {{ {STEP} }}",
    "do": f"do {{ {STEP} }} while (active > 0);",
    "for": f"for (int i = 0; i < 4; i = i + 1) {{ {STEP} }}",
    "never": f"while (active < 0) {{ {STEP} }}",
    "left": f"while (active >= 0) {{ {STEP} if (active == 0) {{ break; }} }}",
    "inside": f"for (int i = 0; i < 2; i = i + 1) {{ while (active > 0) {{ {STEP} }} }}",
}


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("target", ["reference", "cuda"])
@pytest.mark.parametrize("kind", LOOPS)
def test_every_kind_of_loop_has_as_many_rounds_as_it_makes(kind: str, target: str) -> None:
    text = f"function f(Graph g, propNode<int> out) {{ int active = 1; {LOOPS[kind]} }}"
    with emulated(FEW):
        result = starplat.compile(text).run(random_graph(6, 9, 1), target=target, trace=True)
    expected = [] if kind == "never" else [(6, None), (6, None), (6, None), (0, None)]
    assert told_by(result.trace) == expected
    assert result.trace is not None
    assert [one.number for one in result.trace.rounds] == list(range(1, len(expected) + 1))
    assert result.trace.on_device is (target == "cuda")


def test_what_the_caller_has_on_the_device_is_changed_once() -> None:
    text = """function f(Graph g, propNode<int> out) {
        int i = 0;
        while (i < 3) { forall (v in g.nodes()) { v.out = v.out + 1; } i = i + 1; }
    }"""
    graph = random_graph(5, 9, 1)
    for repeat in (1, 3):
        result = starplat.compile(text).run(
            graph, target="reference", out=np.arange(5, dtype=np.int32), repeat=repeat, trace=True
        )
        assert result["out"].tolist() == [3, 4, 5, 6, 7]
        assert told_by(result.trace) == [(5, None)] * 3


def test_a_condition_that_numpy_cannot_evaluate_is_not_guessed() -> None:
    text = """function f(Graph g, propNode<int> out, int k) {
        int i = 0;
        while (i < 2) { forall (v in g.nodes().filter(out / k == 0)) { v.out = v.out + 1; } i = i + 1; }
    }"""
    result = starplat.compile(text).run(random_graph(5, 9, 1), target="reference", k=2, trace=True)
    assert told_by(result.trace) == [(None, None)] * 2


def test_a_program_without_loops_has_no_rounds() -> None:
    text = "function f(Graph g, propNode<int> out) { forall (v in g.nodes()) { v.out = g.count_outNbrs(v); } }"
    result = starplat.compile(text).run(random_graph(5, 9, 1), target="reference", trace=True)
    assert result.trace is not None
    assert not result.trace.rounds
    assert [walk.active for walk in result.trace.outside] == [5]


# --- launches ------------------------------------------------------------------------------------------------------


def test_only_a_traced_launch_has_records() -> None:
    module = scheduled(example("bfs_levels").module(), AUTO, CUDA.capabilities)
    watched = traced(module)
    assert traced(module) is watched
    assert all(op.traced for op in loops_of(watched))
    assert not any(op.traced for op in loops_of(module))
    assert "ecord" not in CUDA.kernels_text(module)
    kept = [line for line in CUDA.kernels_text(watched).splitlines() if "record" not in line]
    body = CUDA.kernels_text(module).partition('extern "C"')[2].partition("\n) {\n")[2].splitlines()
    assert all(line in kept for line in body)
    plain = starplat.compile("function f(Graph g) { return g.num_nodes(); }").module()
    assert traced(plain) is plain


def test_traced_kernels_are_dumped_beside_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARPLAT_DUMP", str(tmp_path))
    module = scheduled(example("bfs_levels").module(), AUTO, CUDA.capabilities)
    for one in (module, traced(module)):
        dump_program(one)
        kernels_text_to_run("cuda", one)
    stems = ("bfs_levels.bfs_levels", "bfs_levels.bfs_levels.traced")
    for stem, tells in zip(stems, (False, True), strict=True):
        assert ("record_point" in (tmp_path / f"{stem}.cuda.cu").read_text(encoding="utf-8")) is tells
        assert ("traced" in (tmp_path / f"{stem}.ir.txt").read_text(encoding="utf-8")) is tells


def test_rounds_without_room_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = starplat.Graph.from_arcs(20, list(range(19)), list(range(1, 20)))
    for module in ("starplat.backends.c.records", "starplat.runtime.tracing.records"):
        monkeypatch.setattr(f"{module}.MOST_RECORDS", 12)
    with emulated(FEW):
        result = starplat.compile((EXAMPLES / "bfs_levels.sp").read_text()).run(
            graph, target="cuda", src=0, trace=True, validate=True
        )
    assert result.trace is not None
    assert len(result.trace.rounds) + result.trace.left_out == 20
    assert 1 <= len(result.trace.rounds) <= 6
    assert result.trace.work is not None
    assert LEFT_OUT in result.trace.work.missing
    assert told_by(result.trace) == [(1, 1)] * len(result.trace.rounds)


def test_a_trace_holds_so_many_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MOST_ROUNDS", 7)
    graph = starplat.Graph.from_arcs(20, list(range(19)), list(range(1, 20)))
    result = example("bfs_levels").run(graph, target="reference", src=0, trace=True)
    assert result.trace is not None
    assert (len(result.trace.rounds), result.trace.left_out) == (7, 13)


def test_a_barrier_stands_between_counting_and_what_changes_the_count() -> None:
    """The kernel makes its own filter false: who is fast must not take away what others have not counted."""
    v, number = ir.Variable("v", ir.Element.NODE), ir.Variable("i", ir.Element.INT)
    flags = ir.Array("flags", ir.Element.BOOL, ir.Extent.NODES, ir.Origin.PARAMETER)
    asked = ir.Load(flags, ir.Ref(v))
    kernel = with_signature(
        ir.Kernel("k", ir.AllNodes(), v, (ir.Store(flags, ir.Ref(v), ir.Const(False, ir.Element.BOOL)),), filter=asked)
    )
    module = _looping(kernel, flags, number)
    text = CUDA.kernels_text(traced(module))
    counting = text.index("record_nodes(run_records")
    assert re.match(r".*?\n.*?\n\s*grid_barrier", text[counting:], re.DOTALL)


def _looping(kernel: ir.Kernel, flags: ir.Array, number: ir.Variable) -> ir.Module:
    program = starplat.compile("function f(Graph g, propNode<bool> flags) { g.attachNodeProperty(flags = True); }")
    module = program.module()
    (function,) = module.functions
    loop = ir.HostForRange(number, ir.Const(0, ir.Element.INT), ir.Const(2, ir.Element.INT), (ir.Launch("k"),))
    on_device = ir.OnDevice("f_loop", (loop,), (flags,), (), ())
    changed = replace(module, kernels=(kernel,), functions=(replace(function, body=(*function.body, on_device)),))
    verify(changed)
    return changed


@pytest.mark.thin(plain=20)
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.sp")), ids=lambda path: path.stem)
def test_nvidias_compiler_takes_traced_kernels(path: Path) -> None:
    if nvrtc.library() is None:
        pytest.skip(f"NVRTC is not here ({nvrtc.INSTALL})")
    module = scheduled(starplat.compile(path).module(), AUTO, BACKENDS["cuda"].capabilities)
    watched = traced(module)
    verify(watched)
    for flags in ((), ("-DARC_64",)):
        code, log = nvrtc.compiled(CUDA.kernels_text(watched), "-std=c++17", "-arch=sm_80", *flags)
        assert log == ""
        assert code


# --- the watch -----------------------------------------------------------------------------------------------------


def walk(name: str, active: int = 1) -> Walk:
    return Walk(name, 1, active, active, Way.PUSH, Held.FLAGS)


def shown(trace: Trace) -> list[tuple[int | None, int, tuple[str, ...], float]]:
    return [(one.line, one.number, tuple(w.kernel for w in one.walks), one.seconds) for one in trace.rounds]


def test_time_in_inner_loops_is_not_the_outer_rounds() -> None:
    found = Watch()
    found.round("outer", 1, 0.0)
    found.walk(walk("a"))
    found.round("inner", 2, 1.0)
    found.walk(walk("b"))
    found.round("inner", 2, 3.0)
    found.walk(walk("c"))
    found.end("inner", 7.0)
    found.round("outer", 1, 8.0)
    found.walk(walk("d"))
    found.end("outer", 9.0)
    assert shown(found.trace(9.0)) == [
        (2, 1, ("b",), 2.0),
        (2, 2, ("c",), 4.0),
        (1, 1, ("a",), 2.0),
        (1, 2, ("d",), 1.0),
    ]


def test_a_loop_that_was_left_is_over_when_the_one_around_it_goes_on() -> None:
    found = Watch()
    found.round("outer", 1, 0.0)
    found.round("inner", 2, 1.0)
    found.walk(walk("b"))
    found.round("outer", 1, 4.0)
    found.round("inner", 2, 5.0)
    found.walk(walk("c"))
    found.end("outer", 7.0)
    found.walk(walk("after"))
    trace = found.trace(8.0)
    assert shown(trace) == [(2, 1, ("b",), 3.0), (2, 1, ("c",), 2.0)]
    assert [one.kernel for one in trace.outside] == ["after"]


def test_the_chief_of_a_round_walks_arcs_of_chosen_nodes() -> None:
    every = Walk("every", 1, 9, 20, Way.PULL, Held.ALL)
    chosen = Walk("chosen", 1, 3, None, Way.NONE, Held.TESTED)
    walks = Walk("walks", 1, 2, 5, Way.PUSH, Held.LIST)
    once = Walk("once", 1, 1, None, Way.NONE, Held.ONE)

    def chief(*given: Walk) -> str:
        return Round(1, 1, given, 0.0).chief.kernel

    assert [chief(once, every, chosen, walks), chief(once, every, chosen), chief(once, every), chief(once)] == [
        "walks",
        "chosen",
        "every",
        "once",
    ]


def test_a_trace_as_json() -> None:
    known = replace(walk("k", 7), reads=Reads(28, 8, 1))
    trace = Trace((Round(4, 1, (known, walk("other", 3)), 0.5),), left_out=2, on_device=True, seconds=1.0)
    kernel: dict[str, Any] = {
        "kernel": "k",
        "line": 1,
        "active": 7,
        "arcs": 7,
        "direction": "push",
        "representation": "flags",
    }
    kernel["reads"] = {"device": 28, "host": 8, "host_lines": 1}
    assert trace.to_json() == {
        "schema": 1,
        "clock": "device",
        "seconds": 1.0,
        "left_out": 2,
        "work": None,
        "reads": {**kernel["reads"], "not_counted": ["other"]},
        "reads_of_lines": [{"line": 1, **kernel["reads"]}],
        "rounds": [
            {
                "line": 4,
                "round": 1,
                "frontier": 7,
                "arcs": 7,
                "direction": "push",
                "representation": "flags",
                "seconds": 0.5,
                "reads": kernel["reads"],
                "kernels": [kernel, {**kernel, "kernel": "other", "active": 3, "arcs": 3, "reads": None}],
            }
        ],
    }
