"""Every function of the backend gives NetworkX's answer, order, types and exceptions included; what it gives up says
why."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import warnings
from collections.abc import Collection, Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from starplat.networkx import registry, searches
from starplat.networkx.info import HOMES, get_info
from starplat.networkx.interface import backend
from starplat.networkx.registry import function
from starplat.toolchain.devices import report
from tests.networkx.calls import CALLS, Raised, graphs, outcome, same
from tests.zoo import ZOO

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """NetworkX and NumPy warn of caches, and of the zoo's divisions by zero."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(scope="module")
def installed() -> None:
    if "starplat" not in nx.utils.backends.backends:
        pytest.skip("starplat was installed before it had a backend: pip install -e '.[dev]'")


FEW = ("empty", "unreachable", "two-cycles-joined", "diamonds-undirected", "random-sparse", "random-dense-undirected")


def require_the_same(name: str, names: Collection[str]) -> None:
    computed = 0
    for G in graphs(names):
        for number, call in enumerate(CALLS[name]):
            ours = outcome(call, G, backend="starplat")
            if isinstance(ours, NotImplementedError):
                assert str(ours), "a refusal without a reason"
                continue
            theirs = outcome(call, G, backend="networkx")
            assert same(ours, theirs), f"{name}, call {number}, {G}: {ours} instead of {theirs}"
            computed += not isinstance(theirs, Raised)
    assert computed > 0


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", sorted(HOMES))
def test_gives_what_networkx_gives(name: str) -> None:
    require_the_same(name, FEW)


FROM_MANY = (
    "all_pairs_dijkstra", "average_shortest_path_length", "center", "closeness_centrality", "diameter", "eccentricity",
    "harmonic_centrality", "periphery", "radius",
)  # fmt: skip
"""Functions that search from many nodes, in small graphs from all in one run."""


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", FROM_MANY)
def test_gives_the_same_where_a_run_has_no_room_for_several_searches(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "SIDE_BY_SIDE", 0)
    require_the_same(name, FEW[:4])


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ["all_pairs_shortest_path_length", "closeness_centrality", "eccentricity"])
def test_searches_from_all_nodes_of_a_small_graph_in_one_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []

    def counted(program: str, *given: Any, **arguments: Any) -> Any:
        runs.append(program)
        return registry.run(program, *given, **arguments)

    monkeypatch.setattr(searches, "run", counted)
    dict(getattr(nx, name)(nx.path_graph(10), backend="starplat"))
    assert runs == ["levels_from"]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("usebounds", [False, True])
@pytest.mark.parametrize("function", [nx.center, nx.diameter, nx.periphery, nx.radius], ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph])
def test_a_graph_without_nodes_has_no_center(kind: type[nx.Graph], function: Any, usebounds: bool) -> None:
    errors = []
    for asked in ("networkx", "starplat"):
        with pytest.raises((ValueError, nx.NetworkXException)) as raised:
            function(kind(), usebounds=usebounds, backend=asked)
        errors.append((raised.type, str(raised.value)))
    assert errors[0] == errors[1]


@pytest.mark.campaign
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", sorted(HOMES))
def test_gives_what_networkx_gives_on_every_small_ugly_graph(name: str) -> None:
    require_the_same(name, ZOO)


@pytest.mark.usefixtures("installed")
def test_networkx_logs_why_a_call_is_not_taken(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG", logger="networkx"), pytest.raises(NotImplementedError):
        nx.shortest_path(nx.path_graph(3), 0, 2, backend="starplat")
    assert "depends on its search from both ends" in caplog.text


@pytest.mark.usefixtures("installed")
def test_says_what_to_install_where_there_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_lacking", lambda: "pip install it")
    G = nx.path_graph(5)
    with pytest.raises(NotImplementedError) as refused:
        nx.pagerank(G, backend="starplat")
    assert str(refused.value.__cause__) == "pip install it"
    G = nx.path_graph(5)
    assert backend.should_run("pagerank", (G,), {}) == "pip install it"
    with nx.config(backend_priority=["starplat"]):
        assert len(nx.pagerank(G)) == 5
    assert not G.__networkx_cache__.get("backends")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("length", [nx.dijkstra_path_length, nx.bellman_ford_path_length])
def test_leaves_weights_that_are_no_numbers_to_networkx_where_the_target_is_missing(length: Any) -> None:
    with pytest.raises(NotImplementedError) as refused:
        length(nx.Graph([("a", "b", {"weight": "3"})]), "a", "absent", backend="starplat")
    assert "does not hold finite numbers" in str(refused.value.__cause__)


@pytest.mark.campaign
@pytest.mark.thin(plain=2, campaign=None)  # the others by night
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("backend_target", ["openmp", "reference"])
@pytest.mark.parametrize("name", sorted(HOMES))
def test_gives_what_networkx_gives_on_other_targets(name: str, backend_target: str) -> None:
    if not any(device.usable for device in report(backend_target)):
        pytest.skip(f"no device of {backend_target}")
    with nx.config.backends.starplat(target=backend_target):
        require_the_same(name, FEW)


def test_every_function_that_networkx_is_told_of_is_there() -> None:
    for name in get_info()["functions"]:
        assert function(name) is not None
        assert callable(getattr(backend, name))
    with pytest.raises(AttributeError):
        backend.greedy_color  # noqa: B018


@pytest.mark.parametrize("name", sorted(HOMES))
def test_a_function_has_the_parameters_of_networkx(name: str) -> None:
    row = function(name)
    assert row is not None
    theirs = signature(nx.utils.backends._registered_algorithms[name]).parameters
    assert {key: p.default for key, p in row.signature.parameters.items()} == {
        key: p.default for key, p in theirs.items() if key not in ("backend", "backend_kwargs")
    }


def test_what_networkx_imports_at_first_is_light() -> None:
    heavy = "[m for m in ('numpy', 'networkx', 'lark') if m in sys.modules]"
    code = f"import sys, starplat.networkx.info as i; i.get_info(); print({heavy})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_package_declares_the_backend() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    assert declared["networkx.backends"] == {"starplat": "starplat.networkx.interface:backend"}
    assert declared["networkx.backend_info"] == {"starplat": "starplat.networkx.info:get_info"}
