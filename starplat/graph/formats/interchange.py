"""GraphML, GEXF, GML and Pajek, read through NetworkX. Meant for graphs of up to some hundred thousand edges."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import IO, Any
from xml.etree.ElementTree import ParseError

from starplat.graph.errors import Place, about, malformed, needs_library
from starplat.graph.formats.base import Format, is_text
from starplat.graph.graph import Graph
from starplat.graph.objects import from_networkx
from starplat.graph.streams import Input
from starplat.graph.tables import shown


def _reader(title: str, load: Callable[[Any, IO[bytes]], Any]) -> Callable[[Input], Graph]:
    def read(input: Input) -> Graph:
        try:
            import networkx
        except ImportError:
            raise needs_library(f"reading {input.shown}", "networkx") from None
        content = input.read()
        try:
            graph = load(networkx, io.BytesIO(content))
        except ParseError as error:
            line, column = error.position
            text = shown((content.split(b"\n")[line - 1 : line] or [b""])[0])
            raise malformed(Place(input.shown, line, text, column + 1), f"this is no {title}: {error}") from None
        except Exception as error:  # a foreign parser's errors are of many types, all about this file
            raise about(input.shown, "E0805", f"NetworkX cannot read this {title}: {_said(error)}") from None
        return from_networkx(graph, name=input.path.name, format=title)

    return read


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error) or 'no reason given').splitlines()[0]}"


def _recogniser(pattern: bytes) -> Callable[[Input], bool]:
    def recognises(input: Input) -> bool:
        return is_text(input) and re.search(pattern, input.head, re.IGNORECASE) is not None

    return recognises


def _load_pajek(networkx: Any, stream: IO[bytes]) -> Any:
    return networkx.parse_pajek(line.decode("utf-8", "replace") for line in stream)


GRAPHML = Format(
    "graphml",
    "GraphML",
    (".graphml", ".xml"),
    _recogniser(rb"\A\s*(?:\xef\xbb\xbf)?\s*<(?:\?xml[^>]*>\s*(?:<!--.*?-->\s*)*<)?graphml\b"),
    _reader("GraphML", lambda networkx, stream: networkx.read_graphml(stream)),
)
GEXF = Format(
    "gexf",
    "GEXF",
    (".gexf",),
    _recogniser(rb"\A\s*(?:\xef\xbb\xbf)?\s*<(?:\?xml[^>]*>\s*(?:<!--.*?-->\s*)*<)?gexf\b"),
    _reader("GEXF", lambda networkx, stream: networkx.read_gexf(stream)),
)
GML = Format(
    "gml",
    "GML",
    (".gml",),
    _recogniser(rb"\A(?:\s*(?:#|Creator|Version|comment)[^\n]*\n)*\s*graph\s*\["),
    _reader("GML", lambda networkx, stream: networkx.read_gml(stream, label="id")),
)
PAJEK = Format(
    "pajek",
    "Pajek",
    (".net", ".pajek"),
    _recogniser(rb"\A(?:\s*%[^\n]*\n)*\s*\*(?:network|vertices)\b"),
    _reader("Pajek", _load_pajek),
)
