"""Prints loops that a target shares out and blocks for one of its threads, under their directives."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Protocol

from starplat.backends.cexpr import ExpressionPrinter
from starplat.backends.spelling import Directives
from starplat.backends.statements import Alone, Count, SharedLoop, Statement
from starplat.ir.nodes import Array, Variable

INDENT = "    "
DIRECTIVE_WIDTH = 96


class Printer(Protocol):
    """What is asked of the printer of plain statements."""

    @property
    def expressions(self) -> ExpressionPrinter: ...

    def lines(self, body: tuple[Statement, ...], depth: int = 1) -> list[str]: ...

    def count(self, count: Count) -> Iterator[str]: ...


def structured(printer: Printer, statement: SharedLoop | Alone) -> Iterator[str]:
    """The lines of the loop or block, from the margin."""
    directives = printer.expressions.spelling.directives
    assert directives is not None, "a target with structured loops has words for them"
    words = _Words(directives, printer)
    return words.shared_loop(statement) if isinstance(statement, SharedLoop) else words.alone(statement)


class _Words:
    def __init__(self, directives: Directives, printer: Printer) -> None:
        self.directives = directives
        self.printer = printer

    def shared_loop(self, shared: SharedLoop) -> Iterator[str]:
        head = self.directives.uneven_loop if shared.uneven else self.directives.loop
        yield from _broken(head, [*self.few(shared), *self.arrays(shared.arrays), *self.reductions(shared)])
        yield from self.printer.count(shared.loop)

    def alone(self, alone: Alone) -> Iterator[str]:
        if self.directives.alone is None:
            yield from self.printer.lines(alone.body, 0)
            return
        results = [self.directives.results.format(names=self.names(alone.results))] if alone.results else []
        yield from _broken(self.directives.alone, [*self.arrays(alone.arrays), *results])
        yield "{"
        yield from self.printer.lines(alone.body)
        yield "}"

    def few(self, shared: SharedLoop) -> Iterator[str]:
        if shared.length is not None and self.directives.few is not None:
            yield self.directives.few.format(length=self.printer.expressions.expression(shared.length))

    def reductions(self, shared: SharedLoop) -> Iterator[str]:
        """One clause for each operator."""
        for combine in dict.fromkeys(combine for combine, _ in shared.reductions):
            names = self.names(tuple(variable for other, variable in shared.reductions if other is combine))
            yield self.directives.reduction.format(operator=combine.value, names=names)

    def arrays(self, arrays: tuple[Array, ...]) -> list[str]:
        clause = self.directives.arrays
        return [clause.format(names=self.names(arrays))] if clause is not None and arrays else []

    def names(self, what: tuple[Variable, ...] | tuple[Array, ...]) -> str:
        return ", ".join(self.printer.expressions.local(one) for one in what)


def _broken(head: str, clauses: list[str]) -> Iterator[str]:
    """One directive, broken before a clause, and between the names of a long one, where it would be too long."""
    line = head
    for clause in clauses:
        if len(line) + 1 + len(clause) > DIRECTIVE_WIDTH:
            yield f"{line} \\"
            *ahead, line = textwrap.wrap(
                clause, DIRECTIVE_WIDTH, initial_indent=INDENT, subsequent_indent=INDENT * 2, break_long_words=False
            )
            yield from (f"{part} \\" for part in ahead)
        else:
            line = f"{line} {clause}"
    yield line
