"""Parts that hold and read the arcs of their own nodes alone."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError, ExitCode
from starplat.graph import csr, streams
from starplat.graph.formats import native
from starplat.graph.graph import Graph
from starplat.graph.streams import Input
from starplat.graph_files import read_by_ranks
from starplat.ir import nodes as ir
from starplat.runtime.divided import reading
from starplat.runtime.divided.reading import read_together
from starplat.runtime.parts.agreeing import agreed
from starplat.runtime.parts.communicator import Communicator, parts_of, reverse_within
from starplat.runtime.parts.threads import in_threads
from tests.runtime.test_parts import ring
from tests.runtime.test_ranks import starplat_in
from tests.zoo import ZOO

NODES = 40
CHAIN = "".join(f"{node} {node + 1} {7 + node}\n" for node in range(NODES - 1))
SEARCH = ("run", "sssp", "-a", "src=0", "-t", "openmp", "--json")


def written(graph: Graph, path: Path) -> Path:
    with path.open("wb") as file:
        native.write(graph, file)
    return path


@pytest.mark.parametrize("name", ["chain.spg", "chain.wel"])
def test_each_rank_holds_the_arcs_of_its_division(name: str, tmp_path: Path) -> None:
    text = tmp_path / "chain.wel"
    text.write_text(CHAIN, encoding="utf-8")
    written(starplat.read(text), tmp_path / "chain.spg")
    done = starplat_in(3, *SEARCH, "-g", str(tmp_path / name))
    assert done.returncode == 0, done.stderr
    parts = json.loads(done.stdout)["parts"]
    assert sum(parts["arcs"]) == NODES - 1
    assert max(parts["arcs"]) - min(parts["arcs"]) <= 2
    assert parts["all_rows"] is None
    assert parts["bytes_of_arcs"] == [arcs * (4 + 4) for arcs in parts["arcs"]]  # a column and a weight each


def test_arcs_elsewhere_do_not_lie_on_the_device() -> None:
    graph = Graph.from_arcs(6, [0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 1], [4, 5, 6, 7, 8, 9])

    def work(communicator: Communicator) -> tuple[list[int], list[int]]:
        session = starplat.Session()
        result = starplat.compile("sssp").run(graph, src=0, target="reference", comm=communicator, session=session)
        assert result["weight"].tolist() == [4, 5, 6, 7, 8, 9]
        assert result["dist"].tolist() == [0, 4, 9, 15, 22, 30]
        device = session.device("reference")
        (there,) = device.graphs.values()
        found = (there.array(array, lambda: graph) for array in (ir.COLUMNS, ir.WEIGHTS))
        columns, weights = (device.download(buffer).tolist() for buffer in found)
        return columns, weights

    assert in_threads(3, work) == [
        ([1, 2, 0, 0, 0, 0], [4, 5, 0, 0, 0, 0]),
        ([0, 0, 3, 4, 0, 0], [0, 0, 6, 7, 0, 0]),
        ([0, 0, 0, 0, 5, 1], [0, 0, 0, 0, 8, 9]),
    ]


def test_a_program_that_looks_at_rows_elsewhere_says_so_and_holds_all() -> None:
    result = starplat.compile("triangle_count").run(ring(), target="reference", devices=2)
    assert result.parts is not None
    assert result.parts.all_rows == "'triangle_count_find_triangles' looks for an edge in a row of another part's node"
    assert result.parts.bytes_of_arcs == (24 * 4, 24 * 4)


@pytest.mark.parametrize("name", list(ZOO)[::5])
def test_parts_make_the_rows_into_their_nodes_together(name: str) -> None:
    graph = ZOO[name]
    expected = csr.reversed_rows(graph.row_offsets, graph.columns)

    def work(communicator: Communicator) -> None:
        parts = parts_of(graph, communicator)
        found = reverse_within(graph, parts)
        np.testing.assert_array_equal(found.row_offsets, expected.row_offsets)
        own = slice(*expected.row_offsets[parts.nodes[parts.rank : parts.rank + 2]])
        np.testing.assert_array_equal(found.columns[own], expected.columns[own])
        np.testing.assert_array_equal(found.arc_ids[own], expected.arc_ids[own])
        assert np.count_nonzero(found.columns) == np.count_nonzero(expected.columns[own])

    in_threads(3, work)


def test_a_reader_looks_at_its_piece_and_all_together_at_all(tmp_path: Path) -> None:
    graph = ring(96)
    path = written(graph, tmp_path / "ring.spg")
    content = bytearray(path.read_bytes())
    wrong = np.int32(96).tobytes()
    content[-len(wrong) :] = wrong  # the last arc leads to no node
    path.write_bytes(content)
    for part in (0, 1):
        found = native.read(Input(path), (part, 3))
        np.testing.assert_array_equal(found.row_offsets, graph.row_offsets)
    with pytest.raises(DiagnosticError, match="an arc leads to node 96"):
        native.read(Input(path), (2, 3))


def test_rows_out_of_order_are_found_by_their_reader(tmp_path: Path) -> None:
    graph = Graph(np.array([0, 2, 3]), np.array([1, 0, 1], np.int32))
    path = written(graph, tmp_path / "g.spg")
    with pytest.raises(DiagnosticError, match="not in order"):
        native.read(Input(path), (0, 2))


def test_a_file_is_read_once_for_all_ranks_of_a_host(tmp_path: Path) -> None:
    path = tmp_path / "chain.wel"
    path.write_text(CHAIN, encoding="utf-8")
    read: list[int] = []

    def work(communicator: Communicator) -> list[int]:
        def once() -> Graph:
            read.append(communicator.rank)
            return starplat.read(path)

        return read_together(path, communicator, once, ()).columns.tolist()

    assert in_threads(3, work) == [starplat.read(path).columns.tolist()] * 3
    assert read == [0]


@pytest.mark.parametrize("nameless", [True, False])
def test_nothing_stays_of_what_is_handed_over(nameless: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even of ranks that are killed while it is mapped, where a file needs no name."""
    path, temporary = tmp_path / "chain.wel", tmp_path / "temporary"
    path.write_text(CHAIN, encoding="utf-8")
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    if not nameless:
        monkeypatch.setattr(reading, "_OPEN_FILES", tmp_path / "none")
    elif not reading._OPEN_FILES.is_dir():
        pytest.skip("this system does not show the open files of a process")
    seen: list[int] = []
    piece = native.read

    def looked_at(input: Input, part: tuple[int, int]) -> Graph:
        seen.append(len(list(temporary.iterdir())))
        return piece(input, part)

    monkeypatch.setattr(native, "read", looked_at)

    def work(communicator: Communicator) -> list[int]:
        return read_together(path, communicator, lambda: starplat.read(path), ()).columns.tolist()

    assert in_threads(2, work) == [list(range(1, NODES))] * 2
    assert seen == [int(not nameless)] * 2
    assert not list(temporary.iterdir())


def test_a_rank_with_an_error_of_its_own_ends_those_that_wait() -> None:
    """Also before the run: one of them might read what the others wait for."""
    ended: list[int] = []

    class Alone(Communicator):
        rank, size, ends_processes, gather, combine, share = 0, 2, True, None, None, None

        def all_fail(self, seconds: float) -> bool:
            return False

        def abort(self, code: int) -> None:
            ended.append(code)

    def work() -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        agreed(Alone(), work)
    assert ended == [ExitCode.WRONG_INPUT.value]


def test_a_graph_that_cannot_be_handed_over_is_an_error_on_all_ranks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "chain.wel"
    path.write_text(CHAIN, encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(native, "write", full)

    def work(communicator: Communicator) -> str:
        try:
            read_together(path, communicator, lambda: starplat.read(path), ())
        except DiagnosticError as error:
            return error.diagnostics[0].code
        return "none"

    assert in_threads(2, work) == ["E0792", "E0792"]


def test_ranks_that_read_other_files_are_refused(tmp_path: Path) -> None:
    paths = [tmp_path / "a.wel", tmp_path / "b.wel"]
    paths[0].write_text(CHAIN, encoding="utf-8")
    paths[1].write_text(CHAIN.replace("7", "8"), encoding="utf-8")

    def work(communicator: Communicator) -> str:
        try:
            starplat.compile("sssp").run(paths[communicator.rank], src=0, target="reference", comm=communicator)
        except DiagnosticError as error:
            return error.diagnostics[0].code
        return "none"

    assert in_threads(2, work) == ["E0735", "E0735"]


@pytest.mark.parametrize(("columns", "code"), [((1, 2, 0), "none"), ((2, 2, 0), "E0735")])
def test_ranks_that_map_several_files_compare_the_whole_of_them(
    columns: tuple[int, ...], code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An arc elsewhere may be one that no other rank reads, far behind the beginning."""
    monkeypatch.setattr(streams, "HEAD", 64)
    paths = []
    for name, given in (("one", (1, 2, 0)), ("other", columns)):
        (tmp_path / name).mkdir()
        paths.append(written(Graph.from_arcs(3, [0, 1, 2], given), tmp_path / name / "g.spg"))

    def work(communicator: Communicator) -> str:
        try:
            read_by_ranks(paths[communicator.rank], communicator)
        except DiagnosticError as error:
            return error.diagnostics[0].code
        return "none"

    assert in_threads(2, work) == [code] * 2


def test_cells_of_the_hosts_cores_are_exchanged_where_they_lie() -> None:
    device = starplat.Session().device("openmp")
    buffer = device.allocate(np.dtype(np.int32), 3)
    device.fill(buffer, 7)
    there = device.in_place(buffer)
    assert there is not None
    there[1] = 5
    assert device.download(buffer).tolist() == [7, 5, 7]
    empty = device.in_place(device.allocate(np.dtype(np.int32), 0))
    assert empty is not None
    assert len(empty) == 0
