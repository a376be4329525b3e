"""Names in scope and what they stand for.

A `Binding` is a name that was declared, with what has happened to it so far; `Scopes` is the stack of blocks that are
open. A name that was declared wrongly, or never, is bound to no symbol, so that its next use gives no second message.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from starplat.frontend.typed import Direction, Symbol
from starplat.frontend.types import Carrier, PropertyType, Type
from starplat.source import Span


@dataclass(slots=True)
class Binding:
    """A declared name.

    `graph` is the one that a property, a set or an edge belongs to where that is known; `arc` tells how the arc that
    an edge variable was initialised with is walked; `counter` marks the variable of a counting loop, `fixed` one that
    the loop alone may change; `of` is the symbol of which this is a part under the same name, as the updates of a batch
    are of all updates.
    """

    name: str
    symbol: Symbol | None
    span: Span
    graph: Symbol | None = None
    arc: Direction | None = None
    counter: bool = False
    fixed: bool = False
    of: Symbol | None = None
    read: bool = False
    written: bool = False


@dataclass(frozen=True, slots=True)
class Noted:
    """What stands where: the symbol of every name, where it is declared too, and the type of every expression."""

    symbols: dict[Span, Symbol] = field(default_factory=dict)
    types: dict[Span, Type] = field(default_factory=dict)


@dataclass(slots=True)
class Scopes:
    """The open blocks of one function, the innermost last."""

    noted: Noted = field(default_factory=Noted)
    blocks: list[dict[str, Binding]] = field(default_factory=lambda: [{}])
    of_symbol: dict[Symbol, Binding] = field(default_factory=dict)
    all: list[Binding] = field(default_factory=list)

    def open(self) -> None:
        """Begins a block."""
        self.blocks.append({})

    def close(self) -> None:
        """Ends the innermost block."""
        self.blocks.pop()

    def here(self, name: str) -> Binding | None:
        """The binding of `name` in the innermost block."""
        return self.blocks[-1].get(name)

    def find(self, name: str, used: Span | None = None) -> Binding | None:
        """The binding of `name`, which stands at `used`."""
        found = next((block[name] for block in reversed(self.blocks) if name in block), None)
        if used is not None and found is not None and found.symbol is not None:
            self.noted.symbols[used] = found.of or found.symbol
        return found

    def bind(self, binding: Binding) -> None:
        """Adds a name to the innermost block."""
        self.blocks[-1][binding.name] = binding
        self.all.append(binding)
        if binding.symbol is not None:
            self.of_symbol[binding.symbol] = binding
            self.noted.symbols[binding.span] = binding.of or binding.symbol

    def forget(self, name: str, span: Span) -> None:
        """Remembers that `name` is unknown and that this has been said."""
        self.blocks[0][name] = Binding(name, None, span)

    def properties(self, carrier: Carrier) -> list[Binding]:
        """The properties of nodes, or of edges, in sight."""
        return [
            binding
            for binding in self.visible()
            if binding.symbol is not None
            and isinstance(binding.symbol.type, PropertyType)
            and binding.symbol.type.carrier is carrier
        ]

    def visible(self) -> Iterator[Binding]:
        """Everything in sight that has a meaning, the nearest first."""
        for block in reversed(self.blocks):
            for binding in block.values():
                if binding.symbol is not None:
                    yield binding
