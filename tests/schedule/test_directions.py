"""Steps `direction` and `levels`: a loop over levels pulls where many nodes are active, whoever drives its rounds, and
only where every walked neighbor tells the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.ir import nodes as ir
from starplat.ir.points import Way
from starplat.ir.visitor import walk_host, walk_kernel
from starplat.runtime import run_module
from starplat.runtime.validate import first_difference
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.apply import decided
from starplat.schedule.parse import parse_schedule
from tests.changing import changed
from tests.programs.cases import EXAMPLES
from tests.programs.targets import TARGETS, Target
from tests.runtime.test_trace import by_level, random_graph, told_by
from tests.schedule.programs import BY_NUMBER, LEVELS, SSSP, TWO_FLAGS, arguments_for, module_of, program_of
from tests.zoo import ZOO

HOSTS = ("openmp", "opencl", "sycl", "openacc", "cuda")
WAYS = ("direction=pull", "direction=auto", "direction=push")
GRAPHS = (
    "one-node",
    "one-loop",
    "parallel",
    "diamonds",
    "islands",
    "unreachable",
    "star-in",
    "star-out-undirected",
    "chain-backwards",
    "two-cycles-joined",
    "random",
    "random-dense",
    "random-sparse-undirected",
)

ONE_FLAG = changed(SSSP, ("        edge e = g.get_edge(v, nbr);\n", ""), ("v.dist + e.weight", "v.dist + 1"))
SWAPPED = changed(TWO_FLAGS, ("        edge e = g.get_edge(v, nbr);\n", ""), ("v.dist + e.weight", "v.dist + 1"))
OTHER_WORDS = """function template(Graph float4, node kernel, propNode<long> inline) {
  propNode<bool> warp;
  bool barrier = False;
  float4.attachNodeProperty(warp = False);
  float4.attachNodeProperty(inline = INF);
  kernel.warp = True;
  kernel.inline = 4;
  fixedPoint until (barrier : !warp) {
    forall (class in float4.nodes().filter(warp)) {
      forall (threadIdx in float4.neighbors(class)) {
        long next = 3 + class.inline;
        <threadIdx.inline, threadIdx.warp> = <Min(threadIdx.inline, next), True>;
      }
    }
  }
}"""
COUNTED = changed(
    SWAPPED,
    ("v.dist + 1), True", "hops + 1), True"),
    ("  bool finished", "  int hops = 0;\n  bool finished"),
    ("    g.attachNodeProperty(modified = mod", "    hops += 1;\n    g.attachNodeProperty(modified = mod"),
)
GUARDED = changed(
    SWAPPED,
    (
        "<nbr.dist, nbr.modified_nxt> = <Min(nbr.dist, v.dist + 1), True>;",
        "if (nbr % 4 != 3) { <nbr.dist, nbr.modified_nxt> = <Min(nbr.dist, v.dist + 1), True>; }",
    ),
)
SOME_NUMBERS = changed(
    BY_NUMBER,
    (
        "        <w.level, found> = <Min(w.level, depth + 1), True>;",
        "        if (w % 5 != 2 && v != 1) { <w.level, found> = <Min(w.level, v.level + 1), True>; }",
    ),
)
WAVES = {
    "one flag": ONE_FLAG,
    "two flags": SWAPPED,
    "other words, in another order": OTHER_WORDS,
    "a number that rises": COUNTED,
    "not all neighbors": GUARDED,
    "breadth-first": LEVELS,
    "by number": BY_NUMBER,
    "by number, not all neighbors": SOME_NUMBERS,
}

_TELLS = "<nbr.dist, nbr.modified_nxt> = <Min(nbr.dist, v.dist + 1), True>;"
_LOWERS = "        <w.level, found> = <Min(w.level, depth + 1), True>;\n"
_ROUND_ENDS = "    g.attachNodeProperty(modified = modified_nxt, modified_nxt = False);"
SEVERAL_PARENTS, THEIR_PARENTS = "who lowers a cell says which it is", "who lowers a cell hands its own parent on"
WAVES[SEVERAL_PARENTS] = changed(
    SWAPPED,
    (_TELLS, "<nbr.dist, nbr.parent, nbr.modified_nxt> = <Min(nbr.dist, v.dist + 1), v, True>;"),
    ("propNode<int> dist,", "propNode<int> dist, propNode<node> parent,"),
    ("dist = INF,", "dist = INF, parent = -1,"),
)
NEAR_MISSES = {
    "arcs add what they hold": TWO_FLAGS,
    "arcs add nothing": changed(SWAPPED, ("v.dist + 1", "v.dist")),
    "numbers wrap around": changed(SWAPPED, ("v.dist + 1", "v.dist + 1500000000")),
    "numbers wrap around soon": changed(SWAPPED, ("src.dist = 0", "src.dist = 2147483646")),
    "the number wraps around": changed(COUNTED, ("int hops = 0", "int hops = 2147483646")),
    "the number wraps around in a few rounds": changed(COUNTED, ("hops += 1;", "hops += 1500000000;")),
    "arcs add what nodes hold": changed(SWAPPED, ("v.dist + 1", "v.dist + v % 3")),
    THEIR_PARENTS: changed(
        SWAPPED,
        (_TELLS, "<nbr.dist, nbr.parent, nbr.modified_nxt> = <Min(nbr.dist, v.dist + 1), v.parent, True>;"),
        ("propNode<int> dist,", "propNode<int> dist, propNode<node> parent,"),
        ("dist = INF,", "dist = INF, parent = -1,"),
    ),
    "all who reach a node count": changed(
        SWAPPED,
        (_TELLS, "nbr.times += 1;\n        " + _TELLS),
        ("propNode<int> dist,", "propNode<int> dist, propNode<int> times,"),
        ("dist = INF,", "dist = INF, times = 0,"),
    ),
    "two nodes begin, one of them late": changed(
        SWAPPED,
        ("  src.dist = 0;", "  node other = g.num_nodes() - 1;\n  other.dist = 5;\n  src.dist = 0;"),
        ("  src.modified = True;", "  src.modified = True;\n  other.modified = True;"),
    ),
    "a node joins later": changed(
        SWAPPED,
        ("  bool finished", "  int turn = 0;\n  node other = g.num_nodes() - 1;\n  bool finished"),
        (_ROUND_ENDS, _ROUND_ENDS + "\n    if (turn < 3) { other.modified = True; }\n    turn += 1;"),
    ),
    "a node waits in the next set already": changed(
        SWAPPED,
        ("  src.dist = 0;", "  node other = g.num_nodes() - 1;\n  other.modified_nxt = True;\n  src.dist = 0;"),
    ),
    "the number goes down": changed(
        COUNTED, ("int hops = 0", "int hops = 100"), ("hops += 1;", "if (hops > 60) { hops = hops - 7; }")
    ),
    "the first node has more than the next": changed(COUNTED, ("src.dist = 0", "src.dist = 50")),
    "the first node has nothing": changed(SWAPPED, ("src.dist = 0;", "src.dist = INF;")),
    "cells begin low": changed(SWAPPED, ("dist = INF", "dist = 3")),
    "another node is walked than is reached": changed(
        SWAPPED, ("  src.modified = True;", "  src = g.num_nodes() - 1 - src;\n  src.modified = True;")
    ),
    "the filter asks for more": changed(
        SWAPPED, ("filter(modified == True)", "filter(modified == True && v % 3 != 1)")
    ),
    "cells are changed in between": changed(
        SWAPPED,
        (_ROUND_ENDS, "    forall (v in g.nodes().filter(dist == 2)) { v.dist = 1; }\n" + _ROUND_ENDS),
    ),
    "the largest is sought": changed(
        SWAPPED, (_TELLS, _TELLS.replace("Min", "Max").replace("v.dist + 1", "v.dist < 9 ? v.dist + 1 : v.dist")),
        ("dist = INF", "dist = -1"),
    ),
    "by number, the arc decides": changed(
        BY_NUMBER,
        (_LOWERS, "        edge e = g.get_edge(v, w);\n        if (e.weight % 3 != 1) {\n" + _LOWERS + "        }\n"),
        ("propNode<int> found_in,", "propNode<int> found_in, propEdge<int> weight,"),
    ),
    "by number, all who reach a node count": changed(
        BY_NUMBER,
        (_LOWERS, _LOWERS + "        w.found_in += 1;\n"),
        ("v.found_in = depth", "v.found_in += depth * 100"),
    ),
    "by number, what is found is counted": changed(
        BY_NUMBER,
        (_LOWERS, "        if (w.level > depth) { w.seen = True; }\n" + _LOWERS),
        ("  propNode<int> level;", "  propNode<int> level;\n  propNode<bool> seen;"),
        ("found_in = -1", "found_in = -1, seen = False"),
        ("v.found_in = depth;", "v.found_in = v.seen ? depth : -2;"),
    ),
}  # fmt: skip


def made(text: str, target: str, schedule: str) -> ir.Module:
    """What a schedule makes of a program where the host drives the rounds."""
    wanted = parse_schedule(f"loop=host,{schedule}" if target == "cuda" else schedule)
    return decided(module_of(text), wanted, BACKENDS[target].capabilities).module


def searches(module: ir.Module) -> list[ir.Kernel]:
    """The kernels whose nodes look for one among those before them."""
    return [
        kernel for kernel in module.kernels if any(isinstance(op, ir.KernelBreak) for op in walk_kernel(kernel.body))
    ]


def ways(module: ir.Module) -> Iterator[ir.HostIf]:
    """Where the host chooses between a kernel that searches and another."""
    names = {kernel.name for kernel in searches(module)}
    for function in module.functions:
        for op in walk_host(function.body):
            if isinstance(op, ir.HostIf) and any(isinstance(o, ir.Launch) and o.kernel in names for o in op.then):
                yield op


@pytest.mark.parametrize("target", HOSTS)
@pytest.mark.parametrize("text", WAVES.values(), ids=WAVES)
def test_where_the_host_drives_it_chooses_the_way(text: str, target: str) -> None:
    module = made(text, target, "direction=auto")
    (search,) = searches(module)
    (choice,) = ways(module)
    assert isinstance(search.domain, ir.AllNodes)
    assert [op.direction for op in walk_kernel(search.body) if isinstance(op, ir.ForNeighbors)] == [ir.Direction.IN]
    (push, *_) = (op for op in choice.otherwise if isinstance(op, ir.Launch))
    assert isinstance(module.kernel(push.kernel).domain, ir.Listed)


@pytest.mark.parametrize("text", WAVES.values(), ids=WAVES)
def test_a_way_that_is_asked_for_is_the_only_one(text: str) -> None:
    pulls, pushes = (made(text, "openmp", f"direction={way}") for way in ("pull", "push"))
    assert len(searches(pulls)) == 1
    assert not list(ways(pulls))
    assert not searches(pushes)
    assert "in_columns" in {array.name for array in pulls.graph_arrays}
    assert "in_columns" not in {array.name for array in pushes.graph_arrays}


@pytest.mark.parametrize("example", ["bfs", "bfs_levels", "betweenness", "betweenness_push", "closeness", "radii"])
def test_examples_choose(example: str) -> None:
    text = (EXAMPLES / f"{example}.sp").read_text(encoding="utf-8")
    assert len(list(ways(made(text, "openmp", "direction=auto")))) == 1


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_what_only_looks_like_it_pushes(name: str) -> None:
    for target in ("openmp", "cuda"):
        for schedule in ("auto", "direction=pull"):
            assert not searches(
                decided(module_of(NEAR_MISSES[name]), parse_schedule(schedule), BACKENDS[target].capabilities).module
            )


_SWAPS_LATE = changed(
    SWAPPED,
    ("  bool finished", "  int turn = 0;\n  bool finished"),
    (_ROUND_ENDS, f"    if (turn % 3 == 2) {{\n  {_ROUND_ENDS}\n    }}\n    turn += 1;"),
)
COUNT_ROUNDS = {"one flag": ONE_FLAG, "two flags": SWAPPED, "not all neighbors": GUARDED}
DO_NOT_COUNT = {
    "the first is no zero": changed(SWAPPED, ("src.dist = 0", "src.dist = 4")),
    "each round adds more": changed(SWAPPED, ("v.dist + 1", "v.dist + 2")),
    "long numbers": changed(SWAPPED, ("propNode<int> dist", "propNode<long> dist")),
    "rounds walk the same set again": _SWAPS_LATE,
}


def counts(module: ir.Module) -> bool:
    """Whether a loop of one launch tells nodes the number of the round, in place of what the node before them has."""
    ops = [op for function in module.functions for op in walk_host(function.body)]
    return any(isinstance(op, ir.DeclareVariable) and op.variable.name == "depth" for op in ops)


@pytest.mark.parametrize("name", [*COUNT_ROUNDS, *DO_NOT_COUNT])
def test_the_number_of_a_round_is_told_where_it_is_the_level(name: str) -> None:
    text = {**COUNT_ROUNDS, **DO_NOT_COUNT}[name]
    program = program_of(text)
    for schedule in ("auto", "loop=cluster", "direction=pull"):
        module = decided(program.module(), parse_schedule(schedule), BACKENDS["cuda"].capabilities).module
        assert counts(module) == (name in COUNT_ROUNDS), schedule
        for graph in map(ZOO.__getitem__, GRAPHS):
            given = arguments_for(program, graph)
            expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
            found = run_module(module, graph, target="reference", arguments=given, schedule=PLAIN)
            assert (differs := first_difference(found, expected)) is None, f"{schedule} on {graph.name}: {differs}"


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize("name", [*WAVES, *NEAR_MISSES])
def test_every_way_gives_the_same_answer(name: str) -> None:
    text = {**WAVES, **NEAR_MISSES}[name]
    program, only = program_of(text), ["dist"] if name in (SEVERAL_PARENTS, THEIR_PARENTS) else None
    # a loop that lowers cells is pulled where that is asked for, in an order that numbers which wrap around do not bear
    ways = WAYS[1:] if name == "numbers wrap around" else WAYS
    modules = [made(text, target, way) for way in ways for target in ("openmp", "cuda")]
    modules += [decided(program.module(), parse_schedule(way), BACKENDS["cuda"].capabilities).module for way in ways]
    for graph in map(ZOO.__getitem__, GRAPHS):
        given = arguments_for(program, graph)
        expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
        for module in modules:
            found = run_module(module, graph, target="reference", arguments=given, schedule=PLAIN, results=only)
            assert (differs := first_difference(found, expected)) is None, f"{graph.name}: {differs}"


@pytest.mark.parametrize("target", [t for t in TARGETS if t.target in (*HOSTS, "hip")], ids=lambda target: target.label)
@pytest.mark.parametrize("text", [OTHER_WORDS, GUARDED, LEVELS, SOME_NUMBERS], ids=["set", "some", "levels", "numbers"])
def test_devices_give_the_same_answers(text: str, target: Target) -> None:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    program = program_of(text)
    for name in ("one-node", "parallel", "unreachable", "random", "random-dense", "star-out-undirected"):
        given = arguments_for(program, ZOO[name])
        expected = run_module(program.module(), ZOO[name], target="reference", arguments=given, schedule=PLAIN)
        for way in ("direction=pull", "direction=auto"):
            where = {"target": target.target, "device_index": target.device or 0}
            found = run_module(made(text, target.target, way), ZOO[name], arguments=given, schedule=PLAIN, **where)
            assert (differs := first_difference(found, expected)) is None, f"{way} on {name}: {differs}"


# --- what is said ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [SWAPPED, LEVELS], ids=["set", "levels"])
def test_the_choice_is_said(text: str) -> None:
    for schedule, word in ((AUTO, "else pull"), (parse_schedule("direction=pull"), ": pull")):
        choices = decided(module_of(text), schedule, BACKENDS["openmp"].capabilities).choices
        (said,) = (choice for choice in choices if choice.step == "direction" and not choice.what.endswith(": push"))
        assert said.what.endswith(word)
        assert "so one sender is enough" in said.why


@pytest.mark.parametrize("example", ["bfs_levels", "bfs"])
def test_a_trace_tells_the_way_of_each_round(example: str) -> None:
    program = starplat.compile(EXAMPLES / f"{example}.sp")
    graph = random_graph(300, 2400, 7)
    result = program.run(graph, target="openmp", schedule="auto", src=0, trace=True, validate=True)
    assert told_by(result.trace) == by_level(graph, result["level"])
    assert result.trace is not None
    ways_taken = []
    for one in result.trace.rounds:
        walk = one.walks[0]
        assert walk.active is not None
        assert walk.direction is (Way.PULL if walk.active > graph.num_nodes // 16 else Way.PUSH)
        ways_taken.append(walk.direction)
    assert set(ways_taken) == {Way.PULL, Way.PUSH}
