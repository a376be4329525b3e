"""NumPy archives: SciPy's `save_npz`, and archives with `indptr`, `indices` and perhaps `weights` and `directed`."""

import io
import zipfile
import zlib
from typing import IO, Any

import numpy as np

from starplat.graph.errors import about, unsupported, wrong_size
from starplat.graph.formats.base import Format, Keeps, graph_of_rows
from starplat.graph.graph import Graph
from starplat.graph.objects import from_sparse
from starplat.graph.streams import Input, memory

ZIP = b"PK\x03\x04"

_UNREADABLE = (
    *(ValueError, MemoryError, EOFError, OSError, KeyError, TypeError),
    *(zipfile.BadZipFile, zlib.error),
    *(NotImplementedError, RuntimeError),  # of another version of zip; encrypted
)


def read(input: Input) -> Graph:
    """The graph in an archive of arrays."""
    content = io.BytesIO(input.read())
    try:
        with np.load(content, allow_pickle=False) as archive:
            names = set(archive.files)
            _require_room(input, archive.zip)
            if "format" in names and "shape" in names:
                return _sparse(input, content)
            if {"indptr", "indices"} <= names:
                return _rows(input, archive)
    except _UNREADABLE as error:
        raise wrong_size(input.shown, f"the archive is damaged: {error}") from None
    message = f"the archive holds {', '.join(sorted(names)) or 'nothing'}, not 'indptr' and 'indices'"
    raise unsupported(input.shown, message)


def _require_room(input: Input, archive: zipfile.ZipFile) -> None:
    """Refuses what a small archive would unpack to if no machine like this one could hold it."""
    needed, available = sum(part.file_size for part in archive.infolist()), memory()
    if needed > available:
        gib = 2**30
        message = f"its arrays take {needed / gib:.1f} GiB, more than this machine's {available / gib:.1f} GiB"
        raise about(input.shown, "E0811", message)


def _sparse(input: Input, content: IO[bytes]) -> Graph:
    import scipy.sparse

    content.seek(0)
    matrix: Any = scipy.sparse.load_npz(content)
    if matrix.format in ("csr", "csc"):
        matrix.check_format(full_check=True)
    return from_sparse(matrix, name=input.path.name, format="SciPy sparse")


def _rows(input: Input, archive: Any) -> Graph:
    weights = archive["weights"] if "weights" in archive.files else None
    directed = bool(archive["directed"]) if "directed" in archive.files else True
    return graph_of_rows(input, archive["indptr"], archive["indices"], weights, "NumPy archive", directed=directed)


def write(graph: Graph, stream: IO[bytes]) -> None:
    """`indptr`, `indices`, `directed`, and `weights` if there are any."""
    arrays: dict[str, Any] = {"indptr": graph.row_offsets, "indices": graph.columns, "directed": graph.directed}
    if graph.weights is not None:
        arrays["weights"] = graph.weights
    np.savez(stream, **arrays)


def recognises(input: Input) -> bool:
    """A zip archive."""
    return input.head.startswith(ZIP)


FORMAT = Format("npz", "NumPy archive", (".npz",), recognises, read, write, Keeps.DIRECTION | Keeps.NO_WEIGHTS)
