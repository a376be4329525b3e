"""Nodes for which a filter becomes true in a round are taken in that round, by the block that makes it true."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat import Graph
from starplat.backends import BACKENDS
from starplat.backends.cuda import CUDA
from starplat.backends.hip import HIP
from starplat.backends.scheduled import for_target
from starplat.graph import generators
from starplat.ir import nodes as ir
from starplat.runtime.session import default_session
from starplat.schedule import AUTO, PLAIN, following
from starplat.schedule.apply import scheduled_alike
from starplat.schedule.facts import GraphFacts
from tests.backends import emulated
from tests.backends.emulated import EmulatedDevice, Machine, require_compiler
from tests.backends.test_cuda import to_machine_code
from tests.changing import changed
from tests.zoo import ZOO

CORES = (Path(__file__).parents[2] / "examples" / "k_core.sp").read_text(encoding="utf-8")
RECOUNTED = (Path(__file__).parents[1] / "spellings" / "k_core" / "stay_while_enough.sp").read_text(encoding="utf-8")


def over_arcs(condition: str) -> str:
    """Core numbers of which only such arcs are told."""
    told = "filter({})) {{\n        nbr.degree -="
    return changed(CORES, (told.format("nbr != v"), told.format(condition)))


ADDS = "forall (v in g.nodes()) {{ v.core += 100 * {}; }}"

FOLLOWED = {
    "cores": CORES,
    "less than": changed(CORES, ("degree <= k", "degree < k"), ("int k = 0", "int k = 1")),
    "the other way round": changed(
        CORES,
        ("v.degree += 1", "v.degree -= 1"), ("degree <= k", "degree >= -k"), ("nbr.degree -= 1", "nbr.degree += 1"),
    ),
    "by two at once": changed(
        CORES, ("v.degree += 1", "v.degree += 2"), ("degree <= k", "degree <= 2 * k"), ("degree -= 1", "degree -= 2")
    ),
    "over some of the arcs": over_arcs("nbr > v"),
    "in other names": changed(
        CORES,
        ("(v in g.nodes().filter(peeling)) {\n      v.", "(nbr in g.nodes().filter(peeling)) {\n      nbr."),
        ("forall (nbr in g.neighbors(v)", "forall (v in g.neighbors(nbr)"), ("nbr.degree -=", "v.degree -="),
    ),
    "recounted": changed(RECOUNTED, ("shell", "core")),
    "numbers where none passed": changed(
        CORES, ("int k = 0;", "int k = 0; int steps = 0;"), ("      k += 1;\n", "      k += 1;\n      steps += 2;\n")
    ),
    "what is left is counted late": changed(
        CORES, ("    left -= peeled;\n", ""), ("      k += 1;\n    }", "      k += 1;\n    }\n    left -= peeled;")
    ),
    "what the bound comes to": changed(CORES, ("    }\n  }\n}\n", f"    }}\n  }}\n  {ADDS.format('k')}\n}}\n")),
}  # fmt: skip
LEFT_ALONE = {
    "rounds are counted": changed(
        CORES, ("int k = 0;", "int k = 0; int rounds = 0;"), ("left -= peeled;", "left -= peeled; rounds += 1;"),
        ("v.core = k;", "v.core = k + rounds;"),
    ),
    "a bound of every round": changed(CORES, ("if (peeled == 0) {\n      k += 1;\n    }", "k += 1;")),
    "ends early": changed(CORES, ("left > 0", "left > 5")),
    "left of some nodes": changed(CORES, ("long left = g.num_nodes();", "long left = g.num_nodes() - 3;")),
    "left by two": changed(CORES, ("peeled += 1;", "peeled += 2;")),
    "bounds that only arcs away from": changed(CORES, ("nbr.degree -= 1", "nbr.degree += 1")),
    "stored by arcs": changed(CORES, ("nbr.degree -= 1", "nbr.degree = 0")),
    "arcs that look at counts": over_arcs("nbr != v && nbr.degree > 1"),
    "arcs that look at who is taken": over_arcs("nbr != v && nbr.core < 0"),
    "arcs that look at who is taken now": over_arcs("nbr != v && !nbr.peeling"),
    "how many passed counts where none did": changed(
        CORES,
        ("int k = 0;", "int k = 0; long steps = 0;"), ("      k += 1;\n", "      k += 1; steps += 1 + peeled;\n"),
        ("    }\n  }\n}\n", f"    }}\n  }}\n  {ADDS.format('steps')}\n}}\n"),
    ),
    "left as a real": changed(CORES, ("long left", "float left")),
    "begins where cells are free": changed(CORES, ("int k = 0;", "int k = -1;")),
    "free cells may be left": changed(CORES, ("core = -1,", "core = 2,"), ("core == -1", "core == 2")),
    "nodes are seen elsewhere": changed(
        CORES, ("left -= peeled;", "left -= peeled; forall (v in g.nodes().filter(core == k)) { v.peeling = False; }")
    ),
}  # fmt: skip


ROADS = GraphFacts(num_nodes=250_000, num_arcs=700_000, max_degree=8, symmetric=True)


@cache
def module(text: str, target: str = "cuda") -> ir.Module:
    return for_target(starplat.compile(text).module(), target, AUTO, ROADS)


def follows(made: ir.Module) -> bool:
    return any(kernel.follows for kernel in made.kernels)


@pytest.mark.parametrize("name", FOLLOWED)
def test_nodes_that_come_to_pass_are_taken_in_the_same_round(name: str) -> None:
    assert follows(module(FOLLOWED[name]))


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_rounds_stay_where_it_shows_what_each_takes(name: str) -> None:
    assert not follows(module(LEFT_ALONE[name]))


@pytest.mark.parametrize("facts", [None, replace(ROADS, max_degree=5000), replace(ROADS, num_arcs=70_000)], ids=str)
def test_only_where_rows_are_short_and_many(facts: GraphFacts | None) -> None:
    assert not follows(for_target(starplat.compile(CORES).module(), "cuda", AUTO, facts))


@pytest.mark.parametrize("target", ["opencl", "openmp", "openacc", "sycl"])
def test_only_where_warps_share_arcs(target: str) -> None:
    assert not follows(module(CORES, target))


def test_devices_that_share_a_launch_leave_rounds_as_they_are() -> None:
    assert not follows(scheduled_alike(starplat.compile(CORES).module(), AUTO, CUDA.capabilities, ROADS))


MACHINES = (Machine(), Machine(seed=2, blocks=2, threads=128, warp=64, family=HIP))


@pytest.mark.parametrize("machine", MACHINES, ids=["warps of 32", "warps of 64"])
@pytest.mark.parametrize("name", FOLLOWED)
def test_the_answer_is_the_same(name: str, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a path a node follows the other, a star has a long row; elsewhere a block finds more than it has room for."""
    require_compiler()
    monkeypatch.setitem(emulated.LIMITS, "MOST_FOLLOWED", 24)
    monkeypatch.setattr(following, "_MANY_ARCS", 0)
    monkeypatch.setitem(default_session()._devices, ("cuda", 0), EmulatedDevice(machine))
    path = Graph.from_arcs(300, np.arange(299), np.arange(1, 300), directed=False)
    star = Graph.from_arcs(601, np.arange(600), np.full(600, 600), directed=False)
    zoo = [graph for graph in ZOO.values() if graph.num_nodes][:: 1 if name == "cores" else 6]
    program = starplat.compile(FOLLOWED[name])
    for graph in (path, star, *zoo, generators.rmat(9).undirected(), generators.grid(30, 70, 1)):
        expected = program.run(graph, target="reference", schedule=PLAIN)
        np.testing.assert_array_equal(program.run(graph, target="cuda")["core"], expected["core"])


def test_a_search_has_room_for_its_sets_in_the_same_launch(tmp_path: Path) -> None:
    """A block has 48 KB."""
    search = """  int depth = 0;
  bool found = True;
  do {
    found = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) { <w.level, found> = <Min(w.level, depth + 1), True>; }
    }
    depth += 1;
  } while (found);
  long left ="""
    told = "forall (v in g.nodes().filter(v % 3 != 1)) { forall (w in g.neighbors(v)) { w.told += 1; } }"
    text = changed(
        CORES,
        ("propNode<int> core)", "propNode<int> core, propNode<int> level, propNode<int> told, node src)"),
        ("peeling = False);", f"peeling = False, level = INF, told = 0);\n  {told}\n  src.level = 0;"),
        ("  long left =", search),
    )
    facts = GraphFacts(num_nodes=2**25, num_arcs=2**27, max_degree=200, symmetric=True)
    made = for_target(starplat.compile(text).module(), "cuda", AUTO, facts)
    assert follows(made)
    to_machine_code(BACKENDS["cuda"].kernels_text(made), tmp_path)


def test_a_block_claims_nodes_and_looks_for_those_that_come_to_pass() -> None:
    text = BACKENDS["cuda"].kernels_text(module(CORES))
    assert "atomicCAS(&core[v], -1, k)" in text
    assert "if (old_degree - 1 == k) return nbr;" in text
    assert "if (left > 0 && !left_out) k += 1;" in text
    assert "Frontier" not in text
