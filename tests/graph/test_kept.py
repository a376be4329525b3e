"""A large text file is parsed once: the next reading maps what was kept, as long as it is the same file read so."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, GraphCache, GraphCacheWarning, kept, read, write
from starplat.toolchain.cache import FOLDER_VARIABLE
from tests.graph.graphs import arcs_of

TEXT = "1 2 5\n2 3 6\n3 1 7\n"
HOUR = 3600 * 10**9


@pytest.fixture
def cache(tmp_path: Path) -> GraphCache:
    return GraphCache(tmp_path / "cache", from_bytes=0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An edge list that was written an hour ago."""
    path = tmp_path / "roads.wel.txt"
    path.write_text(TEXT)
    return aged(path)


def aged(path: Path, by: int = HOUR) -> Path:
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns - by, status.st_mtime_ns - by))
    return path


def test_the_second_reading_comes_from_the_cache(file: Path, cache: GraphCache) -> None:
    first, second = read(file, cache=cache), read(file, cache=cache)
    assert (first.kept, second.kept) == (False, True)
    assert second.describe() == first.describe() + ", from the cache"
    assert arcs_of(second) == arcs_of(first)
    assert isinstance(second.columns.base, np.ndarray)
    assert len(list(cache.folder.iterdir())) == 1
    assert oct(cache.folder.stat().st_mode & 0o777) == "0o700"


def test_options_have_entries_of_their_own(file: Path, cache: GraphCache) -> None:
    plain, both = read(file, cache=cache), read(file, cache=cache, undirected=True, weights="random:1..9:2")
    assert not both.kept
    again = read(file, cache=cache, undirected=True, weights="random:1..9:2")
    assert again.kept
    assert arcs_of(again) == arcs_of(both)
    assert arcs_of(read(file, cache=cache)) == arcs_of(plain)


def test_a_file_that_changes_is_read_again(file: Path, cache: GraphCache) -> None:
    read(file, cache=cache)
    status = file.stat()
    file.write_text(TEXT.replace("7", "8"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))  # the same size and the same time of change
    again = read(file, cache=cache)
    assert not again.kept
    assert arcs_of(again)[(3, 1, 8)] == 1
    assert len(list(cache.folder.iterdir())) == 1


def test_a_file_that_was_only_touched_is_known_by_its_content(file: Path, cache: GraphCache) -> None:
    read(file, cache=cache)
    aged(file, HOUR)
    assert read(file, cache=cache).kept
    assert len(list(cache.folder.iterdir())) == 1


def test_a_file_that_was_just_written_is_compared_by_content(tmp_path: Path, cache: GraphCache) -> None:
    file = tmp_path / "new.el"
    file.write_text("0 1\n")
    assert not read(file, cache=cache).kept
    assert read(file, cache=cache).kept


def test_a_damaged_entry_is_replaced(file: Path, cache: GraphCache) -> None:
    read(file, cache=cache)
    (entry,) = cache.folder.iterdir()
    entry.write_bytes(entry.read_bytes()[:100])
    assert not read(file, cache=cache).kept
    assert read(file, cache=cache).kept


def test_what_was_not_used_for_longest_goes(tmp_path: Path, cache: GraphCache) -> None:
    files = [tmp_path / f"{i}.el" for i in range(4)]
    for path in files:
        path.write_text("".join(f"{i} {i + 1}\n" for i in range(1000)))
        aged(path)
        read(path, cache=cache)
    size = next(cache.folder.iterdir()).stat().st_size
    small = GraphCache(cache.folder, 0, 3 * size)
    assert read(files[0], cache=small).kept
    last = tmp_path / "last.el"
    last.write_text(files[0].read_text())
    read(last, cache=small)
    assert sum(entry.stat().st_size for entry in cache.folder.iterdir()) <= 3 * size
    assert read(files[0], cache=small).kept
    assert not read(files[1], cache=GraphCache(cache.folder, 0, 0)).kept


def test_a_full_disk_costs_the_entry_only(file: Path, cache: GraphCache, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept.native, "write", full)
    with pytest.warns(GraphCacheWarning, match="could not be kept"):
        graph = read(file, cache=cache)
    assert graph.num_arcs == 3
    assert not list(cache.folder.iterdir())


def test_small_files_binary_files_and_graphs_of_several_files_are_not_kept(tmp_path: Path, cache: GraphCache) -> None:
    graph = Graph.from_arcs(3, [0, 1], [1, 2])
    for name in ("g.spg", "g.npz"):
        write(graph, tmp_path / name)
        read(tmp_path / name, cache=cache)
    (tmp_path / "g.e").write_text("1 2\n")
    read(tmp_path / "g.e", cache=cache)
    (tmp_path / "g.el").write_text("1 2\n")
    read(tmp_path / "g.el", cache=GraphCache(cache.folder, from_bytes=5))
    assert not cache.folder.exists()


def test_wrong_files_leave_nothing(tmp_path: Path, cache: GraphCache) -> None:
    (tmp_path / "g.el").write_text("1 2 x\n")
    with pytest.raises(DiagnosticError, match="E0805"):
        read(tmp_path / "g.el", cache=cache)
    assert not cache.folder.exists()


def test_the_environment_says_what_is_kept(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "ours"))
    assert not [starplat.read(file).kept for _ in range(2)][1]
    monkeypatch.setenv("STARPLAT_GRAPH_CACHE_FROM", "10 B")
    assert [starplat.read(file).kept for _ in range(2)] == [False, True]
    assert not starplat.read(file, cache=False).kept
    monkeypatch.setenv("STARPLAT_GRAPH_CACHE_FROM", "off")
    assert not starplat.read(file).kept
    monkeypatch.setenv("STARPLAT_GRAPH_CACHE_FROM", "much")
    with pytest.raises(DiagnosticError, match="E0911"):
        starplat.read(file)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".bz2", ".zst"])
@pytest.mark.parametrize("name", ["g.el", "g.mtx", "g.csv"])
def test_a_byte_order_mark_is_no_part_of_the_text(name: str, suffix: str, tmp_path: Path) -> None:
    from starplat.graph.writing import write as write_graph

    graph = Graph.from_arcs(3, [0, 1], [1, 2], [4, 5])
    write_graph(graph, tmp_path / name)
    marked = b"\xef\xbb\xbf" + (tmp_path / name).read_bytes()
    packers = {"": bytes, ".gz": "gzip", ".xz": "lzma", ".bz2": "bz2"}
    if suffix == ".zst":
        import zstandard

        packed = zstandard.compress(marked)
    elif suffix:
        packed = __import__(str(packers[suffix])).compress(marked)
    else:
        packed = marked
    (tmp_path / f"marked-{name}{suffix}").write_bytes(packed)
    assert arcs_of(read(tmp_path / f"marked-{name}{suffix}")) == arcs_of(read(tmp_path / name))
