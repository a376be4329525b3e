"""A small archive that unpacks to an endless line, or to more than any graph, is refused before much of it is read."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from starplat.diagnostics import DiagnosticError
from starplat.graph import read
from starplat.graph.formats import arrays, interchange
from starplat.graph.streams import LONGEST_ROW

ENDLESS = gzip.compress(b"1" * (3 * LONGEST_ROW), 1, mtime=0)
"""One line; whoever reads to its end finds that the archive is cut short there."""

BEGINNINGS = [
    ("g.el", b"", 1),
    ("g.txt", b"# comment\n0 1\n", 3),
    ("g.graph", b"", 1),
    ("g.mtx", b"%%MatrixMarket matrix coordinate real general\n", 2),
    ("g.gr", b"p sp 3 3\na 1 2 ", 2),
    ("g.csv", b"src,dst\n1,", 2),
    ("quoted.csv", b'src,dst\n"1",', 2),
]


@pytest.mark.parametrize(("name", "beginning", "line"), BEGINNINGS, ids=[row[0] for row in BEGINNINGS])
def test_a_line_without_end_is_not_read_to_its_end(name: str, beginning: bytes, line: int, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(beginning, mtime=0) + ENDLESS[:-20])
    with pytest.raises(DiagnosticError, match=rf"E0805\]: .*{path.name}:{line}:1: this line is longer than 4 MiB"):
        read(path)


def test_a_content_that_is_parsed_whole_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interchange, "MOST_BYTES", 1 << 20)
    (tmp_path / "g.graphml.gz").write_bytes(gzip.compress(b"<graphml>", mtime=0) + ENDLESS[:-20])
    with pytest.raises(DiagnosticError, match=r"E0811\]: .*its content is longer than 1 MiB, the most that is read"):
        read(tmp_path / "g.graphml.gz")


def test_of_a_binary_file_no_more_is_read_than_its_header_promises(tmp_path: Path) -> None:
    header = b"\1" + (0).to_bytes(8, "little") * 2
    (tmp_path / "g.gr.gz").write_bytes(gzip.compress(header + bytes(16), mtime=0) + ENDLESS[:-20])
    with pytest.raises(DiagnosticError, match=r"E0812\]: .*take 32 bytes, but the file has more"):
        read(tmp_path / "g.gr.gz")


def test_an_archive_that_unpacks_to_more_than_the_machine_has_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.savez_compressed(tmp_path / "g.npz", indptr=np.zeros(1 << 20, np.int64), indices=np.zeros(0, np.int32))
    assert (tmp_path / "g.npz").stat().st_size < 1 << 16
    monkeypatch.setattr(arrays, "memory", lambda: 1 << 22)
    with pytest.raises(DiagnosticError, match=r"E0811\]: .*its arrays take 0\.0 GiB, more than this machine's"):
        read(tmp_path / "g.npz")
