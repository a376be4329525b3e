"""Graphs: reading, writing, conversion from other libraries, generators.

graph = read("roads.gr.gz")
print(graph.describe())
"""

from starplat.graph.graph import Graph
from starplat.graph.kept import GraphCache, GraphCacheWarning
from starplat.graph.objects import from_object
from starplat.graph.reading import prepared, read
from starplat.graph.statistics import Statistics, statistics
from starplat.graph.streams import Progress
from starplat.graph.writing import lost, write

__all__ = [
    "Graph",
    "GraphCache",
    "GraphCacheWarning",
    "Progress",
    "Statistics",
    "from_object",
    "lost",
    "prepared",
    "read",
    "statistics",
    "write",
]
