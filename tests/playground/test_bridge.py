"""What the page asks of the compiler, answered without a browser."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from starplat.backends import BACKENDS
from starplat.diagnostics import DiagnosticError, render
from starplat.pipeline import check
from starplat.source import SourceFile
from tests.cli.conftest import ROOT

_SPEC = importlib.util.spec_from_file_location("bridge", ROOT / "docs/playground/bridge.py")
assert _SPEC is not None
assert _SPEC.loader is not None
bridge = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(bridge)

SSSP = (ROOT / "examples/sssp.sp").read_text(encoding="utf-8")
GRAPHS = json.loads((ROOT / "docs/playground/graphs.json").read_text(encoding="utf-8"))


def ask(call: str, **given: Any) -> Any:
    return json.loads(bridge.answer(call, json.dumps(given)))


def test_diagnostics_are_those_of_check_with_their_place_in_utf_16() -> None:
    text = "// \U0001f642\n" + SSSP.replace("modified == True", "modifed == True")
    with pytest.raises(DiagnosticError) as wrong:
        check(SourceFile("sssp.sp", text))
    found = ask("check", name="sssp", text=text)["value"]["diagnostics"]
    assert [one["text"] for one in found] == [render(one) for one in wrong.value.diagnostics]
    units = text.encode("utf-16-le")
    assert units[2 * found[0]["from"] : 2 * found[0]["to"]].decode("utf-16-le") == "modifed"


def test_the_parameters_that_a_caller_gives_are_named() -> None:
    pagerank = (ROOT / "examples/pagerank.sp").read_text(encoding="utf-8")
    entry = ask("check", name="pagerank", text=pagerank)["value"]["entry"]
    assert entry["name"] == "pagerank"
    assert [(p["name"], p["default"]) for p in entry["parameters"]] == [
        ("damping", "0.85"), ("tolerance", "1e-06"), ("max_iterations", "100")
    ]  # fmt: skip


@pytest.mark.parametrize("target", BACKENDS)
def test_every_kernel_is_linked_with_its_loop(target: str) -> None:
    made = ask("emit", name="sssp", text=SSSP, target=target)["value"]
    of_the_loop = 0
    for file in made["files"]:
        lines = file["text"].splitlines()
        for link in file["links"]:
            (first, last), (top, bottom) = link["program"], link["emitted"]
            assert re.search(rf"sssp\.sp:{first} ", lines[top - 1])
            assert lines[bottom - 1].lstrip().startswith("}") or lines[bottom - 1].endswith(";")
            assert 1 <= first <= last <= len(SSSP.splitlines())
            of_the_loop += (first, last) == (12, 17)
    assert of_the_loop


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph["name"])
def test_a_run_gives_the_distances_that_networkx_gives(graph: dict[str, Any]) -> None:
    lines = [line for line in graph["edges"].splitlines() if not line.startswith("#")]
    kind = nx.Graph if graph["undirected"] else nx.DiGraph
    expected = nx.single_source_dijkstra_path_length(
        nx.parse_edgelist(lines, create_using=kind, data=[("weight", int)]), lines[0].split()[0]
    )
    given = {"edges": graph["edges"], "undirected": graph["undirected"], "arguments": {"src": lines[0].split()[0]}}
    found = ask("run", name="sssp", text=SSSP, **given)["value"]
    dist = found["properties"][0]
    assert dist["name"] == "dist"
    assert dict(zip(found["ids"], dist["words"], strict=True)) == {
        id: str(expected.get(id, "INF")) for id in found["ids"]
    }
    assert len(found["arcs"]) == found["graph"]["arcs"]


def test_a_run_on_a_gpu_gives_what_reference_gives() -> None:
    gpu = ask("gpu")["value"]
    if gpu["lacking"]:
        pytest.skip(gpu["lacking"])
    given = {"edges": GRAPHS[0]["edges"], "undirected": GRAPHS[0]["undirected"], "arguments": {"src": "1"}}
    expected, found = (
        ask("run", name="sssp", text=SSSP, **given, target=target)["value"] for target in ("reference", "webgpu")
    )
    assert found["properties"] == expected["properties"]
    assert found["device"].startswith(gpu["name"])


@pytest.mark.parametrize(
    ("edges", "said"), [("1 2\n1 x\n", "edges.txt:2:3"), ("1 2\n" * 100_001, "up to 100,000 edges")]
)
def test_a_wrong_graph_has_a_diagnostic_without_a_folder(edges: str, said: str) -> None:
    wrong = ask("run", name="sssp", text=SSSP, edges=edges, undirected=True, arguments={"src": "1"})
    assert said in wrong["diagnostics"][0]["text"]
    assert "/tmp" not in wrong["diagnostics"][0]["text"]


@pytest.mark.parametrize("kind", ["uniform", "rmat", "grid"])
def test_a_made_up_graph_runs_and_is_the_same_each_time(kind: str) -> None:
    edges = ask("generate", kind=kind, size=36, seed=3)["value"]
    assert edges == ask("generate", kind=kind, size=36, seed=3)["value"]
    first = edges.split()[0]
    found = ask("run", name="sssp", text=SSSP, edges=edges, undirected=True, arguments={"src": first})["value"]
    assert 20 <= found["graph"]["nodes"] <= 64


def test_a_program_prints_on_the_page() -> None:
    text = 'function f(Graph g) { print("nodes", g.num_nodes()); return 1; }'
    found = ask("run", name="f", text=text, edges="1 2\n", undirected=False, arguments={})["value"]
    assert (found["returned"], found["printed"]) == (1, "nodes 2\n")


def test_a_program_of_several_functions_runs_its_namesake() -> None:
    text = "function other(Graph g) { return 2 * g.num_nodes(); }\nfunction mine(Graph g) { return g.num_nodes(); }"
    assert ask("run", name="mine", text=text, edges="1 2\n", undirected=False, arguments={})["value"]["returned"] == 2
    assert ask("check", name="none", text="")["value"]["entry"] is None


def test_explanations_are_those_of_the_command_line() -> None:
    told = ask("explain", name="sssp", text=SSSP, target="cuda")["value"]
    assert "monotone" in told["facts"]
    assert told["plan"].startswith("schedule for cuda")
    page = (ROOT / "docs/errors/E0203.md").read_text(encoding="utf-8")
    assert ask("page", code="E0203")["value"] == page


def test_building_without_starplat_says_what_to_install(tmp_path: Path) -> None:
    command = [sys.executable, "-S", "-E", str(ROOT / "docs/playground/build.py"), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install -e" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_page_names_no_other_place_of_the_network() -> None:
    for path in (ROOT / "docs/playground").rglob("*.*"):
        if path.suffix in (".js", ".css", ".html", ".mjs"):
            assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", Path(path).read_text(encoding="utf-8")), path
