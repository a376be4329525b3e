"""Cache of parsed graphs: a large text file is parsed once, then its `.spg` is mapped.

An entry belongs to a file's path and the options of the reading. It is used while the file has the size and the times
that it had, or else the same SHA-256. Entries appear whole or not at all; those not used for longest go when all of
them together grow beyond a limit. The caller gives a folder to which only the user can write.
"""

from __future__ import annotations

import hashlib
import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from starplat.diagnostics import DiagnosticError, StarplatWarning
from starplat.graph.formats import native
from starplat.graph.graph import Graph
from starplat.graph.streams import Input
from starplat.whole_files import replacing

FROM_BYTES = 8 * 2**20
MOST_BYTES = 4 * 2**30
LAYOUT = "2"
"""Part of every key: it changes when reading the same file gives another graph."""

_SETTLED_NS = 2 * 10**9
"""A file that was written so shortly before it was read may have been written again without another time."""


class GraphCacheWarning(StarplatWarning):
    """A graph could not be kept, and why."""


@dataclass(frozen=True, slots=True)
class GraphCache:
    """Entries in `folder`: of text files of `from_bytes` and more, `most_bytes` in all."""

    folder: Path
    from_bytes: int = FROM_BYTES
    most_bytes: int = MOST_BYTES

    def read(self, path: Path, options: str, parse: Callable[[], Graph]) -> Graph:
        """The graph in a file, from its entry if there is a current one, else as `parse` reads it."""
        source = Source.of(path, options)
        if (found := self._found(source)) is not None:
            return found
        graph = parse()
        self._keep(graph, source)
        return graph

    def _found(self, source: Source) -> Graph | None:
        for entry in self._entries(source):
            current = entry.name == source.entry and _written(entry) > source.changed + _SETTLED_NS
            if not current and not _same_content(entry, source):
                continue
            with suppress(DiagnosticError, OSError):  # damaged, or just removed: the file is read again
                graph = replace(native.read(Input(entry)), kept=True)
                self._used(entry, source)
                return graph
        return None

    def _entries(self, source: Source) -> list[Path]:
        """That of the file as it is first, then those of the file as it was."""
        found = self.folder.glob(f"{source.key}-*.spg")
        return sorted(found, key=lambda entry: entry.name != source.entry)

    def _used(self, entry: Path, source: Source) -> None:
        """Notes when the entry was used last, and that it is the entry of the file as it is now."""
        with suppress(OSError):
            os.utime(entry, ns=(time.time_ns(), time.time_ns()))
            if entry.name != source.entry:
                os.replace(entry, entry.with_name(source.entry))

    def _keep(self, graph: Graph, source: Source) -> None:
        """Writes an entry; a full disk, or nodes that no entry can name, cost the entry, not the reading."""
        if (size := _size_of(graph)) > self.most_bytes:
            return
        try:
            self._make_room(size, source)
            self._write(graph, source)
        except (OSError, DiagnosticError) as error:
            message = f"{source.path} could not be kept in {self.folder}: {error}"
            warnings.warn(message, GraphCacheWarning, stacklevel=4)

    def _write(self, graph: Graph, source: Source) -> None:
        content = native.hash_of(source.path)
        if Source.of(source.path, source.options) != source:  # it has changed since it was read
            return
        with replacing(self.folder / source.entry) as temporary, temporary.open("wb") as file:
            native.write(graph, file, content)

    def _make_room(self, size: int, source: Source) -> None:
        """Removes what the new entry takes the place of, then what was not used for longest."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in self.folder.glob(f"{source.key}-*.spg"):
            old.unlink(missing_ok=True)
        entries = sorted(_sized(self.folder), reverse=True)
        room = self.most_bytes - size
        for _, taken, entry in entries:
            room -= taken
            if room < 0:
                entry.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it is now, and how it is to be read."""

    path: Path
    options: str
    size: int
    changed: int
    created: int

    @classmethod
    def of(cls, path: Path, options: str) -> Source:
        """The file at a path; `changed` and `created` are its times of last change, of content and of anything."""
        status = path.stat()
        return cls(path.resolve(), options, status.st_size, status.st_mtime_ns, status.st_ctime_ns)

    @property
    def key(self) -> str:
        """What entries of the file, read so, are called."""
        return _digest(LAYOUT, str(native.VERSION), str(self.path), self.options)[:32]

    @property
    def entry(self) -> str:
        """What the entry of the file as it is now is called."""
        return f"{self.key}-{_digest(str(self.size), str(self.changed), str(self.created))[:16]}.spg"


def _same_content(entry: Path, source: Source) -> bool:
    """Whether the entry was made from just these bytes, whatever the file's times say."""
    with suppress(DiagnosticError, OSError):
        return native.source_hash(entry) == native.hash_of(source.path)
    return False


def _written(entry: Path) -> int:
    with suppress(OSError):
        return entry.stat().st_mtime_ns
    return 0


def _sized(folder: Path) -> Iterator[tuple[int, int, Path]]:
    """When each entry was used last, its size, and where it is."""
    for entry in folder.glob("*.spg"):
        with suppress(OSError):
            status = entry.stat()
            yield status.st_mtime_ns, status.st_size, entry


def _size_of(graph: Graph) -> int:
    arrays = (graph.row_offsets, graph.columns, graph.weights, graph.ids)
    return sum(array.nbytes for array in arrays if array is not None)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
