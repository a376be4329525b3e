"""Reads a graph for the ranks of a run: each reads its piece of a mapped `.spg`.

All ranks map a `.spg` that no option changes. Any other file is read by one rank of each host, which writes a temporary
`.spg` that the ranks of the host map. Where the system shows the open files of a process, that file has no name, so
nothing stays of it even if the ranks are killed.
"""

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from zlib import crc32

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.graph.formats import native
from starplat.graph.graph import Graph
from starplat.graph.streams import Input
from starplat.runtime.parts.agreeing import agreed, require_alike
from starplat.runtime.parts.communicator import Communicator

_OPEN_FILES = Path("/proc/self/fd")


def read_together(
    path: Path, communicator: Communicator, read: Callable[[], Graph], options: Sequence[tuple[str, object]]
) -> Graph:
    """The graph in a file, mapped by all ranks; every rank has checked its piece.

    Args:
        path: the file.
        read: reads it, with all options.
        options: those that change what is in the file.

    Raises:
        DiagnosticError: on all ranks, what is wrong with the file; E0735, another rank reads another file, or reads it
            with other options; E0792, there is no room for what was read.
    """
    input, head = agreed(communicator, lambda: _opened(path))
    require_alike(communicator, {"graph": (input.path.name, input.size, crc32(head), *options)})
    if not options and input.compression is None and native.recognises(input):
        return _piece(path, communicator)
    is_first = communicator.rank == communicator.first_here
    with ExitStack() as kept:
        written = agreed(communicator, lambda: _written(read(), kept) if is_first else None)
        here = communicator.gather(written)[communicator.first_here]
        return _piece(here, communicator)


def _opened(path: Path) -> tuple[Input, bytes]:
    """A file and its beginning."""
    input = Input(path)
    return input, input.head


def _piece(path: Path, communicator: Communicator) -> Graph:
    """This rank's of a `.spg`."""
    _require_one_content(path, communicator)
    return agreed(communicator, lambda: native.read(Input(path), (communicator.rank, communicator.size)))


def _require_one_content(path: Path, communicator: Communicator) -> None:
    """Raises E0735 if ranks map files that differ. Where there are several, one rank reads each file of its host."""
    files = communicator.gather(agreed(communicator, lambda: _file_at(path)))
    if len(set(files)) == 1:
        return
    rank, first = communicator.rank, communicator.first_here
    reader = first if files[rank] == files[first] else rank
    hashes = communicator.gather(agreed(communicator, lambda: native.hash_of(path) if reader == rank else None))
    require_alike(communicator, {"graph": hashes[reader]})


def _file_at(path: Path) -> tuple[int, int]:
    """What tells a file from others, also on hosts that share it."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


def _written(graph: Graph, kept: ExitStack) -> Path:
    """Where processes of this host find a file with the graph until `kept` is closed. Raises E0792: it cannot be
    written."""
    nameless = _OPEN_FILES.is_dir()
    temporary = TemporaryFile if nameless else NamedTemporaryFile
    try:
        file = kept.enter_context(temporary())
        native.write(graph, file)
        file.flush()
    except OSError as error:
        where = tempfile.tempdir or "temporary files"
        message = f"{where}: the graph cannot be written for the other ranks of this host: {error.strerror or error}"
        help = "make room there, let TMPDIR name another folder, or give the graph as a .spg (`starplat graph convert`)"
        raise DiagnosticError(Diagnostic("E0792", message, help=help), exit_code=ExitCode.BUILD_FAILED) from None
    return Path(f"/proc/{os.getpid()}/fd/{file.fileno()}") if nameless else Path(file.name)
