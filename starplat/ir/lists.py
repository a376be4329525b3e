"""Lists of updates among the parameters of a module's entry, where several stand for one argument."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from starplat.frontend.types import GraphType, UpdatesType
from starplat.ir import nodes as ir

PARTS_OF_UPDATES = 7
"""Parameters that stand for a list: whether each update adds, its source, its destination, its weight as a double; the
first number, the end, the kind."""


def unset(element: ir.Element) -> int:
    """What an edge property has for an arc that was added: no node, no arc, 0 or False."""
    return -1 if element in (ir.Element.NODE, ir.Element.ARC) else 0


@dataclass(frozen=True, slots=True)
class Taken:
    """An argument and the parameters that stand for it: one, or those of a list of updates."""

    argument: ir.Argument
    parameters: tuple[ir.Parameter, ...]

    @property
    def is_list(self) -> bool:
        return isinstance(self.argument.type, UpdatesType)


def taken(module: ir.Module) -> Iterator[Taken]:
    """The arguments of the entry but for the graph, in their order."""
    inside = iter(module.function(module.entry).parameters)
    for argument in module.arguments:
        if not isinstance(argument.type, GraphType):
            parts = PARTS_OF_UPDATES if isinstance(argument.type, UpdatesType) else 1
            yield Taken(argument, tuple(islice(inside, parts)))
