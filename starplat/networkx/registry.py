"""The table of functions, what of their arguments is refused, and the runs of programs behind them.

A refusal looks at the arguments of a call and gives a sentence, or None where the function takes them. Programs run on
the device that `nx.config.backends.starplat.target` names: "auto", the best device that is here, or a target as for
`starplat run`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import Signature, signature
from typing import Any, ParamSpec, TypeVar

import networkx as nx

from starplat.algorithms import program
from starplat.graph import Graph
from starplat.networkx.info import HOMES
from starplat.runtime import Result, targets

Refusal = Callable[[Mapping[str, Any]], str | None]
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Function:
    """A row of the table.

    Attributes:
        call: the function, on converted graphs.
        refusals: what it does not take.
        arcs: the size, in arcs, from which it is faster than NetworkX, conversion counted
            (`benchmarks/networkx_times.py`); infinite where it never is.
        kept_arcs: the size from which it is faster on a graph that was converted before.
    """

    call: Callable[..., Any]
    refusals: tuple[Refusal, ...]
    arcs: float
    kept_arcs: float
    signature: Signature

    def refused(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
        """Why a call is not taken, if it is not."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return next((why for refusal in self.refusals if (why := refusal(bound.arguments))), None)


_TABLE: dict[str, Function] = {}


def implements(
    *refusals: Refusal, arcs: float = 100_000, kept_arcs: float | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Enters a function into the table, under its own name. What conversion costs is most of a short run: a graph that
    was converted before pays from a tenth of the size, unless `kept_arcs` says otherwise."""

    def entered(function: Callable[P, R]) -> Callable[P, R]:
        _TABLE[function.__name__] = Function(
            function, refusals, arcs, arcs / 10 if kept_arcs is None else kept_arcs, signature(function)
        )
        return function

    return entered


def function(name: str) -> Function | None:
    """The row of that name; its family is imported first."""
    if name not in HOMES:
        return None
    import_module(f"starplat.networkx.{HOMES[name]}")
    return _TABLE[name]


def needs_attribute(parameter: str) -> Refusal:
    """Refuses a function of edges where an attribute's name is meant."""

    def refusal(arguments: Mapping[str, Any]) -> str | None:
        if callable(arguments[parameter]):
            return f"'{parameter}' is a Python function, which cannot run on a device; it takes an attribute's name"
        return None

    return refusal


def only(parameter: str, *values: Any, because: str) -> Refusal:
    """Refuses all other values of a parameter."""

    def refusal(arguments: Mapping[str, Any]) -> str | None:
        value = arguments[parameter]
        return None if any(value is one or value == one for one in values) else f"'{parameter}': {because}"

    return refusal


def refuse(kind: str) -> Refusal:
    """Refuses graphs that are "directed", or "multigraph"s."""

    def refusal(arguments: Mapping[str, Any]) -> str | None:
        graph = arguments["G"]
        is_it = graph.is_directed() if kind == "directed" else graph.is_multigraph()
        return f"starplat computes this for graphs that are not {kind}{'s' * (kind == 'multigraph')}" if is_it else None

    return refusal


def run(name: str, graph: Graph, *results: str, **arguments: object) -> Result:
    """Runs the program `name` and brings back the properties that are named. Raises NotImplementedError: there is no
    device; it says what to install."""
    if (lacking := no_device()) is not None:
        raise NotImplementedError(lacking)
    return program(name).run(graph, target=_target(), results=results, arguments=arguments)


def no_device() -> str | None:
    """What to install, where only the interpreter could run programs and was not asked for."""
    return _lacking() if _target() == "auto" else None


@cache
def _lacking() -> str | None:
    if targets.automatic() != "reference":
        return None
    return (
        "starplat finds no device to run on: `pip install 'starplat[opencl]'` brings one; `starplat doctor` says more"
    )


def _target() -> str:
    target: str = nx.config.backends.starplat.target
    return target
