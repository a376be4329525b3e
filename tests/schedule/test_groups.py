"""Step `group`: while few nodes are active one group runs rounds by itself, on any device with any number of threads,
and the host goes on where it left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest

import starplat
from starplat.backends import BACKENDS, statements as st
from starplat.backends.one_launch.together import legal_loop
from starplat.backends.scheduled import for_target
from starplat.diagnostics import DiagnosticError
from starplat.ir import nodes as ir
from starplat.ir.visitor import loops_of, walk_host
from starplat.runtime import run_module
from starplat.runtime.session import default_session
from starplat.runtime.validate import first_difference
from starplat.schedule import PLAIN, Schedule
from starplat.schedule.apply import decided
from starplat.schedule.parse import parse_schedule
from starplat.schedule.schedule import Loop
from tests.changing import changed
from tests.programs.cases import EXAMPLES
from tests.programs.targets import TARGETS, Target
from tests.schedule.programs import BY_NUMBER, NESTED, RENAMED, SSSP, TWO_FLAGS, arguments_for, module_of, program_of
from tests.schedule.test_level_lists import FOUND, SEARCHES, THERE_AND_BACK
from tests.zoo import ZOO

WITH_GROUPS = ("opencl", "sycl", "openmp")
EVERYWHERE = [target for target in TARGETS if target.target in WITH_GROUPS]
LOOPS = {
    "sets": SSSP,
    "sets that change places twice": TWO_FLAGS,
    "renamed": RENAMED,
    "for each source": changed(NESTED, (" && v != -1", "")),
    "levels": BY_NUMBER,
    "levels, there and back": THERE_AND_BACK,
    "back with a loop that counts": FOUND["counted"],
    "back, two loops": FOUND["twice"],
    "back, pushing": FOUND["pushes"],
    "only back": SEARCHES["only back"],
}
GRAPHS = ("one-node", "one-loop", "parallel", "diamonds", "random", "random-dense", "star-out-undirected")

SUMMING = changed(
    BY_NUMBER,
    ("bool found = True;", "bool found = True;\n  int seen = 0;"),
    ("v.found_in = depth;", "v.found_in = depth;\n      seen += v;"),
)
"""Programs of whose rounds the host needs more than a word, or that need the host in a round."""
NEAR_MISSES = {
    "a sum over the nodes of a level": SUMMING,
    "who is filtered again stays in the set, so that its bits are cleared": NESTED,
    "all nodes are asked in a round": changed(
        BY_NUMBER, ("    depth += 1;", "    forall (v in g.nodes()) { v.found_in += 1; }\n    depth += 1;")
    ),
    "ends in the middle": changed(BY_NUMBER, ("    depth += 1;", "    if (depth == 3) { break; }\n    depth += 1;")),
    "goes on from the middle": changed(
        BY_NUMBER, ("    depth += 1;", "    depth += 1;\n    if (depth < 3) { continue; }\n    depth = depth + 0;")
    ),
    "divides by what may be zero": changed(BY_NUMBER, ("    depth += 1;", "    depth += 1 + 0 / (depth + 5);")),
}


def made(text: str, target: str = "opencl", schedule: str = "loop=group") -> ir.Module:
    return decided(module_of(text), parse_schedule(schedule), BACKENDS[target].capabilities).module


def groups(module: ir.Module) -> list[ir.OnDevice]:
    return [op for op in loops_of(module) if op.one_group]


@pytest.fixture
def always_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Graphs of tests are small: no list is too long for them, and no row."""
    monkeypatch.setattr("starplat.schedule.queues.host._MANY", ir.NumNodes())
    monkeypatch.setattr("starplat.schedule.loop.groups.ARCS_OF_A_NODE", 1000)


# --- structure ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", WITH_GROUPS)
@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS)
def test_a_group_runs_rounds_where_the_host_would(text: str, target: str) -> None:
    """In each loop the host decides who runs what comes next; both do the same, over lists."""
    module = made(text, target)
    assert groups(module)
    for function in module.functions:
        for branch in (op for op in walk_host(function.body) if isinstance(op, ir.HostIf)):
            found = [op for op in branch.then if isinstance(op, ir.OnDevice)]
            if found:
                (group,) = found
                assert any(isinstance(op, ir.Launch) for op in walk_host(branch.otherwise))
                launched = [op.kernel for op in walk_host(group.body) if isinstance(op, ir.Launch)]
                domains = [module.kernel(name).domain for name in launched]
                assert launched
                assert all(isinstance(domain, ir.Listed) for domain in domains)
                assert not any(module.kernel(name).shares_arcs for name in launched)
                assert all(op.array.extent is ir.Extent.ONE for op in walk_host(group.body) if isinstance(op, ir.Fill))


@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS)
def test_who_asks_for_the_host_gets_it(text: str) -> None:
    assert not loops_of(made(text, schedule="loop=host"))
    assert made(text, schedule="auto") == made(text)


def test_where_all_threads_can_wait_a_group_is_for_those_who_ask() -> None:
    assert not any(op.one_group for op in loops_of(made(SSSP, "cuda", "auto")))
    assert not loops_of(made(SSSP, "openacc", "auto"))
    able = replace(BACKENDS["cuda"].capabilities, group_loops=True)
    assert not groups(decided(module_of(SSSP), Schedule(), able).module)
    module = decided(module_of(SSSP), Schedule(loop=Loop.GROUP), replace(able, shared_arcs=False)).module
    assert groups(module)
    assert groups(module) == list(loops_of(module))


@pytest.mark.parametrize("text", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_rounds_that_need_the_host_stay_with_it(text: str) -> None:
    assert not groups(made(text))


@pytest.mark.parametrize("target", ["cuda", "openacc", "hip"])
def test_targets_without_such_groups_say_so(target: str) -> None:
    program = starplat.compile(SSSP)
    with pytest.raises(DiagnosticError) as refused:
        program.artifact(target, schedule="loop=group")
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code == "E0665"
    assert "it has no groups of threads that can run rounds alone" in diagnostic.message


def test_the_choice_has_a_name() -> None:
    choices = decided(module_of(SSSP), Schedule(), BACKENDS["opencl"].capabilities).choices
    said = [choice.what for choice in choices if choice.step == "group"]
    assert said[0] == "sssp_few: one group runs rounds of fewer than 4,096 nodes by itself"


def test_what_changes_places_is_back_in_its_place() -> None:
    """The host changes places of what a group has, if it did so an odd number of times."""
    module = made(SSSP)
    group = groups(module)[0]
    loop, back = group.body
    assert isinstance(loop, ir.Loop)
    assert isinstance(back, ir.HostIf)
    assert [op for op in loop.body if isinstance(op, ir.Swap)] == list(back.then)
    text = BACKENDS["opencl"].kernels_text(module)
    kernel = text[text.index("void sssp_few(") :].partition("\n}\n")[0]
    assert kernel.count("__global int *other") == 3, "what is done at the very end is not seen by anybody"


def test_where_levels_begin_is_on_the_device_where_a_group_notes_it() -> None:
    module = made((EXAMPLES / "betweenness.sp").read_text(encoding="utf-8"))
    (starts,) = (a for a in module.functions[0].arrays if a.extent is ir.Extent.NODES_AND_ONE)
    assert starts.origin is ir.Origin.TEMPORARY
    assert sum(starts in group.arrays for group in groups(module)) == 2


def test_threads_of_a_group_wait_by_its_own_barrier() -> None:
    for target, barrier in (
        ("opencl", "barrier(CLK_GLOBAL_MEM_FENCE);"),
        ("sycl", "sycl::group_barrier(item.get_group());"),
    ):
        text = BACKENDS[target].kernels_text(made(BY_NUMBER, target))
        kernel = text[text.index("levels_few(") :].partition("\n}\n")[0]
        assert kernel.count(barrier) == 2
        assert "arrived" not in kernel


def test_a_thread_of_the_host_waits_for_nobody() -> None:
    """Where kernels are loops that are shared out, one thread is the group: it has loops to itself, and what it has
    changed stands behind the last round."""
    text = BACKENDS["openmp"].kernels_text(made(BY_NUMBER, "openmp"))
    kernel = text[text.index("void levels_few(") :].partition("\n}\n")[0]
    assert "parallel" not in kernel
    assert "barrier" not in kernel
    loop, _, behind = kernel.rpartition("while (")
    assert "_outcome = " not in loop
    assert "*depth_outcome = depth;" in behind


# --- answers --------------------------------------------------------------------------------------------------------


def assert_same_answers(text: str, target: Target | None, few: int, names: tuple[str, ...] = GRAPHS) -> None:
    program = program_of(text)
    module = made(text, "opencl" if target is None else target.target)
    where: dict[str, Any] = {"target": "reference"}
    if target is not None:
        where = {"target": target.target, "device_index": target.device or 0}
    for name in names:
        graph = ZOO[name]
        given = arguments_for(program, graph)
        expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
        found = run_module(module, graph, arguments=given, schedule=PLAIN, **where)
        differs = first_difference(found, expected)
        assert differs is None, f"{few} are few, on {name}: {differs}"


@pytest.mark.parametrize("few", [2, 5, 4096])
@pytest.mark.parametrize("text", [*LOOPS.values(), *NEAR_MISSES.values()], ids=[*LOOPS, *NEAR_MISSES])
def test_answers_stay_the_same(text: str, few: int, monkeypatch: pytest.MonkeyPatch, always_lists: None) -> None:
    """Whenever rounds pass from a group to the host and back; by the interpreter."""
    monkeypatch.setattr("starplat.schedule.loop.groups.FEW", few)
    assert_same_answers(text, None, few)


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("target", EVERYWHERE, ids=lambda target: target.label)
@pytest.mark.parametrize(("few", "items"), [(3, 1), (4096, 32)])
@pytest.mark.parametrize("text", ["sets", "renamed", "levels, there and back", "back, pushing"])
def test_devices_give_the_same_answers(
    text: str, few: int, items: int, target: Target, monkeypatch: pytest.MonkeyPatch, always_lists: None
) -> None:
    """With a work-item in the group as with many."""
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    device = default_session().device(target.target, target.device or 0)
    if hasattr(device, "items_of_group"):
        monkeypatch.setattr(device, "items_of_group", items)
    monkeypatch.setattr("starplat.schedule.loop.groups.FEW", few)
    assert_same_answers(LOOPS[text], target, few, ("one-node", "diamonds", "random", "random-dense"))


def test_a_graph_with_many_arcs_is_left_to_all_threads() -> None:
    """A group's threads take nodes with all their arcs, so it is for graphs with few."""
    program, graph = starplat.compile(BY_NUMBER), ZOO["random"]
    target = next((t for t in EVERYWHERE if t.fault is None), None)
    if target is None:
        pytest.skip("no device has groups here")
    ends = [(a, b) for a in range(20) for b in range(20) if a != b]
    dense = starplat.Graph.from_arcs(20, *zip(*ends, strict=True))
    launches = {}
    for name, one in (("sparse", graph), ("dense", dense)):
        results = [
            program.run(one, target=target.target, device=target.device, schedule=schedule, src=0)
            for schedule in ("loop=group", "loop=host")
        ]
        launches[name] = [result.launches for result in results]
    assert launches["sparse"][0] < launches["sparse"][1]
    assert launches["dense"][0] == launches["dense"][1]


def test_a_trace_tells_of_every_round() -> None:
    """Rounds that a group would run by itself are launched one by one while somebody watches."""
    target = next((t for t in EVERYWHERE if t.fault is None), None)
    if target is None:
        pytest.skip("no device has groups here")
    program, graph = starplat.compile(BY_NUMBER), ZOO["random"]
    given = arguments_for(program, graph)
    by_group, by_host = (
        program.run(graph, target=target.target, device=target.device, arguments=given, schedule=one, trace=True).trace
        for one in ("loop=group", "loop=host")
    )
    assert by_group is not None
    assert by_host is not None
    assert [[walk.active for walk in each.walks] for each in by_group.rounds] == [
        [walk.active for walk in each.walks] for each in by_host.rounds
    ]


@pytest.mark.parametrize("example", ["bfs", "sssp", "strongly_connected_components"])
def test_the_only_thread_of_a_group_needs_no_atomic_operation(example: str) -> None:
    module = for_target(starplat.compile(EXAMPLES / f"{example}.sp").module(), "openmp", Schedule())
    loops = [op for op in loops_of(module) if op.one_group]
    assert loops
    for op in loops:
        done = list(_statements(legal_loop(op, module, BACKENDS["openmp"].capabilities).body))
        assert not [s for s in done if isinstance(s, st.AtomicCell | st.FetchCell | st.SwapCell)]
        assert all(s.method is None for s in done if isinstance(s, st.IfBeyond))


def _statements(body: Iterable[Any]) -> Iterator[Any]:
    """The statements, and those in their blocks."""
    for statement in body:
        yield statement
        for part in (getattr(statement, field.name) for field in fields(statement)):
            if isinstance(part, tuple) and all(is_dataclass(inner) for inner in part):
                yield from _statements(part)
