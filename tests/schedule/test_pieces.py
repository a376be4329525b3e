"""Step `pieces`: where threads take turns on a core, each has iterations that follow each other, waiting for nobody."""

from __future__ import annotations

from typing import Any

import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.backends.launch import MOST_PIECES, threads_apart
from starplat.backends.opencl import CAPABILITIES as OPENCL, CPU_CAPABILITIES as OPENCL_CPU
from starplat.backends.sycl import CPU_CAPABILITIES as SYCL_CPU
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.visitor import launched_alone
from starplat.runtime import run_module
from starplat.runtime.validate import first_difference
from starplat.schedule import PLAIN, Schedule
from starplat.schedule.apply import decided
from starplat.schedule.parse import parse_schedule
from tests.programs.cases import EXAMPLES
from tests.programs.targets import TARGETS, Target
from tests.schedule.programs import arguments_for
from tests.zoo import ZOO

ON_CPUS = {"opencl": OPENCL_CPU, "sycl": SYCL_CPU}
SOME = [target for target in TARGETS if target.target in ON_CPUS]
GRAPHS = ("empty", "one-node", "parallel", "random", "star-out-undirected")
SUMS = """
function sums(Graph g, propNode<int> reached, propNode<int> joined, propEdge<int> weight, double least) {
  long total = 0;
  int most = 0;
  double product = 1.0;
  bool all = True;
  forall (v in g.nodes()) {
    total += v.reached + 3;
    product *= 1.0 + v.reached;
    all = all && v.reached >= 0;
    forall (nbr in g.neighbors(v)) {
      edge e = g.get_edge(v, nbr);
      most = Max(most, e.weight);
      nbr.joined += 1;
    }
  }
  if (all) { total += 1; }
  if (product > least) { total += 5; }
  return total + most;
}
"""


def module_of(name: str) -> ir.Module:
    return starplat.compile(EXAMPLES / f"{name}.sp").module()


def made(module: ir.Module, capabilities: Capabilities, schedule: str = "auto") -> ir.Module:
    return decided(module, parse_schedule(schedule), capabilities).module


@pytest.mark.parametrize("capabilities", ON_CPUS.values(), ids=ON_CPUS)
@pytest.mark.parametrize("name", ["pagerank", "bfs", "connected_components", "triangle_count"])
def test_what_the_host_launches_is_taken_in_pieces(name: str, capabilities: Capabilities) -> None:
    kernels = launched_alone(made(module_of(name), capabilities))
    assert all(kernel.works_apart for kernel in kernels if not isinstance(kernel.domain, ir.Once))


def test_elsewhere_threads_next_to_each_other_have_nodes_next_to_each_other() -> None:
    for capabilities in (OPENCL, BACKENDS["cuda"].capabilities, BACKENDS["openmp"].capabilities):
        assert not any(kernel.in_pieces for kernel in made(module_of("pagerank"), capabilities).kernels)
    assert not any(kernel.in_pieces for kernel in made(module_of("pagerank"), OPENCL_CPU, "plain").kernels)


def test_who_shares_arcs_has_no_piece() -> None:
    shared = made(module_of("pagerank"), OPENCL_CPU, "balance=edge").kernels
    assert not any(kernel.in_pieces and kernel.shares_arcs for kernel in shared)
    assert any(kernel.shares_arcs for kernel in shared)


def test_a_piece_is_a_plain_loop_and_nobody_waits_for_a_group() -> None:
    text = BACKENDS["opencl"].kernels_text(made(module_of("pagerank"), OPENCL_CPU))
    kernel = text[text.index("void pagerank_set_rank_nxt(") :].partition("\n}\n")[0]
    assert "const int begin = piece(0, num_nodes, get_global_id(0), get_global_size(0));" in kernel
    assert "for (int v = begin; v < end; v++) {" in kernel
    assert "atomic_add_double(change, change_part);" in kernel
    assert "__local" not in kernel
    assert "barrier" not in text


def test_the_choice_is_told() -> None:
    choices = decided(module_of("pagerank"), Schedule(), OPENCL_CPU).choices
    said = [choice.what for choice in choices if choice.step == "pieces"]
    assert "pagerank_set_rank_nxt: each thread takes a piece" in said


def test_there_are_pieces_for_all_cores_and_not_too_small_ones() -> None:
    kernel = module_of("pagerank").kernels[0]
    assert [threads_apart(kernel, count) for count in (0, 1, 64, 65, 1 << 30)] == [1, 1, 1, 2, MOST_PIECES]


@pytest.mark.parametrize("target", SOME, ids=lambda target: target.label)
@pytest.mark.parametrize(("size", "most"), [(1, 3), (1, 1024), (5, 7)])
def test_the_answers_are_the_same_however_many_pieces_there_are(
    target: Target, size: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums, extremes and conditions that pieces hand on one by one; also where some pieces have nothing."""
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    monkeypatch.setattr("starplat.backends.launch.ITERATIONS_OF_A_PIECE", size)
    monkeypatch.setattr("starplat.backends.launch.MOST_PIECES", most)
    program = starplat.compile(SUMS)
    module = made(program.module(), ON_CPUS[target.target])
    assert all(kernel.in_pieces for kernel in module.kernels)
    where: dict[str, Any] = {"target": target.target, "device_index": target.device or 0}
    for name in GRAPHS:
        graph = ZOO[name]
        given = arguments_for(program, graph)
        expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
        found = run_module(module, graph, arguments=given, schedule=PLAIN, **where)
        assert first_difference(found, expected) is None, name
        assert found.returned == expected.returned, name
