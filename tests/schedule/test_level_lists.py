"""Step `levels` where levels are listed: in both directions no round looks at other nodes than those of its level."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.visitor import loops_of, walk_host
from starplat.runtime import run_module
from starplat.runtime.validate import first_difference
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.apply import decided
from starplat.schedule.parse import parse_schedule
from tests.backends.emulated import Machine, emulated
from tests.changing import changed
from tests.programs.cases import EXAMPLES
from tests.programs.targets import Target, every_device
from tests.schedule.programs import BY_NUMBER, GRAPHS, arguments_for, module_of, program_of
from tests.zoo import ZOO

HOSTS = ("openmp", "opencl", "sycl", "openacc")
"""Targets whose rounds the host drives."""

THERE_AND_BACK = """function heights(Graph g, propNode<long> height, propNode<int> found_in, SetN<g> sources) {
  g.attachNodeProperty(height = 0, found_in = -1);
  for (src in sources) {
    propNode<int> level;
    g.attachNodeProperty(level = INF);
    src.level = 0;
    int depth = 0;
    bool found = True;
    do {
      found = False;
      forall (v in g.nodes().filter(level == depth)) {
        forall (w in g.neighbors(v)) {
          <w.level, found> = <Min(w.level, depth + 1), True>;
        }
      }
      forall (v in g.nodes().filter(level == depth)) {
        v.found_in = depth;
      }
      depth += 1;
    } while (found);
    while (depth > 0) {
      depth -= 1;
      forall (v in g.nodes().filter(level == depth)) {
        long below = 0;
        for (w in g.neighbors(v)) {
          if (w.level == depth + 1) {
            below = below + w.height % 1000 + 1;
          }
        }
        v.height = v.height + below;
      }
    }
  }
}"""

BACK = THERE_AND_BACK[THERE_AND_BACK.index("    while (depth > 0)") :]
PUSHED = "forall (w in g.neighbors(v)) { if (w.level == here - 1) { w.height += 1 + v.height % 1000; } }"


def back(loop: str) -> str:
    """The program with another way back."""
    return THERE_AND_BACK.replace(BACK, f"{loop}\n  }}\n}}")


def visiting(number: str) -> str:
    return f"forall (v in g.nodes().filter(level == {number})) {{ v.height = v.height * 3 + {number} + v; }}"


FOUND = {
    "as it is": THERE_AND_BACK,
    "another variable": back(f"    int here = depth;\n    while (here > 0) {{ here -= 1; {visiting('here')} }}"),
    "lowered at the end": back(f"    int here = depth - 1;\n    while (here >= 0) {{ {visiting('here')} here -= 1; }}"),
    "counted": back(f"    for (int here = depth - 1; here >= 0; here -= 1) {{ {visiting('here')} }}"),
    "not to the first level": back(f"    int here = depth;\n    while (3 <= here) {{ here -= 1; {visiting('here')} }}"),
    "ends early": back(
        f"    while (depth > 0 && depth != 2) {{ depth -= 1; {visiting('depth')} if (depth == 3) {{ break; }} }}"
    ),
    "pushes": back(
        "    int here = depth;\n    while (here > 0) { here -= 1; "
        f"forall (v in g.nodes().filter(v != src && here == level)) {{ {PUSHED} }} }}"
    ),
    "twice": back(
        f"    int here = depth;\n    while (here > 0) {{ here -= 1; {visiting('here')} }}\n"
        f"    for (int there = depth - 1; there >= 0; there -= 1) {{ {visiting('there')} }}"
    ),
    "numbers begin at five": changed(
        THERE_AND_BACK,
        ("src.level = 0", "src.level = 5"),
        ("int depth = 0", "int depth = 5"),
        ("while (depth > 0)", "while (depth > 5)"),
    ),
    "stops when it is told": changed(THERE_AND_BACK, ("while (found);", "while (found && depth < 3);")),
    "goes on in vain": changed(THERE_AND_BACK, ("while (found);", "while (found || depth < 90);")),
    "leaves in the middle": changed(
        THERE_AND_BACK, ("      forall (v in g.nodes().filter(level == depth)) {\n        v.found_in",
        "      if (depth == 2) { break; }\n      forall (v in g.nodes().filter(level == depth)) {\n        v.found_in"),
    ),
    "says when it is over": changed(
        THERE_AND_BACK,
        ("bool found = True", "bool over = False"),
        ("      found = False", "      over = True"),
        ("<w.level, found> = <Min(w.level, depth + 1), True>", "<w.level, over> = <Min(w.level, depth + 1), False>"),
        ("while (found)", "while (!over)"),
    ),
    "takes the own level": changed(THERE_AND_BACK, ("Min(w.level, depth + 1)", "Min(w.level, v.level + 1)")),
}  # fmt: skip
"""Programs whose way back walks lists."""

SEARCHES = {
    "only back": """function back(Graph g, propNode<long> height, node src) {
  g.attachNodeProperty(height = 1);
  iterateInBFS (v in g.nodes() from src) { }
  iterateInReverse {
    for (w in g.neighbors(v)) { v.height = v.height + w.height % 1000; }
  }
}""",
    "some of them": """function back(Graph g, propNode<int> seen, node src) {
  g.attachNodeProperty(seen = 0);
  iterateInBFS (v in g.nodes() from src) { if (v % 3 == 1) { v.seen += 1; } }
  iterateInReverse (v % 2 == 0) {
    forall (w in g.neighbors(v)) { w.seen += 5; }
  }
}""",
}
"""Programs whose set is emptied by who finds the next level, and whose way back walks some of a level."""

MISSED = {
    "goes up": back(f"    for (int here = 0; here < depth; here += 1) {{ {visiting('here')} }}"),
    "by two": back(f"    int here = depth;\n    while (here > 1) {{ here -= 2; {visiting('here')} }}"),
    "begins above": back(f"    int here = depth + 1;\n    while (here > 0) {{ here -= 1; {visiting('here')} }}"),
    "begins one below": back(f"    int here = depth - 2;\n    while (here >= 0) {{ {visiting('here')} here -= 1; }}"),
    "goes too far": back(f"    while (depth > -2) {{ depth -= 1; {visiting('depth')} }}"),
    "depth has changed": back(f"    depth += 1;\n    while (depth > 0) {{ depth -= 1; {visiting('depth')} }}"),
    "levels have changed": back(
        "    forall (v in g.nodes().filter(level == 1)) { v.level = 2; }\n"
        f"    while (depth > 0) {{ depth -= 1; {visiting('depth')} }}"
    ),
    "levels change on the way": back(
        "    while (depth > 0) { depth -= 1; forall (v in g.nodes().filter(level == depth)) "
        "{ v.height += depth; v.level = depth - 1; } }"
    ),
    "also those that were not reached": back(
        "    int here = INF;\n    forall (v in g.nodes().filter(level == here)) { v.height = v.height * 3 + v; }"
    ),
    "skips": back(
        "    int here = depth;\n    while (here > 0) { here -= 1; if (here == 2) { continue; } "
        f"{visiting('here')} }}"
    ),
}  # fmt: skip
"""Programs that only look like it."""


def listed(module: ir.Module) -> list[ir.Kernel]:
    """The kernels that walk lists, but for those that only count arcs, of which the program says nothing."""
    walks = (kernel for kernel in module.kernels if isinstance(kernel.domain, ir.Listed))
    return [kernel for kernel in walks if not kernel.name.startswith("arcs_of_")]


def for_target(text: str, target: str, schedule: str = "auto") -> ir.Module:
    return decided(module_of(text), parse_schedule(schedule), BACKENDS[target].capabilities).module


def assert_same_answers(text: str, modules: Iterable[ir.Module], graphs: Iterable[str] = GRAPHS) -> None:
    """What modules give, by the interpreter, is what the program gives as it is."""
    program = program_of(text)
    for name in graphs:
        given = arguments_for(program, ZOO[name])
        expected = run_module(program.module(), ZOO[name], target="reference", arguments=given, schedule=PLAIN)
        for module in modules:
            found = run_module(module, ZOO[name], target="reference", arguments=given, schedule=PLAIN)
            assert (differs := first_difference(found, expected)) is None, f"{name}: {differs}"


@pytest.mark.parametrize("target", [*HOSTS, "hip"])
@pytest.mark.parametrize("example", ["betweenness", "betweenness_push"])
def test_both_ways_walk_lists(example: str, target: str) -> None:
    module = for_target((EXAMPLES / f"{example}.sp").read_text(encoding="utf-8"), target, "loop=host")
    assert len(listed(module)) == 3
    others = [kernel.name for kernel in module.kernels if isinstance(kernel.domain, ir.AllNodes)]
    assert all(name.endswith("_pull") for name in others), "only who is not reached yet is asked for"


def test_a_launch_with_sets_lists_what_is_in_them() -> None:
    """On the way there a set is walked, as long as nobody goes back it is not listed."""
    module = for_target((EXAMPLES / "betweenness.sp").read_text(encoding="utf-8"), "cuda")
    (loop,) = loops_of(module)
    assert sum(isinstance(op, ir.ListMembers) for op in walk_host(loop.body)) == 1
    assert [kernel.name for kernel in listed(module) if not kernel.shares_arcs] == ["betweenness_add_bc_without_rows"]
    module = for_target((EXAMPLES / "bfs.sp").read_text(encoding="utf-8"), "cuda")
    assert not any(isinstance(op, ir.ListMembers) for loop in loops_of(module) for op in walk_host(loop.body))


def test_a_round_brings_back_one_word() -> None:
    """The host reads how many nodes the next level has, and keeps for itself where it begins; another word comes back
    only where it is in doubt about the way."""
    module = for_target((EXAMPLES / "betweenness.sp").read_text(encoding="utf-8"), "opencl", "loop=host")
    told = [kernel.name for kernel in module.kernels if kernel.reductions]
    assert told == ["arcs_of_bfs_level_order"]
    ahead = (op for op in walk_host(module.functions[0].body) if isinstance(op, ir.HostIf) and not op.otherwise)
    assert [
        op.kernel for doubt in ahead for op in doubt.then if isinstance(op, ir.Launch) and op.kernel in told
    ] == told
    starts = [array for array in module.functions[0].arrays if array.origin is ir.Origin.HOST]
    assert [array.name for array in starts] == ["bfs_level_starts"]
    back = [op for op in walk_host(module.functions[0].body) if isinstance(op, ir.Loop)][-1]
    kernel = module.kernel(next(op.kernel for op in walk_host(back.body) if isinstance(op, ir.Launch)))
    assert starts[0] not in kernel.arrays


def test_the_choice_has_a_name() -> None:
    module = module_of((EXAMPLES / "betweenness.sp").read_text(encoding="utf-8"))
    choices = decided(module, AUTO, BACKENDS["openmp"].capabilities).choices
    (choice,) = (choice for choice in choices if choice.step == "levels")
    assert "are listed as they are found, and both ways walk the list" in choice.what


@pytest.mark.parametrize("schedule", ["plain", "frontier=flags"])
def test_flags_stay_flags(schedule: str) -> None:
    for target in ("cuda", "openmp"):
        assert not listed(for_target(THERE_AND_BACK, target, schedule))


@pytest.mark.parametrize("text", FOUND.values(), ids=FOUND)
def test_ways_back_are_found(text: str) -> None:
    """However they count."""
    ways = {target: for_target(text, target) for target in ("openmp", "hip", "cuda")}
    backs = 2 if "there -= 1" in text else 1
    assert [len(listed(module)) for module in ways.values()] == [2 + backs, backs, backs]
    assert_same_answers(text, ways.values())


@pytest.mark.parametrize("text", MISSED.values(), ids=MISSED)
def test_what_only_looks_like_a_way_back_stays_right(text: str) -> None:
    ways = {target: for_target(text, target) for target in ("openmp", "hip", "cuda")}
    assert len(listed(ways["cuda"])) == 0
    assert len(listed(ways["openmp"])) in (0, 2)
    assert_same_answers(text, ways.values())


@pytest.mark.parametrize("text", [BY_NUMBER, THERE_AND_BACK, FOUND["counted"]], ids=["there", "back", "counted"])
def test_renamed_programs_are_found(text: str) -> None:
    renamed = text
    for old, new in {"level": "slot", "depth": "place", "found_in": "node_", "found": "count", "here": "order"}.items():
        renamed = renamed.replace(old, new)
    assert len(listed(for_target(renamed, "openmp"))) == len(listed(for_target(text, "openmp"))) > 0
    assert_same_answers(renamed, [for_target(renamed, "openmp"), for_target(renamed, "cuda")])


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("name", sorted(ZOO))
def test_every_small_graph(name: str) -> None:
    """Unconnected ones, with loops, with arcs that stand twice, of one node."""
    if ZOO[name].num_nodes:
        modules = [for_target(THERE_AND_BACK, target) for target in ("openmp", "hip", "cuda")]
        program, graph = starplat.compile(THERE_AND_BACK), ZOO[name]
        given = {"sources": [graph.original_id(node) for node in sorted({0, graph.num_nodes // 2})]}
        expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
        for module in modules:
            found = run_module(module, graph, target="reference", arguments=given, schedule=PLAIN)
            assert first_difference(found, expected) is None


def test_no_node_to_begin_from() -> None:
    """A search from -1 does nothing."""
    text = """function count(Graph g, propNode<int> times) {
      g.attachNodeProperty(times = 0);
      node nobody = -1;
      iterateInBFS (v in g.nodes() from nobody) { v.times += 1; }
      iterateInReverse { v.times += 10; }
    }"""
    assert_same_answers(text, [for_target(text, target) for target in ("openmp", "hip", "cuda")])


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize("name", ["as it is", "pushes", "counted", "leaves in the middle", *SEARCHES])
@pytest.mark.parametrize("seed", range(3))
def test_the_emulated_device_goes_back(name: str, seed: int) -> None:
    """Levels that fit into a set's list, and levels that do not."""
    text = {**FOUND, **SEARCHES}[name]
    program, module = program_of(text), for_target(text, "cuda")
    for graph in (ZOO["random-dense"], ZOO["one-node"], _path_with_fans()):
        given = arguments_for(program, graph)
        expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
        with emulated(Machine(seed=seed)):
            found = run_module(module, graph, target="cuda", arguments=given, schedule=PLAIN)
        assert (differs := first_difference(found, expected)) is None, differs


def _path_with_fans() -> Graph:
    """Levels of one node and of many, in turn."""
    arcs = [(40 * step, 40 * step + more) for step in range(12) for more in range(1, 40)]
    arcs += [(40 * step + more, 40 * (step + 1)) for step in range(11) for more in (1, 7, 39)]
    ends = np.array(arcs)
    return Graph.from_arcs(480, ends[:, 0], ends[:, 1])


@every_device
@pytest.mark.parametrize("example", ["betweenness", "betweenness_push", "closeness"])
def test_devices_agree(example: str, target: Target) -> None:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    program = starplat.compile(EXAMPLES / f"{example}.sp")
    for graph in (ZOO["random"], ZOO["one-node"], _path_with_fans()):
        given = arguments_for(program, graph)
        expected = program.run(graph, target="reference", schedule=PLAIN, **given)
        assert first_difference(target.run(program, graph, given), expected) is None
