"""What NetworkX is told of this backend when it is imported: which functions there are. Imports nothing heavy."""

from typing import Any

FAMILIES: dict[str, tuple[str, ...]] = {
    "link_analysis": ("eigenvector_centrality", "hits", "katz_centrality", "pagerank")
}
"""The functions of each module of this package."""

HOMES = {function: family for family, functions in FAMILIES.items() for function in functions.split()}


def get_info() -> dict[str, Any]:
    """What NetworkX's entry point `networkx.backend_info` asks for."""
    return {
        "backend_name": "starplat",
        "project": "starplat",
        "package": "starplat",
        "short_summary": "Graph programs compiled for the GPU, or else the CPU, that is here.",
        "functions": {name: {} for name in sorted(HOMES)},
        "default_config": {"target": "auto"},
    }
