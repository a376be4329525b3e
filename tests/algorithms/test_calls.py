"""Programs of the library as functions, with the signature and the help of their texts."""

from __future__ import annotations

import importlib.util
import inspect
import pydoc
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import ModuleType

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import starplat
from starplat import algorithms
from starplat.algorithms.algorithm import Algorithm
from starplat.diagnostics import DiagnosticError
from starplat.resources import shipped_programs

ROOT = Path(__file__).parents[2]
NAMES = sorted(shipped_programs())
every_name = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def page() -> ModuleType:
    """`docs/generate_algorithms.py`."""
    place = importlib.util.spec_from_file_location("generate_algorithms", ROOT / "docs" / "generate_algorithms.py")
    assert place is not None
    assert place.loader is not None
    made = importlib.util.module_from_spec(place)
    place.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def people() -> nx.Graph:
    """The graph of `docs/algorithms.md`."""
    made = nx.Graph()
    made.add_weighted_edges_from([("Ann", "Bob", 2), ("Bob", "Cid", 1), ("Cid", "Ann", 4), ("Cid", "Dan", 3)])
    return made


def test_the_page_is_what_its_script_writes(page: ModuleType) -> None:
    text = (ROOT / "docs" / "algorithms.md").read_text(encoding="utf-8")
    assert text == page.page(), "python docs/generate_algorithms.py writes it anew"


@every_name
def test_the_call_on_the_page_gives_a_result(page: ModuleType, people: nx.Graph, name: str) -> None:
    result = eval(page.call(name), {name: partial(getattr(starplat, name), target="reference"), "G": people})
    assert result.program == name
    assert len(result) or result.returned is not None


@every_name
def test_every_algorithm_explains_itself(name: str) -> None:
    algorithm = getattr(algorithms, name)
    shown = pydoc.plain(pydoc.render_doc(algorithm))
    assert f"{name}(graph, /" in shown
    assert algorithm.purpose in shown
    parameters = inspect.signature(algorithm).parameters
    assert {"graph", "target", "schedule", "results", "session"} <= parameters.keys()
    assert not {p.name for p in algorithm.parameters[1:]} & {*inspect.signature(starplat.Program.run).parameters}


def test_defaults_are_the_programs() -> None:
    parameters = inspect.signature(starplat.pagerank).parameters
    assert parameters["damping"].default == 0.85
    assert parameters["damping"].annotation is float
    assert inspect.signature(starplat.bfs).parameters["src"].default is inspect.Parameter.empty


def test_the_modules_list_them_and_no_name_stands_for_two_things() -> None:
    assert set(NAMES) < set(dir(algorithms))
    assert set(NAMES) < set(dir(starplat))
    folders = {path.stem for path in (ROOT / "starplat").iterdir()}
    assert not set(NAMES) & (folders | {*starplat.__all__, "program", "algorithm"})


def test_they_take_what_run_takes(people: nx.Graph, tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("0 1\n1 2\n", encoding="utf-8")
    matrix = sparse.coo_array(([1, 1], ([0, 1], [1, 2])), (3, 3))
    ends = (np.array([0, 1]), np.array([1, 2]))
    for graph in (tmp_path / "edges.txt", matrix, ends, [(0, 1), (1, 2)], starplat.Graph.from_arcs(3, *ends)):
        assert starplat.bfs(graph, src=0, target="reference")["level"].tolist() == [0, 1, 2]
    assert len(starplat.degree_centrality("liechtenstein", target="reference").ids) == 16_912
    found = starplat.bfs(people, src="Ann", target="reference", results=["parent"])
    assert found.to_dict("parent") == {"Ann": None, "Bob": "Ann", "Cid": "Ann", "Dan": "Cid"}


def test_they_take_options_of_run(people: nx.Graph) -> None:
    with starplat.Session() as session:
        result = starplat.pagerank(people, session=session, schedule="direction=pull", repeat=2, rank=None, device=None)
    assert len(result.seconds.run) == 2


def test_the_form_is_that_of_the_weights(people: nx.Graph) -> None:
    halved = nx.Graph((u, v, {"weight": w / 2}) for u, v, w in people.edges(data="weight"))
    for graph, far in ((people, 6), (halved, 3.0)):
        found = starplat.bellman_ford(graph, src="Ann", target="reference").to_dict("dist")["Dan"]
        assert (found, type(found)) == (far, type(far))


def test_misspelt_names_are_told_with_the_near_one(people: nx.Graph) -> None:
    with pytest.raises(AttributeError, match="nor a program of that name: did you mean 'pagerank'"):
        _ = starplat.pagernak
    with pytest.raises(AttributeError, match="did you mean 'k_core'"):
        _ = algorithms.kcore
    with pytest.raises(DiagnosticError, match="did you mean 'damping'"):
        starplat.pagerank(people, damqing=1)
    with pytest.raises(DiagnosticError, match="did you mean 'Dan'"):
        starplat.bfs(people, src="Dann")
    with pytest.raises(DiagnosticError, match="needs the argument 'src', a node"):
        starplat.bfs(people)


def test_nothing_is_read_before_the_first_call() -> None:
    code = "import sys; from starplat import pagerank; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert {"numpy", "lark", "networkx", "starplat.program", "starplat.frontend"}.isdisjoint(done.stdout.split())


@pytest.mark.campaign
def test_mypy_knows_what_a_call_gives(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api", reason="pip install mypy")
    text = "import starplat\nreveal_type(starplat.pagerank(0))\nreveal_type(starplat.algorithms.bfs(0)['level'])\n"
    (tmp_path / "typed.py").write_text(text, encoding="utf-8")
    shown, _, code = api.run(["--strict", str(tmp_path / "typed.py")])
    assert code == 0, shown
    assert "runtime.results.result.Result" in shown


def test_algorithms_are_equal_by_name() -> None:
    assert starplat.bfs is algorithms.bfs
    assert starplat.bfs == Algorithm("bfs") != starplat.sssp
