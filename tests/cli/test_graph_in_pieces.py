"""A graph that is converted in pieces is the same file, made with memory for a piece."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from starplat.graph import Graph, read, write
from starplat.graph.pieces import read_in_pieces
from tests.cli.conftest import Outcome

Starplat = Callable[..., Outcome]

FILES = {
    "seen.txt": "# a comment\n5 7\n7 5\n5 7\n9 9\n5 2\n",
    "weighted.txt": "5 7 3\n7 5 1\n5 7 2\n9 9 4\n5 7 2\n2 5 8\n",
    "mixed.txt": "5 7 3\n7 5 1.5\n5 7 -2\n9 9 9007199254740993\n",
    "wide.txt": f"5 7 3\n7 5 {2**40}\n5 7 -2\n",
    "far.txt": f"{2**63 + 1} 7\n7 {2**40}\n7 {2**40}\n",
    "undirected.txt": "# undirected\n1 2 3\n2 1 3\n2 3 5\n3 3 1\n2 3 4\n",
    "symmetric.txt": "1 2 5\n1 2 3\n2 1 3\n2 1 5\n",
    "names.txt": "ann bob 3\nbob ann 1\nzoe bob 2\nann bob 2\n",
    "commas.csv.txt": "ann lee, bob\nbob, zoe\n",
    "gap.el": "1 4\n4 1\n1 1\n1 4\n",
    "empty.txt": "# undirected\n",
    "g.mtx": "%%MatrixMarket matrix coordinate integer general\n4 4 5\n1 2 3\n2 1 3\n4 1 2\n4 1 1\n3 3 9\n",
    "symmetric.mtx": "%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n2 1 3\n4 1 2\n3 3 9.5\n",
    "g.gr": "c roads\np sp 5 5\na 1 2 3\na 2 1 3\na 4 1 2\na 4 1 1\na 3 3 9\n",
    "colors.col": "p edge 4 3\ne 1 2\ne 2 1\ne 3 4\n",
}
OPTIONS = (
    (),
    ("--undirected",),
    ("--undirected", "--dedup"),
    ("--drop-loops", "--weights", "random:1..9"),
    ("--undirected", "--weights", "ones"),
)


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("options", OPTIONS, ids="".join)
@pytest.mark.parametrize("name", FILES)
def test_the_file_is_the_one_written_at_once(
    starplat: Starplat, tmp_path: Path, name: str, options: tuple[str, ...]
) -> None:
    source, whole, pieces = tmp_path / name, tmp_path / "whole.spg", tmp_path / "pieces.spg"
    source.write_text(FILES[name])
    at_once = starplat("graph", "convert", source, whole, *options)
    in_pieces = starplat("graph", "convert", source, pieces, *options, "--pieces", 3)
    assert (at_once.code, in_pieces.code) == (0, 0), in_pieces.err
    assert in_pieces.err.replace("pieces.spg", "whole.spg") == at_once.err
    assert pieces.read_bytes() == whole.read_bytes()
    assert sorted(tmp_path.iterdir()) == sorted([source, whole, pieces])


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("options", OPTIONS, ids="".join)
@pytest.mark.parametrize("name", FILES)
def test_a_spg_is_converted_the_same_way(
    starplat: Starplat, tmp_path: Path, name: str, options: tuple[str, ...]
) -> None:
    source, given, whole, pieces = (tmp_path / each for each in (name, "given.spg", "whole.spg", "pieces.spg"))
    source.write_text(FILES[name])
    for call in ((source, given), (given, whole, *options), (given, pieces, *options, "--pieces", 2)):
        assert starplat("graph", "convert", *call).code == 0
    assert pieces.read_bytes() == whole.read_bytes()


@given(
    arcs=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(-3, 3)), max_size=40),
    pieces=st.integers(1, 9),
    undirected=st.booleans(),
    dedup=st.booleans(),
    kept=st.sampled_from(["g.txt", "g.spg"]),
)
@settings(deadline=None)
def test_arcs_and_weights_are_those_of_the_graph_read_at_once(
    tmp_path_factory: pytest.TempPathFactory,
    arcs: list[tuple[int, int, int]],
    pieces: int,
    undirected: bool,
    dedup: bool,
    kept: str,
) -> None:
    folder = tmp_path_factory.mktemp("pieces")
    (folder / "g.txt").write_text("".join(f"{u} {v} {w}\n" for u, v, w in arcs) or "# nothing\n")
    if kept == "g.spg":
        write(read(folder / "g.txt"), folder / kept)
    whole = read(folder / kept, undirected=undirected, dedup=dedup)
    found = read_in_pieces(folder / kept, pieces, folder, undirected=undirected, dedup=dedup)
    assert found.describe() == whole.describe()
    for name in ("row_offsets", "columns", "weights"):
        ours, theirs = getattr(found, name), getattr(whole, name)
        assert (ours is None) == (theirs is None)
        assert ours is None or (ours.dtype == theirs.dtype and np.array_equal(ours, theirs))


def test_incoming_arcs_of_a_file_are_kept(starplat: Starplat, tmp_path: Path) -> None:
    graph = Graph.from_arcs(3, [0, 1, 2], [1, 2, 1])
    assert len(graph.reverse.columns) == 3
    write(graph, tmp_path / "g.spg")
    assert starplat("graph", "convert", tmp_path / "g.spg", tmp_path / "h.spg", "--pieces", 2).code == 0
    assert (tmp_path / "h.spg").read_bytes() == (tmp_path / "g.spg").read_bytes()


@pytest.mark.parametrize(
    ("source", "destination", "options", "message"),
    [
        ("g.txt", "g.mtx", (), "E0817]: in pieces a .spg is written, not Matrix Market"),
        ("g.csv", "g.spg", (), "E0817]: g.csv: CSV with a header line is not read in pieces: Matrix Market, DIMACS, "),
        ("attributes.txt", "g.spg", (), "E0810]: attributes.txt: an edge list with dictionaries is not read in pieces"),
        ("g.txt", "g.spg", ("--weights", f"random:1..{2**31}"), "E0817]: in pieces, random weights lie within"),
        ("wrong.txt", "g.spg", (), "E0805]: wrong.txt:2:3: expected a node id, found 'x'"),
        ("short.gr", "g.spg", (), "E0807]: short.gr:1:8: the 'p' line promises 2 arcs, the file holds 1"),
        ("nameless.txt", "g.spg", (), "E0805]: nameless.txt:2:5: expected a node id, found nothing"),
    ],
)
def test_what_is_not_converted_in_pieces_is_refused_and_leaves_nothing(
    starplat: Starplat,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    source: str,
    destination: str,
    options: tuple[str, ...],
    message: str,
) -> None:
    texts = {
        "g.txt": "1 2\n",
        "g.csv": "source,target\n1,2\n",
        "attributes.txt": "1 2 {'weight': 3}\n",
        "wrong.txt": "1 2\n1 x\n",
        "short.gr": "p sp 2 2\na 1 2 3\n",
        "nameless.txt": "ann,bob\n,bob\n",
    }
    monkeypatch.chdir(tmp_path)
    Path(source).write_text(texts[source])
    outcome = starplat("graph", "convert", source, destination, "--pieces", 2, *options)
    assert outcome.code == 1
    assert outcome.err.startswith(f"error[{message}")
    assert ("leave out --pieces" in outcome.err) == ("pieces" in message)
    assert [path.name for path in Path().iterdir()] == [source]


def test_there_are_no_more_pieces_than_can_be_read(starplat: Starplat, tmp_path: Path) -> None:
    """Each takes a pass over the nodes."""
    (tmp_path / "g.txt").write_text("1 2\n")
    for call in (("convert", tmp_path / "g.txt"), ("generate", "rmat")):
        outcome = starplat("graph", *call, tmp_path / "g.spg", "--pieces", 10**20)
        assert (outcome.code, "less than or equal to 4096" in outcome.err) == (2, True)
    assert starplat("graph", "convert", tmp_path / "g.txt", tmp_path / "g.spg", "--pieces", 4096).code == 0


@pytest.mark.parametrize("pieces", [1, 2])
def test_a_link_stays_one_and_a_pipe_is_refused(starplat: Starplat, tmp_path: Path, pieces: int) -> None:
    (tmp_path / "g.txt").write_text("1 2\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link.spg").symlink_to("elsewhere/g.spg")
    for _ in range(2):
        assert starplat("graph", "convert", tmp_path / "g.txt", tmp_path / "link.spg", "--pieces", pieces).code == 0
    assert (tmp_path / "link.spg").is_symlink()
    assert [each.name for each in (tmp_path / "elsewhere").iterdir()] == ["g.spg"]
    os.mkfifo(tmp_path / "pipe.spg")
    outcome = starplat("graph", "convert", tmp_path / "g.txt", tmp_path / "pipe.spg", "--pieces", pieces)
    assert (outcome.code, "pipe.spg: cannot be written: it is a pipe or a device" in outcome.err) == (1, True)
    assert (tmp_path / "pipe.spg").is_fifo()


ARCS, NODES = 2_000_000, 1 << 16
CONVERTED = """
import sys, tracemalloc
from pathlib import Path
from starplat.graph import streams, writing
from starplat.graph.pieces import read_in_pieces
streams.PIECE = 1 << 18
source, pieces, destination = sys.argv[1:]
tracemalloc.start()
graph = read_in_pieces(Path(source), int(pieces), Path(source).parent, undirected=True)
writing.write(graph, destination)
print(tracemalloc.get_traced_memory()[1])
"""


@pytest.mark.parametrize("ending", ["txt", "spg"])
def test_memory_is_that_of_a_piece(tmp_path: Path, ending: str) -> None:
    """Of arcs in both directions with weights, 12 bytes each; sorting takes some copies of those that it sorts."""
    random = np.random.default_rng(1)
    source, destination = random.integers(0, NODES, (2, ARCS // 2), np.int32)
    if ending == "spg":
        write(Graph.from_arcs(NODES, source, destination, random.integers(1, 9, ARCS // 2)), tmp_path / "g.spg")
    else:
        (tmp_path / "g.txt").write_bytes(b"".join(b"%d %d 7\n" % arc for arc in zip(source, destination, strict=True)))
    peaks = {}
    for pieces in (1, 16):
        call = (str(tmp_path / f"g.{ending}"), str(pieces), str(tmp_path / f"{pieces}.spg"))
        ran = subprocess.run([sys.executable, "-c", CONVERTED, *call], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        peaks[pieces] = int(ran.stdout)
    print(peaks)
    assert peaks[16] < 12 * ARCS < peaks[1] / 2
    assert (tmp_path / "1.spg").read_bytes() == (tmp_path / "16.spg").read_bytes()


KILLED = """
import os, signal, sys
from starplat.cli import main
from starplat.graph.formats import native
def half(graph, stream):
    stream.write(b"half of it")
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
object.__setattr__(native.FORMAT, "write", half)
main(["graph", "convert", *sys.argv[1:], "--pieces", "2"])
"""
FULL = """
import resource, sys
from starplat.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
sys.exit(main(["graph", "convert", *sys.argv[1:], "--pieces", "2"]))
"""


@pytest.mark.parametrize(("script", "code", "message"), [(KILLED, -9, ""), (FULL, 1, "h.spg: cannot be written: file")])
def test_what_ends_early_leaves_the_file_that_was_there(tmp_path: Path, script: str, code: int, message: str) -> None:
    (tmp_path / "g.txt").write_text("".join(f"{node} {node + 1}\n" for node in range(100)))
    (tmp_path / "h.spg").write_text("an older file")
    call = [sys.executable, "-c", script, str(tmp_path / "g.txt"), str(tmp_path / "h.spg")]
    ran = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (ran.returncode, message in ran.stderr) == (code, True), ran.stderr
    assert (tmp_path / "h.spg").read_text() == "an older file"
