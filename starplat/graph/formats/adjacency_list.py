"""NetworkX's adjacency lists (`networkx.write_adjlist`): one line per node, its id, then its neighbors' ids.

Ids are numbers if all are, else names. Lines that start with `#` or `%` are comments. The format does not
say whether edges are directed: they are read as directed.
"""

import re

from starplat.graph.errors import unsupported
from starplat.graph.formats.base import Format, first_lines, is_text
from starplat.graph.formats.edge_list import separator_in
from starplat.graph.graph import Graph
from starplat.graph.spelt import Row, graph_of_rows, place_of, text_lines
from starplat.graph.streams import LONGEST_LINE, Input

_NETWORKX = re.compile(rb"\A#[^\n]*\n# GMT [^\n]*\n#")
"""The comment that NetworkX writes above adjacency lists, and above nothing else."""


def read(input: Input) -> Graph:
    """The graph of an adjacency list; its nodes are in the order of the lines, if they have names."""
    if any(b"{" in line for line in first_lines(input)[:1000]):
        help = "write it with write_adjlist, or with its attributes by write_edgelist or write_graphml"
        raise unsupported(input.shown, "multi-line adjacency lists are not read", help=help)
    nodes: list[str] = []
    rows: list[Row] = []
    separator: str | None = None
    for number, line in text_lines(input, LONGEST_LINE):
        if not nodes:
            separator = separator_in(line)
        node, *neighbors = (word.strip() for word in line.split(separator))
        if any(word.startswith("(") and not word.endswith(")") for word in (node, *neighbors)):
            help = "write it with delimiter='\\t', or give the nodes numbers or names"
            message = "ids in brackets that hold blanks or commas cannot be told from several ids"
            raise unsupported(input.shown, message, place_of(input, number, ""), help=help)
        nodes.append(node)
        rows.extend((number, node, neighbor, None) for neighbor in neighbors)
    return graph_of_rows(input, rows, "adjacency list", alone=nodes)


def recognises(input: Input) -> bool:
    """By its name, or by the comment that NetworkX writes."""
    return is_text(input) and (input.name.endswith(FORMAT.suffixes) or _NETWORKX.match(input.head) is not None)


FORMAT = Format("adjlist", "adjacency list", (".adjlist",), recognises, read)
