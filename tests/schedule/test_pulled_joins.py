"""Step `direction`, beyond loops over levels: what nodes tell their neighbors is gathered from the other end where that
is proved to give the same answer, whatever the program calls things, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host, walk_kernel
from starplat.runtime import run_module
from starplat.runtime.validate import first_difference
from starplat.schedule import PLAIN
from starplat.schedule.apply import decided
from starplat.schedule.parse import parse_schedule
from tests.backends.emulated import Machine, emulated
from tests.changing import changed
from tests.programs.targets import TARGETS, Target
from tests.schedule.programs import SSSP, TWO_FLAGS, arguments_for, module_of, program_of
from tests.schedule.test_directions import GRAPHS, ways
from tests.zoo import ZOO

_RELAXES = "<nbr.dist, nbr.modified_nxt> = <Min(nbr.dist, v.dist + e.weight), True>;"
_NOTES = "if (v % 2 == 0) { nbr.modified_nxt = nbr.dist == 3; }"
_ROUND_ENDS = "    g.attachNodeProperty(modified = modified_nxt, modified_nxt = False);"

WIDEST = """function widest(Graph g, propNode<long> width, propNode<node> via, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(width = -1, modified = False, via = -1);
  src.width = INF;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        long through = min(v.width, e.weight);
        if (through > nbr.width) {
          <nbr.width, nbr.via, nbr.modified> = <Max(nbr.width, through), v, True>;
        }
      }
    }
  }
}"""
OTHER_WORDS = """function kernel(Graph warp, propEdge<double> inline, propNode<double> float4, node threadIdx) {
  propNode<bool> barrier;
  propNode<bool> restrict;
  warp.attachEdgeProperty(inline = 2.5);
  warp.attachNodeProperty(restrict = False, float4 = INF, barrier = False);
  threadIdx.barrier = True;
  threadIdx.float4 = 0.5;
  bool asm = True;
  while (asm) {
    asm = False;
    forall (class in warp.nodes().filter(barrier && class % 7 != 5)) {
      double mine = class.float4;
      forall (template in warp.neighbors(class)) {
        if (template != class) {
          edge e = warp.get_edge(class, template);
          double next = e.inline + mine;
          <template.float4, template.restrict, asm> = <Min(template.float4, next), True, True>;
        }
      }
    }
    barrier = restrict;
    warp.attachNodeProperty(restrict = False);
  }
}"""
LABELS = """function spread(Graph g, propNode<node> label) {
  propNode<bool> fresh;
  forall (v in g.nodes()) { v.label = v; v.fresh = v % 3 != 1; }
  bool done = False;
  fixedPoint until (done : !fresh) {
    forall (v in g.nodes().filter(fresh)) {
      forall (w in g.neighbors(v)) {
        if (w > v || w % 2 == 0) { <w.label, w.fresh> = <Min(w.label, v.label), True>; }
      }
    }
  }
}"""
REACHABLE = """function reach(Graph g, propNode<bool> reached, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(reached = False, modified = False);
  src.reached = True;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified)) {
      forall (nbr in g.neighbors(v)) {
        if (!nbr.reached) { nbr.reached = True; nbr.modified = True; }
      }
    }
  }
}"""
BY_OR = """function reach(Graph g, propNode<bool> reached, node src) {
  propNode<bool> before;
  g.attachNodeProperty(reached = False);
  src.reached = True;
  bool changed = True;
  while (changed) {
    changed = False;
    g.attachNodeProperty(before = reached);
    forall (v in g.nodes().filter(reached)) {
      forall (nbr in g.neighbors(v)) { nbr.reached ||= v.reached; }
    }
    forall (v in g.nodes()) { changed ||= v.before != v.reached; }
  }
}"""
ROUNDS = """function rounds(Graph g, propNode<int> label, propNode<float> heat, propNode<long> sums) {
  propNode<int> next;
  propNode<bool> all;
  propNode<float> given;
  forall (v in g.nodes()) {
    v.label = (v * 7 + 3) % 11;
    v.heat = v % 4 == 1 ? sqrt(0.0 - 1.0) : 1.0 * v;
    v.given = v % 5 == 2 ? sqrt(0.0 - 1.0) : 9.0 - v;
    v.all = v % 4 != 3;
  }
  int round = 0;
  while (round < 3) {
    g.attachNodeProperty(next = label);
    forall (v in g.nodes().filter(label % 4 != round)) {
      forall (w in g.neighbors(v)) { TOLD }
    }
    forall (v in g.nodes()) { v.sums += v.all ? 100 : 0; }
    label = next;
    round += 1;
  }
}"""
NO_NUMBERS = """function far(Graph g, propNode<float> dist, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, modified = False);
  forall (v in g.nodes()) { if (v % 6 == 5) { v.dist = sqrt(0.0 - 1.0); } }
  src.dist = 1.5;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        <nbr.dist, nbr.modified> = <Min(nbr.dist, v.dist + sqrt(e.weight - 3.0)), True>;
      }
    }
  }
}"""

JOINS = {
    "one flag": SSSP,
    "two flags": TWO_FLAGS,
    "the largest, and from whom": WIDEST,
    "other words, in another order": OTHER_WORDS,
    "labels, by two conditions": LABELS,
    "reachable": REACHABLE,
    "reachable, by or": BY_OR,
    "in rounds, the least": ROUNDS.replace("TOLD", "<w.next> = <Min(w.next, v.label - round)>;"),
    "in rounds, the most of reals": ROUNDS.replace("TOLD", "<w.heat> = <Max(w.heat, v.given * 0.5)>;"),
    "in rounds, a sum": ROUNDS.replace("TOLD", "edge e = g.get_edge(v, w); w.sums += v.label * (e.weight + 1);"),
    "in rounds, all": ROUNDS.replace("TOLD", "if (w % 5 != v) { w.all &&= v.label != 1 && w % 3 != 0; }"),
    "in rounds, some bits": ROUNDS.replace("TOLD", "w.next |= v.label & 5;"),
    "what is no number": NO_NUMBERS,
    "below zero, onward only": changed(
        TWO_FLAGS, (_RELAXES, "if (nbr > v) { " + _RELAXES.replace("v.dist + e.weight", "v.dist - e.weight") + " }")
    ),
    "only those that have a value": changed(
        TWO_FLAGS, (_RELAXES, "if (v.dist != INF) { " + _RELAXES + " }")
    ),
    "conditions in one": changed(
        TWO_FLAGS, (_RELAXES, "if (nbr != v && v.dist + e.weight < nbr.dist && e.weight != 4) { " + _RELAXES + " }")
    ),
    "marks by or": changed(
        REACHABLE, ("nbr.reached = True; nbr.modified", "nbr.reached ||= True; nbr.modified")
    ),
}  # fmt: skip
SEVERAL_RIGHT = {"the largest, and from whom": ["width"]}
"""What is the same in every right answer, where not all is."""

CHOOSING = ("reachable", "marks by or")
"""Those in which `auto` chooses in each round."""

NEAR_MISSES = {
    "what comes along is told on": changed(
        TWO_FLAGS,
        (_RELAXES, "<nbr.dist, nbr.hops, nbr.modified_nxt> = <Min(nbr.dist, v.dist + e.weight), v.hops + 1, True>;"),
        ("propNode<int> dist,", "propNode<int> dist, propNode<int> hops,"),
        ("dist = INF,", "dist = INF, hops = 0,"),
    ),
    "by or, of whom nothing is known": changed(BY_OR, ("filter(reached)", "filter(v % 7 != 5)")),
    "by or, where what was known may change": changed(
        BY_OR, ("nbr.reached ||= v.reached;", "nbr.reached &&= v.reached;"), ("reached = False", "reached = True")
    ),
    "rounds are counted": changed(
        TWO_FLAGS, ("node src)", "node src, int & rounds)"), (_ROUND_ENDS, _ROUND_ENDS + "\n    rounds += 1;"),
    ),
    "some rounds only": changed(
        TWO_FLAGS, ("  bool finished", "  int rounds = 0;\n  bool finished"),
        ("fixedPoint until (finished : !modified) {", "while (!finished && rounds < 2) {\n    rounds += 1;"),
    ),
    "the loop looks between rounds": changed(
        TWO_FLAGS, ("propNode<int> dist,", "propNode<int> dist, propNode<long> sum,"),
        (_ROUND_ENDS, "    forall (v in g.nodes().filter(dist != INF)) { v.sum += v.dist; }\n" + _ROUND_ENDS),
        ("dist = INF,", "dist = INF, sum = 0,"),
    ),
    "a node joins later": changed(
        TWO_FLAGS, ("  bool finished", "  int turn = 0;\n  node other = g.num_nodes() - 1;\n  bool finished"),
        (_ROUND_ENDS, _ROUND_ENDS + "\n    if (turn < 3) { other.modified = True; }\n    turn += 1;"),
    ),
    "a lower one tells a higher": changed(TWO_FLAGS, ("v.dist + e.weight", "40 - v.dist")),
    "a lower one tells none": changed(TWO_FLAGS, (_RELAXES, "if (v.dist > 3 || v == src) { " + _RELAXES + " }")),
    "only some are lowered": changed(TWO_FLAGS, (_RELAXES, "if (nbr.dist > 7) { " + _RELAXES + " }")),
    "the wrong way round": changed(
        TWO_FLAGS, (_RELAXES, "if (v.dist + e.weight > nbr.dist || nbr.dist == INF) { " + _RELAXES + " }")
    ),
    "lowered nodes are noted elsewhere": changed(
        TWO_FLAGS,
        (_RELAXES, "<nbr.dist, nbr.seen> = <Min(nbr.dist, v.dist + e.weight), True>;\n        " + _NOTES),
        ("propNode<int> dist,", "propNode<int> dist, propNode<bool> seen,"),
    ),
    "nodes count offers": changed(
        TWO_FLAGS, (_RELAXES, "nbr.times += 1;\n        " + _RELAXES),
        ("propNode<int> dist,", "propNode<int> dist, propNode<int> times,"), ("dist = INF,", "dist = INF, times = 0,"),
    ),
    "sums of sums": """function sums(Graph g, propNode<long> paths, node src) {
  src.paths = 1;
  for (v in g.nodes()) {
    forall (w in g.neighbors(v)) { if (w > v) { w.paths += v.paths; } }
  }
  forall (v in g.nodes().filter(v == src)) {
    forall (w in g.neighbors(v)) { if (w > v) { w.paths += v.paths; } }
  }
}""",
    "more than arcs": """function more(Graph g, propNode<int> a, propNode<int> b) {
  forall (v in g.nodes()) {
    v.b = v.b + 1;
    forall (w in g.neighbors(v)) { w.a += 2; }
  }
}""",
    "a function for each arc": """function twice(Graph g, propNode<int> a, node v) { return v.a * 2; }
function calls(Graph g, propNode<int> a, propNode<int> b) {
  forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.b += twice(g, a, v); } }
}""",
    "two cells": """function two(Graph g, propNode<int> a, propNode<int> b) {
  forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.a += 1; w.b += v; } }
}""",
    "somebody else's cell": """function further(Graph g, propNode<node> to, propNode<int> b) {
  forall (v in g.nodes()) { v.to = g.num_nodes() - 1 - v; }
  forall (v in g.nodes()) { forall (w in g.neighbors(v)) { node u = w.to; u.b += 1; } }
}""",
    "how many updates there were": changed(
        REACHABLE.replace("node src)", "node src, propNode<long> many)"),
        ("nbr.reached = True; nbr.modified = True;", "nbr.reached = True; nbr.modified = True; total += 0 * nbr;"),
        ("  bool finished", "  long total = 0;\n  bool finished"),
    ),
}  # fmt: skip

ORDER_MATTERS = (
    "the wrong way round",
    "only some are lowered",
    "nodes count offers",
    "a lower one tells a higher",
    "the loop looks between rounds",
    "what comes along is told on",
)
"""Those that have several right answers."""


def made(text: str, schedule: str, target: str = "openmp") -> ir.Module:
    return decided(module_of(text), parse_schedule(schedule), BACKENDS[target].capabilities).module


def pulls(module: ir.Module) -> list[ir.Kernel]:
    """The kernels that look for what they are told."""
    return [kernel for kernel in module.kernels if re.search(r"_pull(_\d+)?$", kernel.name)]


def atomics(kernels: list[ir.Kernel]) -> list[object]:
    ops = (op for kernel in kernels for op in walk_kernel(kernel.body))
    return [op for op in ops if isinstance(op, ir.ExtremeCell) or (isinstance(op, ir.UpdateCell) and op.shared)]


@pytest.mark.parametrize("target", ["openmp", "opencl", "cuda"])
@pytest.mark.parametrize("name", JOINS)
def test_what_is_told_is_gathered(name: str, target: str) -> None:
    module = made(JOINS[name], "direction=pull,algebra=plain", target)
    found = pulls(module)
    assert len(found) == 1
    assert not atomics(list(module.kernels))
    for kernel in found:
        assert isinstance(kernel.domain, ir.AllNodes)
        loops = [op for op in walk_kernel(kernel.body) if isinstance(op, ir.ForNeighbors)]
        assert [(loop.direction, loop.node.variable) for loop in loops] == [(ir.Direction.IN, kernel.iterator)]  # type: ignore[union-attr]
    assert all(array.name.find("_lock") < 0 for f in module.functions for array in f.arrays)


@pytest.mark.parametrize("name", ["reachable", "reachable, by or", "marks by or"])
def test_who_is_marked_leaves_at_the_first(name: str) -> None:
    for target in ("openmp", "cuda"):
        (kernel,) = pulls(made(JOINS[name], "direction=pull", target))
        assert kernel.filter is not None
        assert any(isinstance(op, ir.KernelBreak) for op in walk_kernel(kernel.body))


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_what_only_looks_like_it_pushes(name: str) -> None:
    for target in ("openmp", "cuda"):
        for schedule in ("auto", "direction=pull", "direction=pull,frontier=flags"):
            assert not pulls(made(NEAR_MISSES[name], schedule, target))


@pytest.mark.parametrize("name", JOINS)
def test_auto_goes_on_pushing_but_where_all_leave_early(name: str) -> None:
    for target in ("openmp", "cuda"):
        module = made(JOINS[name], "algebra=plain", target)
        chooses = name in CHOOSING
        assert len(pulls(module)) == chooses
        by_device = (op for f in module.functions for op in walk_host(f.body) if isinstance(op, ir.Launch) and op.pull)
        assert len([*ways(module), *by_device]) == chooses
    assert not pulls(made(JOINS[name], "direction=push"))


def answers(text: str, graphs: tuple[str, ...]) -> Iterator[tuple[Graph, dict[str, object], starplat.Result]]:
    program = program_of(text)
    for graph in map(ZOO.__getitem__, graphs):
        given = arguments_for(program, graph)
        yield graph, given, run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("name", [*JOINS, *NEAR_MISSES])
def test_every_way_gives_the_same_answer(name: str) -> None:
    if name in ORDER_MATTERS:
        return
    text, only = {**JOINS, **NEAR_MISSES}[name], SEVERAL_RIGHT.get(name)
    modules = {
        (schedule, target): made(text, f"algebra=plain,{schedule}", target)
        for schedule in (
            "direction=pull",
            "direction=auto",
            "direction=pull,loop=host",
            "direction=pull,frontier=flags",
        )
        for target in ("openmp", "opencl", "cuda", "hip")
    }
    for graph, given, expected in answers(text, GRAPHS):
        for which, module in modules.items():
            found = run_module(module, graph, target="reference", arguments=given, schedule=PLAIN, results=only)
            assert (differs := first_difference(found, expected)) is None, f"{which} on {graph.name}: {differs}"


SMALL = ("one-node", "parallel", "unreachable", "random", "one-loop")


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize("name", JOINS)
def test_fibers_give_the_same_answer(name: str) -> None:
    """As CUDA would, by g++ with fibers for threads: in one launch, and some where the host drives."""
    ways = ["direction=pull", *["direction=pull,loop=host"] * (name in ON_DEVICES), *["auto"] * (name in CHOOSING)]
    modules = [made(JOINS[name], f"algebra=plain,{way}".removesuffix(",auto"), "cuda") for way in ways]
    only = SEVERAL_RIGHT.get(name)
    for graph, given, expected in answers(JOINS[name], SMALL):
        for seed, module in enumerate(modules):
            with emulated(Machine(seed=seed)):
                found = run_module(module, graph, target="cuda", arguments=given, schedule=PLAIN, results=only)
            assert (differs := first_difference(found, expected)) is None, f"{seed} on {graph.name}: {differs}"


ON_DEVICES = (
    "two flags",
    "the largest, and from whom",
    "reachable, by or",
    "reachable",
    "what is no number",
    "in rounds, a sum",
    "in rounds, the most of reals",
)


@pytest.mark.thin(plain=2)
@pytest.mark.parametrize("target", [t for t in TARGETS if t.target != "reference"], ids=lambda target: target.label)
@pytest.mark.parametrize("name", ON_DEVICES)
def test_devices_give_the_same_answer(name: str, target: Target) -> None:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    only = SEVERAL_RIGHT.get(name)
    where = {"target": target.target, "device_index": target.device or 0}
    for way in ["direction=pull", *["direction=auto"] * (name in CHOOSING)]:
        module = made(JOINS[name], way, target.target)
        for graph, given, expected in answers(JOINS[name], SMALL):
            found = run_module(module, graph, arguments=given, schedule=PLAIN, results=only, **where)  # type: ignore[arg-type]
            assert (differs := first_difference(found, expected)) is None, f"{way} on {graph.name}: {differs}"


def test_from_whom_the_best_came_is_told_with_it() -> None:
    module = made(WIDEST, "direction=pull")
    for graph, given, _ in answers(WIDEST, GRAPHS):
        weight = np.arange(graph.num_arcs) * 7 % 10
        found = run_module(module, graph, target="reference", arguments={**given, "weight": weight}, schedule=PLAIN)
        width, via, source = found["width"], found["via"], given["src"]
        best = dict[tuple[int, int], int]()
        ends = zip(graph.sources.tolist(), graph.columns.tolist(), weight.tolist(), strict=True)
        for start, end, wide in ends:
            best[start, end] = max(best.get((start, end), 0), wide)
        for node in range(graph.num_nodes):
            if node != source and width[node] >= 0:
                assert width[node] == min(width[via[node]], best[via[node], node])


# --- what is said ----------------------------------------------------------------------------------------------------


def said(text: str, schedule: str = "direction=pull") -> list[tuple[str, str]]:
    choices = decided(module_of(text), parse_schedule(schedule), BACKENDS["openmp"].capabilities).choices
    return [(choice.what, choice.why) for choice in choices if choice.step == "direction"]


def test_the_choice_is_said() -> None:
    assert said(SSSP) == [("sssp_min_dist: pull", "'dist' has the same end in any order of updates")]
    assert said(SSSP, "auto") == []
    ((what, why),) = said(REACHABLE, "auto")
    assert what.endswith("push while 'modified' has few, else pull")
    assert why == "all nodes send the same value, so one sender is enough"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("some rounds only", "'dist' is sent while it changes, in a loop that is no monotone fixed point"),
        ("a lower one tells a higher", "'dist' is sent while it changes, in a loop that is no monotone fixed point"),
        ("what comes along is told on", "it reads 'hops', which it changes for others at the same time"),
        ("sums of sums", "it reads 'paths', which it changes for others at the same time"),
        ("two cells", "it does more to a neighbor than to combine a value with one of its cells"),
        ("more than arcs", "it does more than to go over the arcs that leave its nodes"),
        ("a function for each arc", "it calls a function for each arc"),
    ],
)
def test_what_is_refused_has_a_reason(name: str, part: str) -> None:
    assert any(what.endswith(": push") and part in why for what, why in said(NEAR_MISSES[name]))


def test_nearest_first_gives_way_to_pulling_unless_it_is_asked_for() -> None:
    assert pulls(made(SSSP, "direction=pull"))
    assert not pulls(made(SSSP, "direction=pull,priority=delta(3)"))
