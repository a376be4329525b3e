"""How every program of the library is called and how its answer is judged: a module for each family.

A module has a `TABLE` of rows, `Judged` (dictionaries by node, NetworkX) or `Case` (arrays, SciPy and NumPy); a program
may have several. What judges is somebody else's, or the definition.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol

from starplat import Graph
from tests.programs.targets import Target


class Row(Protocol):
    """A program, how a graph is prepared for it, and the judgement of its answers on a prepared graph."""

    @property
    def program(self) -> str: ...
    @property
    def suits(self) -> Callable[[Graph], Graph]: ...
    def judge(self, graph: Graph, target: Target) -> None: ...


TABLE: tuple[Row, ...] = tuple(
    row for module in iter_modules(__path__) for row in import_module(f"{__name__}.{module.name}").TABLE
)
