"""Writes a graph to a file in any writable format; the file is complete or absent."""

import bz2
import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, cast

from starplat.graph import errors, formats, reading
from starplat.graph.formats.base import Keeps
from starplat.graph.formats.edge_list import FORMAT as EDGE_LIST, added_nodes
from starplat.graph.graph import Graph
from starplat.whole_files import NO_FILE, mode_of_new, replacing, why_not_writable


def _xz(stream: IO[bytes]) -> IO[bytes]:
    from lzma import LZMAFile

    return LZMAFile(stream, "wb")


def _zstd(stream: IO[bytes]) -> IO[bytes]:
    from zstandard import ZstdCompressor

    return ZstdCompressor().stream_writer(stream, closefd=False)


_PACKERS: dict[str, Callable[[IO[bytes]], IO[bytes]]] = {
    ".gz": lambda stream: cast(IO[bytes], gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0)),
    ".xz": _xz,
    ".bz2": lambda stream: bz2.BZ2File(stream, "wb"),
    ".zst": _zstd,
}


def write(graph: Graph, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Writes a graph; the path's suffix tells the format, if `format` does not, and the compression. A symbolic link
    stays one: the file that it names is written. Raises E0815: the format is unknown, is not written, or cannot hold
    the graph."""
    target = Path(path)
    packer = _PACKERS.get(target.suffix.lower())
    require_writable(target, format)
    try:
        _write_whole(graph, target.resolve(), _writer(target, format), packer)
    except OSError as error:
        raise errors.cannot_write(str(target), (error.strerror or str(error)).lower()) from None


def require_writable(path: str | os.PathLike[str], format: str | None = None) -> None:
    """Refuses a file that no graph could be written to, whatever the graph. Raises E0815: the format is unknown or is
    not written, or the file cannot be made."""
    target = Path(path)
    _writer(target, format)
    try:
        reason = why_not_writable(target)
    except (OSError, ValueError, RuntimeError) as error:
        raise errors.cannot_write(str(target), (getattr(error, "strerror", None) or str(error)).lower()) from None
    if reason is not None:
        raise errors.cannot_write(str(target), reason, "name a file" if reason == NO_FILE else None)


def _writer(target: Path, format: str | None) -> Callable[[Graph, IO[bytes]], None]:
    chosen = format_written(target, format)
    if chosen.write is None:
        raise errors.cannot_write(str(target), f"starplat reads {chosen.title} but does not write it", _writable())
    return chosen.write


def lost(graph: Graph, path: str | os.PathLike[str], format: str | None = None) -> tuple[str, ...]:
    """What the file would not keep of the graph, in words; for a caller to warn of before writing. Raises E0815: the
    path tells no format."""
    target = Path(path)
    chosen = format_written(target, format)
    kept = chosen.keeps
    losses = []
    if graph.ids is not None and Keeps.IDS not in kept:
        losses.append(f"{chosen.title} does not keep the original ids; nodes are numbered anew")
    if not graph.directed and Keeps.DIRECTION not in kept:
        losses.append(f"{chosen.title} does not say that the graph is undirected; both arcs of every edge are listed")
    if graph.weights is None and Keeps.NO_WEIGHTS not in kept:
        losses.append(f"{chosen.title} has no graphs without weights; every weight is written as 1")
    if chosen is EDGE_LIST and (added := added_nodes(graph, _plain(target))):
        nodes = "a node" if added == 1 else f"{added:,} nodes"
        losses.append(f"read from a .el or .wel the graph has {nodes} more, without arcs: GAP's ids begin with 0")
    return tuple(losses)


def format_written(target: Path, name: str | None = None) -> formats.Format:
    """The format of a name, or else of a file that is called so. Raises E0815, the path tells no format; E0817, there
    is none of that name."""
    if name is not None:
        return reading.format_named(name)
    plain = _plain(target)
    fitting = [format for format in formats.FORMATS if plain.endswith(format.suffixes)]
    for format in fitting:
        if format.write is not None:
            return format
    if fitting:
        return fitting[0]
    raise errors.cannot_write(str(target), "its name tells no graph format", _writable())


def _plain(target: Path) -> str:
    """The file's name without the ending of a compression."""
    name, ending = target.name.lower(), target.suffix.lower()
    return name.removesuffix(ending) if ending in _PACKERS else name


def _writable() -> str:
    return "formats that can be written: " + ", ".join(format.name for format in formats.FORMATS if format.write)


def _write_whole(
    graph: Graph,
    target: Path,
    write_to: Callable[[Graph, IO[bytes]], None],
    packer: Callable[[IO[bytes]], IO[bytes]] | None,
) -> None:
    with replacing(target, mode_of_new(), "") as temporary, temporary.open("wb") as file:
        if packer is None:
            write_to(graph, file)
        else:
            with packer(file) as packed:
                write_to(graph, packed)
