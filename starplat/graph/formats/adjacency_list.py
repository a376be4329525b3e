"""NetworkX's adjacency lists (`networkx.write_adjlist`): one line per node, its id, then its neighbors' ids.

Ids are numbers if all are, else names. Lines that start with `#` or `%` are comments. The format does not
say whether edges are directed: they are read as directed.
"""

import re

from starplat.graph import errors, graph, spelt, streams
from starplat.graph.formats import base, edge_list

_NETWORKX = re.compile(rb"\A#[^\n]*\n# GMT [^\n]*\n#")
"""The comment that NetworkX writes above adjacency lists, and above nothing else."""


def read(input: streams.Input) -> graph.Graph:
    """The graph of an adjacency list; its nodes are in the order of the lines, if they have names."""
    if any(b"{" in line for line in base.first_lines(input)[:1000]):
        help = "write it with write_adjlist, or with its attributes by write_edgelist or write_graphml"
        raise errors.unsupported(input.shown, "multi-line adjacency lists are not read", help=help)
    nodes: list[str] = []
    rows: list[spelt.Row] = []
    separator: str | None = None
    for number, line in spelt.text_lines(input, streams.LONGEST_LINE):
        if not nodes:
            separator = edge_list.separator_in(line)
        node, *neighbors = (word.strip() for word in line.split(separator))
        if any(word.startswith("(") and not word.endswith(")") for word in (node, *neighbors)):
            help = "write it with delimiter='\\t', or give the nodes numbers or names"
            message = "ids in brackets that hold blanks or commas cannot be told from several ids"
            raise errors.unsupported(input.shown, message, spelt.place_of(input, number, ""), help=help)
        nodes.append(node)
        rows.extend((number, node, neighbor, None) for neighbor in neighbors)
    return spelt.graph_of_rows(input, rows, "adjacency list", alone=nodes)


def recognises(input: streams.Input) -> bool:
    """By its name, or by the comment that NetworkX writes."""
    return base.is_text(input) and (input.name.endswith(FORMAT.suffixes) or _NETWORKX.match(input.head) is not None)


FORMAT = base.Format("adjlist", "adjacency list", (".adjlist",), recognises, read)
