"""GraphML, GEXF, GML and Pajek, read through NetworkX. Meant for graphs of up to some hundred thousand edges."""

import io
import re
from collections.abc import Callable
from typing import IO, Any, NoReturn
from xml.etree.ElementTree import ParseError
from xml.parsers import expat

from starplat.diagnostics import DiagnosticError
from starplat.graph import errors, objects, streams, tables
from starplat.graph.formats.base import Format, is_text
from starplat.graph.graph import Graph

MOST_BYTES = 1 << 28
"""Bytes of such a file: parsed, it takes some twenty times as much memory."""


def _reader(
    title: str, load: Callable[[Any, IO[bytes]], Any], inspect: Callable[[streams.Input, bytes], None] | None = None
) -> Callable[[streams.Input], Graph]:
    def read(input: streams.Input) -> Graph:
        try:
            import networkx
        except ImportError:
            raise errors.needs_library(f"reading {input.shown}", "networkx") from None
        content = input.read(MOST_BYTES)
        if inspect is not None:
            inspect(input, content)
        try:
            graph = load(networkx, io.BytesIO(content))
        except ParseError as error:
            raise _at_line(input, content, error.position, f"this is no {title}: {error}") from None
        except Exception as error:  # a foreign parser's errors are of many types, all about this file
            raise errors.about(input.shown, "E0805", f"NetworkX cannot read this {title}: {_said(error)}") from None
        return objects.from_networkx(graph, name=input.path.name, format=title, from_text=True)

    return read


def _at_line(input: streams.Input, content: bytes, position: tuple[int, int], message: str) -> DiagnosticError:
    return errors.malformed(_place(input, content, position), message)


def _place(input: streams.Input, content: bytes, position: tuple[int, int]) -> errors.Place:
    """A line, counted from 1, and a column, counted from 0, as messages have them."""
    line, column = position
    text = tables.shown((content.split(b"\n")[line - 1 : line] or [b""])[0])
    return errors.Place(input.shown, line, text, column + 1)


def refuse_entities(input: streams.Input, content: bytes) -> None:
    """Lets a document type pass that only names one, and refuses entities before anything expands or fetches them.
    Raises E0810, the document type declares an entity; E0805, what stands before the graph is no XML."""
    parser = expat.ParserCreate()
    parser.EntityDeclHandler, parser.StartElementHandler = _declared, _begun
    try:
        parser.Parse(content, True)
    except _ContentBegunError:
        return
    except _EntityError as found:
        name = str(found)
        written = re.search(rb"<!ENTITY\s+(?:%\s+)?" + re.escape(name.encode()), content)
        before = content[: written.start() if written else 0]
        position = before.count(b"\n") + 1, len(before) - before.rfind(b"\n") - 1
        message = f"its document type declares the entity '{name}', and entities are not read"
        help = "write the text itself where the entity stands, and leave the declaration out"
        raise errors.unsupported(input.shown, message, _place(input, content, position), help) from None
    except expat.ExpatError as error:
        raise _at_line(input, content, (error.lineno, error.offset), f"this is no XML: {error}") from None
    except LookupError as error:  # the encoding that it names is none
        raise _at_line(input, content, (1, 0), f"this cannot be read as text: {error}") from None


def _declared(name: str, *more: object) -> NoReturn:
    raise _EntityError(name)


def _begun(name: str, attributes: object) -> NoReturn:
    raise _ContentBegunError


class _ContentBegunError(Exception):
    """The first element has been reached: no declaration may follow."""


class _EntityError(Exception):
    """An entity of that name is declared."""


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error) or 'no reason given').splitlines()[0]}"


def _recogniser(pattern: bytes) -> Callable[[streams.Input], bool]:
    def recognises(input: streams.Input) -> bool:
        return is_text(input) and re.search(pattern, input.head, re.IGNORECASE | re.DOTALL) is not None

    return recognises


def _load_gml(networkx: Any, stream: IO[bytes]) -> Any:
    """Nodes are called by their labels where each has one of its own, else by their numbers."""
    graph = networkx.read_gml(stream, label="id")
    labels = dict(graph.nodes(data="label"))
    if None in labels.values() or len(set(labels.values())) < len(labels):
        return graph
    return networkx.relabel_nodes(graph, labels)


def _load_pajek(networkx: Any, stream: IO[bytes]) -> Any:
    return networkx.parse_pajek(line.decode("utf-8", "replace") for line in stream)


_PROLOG = rb"""\A\s*(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*+"""
"""What may stand before the first element of an XML file."""

GRAPHML = Format(
    "graphml",
    "GraphML",
    (".graphml", ".xml"),
    _recogniser(_PROLOG + rb"<graphml\b"),
    _reader("GraphML", lambda networkx, stream: networkx.read_graphml(stream), refuse_entities),
)
GEXF = Format(
    "gexf",
    "GEXF",
    (".gexf",),
    _recogniser(_PROLOG + rb"<gexf\b"),
    _reader("GEXF", lambda networkx, stream: networkx.read_gexf(stream), refuse_entities),
)
GML = Format(
    "gml",
    "GML",
    (".gml",),
    _recogniser(rb"\A(?:\s*(?:#|Creator|Version|comment)[^\n]*\n)*\s*graph\s*\["),
    _reader("GML", _load_gml),
)
PAJEK = Format(
    "pajek",
    "Pajek",
    (".net", ".pajek"),
    _recogniser(rb"\A(?:\s*%[^\n]*\n)*\s*\*(?:network|vertices)\b"),
    _reader("Pajek", _load_pajek),
)
