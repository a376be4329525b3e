"""Runs programs of the library on converted graphs, on the device that NetworkX's configuration names.

`nx.config.backends.starplat.target` is "auto", the best device that is here, or a target as for `starplat run`.
"""

from functools import cache

import networkx as nx

from starplat.algorithms import program
from starplat.graph import Graph
from starplat.runtime import Result
from starplat.runtime.targets import automatic


def run(name: str, graph: Graph, *results: str, **arguments: object) -> Result:
    """Runs the program `name` and brings back the properties that are named."""
    return program(name).run(graph, target=_target(), results=results, arguments=arguments)


def no_device() -> str | None:
    """What to install, where only the interpreter could run programs and was not asked for."""
    return _lacking() if _target() == "auto" else None


@cache
def _lacking() -> str | None:
    if automatic() != "reference":
        return None
    return (
        "starplat finds no device to run on: `pip install 'starplat[opencl]'` brings one; `starplat doctor` says more"
    )


def _target() -> str:
    target: str = nx.config.backends.starplat.target
    return target
