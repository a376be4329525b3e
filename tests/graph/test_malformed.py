"""Every wrong file gives a diagnostic that says where and what was expected; none gives a traceback."""

from __future__ import annotations

import gzip
import lzma
import os
import struct
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, strategies as st

from starplat.diagnostics import DiagnosticError, ExitCode
from starplat.graph import Graph, read, write
from starplat.graph.formats import FORMATS, Format
from tests.graph.graphs import DATA

MTX = "%%MatrixMarket matrix coordinate {} general\n"


@pytest.mark.parametrize("path", sorted((DATA / "lagraph").glob("mangled*.mtx")), ids=lambda path: path.stem)
def test_mangled_matrix_market_has_line_and_column(path: Path) -> None:
    with pytest.raises(DiagnosticError, match=rf"E08\d\d\]: .*{path.name}:\d+:\d+: ") as caught:
        read(path)
    assert caught.value.exit_code is ExitCode.WRONG_INPUT


WRONG_TEXTS = [
    ("g.mtx", MTX.format("real") + "3 3 2\n1 2 0.5\n2 x 1\n", "E0805", "4:3", "expected a node id, found 'x'"),
    ("g.mtx", MTX.format("real") + "3 3 1\n1 4 0.5\n", "E0808", "3:3", "there is no node 4: nodes are 1..3"),
    ("g.mtx", MTX.format("real") + "3 3 1\n0 1 0.5\n", "E0808", "3:1", "there is no node 0: nodes are 1..3"),
    ("g.mtx", MTX.format("real") + "3 3 2\n1 2 0.5\n", "E0807", "2:5", "promises 2 entries, the file holds 1"),
    ("g.mtx", MTX.format("real") + "3 3 1\n1 2 nan\n", "E0809", "3:5", "the weight nan is not a finite number"),
    ("g.mtx", MTX.format("real") + "3 3 1\n1 2 1e999\n", "E0809", "3:5", "the weight 1e999 is not a finite number"),
    ("g.mtx", MTX.format("real") + "3 3 1\n1 2 1.5.5\n", "E0805", "3:5", "expected a weight, found '1.5.5'"),
    ("g.mtx", MTX.format("real") + "3 3 1\n1 2 1_0\n", "E0805", "3:5", "expected a weight, found '1_0'"),
    ("g.mtx", MTX.format("integer") + "3 3 1\n1 2 1.5\n", "E0805", "3:5", "expected an integer weight, found '1.5'"),
    ("g.mtx", MTX.format("pattern") + "3 3 1\n1 2 1\n", "E0805", "3:5", "expected 2 columns"),
    ("g.mtx", MTX.format("real") + "3 3 1\n1 2\n", "E0805", "3:4", "expected 3 columns"),
    ("g.mtx", MTX.format("real") + "3 4 0\n", "E0810", "2:3", "not square"),
    ("g.mtx", MTX.format("real") + "3 -3 0\n", "E0806", "2:3", "expected the number of columns, found '-3'"),
    ("g.mtx", MTX.format("complex") + "3 3 0\n", "E0810", "1:34", "complex values are no weights"),
    ("g.gr", "p sp 2 1\na 1 3 4\n", "E0808", "2:5", "there is no node 3"),
    ("g.gr", "p sp 2 1\nb 1 2 4\n", "E0805", "2:1", "expected a line that starts with 'a', found 'b'"),
    ("g.gr", "p sp 2 2\na 1 2 4\n", "E0807", "1:8", "promises 2 arcs, the file holds 1"),
    ("g.gr", "p sp x 2\na 1 2 4\n", "E0806", "1:6", "expected the number of nodes, found 'x'"),
    ("g.co", "p aux sp co 1\nv 1 2 3\n", "E0810", "1:3", "coordinates, not arcs"),
    ("g.el", "0 1\n1 -2\n", "E0805", "2:3", "found the negative number '-2'"),
    ("g.el", "0 1\n1 2 3\n", "E0805", "2:5", "expected 2 columns as in the lines before, found 3"),
    ("g.el", "0 1 5\n1 2\n", "E0805", "2:4", "expected 3 columns as in the lines before, found 2"),
    ("g.el", "0 1\n1 99999999999999999999999\n", "E0805", "2:3", "expected a node id"),
    ("g.txt", "# c\n0 1 2 3\n", "E0805", "2:7", "expected two node ids and perhaps a weight, found 4 words"),
    ("g.graph", "2 1\n2\n3\n", "E0808", "3:1", "there is no node 3"),
    ("g.graph", "3 1\n2\n1\n", "E0807", "1:1", "promises 3 nodes, the file has lines for 2"),
    ("g.graph", "2 5\n2\n1\n", "E0807", "1:3", "promises 5 edges"),
    ("g.graph", "2 1 7\n2\n1\n", "E0806", "1:5", "three digits"),
    ("g.graph", "3 2\n2 3\n1\n2\n", "E0807", "1:3", "3 is a neighbor of 1 and not the reverse"),
    ("g.graph", "2 1\n2.5\n1\n", "E0805", "2:1", "expected a natural number, found '2.5'"),
    ("g.csv", "a,b\n1,2\n", "E0810", "1:1", "the columns a, b name no edges"),
    ("g.csv", "src,dst\n1,1.5\n", "E0805", "2:3", "expected a node id, found '1.5'"),
    ("g.graphml", "<graphml><graph></graphml>", "E0805", "1:19", "this is no GraphML"),
]


@pytest.mark.parametrize(("name", "text", "code", "place", "words"), WRONG_TEXTS)
def test_wrong_text_says_where_and_what(
    name: str, text: str, code: str, place: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DiagnosticError) as caught:
        read(path)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert diagnostic.message.startswith(f"{path}:{place}: ")
    assert words in diagnostic.message
    assert f"  --> {path}:{place}" in str(caught.value)


def test_a_mistake_far_down_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "g.el"
    path.write_text("10 20\n" * 1_500_000 + "10 oops\n" + "10 20\n" * 500_000)
    with pytest.raises(DiagnosticError, match=r"g\.el:1500001:4: expected a node id, found 'oops'"):
        read(path)


WRONG_BYTES = [
    ("g.el", b"", "E0804"),
    ("g.mtx", b"%%MatrixMarket matrix coordinate real general\n", "E0804"),
    ("g.bin", bytes(range(256)), "E0802"),
    ("g.txt", b"hello wide world\n", "E0805"),
    ("g.unknown", b"hello world\n", "E0802"),
    ("g.gz", gzip.compress(b"0 1\n" * 10000, mtime=0)[:-9], "E0803"),
    ("g.gz", gzip.compress(b"0 1\n" * 10000, mtime=0)[:20] + b"\xff" * 30, "E0803"),
    ("g.xz", lzma.compress(b"0 1\n" * 10000)[:-20], "E0803"),
    ("g.bz2", b"BZh9junk and more junk", "E0803"),
    ("g.zst", zstandard.compress(b"0 1\n1 2\n" * 10000)[:-4], "E0803"),
    ("g.npz", b"PK\x03\x04 not a zip", "E0812"),
    ("g.parquet", b"PAR1 nothing PAR1", "E0812"),
    ("g.arrow", b"ARROW1\0\0 nothing", "E0812"),
    ("g.spg", b"\x89SPG\r\n\x1a\n" + struct.pack("<Q", 10**15), "E0812"),
    ("g.sg", struct.pack("<?qq", True, 5, 7), "E0812"),
    ("g.sg", b"\x01", "E0812"),
    ("g.gr", struct.pack("<4Q", 1, 0, 2**40, 5), "E0811"),
    ("g.gr", struct.pack("<4Q", 1, 0, 5, 10**15), "E0812"),
    ("g.mtx", MTX.format("real").encode() + b"1000000000000000 1000000000000000 1\n1 1 1\n", "E0811"),
    ("g.mtx", MTX.format("real").encode() + b"2147483648 2147483648 1\n1 1 1\n", "E0811"),
    ("g.gr", b"p sp 99999999999 1\na 1 1 1\n", "E0811"),
    ("g.graph", b"99999999999 1\n2\n1\n", "E0811"),
    ("g.el", b"0 3000000000\n", "E0811"),
    ("g.graphml", b"<?xml version='1.0'?><graphml></graphml>", "E0805"),
    ("g.gexf", b"<?xml version='1.0' encoding='utf-08'?><gexf></gexf>", "E0805"),
    ("g.gml", b"graph [ node [ id 0 ]", "E0805"),
    ("g.net", b"*Vertices x\n", "E0805"),
]


@pytest.mark.parametrize(("name", "content", "code"), WRONG_BYTES)
def test_wrong_content_is_a_diagnostic(name: str, content: bytes, code: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DiagnosticError) as caught:
        read(path)
    assert caught.value.diagnostics[0].code == code
    assert str(path) in caught.value.diagnostics[0].message


@pytest.mark.parametrize("name", [".", "missing.mtx", "no/such/folder.el"])
def test_what_is_no_file_is_a_diagnostic(name: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError, match="E0801"):
        read(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_because_it_can_be_read_only_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.el")
    with pytest.raises(DiagnosticError, match=r"E0801.*it is a pipe or a device"):
        read(tmp_path / "pipe.el")


SEEDS = [
    path.read_bytes()
    for path in (
        DATA / "lagraph" / "cover.mtx",
        DATA / "gapbs" / "4.gr",
        DATA / "gapbs" / "4w.graph",
        DATA / "gapbs" / "4.wel",
        DATA / "cugraph" / "dolphins.csv",
    )
]


@given(seed=st.sampled_from(SEEDS), data=st.data())
def test_mutated_text_is_read_or_refused(
    seed: bytes, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    mutated = mutate(seed, data)
    suffix = data.draw(st.sampled_from([".mtx", ".gr", ".graph", ".el", ".csv", ""]))
    path = tmp_path_factory.getbasetemp() / f"mutated{suffix}"
    path.write_bytes(mutated)
    read_or_refuse(path)


@pytest.mark.parametrize("format", [format for format in FORMATS if format.write], ids=lambda format: format.name)
@given(data=st.data())
def test_mutated_files_of_every_format_are_read_or_refused(
    format: Format, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    graph = Graph.from_arcs(4, [0, 1, 2, 3], [1, 2, 3, 3], [1, 2, 3, 4], directed=False)
    graph = graph.without_loops() if format.name == "metis" else graph
    graph = graph.with_weights(None) if format.name == "sg" else graph
    path = tmp_path_factory.getbasetemp() / f"mutated{format.suffixes[0]}"
    write(graph, path, format.name)
    path.write_bytes(mutate(path.read_bytes(), data))
    read_or_refuse(path)


def mutate(content: bytes, data: st.DataObject) -> bytes:
    """The content with a few bytes replaced, cut out or put in."""
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        gone = data.draw(st.integers(0, 5))
        odd = st.sampled_from([b"-", b"9" * 25, b"\n", b" ", b"nan", b"1e400"])
        new = data.draw(st.one_of(st.binary(max_size=4), odd))
        content = content[:at] + new + content[at + gone :]
    return content


def read_or_refuse(path: Path) -> None:
    """Reads a file, or sees it refused with a message about graphs; every other exception fails the test."""
    codes = ["E08"]
    try:
        graph = read(path)
    except DiagnosticError as error:
        codes = [diagnostic.code for diagnostic in error.diagnostics]
    else:
        assert graph.num_arcs == int(graph.row_offsets[-1])
    assert all(code.startswith("E08") for code in codes)
