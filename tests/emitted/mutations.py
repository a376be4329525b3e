"""Graph files to begin with, in every format that emitted programs read, and ways to spoil them."""

from __future__ import annotations

import io
import json
import random
import re
import struct
from collections.abc import Callable

import numpy as np

from starplat.graph import Graph
from starplat.graph.formats import native

TEXTS: dict[str, str] = {
    "real.mtx": "%%MatrixMarket matrix coordinate real general\n% made up\n4 4 4\n1 2 0.5\n2 3 -1e3\n3 1 7\n4 4 .25\n",
    "integer.mtx": "%%MatrixMarket matrix coordinate integer symmetric\n%%GraphBLAS type int8_t\n\n3 3 3\n1 1 5\n"
    "2 1 -3\n3 2 +4\n",
    "pattern.mtx": "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n3 1\n1 2\n1 2\n",
    "no_banner.mtx": "3 3 2\n1 2 1.5\n3 1 2\n",
    "weights.gr": "c made up\np sp 4 5\na 1 2 7\na 4 1 3\na 1 2 5\nc between\na 2 2 1\na 3 4 9\n",
    "coloring.col": "c made up\np edge 4 3\ne 1 2\ne 2 3\ne 4 1\n",
    "pace.gr": "p tw 4 3\n1 2\n2 3\n4 1\n",
    "gap.el": "0 1\n3 2\n2 0\n0 1\n",
    "gap.wel": "0 1 5\n3 2 1.25\n2 0 7\n0 0 2\n",
    "snap.txt": "# Directed graph, not undirected\n# FromNodeId\tToNodeId\n10\t20\n30\t10\n\n7\t30\n",
    "undirected.txt": "# Undirected graph\n% more\n5 6 3\n6 5 3\n9 5 1\n18446744073 9 2\n",
    "commas.edges": "1, 2, 3\r\n2, 5, 4\r\n5, 1, 6\r\n",
}

TOKENS = (
    *(
        b"0",
        b"1",
        b"2",
        b"-1",
        b"+3",
        b"007",
        b"1.5",
        b".5",
        b"5.",
        b"1e3",
        b"1e999",
        b"1e-999",
        b"nan",
        b"inf",
        b"0x1",
    ),
    *(b"9223372036854775807", b"9223372036854775808", b"18446744073709551615", b"18446744073709551616", b"1_0"),
    *(b"4611686018427387904", b"2305843009213693953", b"-9223372036854775808", b"0000000000000000000000000005"),
    *(
        b" ",
        b"\t",
        b"\n",
        b"\r\n",
        b"\v",
        b"\f",
        b"\x00",
        b"\x1b",
        b"\x1f",
        b"\xff",
        b"\xc2\xa0",
        b",",
        b";",
        b"|",
        b"#",
    ),
    *(b"%", b"c", b"a", b"e", b"p", b"{", b"}", b"{}", b'"', b"\\", b"[", b"]", b"true", b"null", b"NaN", b"Ann"),
    *(
        b"# undirected\n",
        b"# not directed\n",
        b"%%GraphBLAS type uint8_t\n",
        b"\xef\xbb\xbf",
        b"symmetric",
        b"64",
        b"128",
    ),
    *(b"<i4", b"<i8", b"<u8", b"<f8", b"|u1", b"reverse_offsets", b"names", b"version", b"directed", b"index_base"),
)


def seeds() -> dict[str, bytes]:
    """Files that all are graphs, by name."""
    found = {name: text.encode() for name, text in TEXTS.items()}
    for name, graph in graphs().items():
        written = io.BytesIO()
        native.write(graph, written)
        found[f"{name}.spg"] = written.getvalue()
    return found


def graphs() -> dict[str, Graph]:
    """Graphs whose `.spg` files hold every array that there may be."""
    ends = [0, 3, 1, 1, 2], [1, 0, 2, 2, 2]
    plain = Graph.from_arcs(4, *ends)
    whole = Graph.from_arcs(4, *ends, [5, -4, 3, 9, 1], ids=np.array([-3, 5, 6, 90]))
    assert len(whole.reverse.columns)  # from now on it is written
    shuffled = Graph.from_arcs(4, *ends, [0.5, 4, -2.25, 1e300, 1], directed=False, ids=np.array([9, 2, 5, 1]))
    return {"plain": plain, "whole": whole, "shuffled": shuffled, "empty": Graph.from_arcs(0, [], [])}


def mutated(draw: random.Random, data: bytes) -> bytes:
    """The file with up to four spoilt places."""
    for _ in range(draw.randint(1, 4)):
        data = draw.choice(_WAYS)(draw, data)
    return data


def is_costly(name: str, data: bytes) -> bool:
    """Whether reading it might take a gigabyte: it promises many nodes, but no more than a large machine could hold."""
    promises = not name.endswith((".txt", ".edges", ".spg"))
    return promises and any(10**6 < int(word) < 10**12 for word in re.findall(rb"\d{1,30}", data))


def _place(draw: random.Random, data: bytes) -> int:
    return draw.randint(0, len(data))


def _flip(draw: random.Random, data: bytes) -> bytes:
    at = _place(draw, data)
    return data[:at] + bytes(byte ^ 1 << draw.randrange(8) for byte in data[at : at + 1]) + data[at + 1 :]


def _insert(draw: random.Random, data: bytes) -> bytes:
    at = _place(draw, data)
    return data[:at] + draw.choice(TOKENS) + data[at:]


def _cut_out(draw: random.Random, data: bytes) -> bytes:
    at = _place(draw, data)
    return data[:at] + data[at + draw.choice((1, 2, 8, 64)) :]


def _cut_short(draw: random.Random, data: bytes) -> bytes:
    return data[: _place(draw, data)]


def _repeat(draw: random.Random, data: bytes) -> bytes:
    at, end = sorted((_place(draw, data), _place(draw, data)))
    return data[:end] + data[at:end][:64] + data[end:]


def _other_word(draw: random.Random, data: bytes) -> bytes:
    """Another token in the place of a word or a number."""
    words = list(re.finditer(rb"[\w.|<+-]+", data))
    if not words:
        return data
    word = draw.choice(words)
    return data[: word.start()] + draw.choice(TOKENS) + data[word.end() :]


def _other_cell(draw: random.Random, data: bytes) -> bytes:
    """Another number in the place of eight bytes that an array may have."""
    at = _place(draw, data) // 8 * 8
    value = draw.choice((0, 1, 2, 3, 4, 5, -1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 0x7FF0000000000000, 1 << 32))
    return data[:at] + struct.pack("<q", value) + data[at + 8 :]


def _other_header(draw: random.Random, data: bytes) -> bytes:
    """A `.spg` whose header says something else and is well formed."""
    if not data.startswith(native.MAGIC) or len(data) < 16:
        return data
    (length,) = struct.unpack_from("<Q", data, 8)
    try:
        header = json.loads(data[16 : 16 + length])
        key = draw.choice(list(header))
        if key == "arrays":
            name = draw.choice(list(header["arrays"]))
            header["arrays"][name][draw.randrange(3)] = draw.choice(_VALUES)
        else:
            header[key] = draw.choice(_VALUES)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
        return data
    text = json.dumps(header).encode()
    text += b" " * (-(16 + len(text)) % native.ALIGNMENT)
    return data[:8] + struct.pack("<Q", len(text)) + text + data[16 + length :]


_VALUES = (
    *(0, 1, 2, 3, 4, 5, 64, 128, -64, 2**61 + 1, 2**62, 2**63 - 1, 2**63, 2**64, 1.0, 0.5, True, False, None, "", "x"),
    *([], {}, "<i4", "<i8", "<u8", "<f8", "|u1"),
)
_WAYS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    *(_flip, _insert, _insert, _cut_out, _cut_short, _repeat, _other_word, _other_word, _other_cell, _other_header),
    _other_header,
)
