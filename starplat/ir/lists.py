"""The arguments of a module's entry and what stands for them: one parameter, several for a list of updates, a list."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from starplat.frontend.types import GraphType, ListType, UpdatesType
from starplat.ir import nodes as ir
from starplat.same import remembered

PARTS_OF_UPDATES = 7
"""Parameters that stand for a list: whether each update adds, its source, its destination, its weight as a double; the
first number, the end, the kind."""


def unset(element: ir.Element) -> int:
    """What an edge property has for an arc that was added: no node, no arc, 0 or False."""
    return -1 if element in (ir.Element.NODE, ir.Element.ARC) else 0


@dataclass(frozen=True, slots=True)
class Taken:
    """An argument and the parameters that stand for it: one, or those of a list of updates; or a list."""

    argument: ir.Argument
    parameters: tuple[ir.Parameter, ...]
    items: ir.HostList | None = None

    @property
    def is_updates(self) -> bool:
        return isinstance(self.argument.type, UpdatesType)

    @property
    def names(self) -> tuple[str, ...]:
        """What the module calls it, or its parts."""
        return tuple(p.what.name for p in self.parameters) if self.items is None else (self.items.name,)


@remembered(256)
def taken(module: ir.Module) -> tuple[Taken, ...]:
    """The arguments of the entry but for the graph, in their order."""
    return tuple(_taken(module))


def _taken(module: ir.Module) -> Iterator[Taken]:
    entry = module.function(module.entry)
    inside, lists = iter(entry.parameters), iter(entry.lists)
    for argument in module.arguments:
        if isinstance(argument.type, ListType):
            yield Taken(argument, (), next(lists))
        elif not isinstance(argument.type, GraphType):
            parts = PARTS_OF_UPDATES if isinstance(argument.type, UpdatesType) else 1
            yield Taken(argument, tuple(islice(inside, parts)))
