"""The backend object of NetworkX's dispatcher: conversions, what can and should run, the functions by name."""

from collections.abc import Callable, Hashable, Mapping
from math import inf
from typing import Any

import networkx as nx

from starplat.networkx import registry
from starplat.networkx.network import Network

EXPECTED_TO_FAIL = {
    ("test_hits", "test_hits_not_convergent"): "it counts the rounds of ARPACK, and starplat's converge within others",
    (
        "test_dag",
        "test_topological_sort6",
    ): "it changes the graph while it is walked, of which a conversion sees nothing",
}
"""Of NetworkX's own tests, by module and name, with the reason."""


class Backend:
    """NetworkX's entry point `networkx.backends`; a function of the table is an attribute of its name."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if (row := registry.function(name)) is None:
            raise AttributeError(f"the backend starplat has no function {name!r}")
        return row.call

    def convert_from_nx(self, graph: Any, *, edge_attrs: Mapping[Hashable, Any] | None = None, **_: object) -> Network:
        """The graph in arrays, with the attributes of edges that the call names; other attributes stay where they
        are, and are taken from there by the functions whose answer holds them."""
        return graph if isinstance(graph, Network) else Network(graph, edge_attrs)

    def convert_to_nx(self, result: Any, **_: object) -> Any:
        """Answers are NetworkX's already, graphs too; only a graph that was converted is led back."""
        return result.original if isinstance(result, Network) else result

    def can_run(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
        """True, or why the function does not take these arguments."""
        if (row := registry.function(name)) is None:
            return f"starplat has no function '{name}'"
        return row.refused(args, kwargs) or True

    def should_run(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
        """True, or why NetworkX itself is likely to be faster, or has to run since there is no device.

        This is not asked of calls that name starplat: there the run says what to install."""
        if (lacking := registry.no_device()) is not None:
            return lacking
        row = registry.function(name)
        graph = args[0] if args else kwargs.get("G")
        if row is None or not isinstance(graph, nx.Graph):
            return True
        arcs = sum(map(len, graph.adj.values()))
        kept = (graph.__networkx_cache__ or {}).get("backends", {}).get("starplat")
        least = row.kept_arcs if kept else row.arcs
        if arcs >= least:
            return True
        below = "" if least == inf else f" below {least:,.0f}"
        return f"for a graph of {arcs:,} arcs NetworkX's {name} is faster than starplat's{below}"

    def on_start_tests(self, items: list[Any]) -> None:
        """Marks the tests of NetworkX that are expected to fail, when they are run with this backend."""
        import pytest

        for item in items:
            reason = EXPECTED_TO_FAIL.get((item.module.__name__.rpartition(".")[2], item.originalname))
            if reason is not None:
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


backend = Backend()
