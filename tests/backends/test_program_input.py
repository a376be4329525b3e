"""What emitted programs take: graph files of several formats, packed ones refused, sets of nodes and of arcs."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zstandard

import starplat
from starplat.cli.output import Findings, writer_for
from starplat.graph import generators, read, write
from tests.backends.built import built

EXAMPLES = Path(__file__).parents[2] / "examples"

ARCS = """\
function weigh(Graph g, SetE<g> chosen, propEdge<int> weight) {
  long total = 0;
  for (e in chosen) {
    total += e.weight;
  }
  return total;
}
"""

Start = Callable[..., subprocess.CompletedProcess[str]]


def started_from(program: starplat.Program, folder: Path, *flags: str) -> Start:
    """Builds a program for the host's cores; what comes back runs it."""
    path = built(program.artifact("openmp"), folder, *flags)

    def start(*arguments: object) -> subprocess.CompletedProcess[str]:
        words = [str(path), *map(str, arguments)]
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)

    return start


@pytest.fixture(scope="module")
def sssp(tmp_path_factory: pytest.TempPathFactory) -> Start:
    return started_from(starplat.compile(EXAMPLES / "sssp.sp"), tmp_path_factory.mktemp("sssp"))


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    path = tmp_path / "graph.txt"
    path.write_text("10 20 3\n20 30 4\n10 30 10\n30 40 1\n50 10 2\n")
    return path


@pytest.mark.parametrize("ending", [".spg", ".txt"])
@pytest.mark.parametrize("undirected", [False, True])
def test_formats_give_what_run_gives(ending: str, undirected: bool, edges: Path, tmp_path: Path, sssp: Start) -> None:
    path = tmp_path / f"again{ending}"
    write(read(edges), path)
    graph = read(path, undirected=undirected)
    found = starplat.compile(EXAMPLES / "sssp.sp").run(graph, target="reference", src=10)["dist"]
    finite = [int(value) for value in found if value < 2**31 - 1]
    answer = sssp(path, "--src", 10, *["--undirected"] * undirected)
    expected = f"dist: count {len(found)}, finite {len(finite)}, sum {sum(finite)}, min 0, max {max(finite)}\n"
    assert expected in answer.stdout, answer.stderr


def test_a_graph_without_weights_has_ones(tmp_path: Path, sssp: Start) -> None:
    write(generators.chain(5), tmp_path / "chain.spg")
    answer = sssp(tmp_path / "chain.spg", "--src", 0)
    assert "dist: count 5, finite 5, sum 10, min 0, max 4\n" in answer.stdout, answer.stderr


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_packed_files_are_refused(pack: Callable[[bytes], bytes], edges: Path, tmp_path: Path, sssp: Start) -> None:
    path = tmp_path / "packed"
    path.write_bytes(pack(edges.read_bytes()))
    answer = sssp(path, "--src", 10)
    assert (answer.returncode, answer.stderr) == (1, f"error: {path}: is compressed; decompress it first\n")


@pytest.mark.parametrize("ending", [".spg", ".txt"])
def test_weights_that_do_not_fit_are_refused(ending: str, tmp_path: Path, sssp: Start) -> None:
    text, path = tmp_path / "heavy.txt", tmp_path / f"heavy{ending}"
    text.write_text("0 1 3000000000\n")
    if ending != ".txt":
        write(read(text), path)
    answer = sssp(path, "--src", 0)
    assert answer.returncode == 1
    assert "whole number" in answer.stderr


@pytest.mark.parametrize("kept", [12, 40, 340, 500])
def test_a_damaged_spg_is_refused(kept: int, edges: Path, tmp_path: Path, sssp: Start) -> None:
    path = tmp_path / "cut.spg"
    write(read(edges), path)
    whole = path.read_bytes()
    path.write_bytes(whole[:kept])
    assert kept < len(whole)
    answer = sssp(path, "--src", 10)
    assert (answer.returncode, answer.stderr) == (
        1,
        f"error: {path}: this .spg is damaged or of another version: it is cut short\n",
    )


def test_arcs_are_chosen_by_their_places(edges: Path, tmp_path: Path) -> None:
    start = started_from(starplat.compile(ARCS), tmp_path)
    assert "returned 13\n" in start(edges, "--chosen", "0,1").stdout
    assert start(edges, "--chosen", "5").stderr == "error: the graph has no arc 5\n"
    for wrong in ("1,,2", ",1", "1,", ","):
        message = "--chosen has nothing between two commas, or behind the last"
        assert start(edges, "--chosen", wrong).stderr == f"error: {message}; --help says more\n"
    assert start("nowhere.txt", "--chosen", "1,x").stderr == "error: --chosen cannot hold 'x'; --help says more\n"


@pytest.mark.campaign
def test_options_give_way_to_arguments_of_the_same_name(edges: Path, tmp_path: Path) -> None:
    text = "function entry(Graph g, int device, int undirected) { int sum = device + undirected; return sum; }"
    start = started_from(starplat.compile(text), tmp_path)
    answer = start(edges, "--device", 4, "--undirected=5", "--undirected-option")
    assert "returned 9\n" in answer.stdout
    assert "5 nodes, 10 arcs" in answer.stdout
    assert start(edges, "--device=4", "--undirected=5", "--device-option=1").returncode == 1
    assert "\n  --undirected INT        an int\n" in start("--help").stdout


def test_sets_are_read_from_a_file(edges: Path, tmp_path: Path) -> None:
    start = started_from(starplat.compile(ARCS), tmp_path)
    (tmp_path / "chosen.txt").write_text("0, 1\n2\n\n4")
    assert start(edges, "--chosen", f"@{tmp_path / 'chosen.txt'}").stdout.count("returned 19\n") == 1
    (tmp_path / "empty.txt").write_text("\n")
    assert "returned 0\n" in start(edges, "--chosen", f"@{tmp_path / 'empty.txt'}").stdout
    absent = start(edges, "--chosen", "@nowhere.txt")
    assert (absent.returncode, absent.stderr) == (1, "error: --chosen: nowhere.txt cannot be read\n")


def test_help_says_what_the_program_takes(sssp: Start) -> None:
    for word in ("--help", "-h"):
        answer = sssp(word)
        assert (answer.returncode, answer.stderr) == (0, "")
        assert answer.stdout.startswith("usage: sssp GRAPH --src NODE [OPTIONS]\n  GRAPH ")
        assert "\n  --src NODE       a node, as the file calls it\n" in answer.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no graph file is given"),
        (["graph.txt"], "--src is not given"),
        (["graph.txt", "--src"], "'--src' has no value"),
        (["graph.txt", "--from", "10"], "'--from' is no argument of this program"),
        (["graph.txt", "--from=10"], "'--from=10' is no argument of this program"),
        (["graph.txt", "--undirected=yes"], "'--undirected=yes' is no argument of this program"),
        (["graph.txt", "--src", "1", "--src=2"], "--src is given twice"),
        (["graph.txt", "--src", "1", "--undirected", "--undirected"], "--undirected is given twice"),
        (["graph.txt", "--src", "10", "--device", "-1"], "--device cannot be '-1'"),
        (["graph.txt", "--src", "10", "--device", ""], "--device cannot be ''"),
        (["graph.txt", "--src", " 10"], "--src cannot be ' 10'"),
        (["graph.txt", "--src", "9223372036854775808"], "--src cannot be '9223372036854775808'"),
        (["graph.txt", "--src", "10", "--out", "r.txt"], "results are written as .npz or .csv, not 'r.txt'"),
        (["graph.txt", "--src", "10", "--repeat", "0"], "--repeat is a number from 1 to 1000000"),
        (["nowhere.txt"], "--src is not given"),
        (["nowhere.txt", "--src", "ten"], "--src cannot be 'ten'"),
        (["graph.txt", "--src", "ten"], "--src cannot be 'ten'"),
        (["graph.txt", "other.txt", "--src", "10"], "one graph file is enough: 'other.txt' is a second"),
    ],
)
def test_a_command_line_that_is_wrong_ends_with_2(
    words: list[str], message: str, edges: Path, tmp_path: Path, sssp: Start
) -> None:
    given = [str(edges) if word == "graph.txt" else word for word in words]
    answer = sssp(*given)
    assert (answer.returncode, answer.stderr) == (2, f"error: {message}; --help says more\n")


def test_a_value_may_stand_behind_an_equals_sign(edges: Path, sssp: Start) -> None:
    assert sssp(edges, "--src=10").stdout.splitlines()[:2] == sssp(edges, "--src", 10).stdout.splitlines()[:2]


def test_all_else_that_is_wrong_ends_with_1(edges: Path, sssp: Start) -> None:
    assert sssp(edges, "--src", 99).returncode == 1
    assert sssp("nowhere.txt", "--src", 10).returncode == 1


NOWHERE = """\
function entry(Graph g, int where) {
  node v = where;
  int count = 0;
  for (w in g.WALK(v)) {
    count += 1;
  }
  return count;
}
"""
NO_ARC = """\
function entry(Graph g, int where) {
  node v = where;
  node w = 0;
  edge e = g.get_edge(v, w);
  return e.id;
}
"""


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("text", [NOWHERE.replace("WALK", "neighbors"), NOWHERE.replace("WALK", "nodes_to"), NO_ARC])
def test_the_neighbors_of_no_node_are_an_error(text: str, edges: Path, tmp_path: Path) -> None:
    start = started_from(starplat.compile(text), tmp_path)
    assert start(edges, "--where", 0).returncode == 0
    for where in (-1, 5, 99, -(2**31)):
        answer = start(edges, "--where", where)
        assert answer.returncode == 1, answer.stdout
        assert re.match(r"error: the program uses number -?\d+ of the graph, but there are only 6\n", answer.stderr)


def test_results_are_written_as_run_writes_them(edges: Path, tmp_path: Path, sssp: Start) -> None:
    graph = read(edges)
    found = starplat.compile(EXAMPLES / "sssp.sp").run(graph, target="reference", src=10)
    assert graph.weights is not None
    findings = Findings(graph, {"dist": np.asarray(found["dist"])}, {"weight": graph.weights}, None)
    (tmp_path / "expected").mkdir()
    for name in ("r.csv", "r.npz"):
        assert sssp(edges, "--src", 10, "--out", tmp_path / name).returncode == 0
        for path in writer_for(Path(name))(tmp_path / "expected" / name, findings):
            written = tmp_path / path.name
            if path.suffix == ".csv":
                assert written.read_bytes() == path.read_bytes()
            else:
                assert_same_arrays(written, path)
    assert not list(tmp_path.glob("*.partial"))


def assert_same_arrays(one: Path, other: Path) -> None:
    with np.load(one) as ours, np.load(other) as theirs, zipfile.ZipFile(one) as archive:
        assert archive.testzip() is None
        assert ours.files == theirs.files
        assert [ours[name].dtype for name in ours.files] == [theirs[name].dtype for name in ours.files]
        assert all(np.array_equal(ours[name], theirs[name]) for name in ours.files)


LAUNCHES = """\
function first(int one, int other) {
  return one;
}
function entry(Graph g, node src, propNode<int> x, SetN<g> some) {
  g.attachNodeProperty(x = 0);
  for (w in g.neighbors(src)) {
    forall (v in g.nodes()) {
      if (v < w) {
        v.x += first(1, v);
      }
    }
  }
  int many = 0;
  for (s in some) {
    many += 1;
  }
  return many;
}
"""


def test_a_launch_gets_the_neighbor_that_the_host_is_at(edges: Path, tmp_path: Path) -> None:
    """And what a loop goes over need not be used: no compiler has a word to say."""
    program = starplat.compile(LAUNCHES)
    start = started_from(program, tmp_path, "-Wall", "-Wextra", "-Wshadow", "-Werror")
    answer = start(edges, "--src", 10, "--some", "20,30", "--out", "r.npz")
    assert "returned 2\n" in answer.stdout, answer.stderr
    expected = program.run(read(edges), target="reference", src=10, some=[20, 30])["x"]
    with np.load(tmp_path / "r.npz") as found:
        np.testing.assert_array_equal(found["x"], expected)


REPEATED = """\
function entry(Graph g, propNode<bool> odd, propNode<double> share, propEdge<int> weight) {
  forall (v in g.nodes()) {
    v.odd = g.count_outNbrs(v) % 2 == 1;
    v.share = 1.0 / 3.0;
  }
  long total = 0;
  for (v in g.nodes()) {
    for (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      e.weight = e.weight + 1;
      total += e.weight;
    }
  }
  return total;
}
"""


def test_every_run_begins_anew(edges: Path, tmp_path: Path) -> None:
    """Of four runs, which add one to each weight, every one finds the weights of the file."""
    start = started_from(starplat.compile(REPEATED), tmp_path)
    answer = start(edges, "--repeat=3", "--out", "r.npz")
    assert "returned 25\n" in answer.stdout, answer.stderr
    assert re.search(r", run \S+ \(\S+ to \S+ in 3 runs\), download", answer.stdout)
    with np.load(tmp_path / "r.npz") as found:
        assert found["odd"].tolist() == [False, True, True, False, True]
        assert (found["share"] == 1 / 3).all()
        assert found["weight"].tolist() == [4, 11, 5, 2, 3]
        assert found["returned"] == 25
    start(edges, "--out", "r.csv")
    lines = (tmp_path / "r.csv").read_text().splitlines()
    assert [float(line.split(",")[2]) for line in lines[1:]] == [1 / 3] * 5


def test_results_that_cannot_be_written_are_known_at_once(sssp: Start) -> None:
    answer = sssp("nowhere.txt", "--src", 10, "--out", "/nowhere/r.npz")
    message = "error: /nowhere/r.npz: cannot be written: No such file or directory\n"
    assert (answer.returncode, answer.stderr) == (1, message)


ECHO = """\
function entry(Graph g, bool yes, double real, float single) {
  return yes ? real + single : 0.5;
}
"""


def test_numbers_and_bools_are_written_as_for_run(edges: Path, tmp_path: Path) -> None:
    program, graph = starplat.compile(ECHO), read(edges)
    start = started_from(program, tmp_path)
    accepted = [("True", "1e3"), ("False", "1"), ("true", ".5"), ("true", "-2."), ("false", "INF"), ("True", "-INF")]
    for yes, real in accepted:
        answer = start(edges, "--yes", yes, "--real", real, "--single", "1")
        expected = program.run(graph, target="reference", arguments={"yes": yes, "real": real, "single": "1"}).returned
        shown = re.search(r"^returned (\S+)$", answer.stdout, re.MULTILINE)
        assert shown is not None, answer.stderr
        assert float(shown[1]) == expected
    for yes, real in [("1", "1"), ("TRUE", "1"), ("true", "inf"), ("true", "nan"), ("true", "0x10"), ("true", "1e")]:
        answer = start(edges, "--yes", yes, "--real", real, "--single", "1")
        assert (answer.returncode, "cannot be" in answer.stderr) == (2, True), real
        with pytest.raises(starplat.DiagnosticError, match="E0712"):
            program.run(graph, target="reference", arguments={"yes": yes, "real": real, "single": "1"})
