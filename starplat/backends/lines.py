"""How far emitted lines are indented, and what the printers of parts ask of the printer of all statements."""

from __future__ import annotations

from typing import Protocol

from starplat.backends.cexpr import ExpressionPrinter
from starplat.backends.statements import Body

INDENT = "    "


class Printer(Protocol):
    """Prints statements; what is inside of one is printed by whoever prints all of them."""

    @property
    def expressions(self) -> ExpressionPrinter: ...

    def lines(self, body: Body, depth: int = 1) -> list[str]: ...
