"""starplat's own format `.spg`: the arrays of a graph as they lie in memory, so that reading one is mapping it.

8 bytes of magic · u64 length of a JSON header in ASCII · the header · arrays, each at a multiple of 64 bytes,
little-endian. The header holds the version, what the graph is, where each array lies, and `source`, the SHA-256 of the
file that the graph was made from, where that is known. The incoming arcs are written if the graph has worked them out.
Emitted programs read such files too and refuse what is refused here
(`templates/headers/starplat_read_graph.hpp.jinja`).

Version 1 numbers its nodes from `index_base`, or lists their `ids` in ascending order. Version 2, written only where
that is not enough, lists `ids` in any order, or names: `names`, UTF-8 bytes in a row, and `name_ends`, where each ends.
"""

import hashlib
import json
import struct
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import DiagnosticError
from starplat.graph import checks, csr, errors, streams
from starplat.graph.formats.base import Format, Keeps
from starplat.graph.graph import Graph
from starplat.graph.ids import Labelled, label_array

MAGIC = b"\x89SPG\r\n\x1a\n"
VERSION, NAMED_VERSION = 1, 2
ALIGNMENT = 64
_START = struct.Struct("<8sQ")
_T = TypeVar("_T", bool, int, str, dict[str, Any])
_TYPES = frozenset({"<i4", "<i8", "<u8", "<f8", "|u1"})


def write(graph: Graph, stream: IO[bytes], source_hash: str = "") -> None:
    """The graph, with `source_hash` (see `hash_of`) kept beside it."""
    arrays = _arrays(graph)
    places: dict[str, list[Any]] = {}
    end = 0
    for name, array in arrays.items():
        places[name] = [array.dtype.str, end, len(array)]
        end += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
    header = json.dumps(
        {
            "version": VERSION if _is_ascending(graph.ids) else NAMED_VERSION,
            "nodes": graph.num_nodes,
            "arcs": graph.num_arcs,
            "directed": graph.directed,
            "name": graph.name,
            "index_base": graph.index_base,
            "format": graph.format,
            "expanded": graph.expanded,
            "source": source_hash,
            "arrays": places,
        }
    ).encode()
    header += b" " * (-(_START.size + len(header)) % ALIGNMENT)
    stream.write(_START.pack(MAGIC, len(header)) + header)
    for array in arrays.values():
        stream.write(array.data)
        stream.write(bytes(-array.nbytes % ALIGNMENT))


def _arrays(graph: Graph) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any] | None] = {
        "row_offsets": graph.row_offsets,
        "columns": graph.columns,
        "weights": graph.weights,
        **_arrays_of_ids(graph),
    }
    if "reverse" in graph.__dict__:
        back = graph.reverse
        arrays |= {
            "reverse_offsets": back.row_offsets,
            "reverse_columns": back.columns,
            "reverse_arc_ids": back.arc_ids,
        }
    return {
        name: np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        for name, array in arrays.items()
        if array is not None
    }


def _is_ascending(ids: NDArray[Any] | None) -> bool:
    return ids is None or (ids.dtype != object and not (ids[1:] <= ids[:-1]).any())


def _arrays_of_ids(graph: Graph) -> dict[str, NDArray[Any] | None]:
    if not isinstance(graph.names, Labelled):
        return {"ids": graph.ids}
    labels = graph.names.all.tolist()
    if not all(isinstance(label, str) for label in labels):
        odd = next(label for label in labels if not isinstance(label, str))
        raise errors.cannot_write(graph.name, f"its nodes are called by other things than names, such as {odd!r:.60}")
    names = [label.encode("utf-8", "surrogatepass") for label in labels]
    ends = np.cumsum([len(name) for name in names], dtype=np.int64)
    return {"names": np.frombuffer(b"".join(names), np.uint8), "name_ends": ends}


@dataclass(frozen=True, slots=True)
class _Content:
    """A parsed header and the bytes that its arrays lie in."""

    header: dict[str, Any]
    start: int
    raw: NDArray[np.uint8]


def read(input: streams.Input, part: tuple[int, int] | None = None) -> Graph:
    """The graph of a `.spg`; one that is not compressed is mapped, not read. Where several readers map a file,
    `part` is the reader's number and how many there are: each checks the arcs of its part only, and incoming arcs in
    the file are left out."""
    content = _content(input)
    header = content.header
    try:
        places = _member(header, "arrays", dict)
        arrays = {name: _array(input, content, *_place(place)) for name, place in places.items()}
        given = arrays["row_offsets"], arrays["columns"], arrays.get("weights")
        wrong = partial(_damaged, input)
        rows = checks.checked_rows(*given, wrong) if part is None else checks.checked_piece(*given, part, wrong)
        graph = Graph(
            rows.row_offsets,
            rows.columns,
            rows.weights,
            _member(header, "directed", bool),
            _ids(input, arrays),
            _member(header, "name", str),
            _member(header, "index_base", int),
            _member(header, "format", str),
            _member(header, "expanded", bool),
            in_pieces=part is not None,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(input, f"its header is wrong ({error})") from None
    _check(input, header, graph)
    if "reverse_offsets" in arrays and part is None:
        graph.__dict__["reverse"] = _reverse(input, arrays, graph)
    return graph


def _member(header: dict[str, Any], key: str, kind: type[_T]) -> _T:
    """A member of the header, of that type and no other: True is no number. Raises TypeError: it is of another type;
    KeyError: there is none."""
    value = header[key]
    if type(value) is not kind:
        raise TypeError(f"'{key}' is {value!r:.40}")
    return value


def _place(place: Any) -> tuple[str, int, int]:
    """The type of an array, its place and its size. Raises TypeError: the header says something else of it."""
    if type(place) is not list or [type(part) for part in place] != [str, int, int]:
        raise TypeError(f"an array is {place!r:.40}")
    dtype, offset, count = place
    return dtype, offset, count


def hash_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal: what tells whether a cached graph is current."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def source_hash(path: Path) -> str:
    """The hash of the file that a `.spg` was made from; empty if it is not known."""
    return str(_content(streams.Input(path)).header.get("source", ""))


def _content(input: streams.Input) -> _Content:
    raw: NDArray[np.uint8]
    if input.compression is None and input.size:
        raw = np.memmap(input.path, np.uint8, "r")
    else:
        raw = np.frombuffer(input.read(), np.uint8)
    if len(raw) < _START.size:
        raise _damaged(input, "it is cut short")
    _, length = _START.unpack(raw[: _START.size].tobytes())
    start = _START.size + length
    if start > len(raw):
        raise _damaged(input, "it is cut short")
    if start % ALIGNMENT:
        raise _damaged(input, "its arrays are not aligned")
    try:
        header = json.loads(raw[_START.size : start].tobytes().decode("ascii"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise _damaged(input, "its header is no JSON") from None
    version = header.get("version") if isinstance(header, dict) else None
    if type(version) is not int or version not in (VERSION, NAMED_VERSION):
        message = f"only versions {VERSION} and {NAMED_VERSION} are read; write it again with this starplat"
        raise _damaged(input, message)
    return _Content(header, start, raw)


def _refuse_constant(word: str) -> NoReturn:
    """Refuses NaN and Infinity, which JSON has not."""
    raise ValueError(word)


def _array(input: streams.Input, content: _Content, dtype: str, offset: int, count: int) -> NDArray[Any]:
    if dtype not in _TYPES or offset < 0 or count < 0 or offset % ALIGNMENT:
        raise _damaged(input, "its header is wrong")
    kind = np.dtype(dtype)
    start, end = content.start + offset, content.start + offset + count * kind.itemsize
    if end > len(content.raw):
        raise _damaged(input, f"it is cut short: {end} bytes were expected, there are {len(content.raw)}")
    return content.raw[start:end].view(kind)


def _check(input: streams.Input, header: dict[str, Any], graph: Graph) -> None:
    sizes = [header.get("nodes"), header.get("arcs")]
    if [type(size) for size in sizes] != [int, int] or sizes != [graph.num_nodes, graph.num_arcs]:
        raise _damaged(input, "its header and its arrays are of different sizes")
    ids = graph.ids
    if not -(2**63) <= graph.index_base < 2**63 - graph.num_nodes:
        raise _damaged(input, "its ids are out of range")
    if ids is not None and len(ids) != graph.num_nodes:
        raise _damaged(input, f"it has {len(ids)} ids for {graph.num_nodes} nodes")
    if header["version"] == VERSION and not _is_ascending(ids):
        raise _damaged(input, "its ids do not ascend")
    if ids is not None and not _is_ascending(ids) and len(set(ids.tolist())) != len(ids):
        raise _damaged(input, "two of its nodes have the same id")


def _ids(input: streams.Input, arrays: dict[str, NDArray[Any]]) -> NDArray[Any] | None:
    """The ids of the nodes, numbers or names."""
    if "names" not in arrays:
        if (ids := arrays.get("ids")) is not None and ids.dtype.kind not in "iu":
            raise _damaged(input, "its ids are no whole numbers")
        return ids
    ends, text = arrays["name_ends"], arrays["names"].tobytes()
    if ends.dtype.kind not in "iu" or (len(ends) and (int(ends[0]) < 0 or int(ends[-1]) != len(text))):
        raise _damaged(input, "its names are incomplete")
    if (ends[1:] < ends[:-1]).any():
        raise _damaged(input, "its names overlap")
    starts = [0, *ends.tolist()]
    return label_array(text[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(starts))


def _reverse(input: streams.Input, arrays: dict[str, NDArray[Any]], graph: Graph) -> csr.Reverse:
    offsets, columns, arc_ids = (arrays.get(f"reverse_{part}") for part in ("offsets", "columns", "arc_ids"))
    if offsets is None or columns is None or arc_ids is None or arc_ids.dtype.kind not in "iu":
        raise _damaged(input, "its incoming arcs are incomplete")
    rows = checks.checked_rows(offsets, columns, None, lambda message: _damaged(input, f"incoming arcs: {message}"))
    in_range = not len(arc_ids) or (int(arc_ids.min()) >= 0 and int(arc_ids.max()) < graph.num_arcs)
    sizes = (len(offsets), len(columns), len(arc_ids))
    if sizes != (len(graph.row_offsets), graph.num_arcs, graph.num_arcs) or not in_range:
        raise _damaged(input, "its incoming arcs are not those of the graph")
    if not checks.ascending(csr.Rows(offsets, columns, None)):
        raise _damaged(input, "its incoming arcs are not in order")
    return csr.Reverse(rows.row_offsets, rows.columns, np.asarray(arc_ids, np.int64))


def _damaged(input: streams.Input, message: str) -> DiagnosticError:
    return errors.wrong_size(input.shown, f"this .spg is damaged or of another version: {message}")


def recognises(input: streams.Input) -> bool:
    return input.head.startswith(MAGIC)


FORMAT = Format("spg", "starplat graph", (".spg",), recognises, read, write, Keeps.ALL)
