"""The table of graph formats, in the order in which content is tried: unmistakable ones first.

A format is a file in this package and a row here.
"""

from starplat.graph.formats import (
    adjacency,
    adjacency_list,
    arrays,
    binary,
    dimacs,
    edge_list,
    interchange,
    ldbc,
    matrix_market,
    native,
    tabular,
)
from starplat.graph.formats.base import Format

FORMATS: tuple[Format, ...] = (
    native.FORMAT,
    arrays.FORMAT,
    tabular.PARQUET,
    tabular.ARROW,
    interchange.GRAPHML,
    interchange.GEXF,
    interchange.GML,
    interchange.PAJEK,
    matrix_market.FORMAT,
    dimacs.FORMAT,
    binary.GALOIS,
    binary.SG,
    binary.WSG,
    ldbc.FORMAT,
    adjacency_list.FORMAT,
    adjacency.METIS,
    adjacency.WEBGRAPH,
    tabular.CSV,
    edge_list.FORMAT,
)

__all__ = ["FORMATS", "Format"]
