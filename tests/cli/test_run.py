"""`run`: the answer, its table and its JSON, the files it writes, and what is said about wrong arguments."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.cli.conftest import Outcome

Starplat = Callable[..., Outcome]
Write = Callable[..., Path]

INF = 2**31 - 1
COMMON = ("--target", "reference")

WEIGHTED = """\
function f(Graph g, propNode<bool> even, propNode<float> half, propEdge<double> twice, propEdge<int> weight) {
    forall (v in g.nodes()) {
        v.even = v % 2 == 0;
        v.half = v / 2.0f;
        forall (w in g.neighbors(v)) {
            edge e = g.get_edge(v, w);
            e.twice = 2.0 * e.weight;
        }
    }
    return g.num_edges();
}
"""


def test_run_prints_what_ran_where_every_property_and_the_times(
    starplat: Starplat, examples: Path, roads: Path
) -> None:
    outcome = starplat("run", examples / "sssp.sp", "--graph", roads, "--arg", "src=1", *COMMON)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "sssp: 'sssp' on reference, interpreter"
    assert lines[2].split() == ["dist", "int", "5", "4", "12", "0", "8"]
    assert lines[-2].startswith("seconds: load ")
    assert lines[-1].startswith("bytes: ")
    assert "5 nodes, 6 arcs" in outcome.err


def test_json_has_exactly_the_promised_keys(starplat: Starplat, examples: Path, roads: Path) -> None:
    outcome = starplat(
        "run", examples / "sssp.sp", "--graph", roads, "--arg", "src=1", *COMMON, "--repeat", 3, "--json"
    )
    found = outcome.json
    assert list(found) == [
        "schema",
        "program",
        "function",
        "graph",
        "target",
        "device",
        "returned",
        "properties",
        "seconds",
        "bytes",
        "validated",
        "warnings",
    ]
    assert (found["schema"], found["program"], found["function"]) == (1, "sssp", "sssp")
    assert found["graph"] == {"nodes": 5, "arcs": 6, "directed": True}
    assert found["target"] == "reference"
    assert found["returned"] is None
    assert found["properties"]["dist"] == {"type": "int", "count": 5, "finite": 4, "sum": 12, "min": 0, "max": 8}
    assert list(found["seconds"]) == ["load", "compile", "upload", "run", "download"]
    assert len(found["seconds"]["run"]) == 3
    assert set(found["bytes"]) == {"up", "down", "mapped"}
    assert found["validated"] is None
    assert found["warnings"] == []


def test_validate_says_so(starplat: Starplat, examples: Path, roads: Path) -> None:
    outcome = starplat("run", examples / "sssp.sp", "--graph", roads, "--arg", "src=1", "--validate", "--json")
    assert outcome.code == 0
    assert outcome.json["validated"] is True
    assert "validated" in outcome.err


def test_validate_shows_the_first_node_that_differs(
    starplat: Starplat, examples: Path, roads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from starplat.runtime import launch

    def wrong(*arguments: object, **options: object) -> object:
        result = launch.run_module(*arguments, **options)  # type: ignore[arg-type]
        result.properties["dist"][3] += 1
        return result

    monkeypatch.setattr(sys.modules["starplat.runtime.validate"], "launch", SimpleNamespace(run_module=wrong))
    outcome = starplat("run", examples / "sssp.sp", "--graph", roads, "--arg", "src=1", *COMMON, "--validate", "--json")
    assert outcome.code == 4
    assert outcome.json["exit_code"] == 4
    assert [diagnostic["code"] for diagnostic in outcome.json["diagnostics"]] == ["E0795"]
    assert "error[E0795]" in outcome.err
    assert "dist[node 4] is 8, the interpreter says 9" in outcome.err


def test_a_limit_of_memory_leaves_arcs_with_the_host(starplat: Starplat, examples: Path, roads: Path) -> None:
    words = ("run", examples / "sssp.sp", "--graph", roads, "--arg", "src=1", "--target", "reference")
    refused = starplat(*words, "--device-memory", "50")
    assert (refused.code, "sssp needs 54 bytes on interpreter at least" in refused.err) == (3, True)
    outcome = starplat(*words, "--device-memory", "70", "--json", "--validate")
    assert outcome.json["bytes"]["mapped"] == {"columns": 8, "weight": 24}
    assert outcome.json["validated"] is True
    assert "columns 8 in host memory; weight 24 in host memory" in starplat(*words, "--device-memory", "70").out


def test_a_returned_value_is_printed(starplat: Starplat, examples: Path, roads: Path) -> None:
    outcome = starplat("run", examples / "triangle_count.sp", "--graph", roads, "--undirected", *COMMON)
    assert "returned 2" in outcome.out.splitlines()


def test_options_prepare_the_graph(starplat: Starplat, examples: Path, tmp_path: Path) -> None:
    path = tmp_path / "g.el"
    path.write_text("0 0\n0 1\n0 1\n1 2\n", encoding="utf-8")
    command = ("run", examples / "bfs.sp", "--graph", path, "--arg", "src=0", *COMMON, "--json")
    assert starplat(*command).json["graph"]["arcs"] == 4
    assert starplat(*command, "--drop-loops").json["graph"]["arcs"] == 3
    assert starplat(*command, "--drop-loops", "--dedup").json["graph"]["arcs"] == 2
    undirected = starplat(*command, "--drop-loops", "--dedup", "--undirected").json["graph"]
    assert (undirected["arcs"], undirected["directed"]) == (4, False)
    weighted = ("run", examples / "sssp.sp", "--graph", path, "--arg", "src=0", *COMMON, "--json", "--weights")
    assert starplat(*weighted, "random:5..5:7").json["properties"]["dist"]["max"] == 10


def test_a_set_is_a_list_or_a_file(starplat: Starplat, examples: Path, roads: Path, tmp_path: Path) -> None:
    listed = tmp_path / "some sources.txt"
    listed.write_text("1\n3\n", encoding="utf-8")
    command = ("run", examples / "betweenness.sp", "--graph", roads, *COMMON, "--json", "--arg")
    given, read = (
        starplat(*command, "sources=1,3").json["properties"],
        starplat(*command, f"sources=@{listed}").json["properties"],
    )
    assert given == read
    assert (given["bc"]["sum"], given["bc"]["max"]) == (1.0, 0.5)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 1, "error[E0701]"),
        (["--arg", "scr=1"], 1, "did you mean 'src'?"),
        (["--arg", "src=one"], 1, "error[E0712]"),
        (["--arg", "src=99"], 1, "error[E0816]"),
        (["--arg", "src"], 2, "'src' is not of the form name=value"),
        (["--arg", "src=1", "--arg", "src=2"], 2, "given twice"),
        (["--arg", "src=1", "--target", "opnecl"], 2, "did you mean 'opencl'?"),
        (["--arg", "src=1", "--target", "reference", "--device", "7"], 3, "error[E0902]"),
        (["--arg", "src=1", "--function", "sspp"], 1, "error[E0655]"),
        (["--arg", "src=1", "--out", "r.xlsx"], 1, "error[E0794]"),
        (["--arg", "src=1", "--weights", "two"], 1, "error[E0817]"),
    ],
)
def test_wrong_arguments_are_diagnostics(
    starplat: Starplat, examples: Path, roads: Path, arguments: list[str], code: int, message: str
) -> None:
    outcome = starplat("run", examples / "sssp.sp", "--graph", roads, "--json", *arguments)
    assert (outcome.code, outcome.json["exit_code"]) == (code, code)
    assert message in outcome.err


def test_a_missing_graph_is_one_sentence(starplat: Starplat, examples: Path, tmp_path: Path) -> None:
    outcome = starplat("run", examples / "sssp.sp", "--graph", tmp_path / "none.gr", "--arg", "src=1")
    assert outcome.code == 1
    assert "error[E0801]" in outcome.err


def test_paths_with_spaces_and_quotes_work(starplat: Starplat, examples: Path, roads: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a 'b' \"c\" $(d) ;e"
    folder.mkdir()
    program, graph, out = folder / "s p.sp", folder / "g r.gr", folder / "o ut.npz"
    program.write_bytes((examples / "sssp.sp").read_bytes())
    graph.write_bytes(roads.read_bytes())
    outcome = starplat("run", program, "--graph", graph, "--arg", "src=1", "--out", out)
    assert outcome.code == 0
    assert np.load(out)["dist"].tolist() == [0, 3, 1, 8, INF]


def test_out_npz_holds_ids_properties_and_the_returned_value(
    starplat: Starplat, program: Write, roads: Path, tmp_path: Path
) -> None:
    out = tmp_path / "r.npz"
    assert starplat("run", program(WEIGHTED), "--graph", roads, *COMMON, "--out", out).code == 0
    with np.load(out) as arrays:
        assert set(arrays) == {"id", "even", "half", "source", "destination", "twice", "weight", "returned"}
        assert arrays["id"].tolist() == [1, 2, 3, 4, 5]
        assert arrays["even"].tolist() == [True, False, True, False, True]
        assert arrays["source"].tolist() == [1, 1, 2, 3, 3, 5]
        assert arrays["destination"].tolist() == [2, 3, 4, 2, 4, 1]
        assert arrays["twice"].tolist() == [8.0, 2.0, 10.0, 4.0, 18.0, 2.0]
        assert arrays["returned"] == 6


def test_out_csv_is_a_table_of_nodes_and_one_of_edges(
    starplat: Starplat, program: Write, roads: Path, tmp_path: Path
) -> None:
    out = tmp_path / "r.csv"
    assert starplat("run", program(WEIGHTED), "--graph", roads, *COMMON, "--out", out).code == 0
    assert out.read_text(encoding="utf-8").splitlines() == [
        "id,even,half",
        "1,true,0.0",
        "2,false,0.5",
        "3,true,1.0",
        "4,false,1.5",
        "5,true,2.0",
    ]
    with (tmp_path / "r.edges.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert rows[0] == {"source": "1", "destination": "2", "twice": "8.0", "weight": "4"}
    assert len(rows) == 6


def test_out_parquet_is_the_same_tables(starplat: Starplat, program: Write, roads: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    out = tmp_path / "r.parquet"
    assert starplat("run", program(WEIGHTED), "--graph", roads, *COMMON, "--out", out).code == 0
    table = parquet.read_table(out)
    assert table.column_names == ["id", "even", "half"]
    assert table["half"].to_pylist() == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert table.schema.metadata[b"returned"] == b"6"
    assert parquet.read_table(tmp_path / "r.edges.parquet").num_rows == 6


def test_an_empty_graph_is_written_too(starplat: Starplat, examples: Path, tmp_path: Path) -> None:
    graph = tmp_path / "empty.mtx"
    graph.write_text("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n", encoding="utf-8")
    out = tmp_path / "r.csv"
    outcome = starplat("run", examples / "degree_centrality.sp", "--graph", graph, *COMMON, "--out", out)
    assert outcome.code == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == 1


def test_a_failed_write_keeps_the_old_file_and_leaves_nothing_beside_it(
    starplat: Starplat, examples: Path, roads: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    out = folder / "r.npz"
    out.write_bytes(b"old")

    def full(*arguments: object, **arrays: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    outcome = starplat("run", examples / "sssp.sp", "--graph", roads, "--arg", "src=1", *COMMON, "--out", out)
    assert outcome.code == 1
    assert "error[E0792]" in outcome.err
    assert [path.name for path in folder.iterdir()] == ["r.npz"]
    assert out.read_bytes() == b"old"
    assert outcome.out.startswith("sssp: 'sssp' on reference")


@pytest.mark.parametrize(
    "options",
    [
        ("--out", "no/folder/r.npz"),
        ("--trace", "no/folder/t.html"),
        ("--out", "taken.npz"),
        ("--out", "pipe.npz"),
        ("--out", "link.npz"),
    ],
)
def test_what_cannot_be_written_is_said_before_anybody_waits(
    starplat: Starplat, examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.npz").mkdir()
    os.mkfifo(tmp_path / "pipe.npz")
    (tmp_path / "link.npz").symlink_to("pipe.npz")
    outcome = starplat("run", examples / "bfs.sp", "--graph", "unread.gr", "--arg", "src=1", *COMMON, *options)
    assert outcome.code == 1
    assert outcome.err.startswith(f"error[E0792]: {options[1]}: cannot be written: ")
    assert "unread.gr" not in outcome.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_write_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    code = f"""
import pathlib, sys, time
from starplat.cli import files, main
def slow(path):
    with files.replacing(pathlib.Path({str(folder / "r.npz")!r})) as temporary:
        temporary.write_text("half")
        print("half", flush=True)
        while True:  # a signal that comes just before a sleep is answered after it
            time.sleep(0.05)
files.read_program = slow
sys.exit(main(["check", "x.sp"]))
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "half\n"
        child.send_signal(number)
        child.communicate(timeout=300)
    assert child.returncode == 130
    assert list(folder.iterdir()) == []


@pytest.mark.campaign
def test_two_processes_at_once_both_succeed(examples: Path, roads: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "STARPLAT_CACHE_DIR": str(tmp_path / "cache")}
    out = tmp_path / "r.npz"
    program = str(examples / "sssp.sp")
    command = [sys.executable, "-m", "starplat", "run", program, "--graph", str(roads), "--arg", "src=1"]
    children = [
        subprocess.Popen([*command, "--out", str(out)], env=environment, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for child in children:
        _, err = child.communicate(timeout=300)
        assert child.returncode == 0, err
    assert np.load(out)["dist"].tolist() == [0, 3, 1, 8, INF]


def test_checking_starts_quickly(examples: Path) -> None:
    """A generous bound on the processor's time, which a busy machine does not change; `benchmarks/compiler.py`
    measures."""
    command = [sys.executable, "-m", "starplat", "check", str(examples / "sssp.sp")]
    taken = []
    for _ in range(3):
        before = os.times()
        subprocess.run(command, check=True, capture_output=True)
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        taken.append(spent)
    assert min(taken) < 2.0


def test_a_wrong_target_is_said_before_the_graph_is_read(starplat: Starplat, examples: Path) -> None:
    misspelt = starplat("run", examples / "sssp.sp", "--graph", "absent.gr", "--target", "opencll")
    assert (misspelt.code, "did you mean 'opencl'?" in misspelt.err) == (2, True)
    written = starplat("run", examples / "sssp.sp", "--graph", "absent.gr", "--target", "hip")
    assert (written.code, "starplat compile -t hip" in written.err) == (2, True)


@pytest.mark.parametrize("suffix", ["npz", "csv", "parquet"])
@pytest.mark.parametrize(
    "edges", [["Zoe,Ann", "Ann,Bob", "Ann,Bob", "Bob,Zoe"], ["30,20", "20,7", "20,7", "7,30"]], ids=["names", "numbers"]
)
def test_what_out_wrote_comes_back_in(
    edges: list[str], suffix: str, starplat: Starplat, program: Write, tmp_path: Path
) -> None:
    graph, out = tmp_path / "g.csv", tmp_path / f"r.{suffix}"
    graph.write_text("\n".join(["src,dst", *edges]), encoding="utf-8")
    first = edges[0].split(",")[0]
    text = """function f(Graph g, propNode<double> seed, propNode<node> best, propEdge<int> cap, node src) {
        forall (v in g.nodes()) {
            v.seed += v + 0.5;
            if (v < 2) { v.best = src; } else { v.best = -1; }
            forall (w in g.neighbors(v)) { edge e = g.get_edge(v, w); e.cap += 1 + v; }
        }
    }"""
    command = ("run", program(text), "-g", graph, *COMMON, "--json", "-a", f"src={first}")
    once = starplat(*command, "--out", out).json["properties"]
    of_edges = out if suffix == "npz" else tmp_path / f"r.edges.{suffix}"
    given = ("-a", f"seed=@{out}", "-a", f"best=@{out}:best", "-a", f"cap=@{of_edges}")
    again = starplat(*command, *given).json["properties"]
    for name in ("seed", "cap"):
        assert again[name]["sum"] == 2 * once[name]["sum"]
        assert again[name]["max"] == 2 * once[name]["max"]
    assert again["best"] == once["best"]


def test_a_program_may_come_through_stdin(process: Callable[..., Outcome], roads: Path) -> None:
    text = "function f(Graph g) { return g.num_nodes(); }"
    ran = process("run", "-", "-g", roads, *COMMON, input=text)
    assert (ran.code, ran.out.splitlines()[:2]) == (0, ["<stdin>: 'f' on reference, interpreter", "returned 5"])
    checked = process("check", "-", input=text.replace("num_nodes", "num_node"))
    assert checked.code == 1
    assert "--> <stdin>:1:" in checked.err


def test_a_run_in_parts_says_why_each_part_holds_all_arcs(starplat: Starplat, roads: Path) -> None:
    done = starplat("run", "triangle_count", "--graph", roads, *COMMON, "--devices", "2")
    why = "because 'triangle_count_find_triangles' looks for an edge in a row of another part's node"
    assert "16 bytes in 1 exchange; each holds " in done.out
    assert f" bytes of arcs (all of them, {why})" in done.out


def test_devices_divide_a_run(starplat: Starplat) -> None:
    words = ("run", "sssp", "--graph", "liechtenstein", "--arg", "src=1", *COMMON)
    done = starplat(*words, "--devices", "2")
    assert done.code == 0, done.err
    assert "1793000995" in done.out
    assert "parts: 2 of 16,913 to 17,203 arcs" in done.out
    assert starplat(*words, "--devices", "0").code == 2
    refused = starplat("run", "label_propagation", "--graph", "liechtenstein", *COMMON, "--devices", "2")
    assert refused.code == 1
    assert refused.err.count("error[E0668]") == 1
