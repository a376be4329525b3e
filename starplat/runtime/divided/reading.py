"""Reads a graph for the ranks of a run: each reads its piece of a mapped `.spg`.

All ranks map a `.spg` that no option changes. Any other file is read by one rank of each host, which writes a temporary
`.spg`; all ranks of the host map that, and it is removed.
"""

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from zlib import crc32

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.graph.formats import native
from starplat.graph.graph import Graph
from starplat.graph.streams import Input
from starplat.runtime.parts.agreeing import agreed, require_alike
from starplat.runtime.parts.communicator import Communicator


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
        return agreed(communicator, lambda: _piece(path, communicator))
    is_first = communicator.rank == communicator.first_here
    written = agreed(communicator, lambda: _written(read()) if is_first else None)
    try:
        here = communicator.gather(written)[communicator.first_here]
        return agreed(communicator, lambda: _piece(here, communicator))
    finally:
        if written is not None:
            written.unlink(missing_ok=True)


def _opened(path: Path) -> tuple[Input, bytes]:
    """A file and its beginning."""
    input = Input(path)
    return input, input.head


def _piece(path: Path, communicator: Communicator) -> Graph:
    return native.read_piece(Input(path), (communicator.rank, communicator.size))


def _written(graph: Graph) -> Path:
    try:
        handle, name = tempfile.mkstemp(prefix="starplat-", suffix=".spg")
    except OSError as error:
        raise _no_room("temporary files", error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            native.write(graph, file)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _no_room(name, error) from None
        raise
    return Path(name)


def _no_room(name: str, error: OSError) -> DiagnosticError:
    """E0792: what one rank has read cannot be handed to the others."""
    message = f"{name}: the graph cannot be written for the other ranks of this host: {error.strerror or error}"
    help = "make room there, let TMPDIR name another folder, or give the graph as a .spg (`starplat graph convert`)"
    return DiagnosticError(Diagnostic("E0792", message, help=help), exit_code=ExitCode.BUILD_FAILED)
