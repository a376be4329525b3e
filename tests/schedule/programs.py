"""Programs as texts, what scheduling for CUDA makes of them, and whether that gives the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import starplat
from starplat import pipeline
from starplat.backends import BACKENDS
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.shapes.members import membership
from starplat.ir.visitor import loops_of, walk_host
from starplat.pipeline import is_race
from starplat.runtime import run_module
from starplat.runtime.validate import first_difference
from starplat.schedule import AUTO, PLAIN, Schedule
from starplat.schedule.apply import decided
from starplat.schedule.parse import parse_schedule
from tests.backends.emulated import Machine, emulated
from tests.zoo import ZOO

CUDA = BACKENDS["cuda"].capabilities
BY_HOST = BACKENDS["openmp"].capabilities
"""Of a target where the host drives all loops."""
GRAPHS = ("one-node", "parallel", "diamonds", "random", "random-dense", "star-out-undirected")
SCHEDULES = ("auto", "loop=device,frontier=flags", "direction=push", "direction=pull", "balance=node", "loop=host")


@cache
def program_of(text: str) -> starplat.Program:
    """The program, compiled once for all tests that only ask for its module."""
    return starplat.compile(text)


@cache
def module_of(text: str) -> ir.Module:
    """The module of the program as it is written: what schedules recognise by themselves."""
    return pipeline.lower(program_of(text).checked, as_written=True)


def scheduled(text: str, schedule: str | Schedule = AUTO) -> ir.Module:
    """What a schedule makes of a program for CUDA."""
    wanted = parse_schedule(schedule) if isinstance(schedule, str) else schedule
    return decided(module_of(text), wanted, CUDA).module


@dataclass(frozen=True)
class Shape:
    """What is seen of a module: how many loops are one launch, how many launches the host makes beside these, how many
    sets are packed, how many kernels walk one, how many of these empty it, how many kernels share arcs."""

    loops: int
    launches: int
    packed: int
    walks: int
    takes: int
    shares: int


def shape(module: ir.Module) -> Shape:
    loops = loops_of(module)
    inside = {id(op) for loop in loops for op in walk_host(loop.body)}
    launches = [op for f in module.functions for op in walk_host(f.body) if isinstance(op, ir.Launch)]
    used = {launch.kernel for launch in launches}
    found = [membership(kernel) for kernel in module.kernels if kernel.name in used]
    return Shape(
        len(loops),
        sum(id(launch) not in inside for launch in launches),
        len({array for function in module.functions for array in function.arrays if array.packed}),
        sum(m is not None for m in found),
        sum(m is not None and m.takes for m in found),
        sum(kernel.shares_arcs for kernel in module.kernels if kernel.name in used),
    )


def host_ops(module: ir.Module) -> list[ir.HostOp]:
    """All of them, those inside of loops too."""
    return [op for function in module.functions for op in walk_host(function.body)]


def arguments_for(program: starplat.Program, graph: Graph) -> dict[str, Any]:
    """Something for every parameter that must be given: nodes, sets of nodes, numbers."""
    from starplat.frontend.types import Carrier, PropertyType, Scalar, SetType

    given: dict[str, Any] = {}
    for argument in program.module().arguments:
        match argument.type:
            case SetType():
                given[argument.name] = sorted({0, graph.num_nodes // 2, graph.num_nodes - 1})
            case Scalar.NODE:
                given[argument.name] = graph.num_nodes // 2
            case Scalar.BOOL:
                given[argument.name] = False
            case Scalar() if argument.default is None:
                given[argument.name] = 3
            case PropertyType(Carrier.NODE, Scalar.BOOL):
                given[argument.name] = np.arange(graph.num_nodes) % 3 == 0
            case PropertyType(Carrier.NODE, Scalar.INT):
                given[argument.name] = np.arange(graph.num_nodes) * 7 % 5
            case _:
                pass
    return given


def assert_same_answers(text: str, *, fibers: bool = False, **more: Any) -> None:
    """The answers of every schedule are those of the program as it is, by the interpreter, for CUDA and for a target
    where the host drives all loops; with `fibers` those of `auto` for CUDA, by g++."""
    program = program_of(text)
    assert not any(map(is_race, program.warnings)), "it has several right answers"
    module = program.module()
    variants = [AUTO] if fibers else list(map(parse_schedule, SCHEDULES))
    outcomes: dict[str, ir.Module] = {}
    for schedule in variants:
        made = decided(module, schedule, CUDA).module
        if made is not module and made not in outcomes.values():
            outcomes[str(schedule)] = made
    for schedule in map(parse_schedule, () if fibers else ("auto", "priority=none")):
        made = decided(module, schedule, BY_HOST).module
        if made is not module and made not in outcomes.values():
            outcomes[f"{schedule}, by the host"] = made
    for name in GRAPHS:
        graph = ZOO[name]
        given = {**arguments_for(program, graph), **more}
        expected = run_module(module, graph, target="reference", arguments=given, schedule=PLAIN)
        for label, made in outcomes.items():
            for found in _answers(made, graph, given, fibers):
                differs = first_difference(found, expected)
                assert differs is None, f"{label} on {name}: {differs}"


def _answers(made: ir.Module, graph: Graph, given: dict[str, Any], fibers: bool) -> Iterator[starplat.Result]:
    if not fibers:
        yield run_module(made, graph, target="reference", arguments=given, schedule=PLAIN)
        return
    for seed in range(3):
        with emulated(Machine(seed=seed)):
            yield run_module(made, graph, target="cuda", arguments=given, schedule=PLAIN)


# --- programs ------------------------------------------------------------------------------------------------------

SSSP = """function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, modified = False);
  src.dist = 0;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        <nbr.dist, nbr.modified> = <Min(nbr.dist, v.dist + e.weight), True>;
      }
    }
  }
}"""

TWO_FLAGS = """function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> modified;
  propNode<bool> modified_nxt;
  g.attachNodeProperty(dist = INF, modified = False, modified_nxt = False);
  src.dist = 0;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        <nbr.dist, nbr.modified_nxt> = <Min(nbr.dist, v.dist + e.weight), True>;
      }
    }
    g.attachNodeProperty(modified = modified_nxt, modified_nxt = False);
  }
}"""

RENAMED = """function template(Graph float4, propNode<long> inline, propEdge<long> weight, node kernel) {
  bool barrier = False;
  propNode<bool> warp;
  float4.attachNodeProperty(warp = False);
  float4.attachNodeProperty(inline = INF);
  kernel.warp = True;
  kernel.inline = 0;
  fixedPoint until (barrier : !warp) {
    forall (class in float4.nodes().filter(warp)) {
      forall (threadIdx in float4.neighbors(class)) {
        edge signed = float4.get_edge(class, threadIdx);
        long candidate = class.inline + signed.weight;
        <threadIdx.inline, threadIdx.warp> = <Min(threadIdx.inline, candidate), True>;
      }
    }
  }
}"""

NESTED = """function farthest(Graph g, propNode<long> total, propEdge<int> weight, SetN<g> sources) {
  g.attachNodeProperty(total = 0);
  for (src in sources) {
    propNode<bool> modified;
    propNode<int> dist;
    g.attachNodeProperty(dist = INF, modified = False);
    if (g.count_outNbrs(src) > 0) {
      src.dist = 0;
      src.modified = True;
      bool finished = False;
      fixedPoint until (finished : !modified) {
        forall (v in g.nodes().filter(modified && v != -1)) {
          forall (nbr in g.neighbors(v)) {
            edge e = g.get_edge(v, nbr);
            <nbr.dist, nbr.modified> = <Min(nbr.dist, v.dist + e.weight), True>;
          }
        }
      }
      forall (v in g.nodes().filter(dist < INF)) {
        v.total += v.dist;
      }
    }
  }
}"""

LEVELS = """function levels(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  iterateInBFS (v in g.nodes() from src) {
    forall (w in g.neighbors(v)) {
      <w.level> = <Min(w.level, v.level + 1)>;
    }
  }
}"""

BY_NUMBER = """function levels(Graph g, propNode<int> found_in, node src) {
  propNode<int> level;
  g.attachNodeProperty(level = INF, found_in = -1);
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
}"""

PEELING = """function peel(Graph g, propNode<int> rounds) {
  propNode<int> degree;
  propNode<bool> gone;
  g.attachNodeProperty(rounds = -1, gone = False, degree = 0);
  forall (v in g.nodes()) {
    v.degree = g.count_outNbrs(v);
  }
  int left = 3;
  int k = 0;
  while (left > 0) {
    forall (v in g.nodes().filter(rounds == -1 && degree <= k)) {
      v.rounds = k;
      v.gone = True;
    }
    forall (v in g.nodes().filter(gone)) {
      v.gone = False;
      forall (nbr in g.neighbors(v)) {
        nbr.degree -= 1;
      }
    }
    k += 1;
    left -= 1;
  }
}"""
