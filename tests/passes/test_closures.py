"""Where any values spread over components, every node gets the best of its component by union-find."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import starplat
from starplat import pipeline
from starplat.backends import BACKENDS
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.capabilities import INTERPRETER
from starplat.ir.verifying.modules import verify
from starplat.ir.visitor import walk_host
from starplat.passes.labels.union_find import union_find
from starplat.passes.rewritten import Rewritten
from starplat.runtime import bind, run_module
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.apply import decided
from starplat.schedule.parse import parse_schedule
from starplat.schedule.unfollowed import unfollowed
from tests.backends.emulated import Machine, emulated
from tests.backends.test_cuda import to_machine_code
from tests.passes.closures import EACH, FEW, OTHERS
from tests.passes.random_closures import random_closure
from tests.programs.targets import FULL, REFERENCE, TARGETS, Target
from tests.zoo import ZOO, fewer_examples, random_graphs

SPELLINGS = {**EACH, **FEW}
every_spelling = pytest.mark.parametrize("name", SPELLINGS)
SOME = [target for target in TARGETS if target.target in ("reference", "openmp", "opencl")]
some_targets = pytest.mark.parametrize("target", SOME, ids=lambda target: target.label)
BOTH_WAYS = ("from-inf", "long-arcs")

ORACLES: dict[str, tuple[str, str, Callable[[NDArray[Any]], Any]]] = {
    "least-given": ("seed", "comp", min),
    "greatest-long": ("color", "color", max),
    "only-known": ("seed", "low", min),
    "any-stored": ("seed", "wet", any),
    "any-pulled": ("wet", "wet", any),
    "any-marked": ("seed", "wet", any),
    "all-stored": ("safe", "safe", all),
}
"""What begins, what ends, and what a component makes of the one to have the other."""


@cache
def plain(name: str) -> ir.Module:
    return pipeline.lower(starplat.compile({**SPELLINGS, **OTHERS}[name]).checked, as_written=True)


@cache
def canonical(name: str) -> ir.Module:
    return pipeline.lower(starplat.compile({**SPELLINGS, **OTHERS}[name]).checked)


@cache
def rewritten(name: str, symmetric: bool = False) -> Rewritten:
    return union_find(canonical(name), symmetric=symmetric)


def arguments(module: ir.Module, graph: Graph, draw: np.random.Generator) -> dict[str, Any]:
    """Values for every property, few of them different, and nodes for scalars."""
    n = graph.num_nodes
    found: dict[str, Any] = {}
    for parameter in module.function(module.entry).parameters:
        what, name = parameter.what, parameter.what.name
        match what.element.value:
            case "bool":
                found[name] = draw.random(n) < draw.choice([0.1, 0.9])
            case "node":
                ids = graph.index_base + draw.integers(0, n, n)
                found[name] = ids if isinstance(what, ir.Array) else int(ids[0])
            case _:
                found[name] = draw.integers(-5, 40, n)
    return found


def answer(module: ir.Module, graph: Graph, target: Target, values: dict[str, Any]) -> dict[str, NDArray[Any]]:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    bound = bind(module, graph, dict(values))
    result = run_module(module, graph, target=target.target, device_index=target.device or 0, arguments=bound)
    return {array.name: result[array.name] for array in module.results}


def assert_same(name: str, graph: Graph, target: Target, seed: int, symmetric: bool = False) -> None:
    if not graph.num_nodes:
        return  # no node can be given
    values = arguments(plain(name), graph, np.random.default_rng(seed))
    expected = answer(plain(name), graph, REFERENCE, values)
    found = answer(rewritten(name, symmetric).module, graph, target, values)
    for one, array in expected.items():
        np.testing.assert_array_equal(found[one], array, err_msg=one)


@every_spelling
def test_every_spelling_is_seen_through(name: str) -> None:
    found = rewritten(name)
    verify(found.module)
    assert len(found.found) == 1
    tests = [op for op in walk_host(found.module.functions[0].body) if isinstance(op, ir.HostIf)]
    loops = [op for op in walk_host(found.module.functions[0].body) if isinstance(op, ir.Loop)]
    guarding = [test for test in tests if any(op in loops for op in walk_host(test.then))]
    assert (len(guarding), len(loops)) == ((0, 0) if name in BOTH_WAYS else (1, 1))


@pytest.mark.parametrize("name", OTHERS)
def test_what_only_looks_like_it_stays_as_it_is(name: str) -> None:
    assert union_find(canonical(name)).module is canonical(name)


@every_spelling
def test_values_of_their_own_are_taken_without_asking_and_few_where_it_is_asked_for(name: str) -> None:
    for target, backend in ((target, BACKENDS[target]) for target in FULL):
        made = {
            word: decided(canonical(name), parse_schedule(word), backend.capabilities)
            for word in ("auto", "algebra=proved")
        }
        said = {word: [c.what for c in one.choices if c.step == "union-find"] for word, one in made.items()}
        assert len(said["auto"]) == len(said["algebra=proved"]) == 1, target
        assert said["algebra=proved"][0].startswith("union-find for "), target
        assert said["auto"][0].startswith("union-find" if name in EACH else "the program's own loop, not union-find")


def test_a_program_without_a_proof_refuses_to_follow() -> None:
    schedule = parse_schedule("algebra=proved")
    for name in ("weights", "some-nodes"):
        made = decided(canonical(name), schedule, INTERPRETER).module
        (refused,) = unfollowed(canonical(name), schedule, INTERPRETER, None, made)
        assert (refused.setting, refused.lacks, refused.instead) == ("algebra=proved", (), "")


@pytest.mark.thin(plain=3)
@some_targets
@every_spelling
def test_the_answer_is_the_same_on_ugly_graphs(name: str, target: Target) -> None:
    for seed, graph in enumerate(ZOO.values()):
        assert_same(name, graph, target, seed)
        assert_same(name, graph.undirected(), target, seed)
        if graph.num_arcs:
            assert_same(name, graph.undirected(), target, seed, symmetric=True)


@pytest.mark.thin(plain=3)
@some_targets
@every_spelling
def test_the_answer_is_the_same_on_random_graphs(name: str, target: Target) -> None:
    @fewer_examples()
    @given(random_graphs(), st.integers(0, 9))
    def check(graph: Graph, seed: int) -> None:
        assert_same(name, graph, target, seed)

    check()


def random_ones_agree(seeds: range) -> int:
    """How many random programs were seen through."""
    count = 0
    for seed in seeds:
        checked = starplat.compile(random_closure(seed)).checked
        module = pipeline.lower(checked, as_written=True)
        found = union_find(pipeline.lower(checked))
        if found.found:
            count += 1
            for graph in (ZOO[name] for name in ("islands", "parallel", "two-cycles-joined", "random-sparse")):
                for shown in (graph, graph.undirected()):
                    values = arguments(module, shown, np.random.default_rng(seed))
                    one, other = (answer(m, shown, REFERENCE, values) for m in (found.module, module))
                    np.testing.assert_array_equal(one["held"], other["held"], err_msg=random_closure(seed))
    return count


def test_random_programs_say_the_same() -> None:
    assert 10 < random_ones_agree(range(60)) < 50


@pytest.mark.campaign
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.nightly) for part in range(1, 4))])
def test_many_random_programs_say_the_same(part: int) -> None:
    assert random_ones_agree(range(1000 + 400 * part, 1400 + 400 * part)) > 50


@pytest.mark.thin(plain=3)
@some_targets
@pytest.mark.parametrize("name", ORACLES)
def test_networkx_has_the_same_components(name: str, target: Target) -> None:
    begins, ends, combined = ORACLES[name]
    draw = np.random.default_rng(3)
    n = 900
    for arcs in (n // 2, n):
        graph = Graph.from_arcs(n, draw.integers(0, n, arcs), draw.integers(0, n, arcs), directed=False)
        values = arguments(plain(name), graph, draw)
        joined = networkx.Graph(zip(graph.sources.tolist(), graph.columns.tolist(), strict=True))
        joined.add_nodes_from(range(n))
        expected = np.array(values[begins])
        for component in networkx.connected_components(joined):
            expected[list(component)] = combined(values[begins][list(component)])
        found = answer(rewritten(name).module, graph, target, values)[ends]
        np.testing.assert_array_equal(found, expected)


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("name", ["least-given", "from-inf", "long-arcs", "any-marked", "all-stored", "least-of-two"])
def test_it_is_right_on_fibers(name: str) -> None:
    module, capabilities = canonical(name), BACKENDS["cuda"].capabilities
    made = decided(module, parse_schedule("algebra=proved"), capabilities).module
    for number, graph in enumerate((ZOO["islands"], ZOO["parallel"], ZOO["random"], ZOO["star-in"])):
        for shown in (graph, graph.undirected()):
            values = arguments(module, shown, np.random.default_rng(number))
            expected = answer(module, shown, REFERENCE, values)
            for seed in range(3):
                with emulated(Machine(seed=seed)):
                    found = run_module(made, shown, target="cuda", arguments=values, schedule=PLAIN)
                for one, array in expected.items():
                    np.testing.assert_array_equal(found[one], array, err_msg=one)


@pytest.mark.thin(plain=4)
@every_spelling
def test_every_target_can_say_it(name: str) -> None:
    for backend in map(BACKENDS.__getitem__, FULL):
        assert backend.kernels_text(rewritten(name).module)
        assert backend.kernels_text(decided(canonical(name), AUTO, backend.capabilities).module)


@pytest.mark.parametrize("name", ["least-given", "long-arcs", "any-stored", "all-stored"])
def test_cuda_takes_the_kernels(name: str, tmp_path: Any) -> None:
    to_machine_code(BACKENDS["cuda"].kernels_text(rewritten(name).module), tmp_path)
