"""Step `batch`: the host asks for rounds ahead, and those that are not there change nothing; where it has to wait in
each round it does, and says why."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.printing.modules import print_module
from starplat.ir.verifying.modules import verify
from starplat.ir.verifying.wellformed import InvalidModule
from starplat.ir.visitor import loops_of, walk_host
from starplat.runtime import run_module
from starplat.runtime.validate import first_difference
from starplat.schedule import PLAIN, Schedule
from starplat.schedule.apply import decided
from starplat.schedule.loop.batches import MOST_AHEAD
from starplat.schedule.parse import parse_schedule
from starplat.schedule.schedule import Loop
from starplat.schedule.step import Choice
from tests.backends.emulated import Machine, emulated
from tests.changing import changed
from tests.programs.cases import EXAMPLES
from tests.programs.targets import TARGETS, Target
from tests.schedule.programs import NESTED, RENAMED, SSSP, TWO_FLAGS, arguments_for, module_of, program_of
from tests.zoo import ZOO

WITH_BATCHES = ("opencl", "sycl", "cuda", "hip", "openacc")
DEVICES = [target for target in TARGETS if target.target in ("opencl", "sycl", "openacc")]
SMALL = Graph.from_arcs(4, [0, 1, 2, 2, 3], [1, 2, 0, 3, 3])
GRAPHS = ("empty", "one-node", "one-loop", "parallel", "diamonds", "random", "star-out-undirected")

# In round k of these, cell v of `rank` is k or v + until % 7, whichever is less; they end when none rises any more, and
# at the latest after `limit` rounds. All of them return what the host knows at the end.
WHILE = """function rise(Graph g, propNode<int> rank, int until, int limit) {
  int rounds = 0;
  long risen = 1;
  double sum = 0.0;
  g.attachNodeProperty(rank = 0);
  while (risen > 0 && rounds < limit) {
    risen = 0;
    forall (v in g.nodes()) {
      if (v.rank < until && v.rank < v + until % 7) {
        v.rank += 1;
        risen += 1;
      }
    }
    sum = sum + 1.0 * risen;
    rounds++;
  }
  return sum * 1000.0 + rounds;
}"""
TESTED_LAST = changed(
    WHILE,
    ("while (risen > 0 && rounds < limit) {", "do {"),
    ("    rounds++;\n  }", "    rounds++;\n  } while (risen > 0 && rounds < limit);"),
)
COUNTED = changed(
    WHILE, ("  while (risen > 0 && rounds < limit) {", "  for (int i = 0; i < limit && risen > 0; i++) {")
)
LEAVES = changed(
    WHILE,
    ("while (risen > 0 && rounds < limit)", "while (rounds < limit)"),
    ("    sum = sum", "    if (risen == 0) { sum = sum + 0.5; break; }\n    sum = sum"),
)
LEAVES_FIRST = changed(WHILE, ("    risen = 0;\n", "    if (rounds == until / 2) { break; }\n    risen = 0;\n"))
DOUBLES = changed(
    WHILE,
    ("  double sum = 0.0;", "  double sum = 0.0;\n  long seed = 1;"),
    (
        "    sum = sum",
        "    seed = seed * 3 + risen;\n" + "    seed = seed + (seed ^ (seed * 7));\n" * 30 + "    sum = sum",
    ),
    ("return sum", "return 1.0 * (seed % 1000) + sum"),
)
CHOOSES = changed(
    WHILE, ("    sum = sum + 1.0 * risen;", "    if (risen % 2 == 0) { sum = sum + 2.0; } else { sum = sum * 0.5; }")
)
TWO_SUMS = changed(
    WHILE,
    (
        "    sum = sum",
        """    long low = 0;
    forall (v in g.nodes().filter(v.rank < risen)) { low += v.rank; }
    risen = risen + low * 0;
    sum = sum""",
    ),
)
COPIES = """function spread(Graph g, propNode<int> rank, int until, int limit) {
  propNode<int> next;
  int rounds = 0;
  int most = 0;
  g.attachNodeProperty(rank = 0);
  do {
    bool changed = False;
    forall (v in g.nodes()) {
      int best = v.rank;
      for (nbr in g.nodes_to(v)) {
        if (nbr.rank + 1 > best && nbr.rank < until) { best = nbr.rank + 1; }
      }
      v.next = best;
      if (best != v.rank) { changed |= True; }
    }
    rank = next;
    rounds++;
    if (!changed) { break; }
    most = rounds;
  } while (rounds < limit);
  return most * 1000 + rounds;
}"""
SWAPS = """function spread(Graph g, propNode<int> rank, int until, int limit) {
  propNode<int> now;
  propNode<int> next;
  int rounds = 0;
  bool changed = True;
  g.attachNodeProperty(now = 0, next = 0);
  do {
    changed = False;
    forall (v in g.nodes()) {
      int best = v.now;
      for (nbr in g.nodes_to(v)) {
        if (nbr.now + 1 > best && nbr.now < until) { best = nbr.now + 1; }
      }
      if (best > 0) { v.next = best; }
      if (best != v.now) { changed |= True; }
    }
    now = next;
    g.attachNodeProperty(next = 0);
    rounds++;
  } while (changed && rounds < limit);
  rank = now;
  return rounds;
}"""
LAST_ARC = """function peel(Graph g, propNode<int> rank, propEdge<bool> gone, int until, int limit) {
  int rounds = 0;
  edge last = -1;
  do {
    last = -1;
    forall (v in g.nodes()) {
      for (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        if (!e.gone && e < until) { last = Max(last, e); }
      }
    }
    forall (v in g.nodes()) {
      for (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        if (e == last) { e.gone = True; v.rank += 1; }
      }
    }
    rounds++;
  } while (last != -1 && rounds < limit);
  return rounds;
}"""
ROUNDS = {
    "while": WHILE,
    "do while": TESTED_LAST,
    "for": COUNTED,
    "left in the middle": LEAVES,
    "left at the beginning": LEAVES_FIRST,
    "a scalar that doubles": DOUBLES,
    "scalars under a condition": CHOOSES,
    "two sums, one for a filter": TWO_SUMS,
    "arrays are copied": COPIES,
    "arrays change places": SWAPS,
    "the last arc": LAST_ARC,
}
FIXED_POINTS = {
    "sets": SSSP,
    "two flags": TWO_FLAGS,
    "renamed": RENAMED,
    "for each source": NESTED,
    "peeling": (EXAMPLES / "k_core.sp").read_text(encoding="utf-8"),
    "independent nodes": (EXAMPLES / "maximal_independent_set.sp").read_text(encoding="utf-8"),
}
ALL = {**ROUNDS, **FIXED_POINTS}


def choices_of(text: str, target: str = "opencl", schedule: str = "loop=batch") -> tuple[Choice, ...]:
    found = decided(module_of(text), parse_schedule(schedule), BACKENDS[target].capabilities).choices
    return tuple(choice for choice in found if choice.step == "batch")


def made(text: str, target: str = "opencl", schedule: str = "loop=batch") -> ir.Module:
    return decided(module_of(text), parse_schedule(schedule), BACKENDS[target].capabilities).module


def host_ops(module: ir.Module) -> list[ir.HostOp]:
    return [op for function in module.functions for op in walk_host(function.body)]


def driver_of(loop: ir.Loop) -> ir.Ahead:
    assert isinstance(loop.driver, ir.Ahead)
    return loop.driver


def batches(module: ir.Module) -> list[ir.Loop]:
    return [op for op in host_ops(module) if isinstance(op, ir.Loop) and isinstance(op.driver, ir.Ahead)]


def launched(module: ir.Module, op: ir.HostOp) -> list[ir.Kernel]:
    return [module.kernel(inner.kernel) for inner in walk_host((op,)) if isinstance(inner, ir.Launch)]


@cache
def compiled(text: str, target: str) -> tuple[starplat.Program, ir.Module]:
    """The program, and what it is for a target in batches."""
    return program_of(text), made(text, target)


# --- structure ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", WITH_BATCHES)
@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_all_that_changes_cells_in_a_round_looks_first(text: str, target: str) -> None:
    module = made(text, target)
    (loop,) = batches(module)
    kernels = launched(module, loop)
    assert all(kernel.guard == driver_of(loop).goes_on for kernel in kernels)
    assert not any(kernel.brought_back for kernel in kernels)
    assert isinstance(kernels[-1].domain, ir.Once)
    assert driver_of(loop).most == MOST_AHEAD
    assert not loops_of(module)


def test_a_round_of_pagerank_has_one_launch_more() -> None:
    text = (EXAMPLES / "pagerank.sp").read_text(encoding="utf-8")
    module = made(text)
    (loop,) = batches(module)
    plain = next(op for op in host_ops(made(text, schedule="loop=host")) if isinstance(op, ir.Loop))
    assert len(launched(module, loop)) == len(launched(made(text, schedule="loop=host"), plain)) + 1
    assert not [op for op in host_ops(module) if isinstance(op, ir.ReadCell)], "nobody asks for a scalar afterwards"


def test_scalars_are_read_back_for_those_who_ask() -> None:
    reads = [op.variable.name for op in host_ops(made(WHILE)) if isinstance(op, ir.ReadCell)]
    assert reads == ["sum", "rounds"]
    in_a_loop = changed(
        WHILE,
        ("  while (risen", "  int again = 0;\n  while (again < 2) {\n  risen = 1;\n  again++;\n  while (risen"),
        ("    rounds++;\n  }", "    rounds++;\n  }\n  }"),
    )
    reads = [op.variable.name for op in host_ops(made(in_a_loop)) if isinstance(op, ir.ReadCell)]
    assert set(reads) >= {"sum", "rounds"}


def test_what_changes_places_too_often_is_put_right() -> None:
    module = made(SWAPS)
    (loop,) = batches(module)
    assert sum(isinstance(op, ir.Swap) for op in walk_host(loop.body)) == 1
    assert sum(isinstance(op, ir.Swap) for op in host_ops(module)) == 2, "in a round, and once behind all of them"


def test_who_asks_for_something_else_gets_it() -> None:
    pagerank = (EXAMPLES / "pagerank.sp").read_text(encoding="utf-8")
    assert batches(made(pagerank, schedule="auto"))
    assert not batches(made(pagerank, schedule="loop=host"))
    assert not batches(made(pagerank, schedule="loop=group"))
    assert not batches(made(pagerank, "cuda", "auto")), "the whole loop is one launch"
    assert not batches(made(pagerank, "openacc", "auto")), "a launch takes long there"
    able = BACKENDS["opencl"].capabilities
    on_cpu = decided(module_of(pagerank), Schedule(), replace(able, late_words=False)).module
    assert not batches(on_cpu), "to wait costs little there"
    assert batches(decided(module_of(pagerank), Schedule(loop=Loop.BATCH), replace(able, late_words=False)).module)


def test_flags_alone_are_no_batches() -> None:
    """Who asks for batches and gets none hears of it, though for them active nodes would be kept as flags."""
    waiting = changed(
        SSSP,
        (
            "dist + e.weight), True>;\n      }\n    }",
            "dist + e.weight), True>;\n      }\n    }\n    src.dist = src.dist;",
        ),
    )
    with pytest.raises(DiagnosticError) as refused:
        starplat.compile(waiting).artifact("opencl", schedule="loop=batch")
    assert "can follow 'loop=batch'" in refused.value.diagnostics[0].message
    with pytest.raises(DiagnosticError) as refused:
        starplat.compile(SSSP).artifact("opencl", schedule="loop=batch,frontier=queue")
    assert "with 'frontier=auto' it is followed" in str(refused.value.diagnostics[0].help)


@pytest.mark.parametrize("text", [WHILE, SSSP], ids=["while", "sets"])
def test_a_target_that_brings_back_what_it_reduces_says_so(text: str) -> None:
    program = program_of(text)
    with pytest.raises(DiagnosticError) as refused:
        program.artifact("openmp", schedule="loop=batch")
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code == "E0665"
    assert "it has no in-order queue of launches" in diagnostic.message


NEAR_MISSES = {
    "a kernel only under a condition": (
        changed(
            WHILE, ("    rounds++;", "    rounds++;\n    if (risen > 2) { forall (v in g.nodes()) { v.rank += 0; } }")
        ),
        "the host branches in a round on a result of the device",
    ),
    "goes on from the middle": (
        changed(WHILE, ("    sum = sum", "    if (risen == 3) { rounds++; continue; }\n    sum = sum")),
        "the host branches in a round on a result of the device",
    ),
    "divides by what may be zero": (
        changed(WHILE, ("    rounds++;", "    rounds += 1 + 0 / (rounds + until);")),
        "only the host can compute one of its values",
    ),
    "a cell that may not be there": (
        changed(WHILE, ("int limit)", "int limit, node who)"), ("    rounds++;", "    rounds += 1 + who.rank * 0;")),
        "the host must check that 'rank' has the cell that it reads",
    ),
}


def test_active_nodes_are_flags_unless_somebody_asks_for_a_list() -> None:
    """Of a list the host must know how long it is."""
    assert batches(made(SSSP))
    for choice in choices_of(SSSP, schedule="loop=batch,frontier=queue"):
        assert choice.what.endswith("the host waits for each round")
        assert "the host" in choice.why


@pytest.mark.parametrize(("text", "why"), NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_rounds_that_need_the_host_stay_with_it_and_say_why(text: str, why: str) -> None:
    assert not batches(made(text))
    (choice,) = choices_of(text)
    assert choice.what == "the loop of 'rise_add_rank': the host waits for each round"
    assert choice.why == why


def test_a_loop_that_waits_for_nothing_is_left_alone() -> None:
    text = (EXAMPLES / "label_propagation.sp").read_text(encoding="utf-8")
    assert not choices_of(text)


def test_the_choice_has_a_name() -> None:
    (choice,) = choices_of(SWAPS, schedule="auto")
    assert choice.what == f"the loop of 'spread_set_next': the host launches up to {MOST_AHEAD} rounds ahead"


def test_the_verifier_wants_guards() -> None:
    module = made(WHILE)
    (loop,) = batches(module)
    name = launched(module, loop)[0].name
    kernels = tuple(replace(k, guard=None) if k.name == name else k for k in module.kernels)
    with pytest.raises(InvalidModule):
        verify(replace(module, kernels=kernels))


def test_the_host_code_of_an_artifact_asks_ahead() -> None:
    for target in WITH_BATCHES:
        pieces = starplat.compile(SWAPS).artifact(target, schedule="loop=batch")
        text = "".join(pieces.values())
        assert f"for (int ahead = 1;; ahead = ahead < {MOST_AHEAD} ? 2 * ahead : ahead) {{" in text
        assert "if (!goes_on.read(0)) break;" in text
        assert "if (turned != turned_on_device)" in text


def test_the_printed_module_says_what_is_guarded() -> None:
    text = print_module(made(WHILE))
    assert f"do while goes_on[0], up to {MOST_AHEAD} rounds ahead" in text
    assert "nothing unless goes_on" in text
    assert "reduction risen: long by + into risen_found" in text


# --- answers --------------------------------------------------------------------------------------------------------


def same(text: str, graph: Graph, where: dict[str, object], **more: object) -> None:
    """Exactly the same, but for the order of a sum of reals, of which there are none here."""
    target = str(where["target"])
    program, module = compiled(text, "opencl" if target == "reference" else target)
    given = {**arguments_for(program, graph), **more}
    expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
    found = run_module(module, graph, arguments=given, schedule=PLAIN, **where)  # type: ignore[arg-type]
    differs = first_difference(found, expected)
    assert differs is None, f"{graph.name} with {more}: {differs}"
    assert found.returned == expected.returned
    for name, cells in expected.properties.items():
        assert np.array_equal(np.asarray(found.properties[name]), np.asarray(cells)), f"{graph.name} with {more}"


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_answers_stay_the_same(text: str) -> None:
    for name in GRAPHS:
        if text in ROUNDS.values() or ZOO[name].num_nodes:
            more = {"until": 9, "limit": 40} if text in ROUNDS.values() else {}
            same(text, ZOO[name], {"target": "reference"}, **more)


@pytest.mark.parametrize("text", ROUNDS.values(), ids=ROUNDS)
def test_the_end_may_come_in_any_round(text: str) -> None:
    """In the first, at the beginning, in the middle and at the end of a batch, and at the limit of rounds: batches end
    after 1, 3, 7, 15, 23 and 31 rounds."""
    for rounds in (0, 1, 2, 3, 4, 6, 7, 8, 14, 15, 16, 23, 31):
        for until, limit in ((rounds, 100), (rounds + 1, rounds), (rounds, rounds)):
            same(text, SMALL, {"target": "reference"}, until=until, limit=limit)


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("target", DEVICES, ids=lambda target: target.label)
@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_devices_give_the_same_answers(text: str, target: Target) -> None:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    where = {"target": target.target, "device_index": target.device or 0}
    for name in ("one-node", "diamonds", "random", "star-out-undirected"):
        for until, limit in ((0, 5), (6, 40), (15, 15), (20, 7)) if text in ROUNDS.values() else ((0, 0),):
            more = {"until": until, "limit": limit} if text in ROUNDS.values() else {}
            same(text, ZOO[name], where, **more)


@pytest.mark.parametrize(
    "text", [WHILE, LEAVES, SWAPS, SSSP, TWO_FLAGS], ids=["while", "left", "swaps", "sets", "flags"]
)
def test_fibers_give_the_same_answers(text: str) -> None:
    for name in ("one-node", "diamonds", "random"):
        for seed in range(2):
            with emulated(Machine(seed=seed)):
                more = {"until": 8, "limit": 12 + seed} if text in ROUNDS.values() else {}
                same(text, ZOO[name], {"target": "cuda"}, **more)


def test_few_words_come_back() -> None:
    """The host reads one word after 1, 2, 4, 8, 8, … rounds."""
    given = {"until": 20, "limit": 100}
    read = {}
    for schedule in ("loop=host", "loop=batch"):
        module = made(WHILE, schedule=schedule)
        result = run_module(module, ZOO["diamonds"], target="reference", arguments=given, schedule=PLAIN, results=[])
        read[schedule] = result.bytes.down
    assert read["loop=batch"] < read["loop=host"]


def test_a_trace_tells_of_the_rounds_that_took_place() -> None:
    """While somebody watches, the host waits for each round."""
    program = starplat.compile(WHILE)
    traces = [
        program.run(
            ZOO["diamonds"], target="reference", schedule=schedule, arguments={"until": 5, "limit": 50}, trace=True
        ).trace
        for schedule in ("loop=batch", "loop=host")
    ]
    ahead, by_host = ([(one.number, one.chief.kernel) for one in trace.rounds] for trace in traces if trace is not None)
    assert ahead == by_host


def test_a_device_need_not_have_doubles_for_the_host_alone() -> None:
    """Unless somebody asks for it: kernels of this program have none."""
    assert "double" not in BACKENDS["opencl"].kernels_text(made(WHILE, schedule="auto"))
    (choice,) = choices_of(WHILE, schedule="auto")
    assert choice.why == "it computes a double, which the device may lack"


def test_short_names_of_kernels_are_nobody_elses() -> None:
    """The number that an array is filled with is called as a kernel's own node would be."""
    text = changed(
        SWAPS,
        ("int until, int limit)", "int until, int limit, int v = 3)"),
        ("forall (v in g.nodes()) {\n      int best = v.now;", "forall (w in g.nodes()) {\n      int best = w.now;"),
        ("g.nodes_to(v)", "g.nodes_to(w)"),
        ("if (best > 0) { v.next = best; }", "if (best > v) { w.next = best; }"),
        ("if (best != v.now)", "if (best != w.now)"),
        ("    g.attachNodeProperty(next = 0);", "    v++;\n    g.attachNodeProperty(next = v);"),
    )
    assert batches(made(text))
    same(text, SMALL, {"target": "reference"}, until=9, limit=20)
