"""Prints loops that a target shares out, and blocks for one thread, with their directives."""

import textwrap
from collections.abc import Iterator
from typing import assert_never

from starplat.backends import statements as st
from starplat.backends.c import lines
from starplat.backends.spelling import Directives
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk

DIRECTIVE_WIDTH = 96


def structured(
    printer: lines.Printer, statement: st.SharedLoop | st.TeamLoop | st.VectorLoop | st.Alone
) -> Iterator[str]:
    """The lines of the loop or block, from the margin."""
    directives = printer.expressions.spelling.directives
    assert directives is not None, "a target with structured loops has words for them"
    words = _Words(directives, printer)
    match statement:
        case st.SharedLoop():
            return words.shared_loop(statement)
        case st.TeamLoop():
            return words.team_loop(statement)
        case st.VectorLoop():
            return words.vector_loop(statement)
        case st.Alone():
            return words.alone(statement)
    assert_never(statement)


class _Words:
    def __init__(self, directives: Directives, printer: lines.Printer) -> None:
        self.directives = directives
        self.printer = printer

    def shared_loop(self, shared: st.SharedLoop) -> Iterator[str]:
        yield from self.lists(shared)
        team = [*self.threads(shared), *self.gathered(shared), *self.few(shared)]
        clauses = [*self.arrays(shared.arrays), *self.reductions(shared.reductions), *self.ahead(shared)]
        if shared.own:
            yield from self.region(shared, team, clauses)
        else:
            yield from _broken(self.head(shared), [*team, *clauses])
            yield from self.printer.count(shared.loop)

    def region(self, shared: st.SharedLoop, team: list[str], clauses: list[str]) -> Iterator[str]:
        """The loop, where each thread makes its own arrays before it."""
        assert self.directives.own_arrays is not None, "a target whose threads have arrays has words for them"
        array_line, outside, inside, at_end = self.directives.own_arrays
        yield from _broken(outside, team)
        yield "{"
        for array in shared.own:
            kind = self.printer.expressions.spelling.cells[array.element]
            yield lines.INDENT + array_line.format(type=kind, name=self.names((array,)))
        head = self.head(shared).replace(outside, inside, 1)
        for line in (*_broken(head, [*clauses, at_end]), *self.printer.count(shared.loop)):
            yield lines.INDENT + line
        yield "}"

    def lists(self, shared: st.SharedLoop) -> Iterator[str]:
        """What threads begin with copies of, to add to lists."""
        for gathered in shared.lists:
            assert self.directives.gathered is not None, "a target whose threads gather has words for what"
            self.printer.expressions.helpers.need("additions")
            name, members, size = (self.names((array,)) for array in (gathered.array, gathered.members, gathered.size))
            yield self.directives.gathered[0].format(name=name, members=members, size=size)

    def gathered(self, shared: st.SharedLoop) -> Iterator[str]:
        """The clause that copies it."""
        if shared.lists and self.directives.gathered is not None:
            yield self.directives.gathered[2].format(names=self.names(tuple(one.array for one in shared.lists)))

    def head(self, shared: st.SharedLoop) -> str:
        if shared.by_gangs:
            assert self.directives.gang_loop is not None, "a target with batches has words for them"
            return self.directives.gang_loop
        if shared.by_teams:
            assert self.directives.team_loop is not None, "a target with inner loops has words for them"
            return self.directives.team_loop
        if shared.long:
            return self.directives.long_loop
        if shared.rows is not None and self.directives.loop_of_rows is not None:
            expressions = self.printer.expressions
            expressions.helpers.need("rows_at_a_time")
            rows, nodes = expressions.local(shared.rows), expressions.expression(shared.loop.end)
            return self.directives.loop_of_rows.format(rows=rows, nodes=nodes)
        if shared.steps and self.directives.loop_of_steps is not None:
            end = self.printer.expressions.expression(shared.loop.end)
            return self.directives.loop_of_steps.format(iterations=end)
        return self.directives.uneven_loop if shared.uneven else self.directives.loop

    def threads(self, shared: st.SharedLoop) -> Iterator[str]:
        """The clause for the number of threads, if any."""
        words = self.directives.threads
        if shared.by_teams and shared.length is not None and not _combines(shared):
            words = self.directives.threads_of_few or words
        if words is not None:
            yield words

    def team_loop(self, inner: st.TeamLoop) -> Iterator[str]:
        head = self.directives.inner_team_loop if inner.among_teams else self.directives.inner_loop
        assert head is not None, "a target with inner loops has words for them"
        yield from _broken(head, list(self.reductions(inner.reductions)))
        yield from self.printer.loop(inner.loop)

    def vector_loop(self, inner: st.VectorLoop) -> Iterator[str]:
        assert self.directives.vector_loop is not None, "a target whose threads are cores has words for them"
        yield from _broken(self.directives.vector_loop, list(self.reductions(inner.reductions)))
        yield from self.printer.count(inner.loop)

    def alone(self, alone: st.Alone) -> Iterator[str]:
        if self.directives.alone is None:
            yield from self.printer.lines(alone.body, 0)
            return
        results = [self.directives.results.format(names=self.names(alone.results))] if alone.results else []
        yield from _broken(self.directives.alone, [*self.arrays(alone.arrays), *results, *self.ahead(alone)])
        yield "{"
        yield from self.printer.lines(alone.body)
        yield "}"

    def ahead(self, asked: st.SharedLoop | st.Alone) -> Iterator[str]:
        """The clause that keeps the host from waiting."""
        if asked.ahead:
            assert self.directives.ahead is not None, "a target with batches has words for them"
            yield self.directives.ahead[0]

    def few(self, shared: st.SharedLoop) -> Iterator[str]:
        if shared.length is not None and self.directives.few is not None:
            yield self.directives.few.format(length=self.printer.expressions.expression(shared.length))

    def reductions(self, reductions: tuple[tuple[ir.Combine, ir.Variable], ...]) -> Iterator[str]:
        """One clause for each operator."""
        for combine in dict.fromkeys(combine for combine, _ in reductions):
            names = self.names(tuple(variable for other, variable in reductions if other is combine))
            yield self.directives.reduction.format(operator=combine.value, names=names)

    def arrays(self, arrays: tuple[ir.Array, ...]) -> list[str]:
        clause = self.directives.arrays
        return [clause.format(names=self.names(arrays))] if clause is not None and arrays else []

    def names(self, what: tuple[ir.Variable, ...] | tuple[ir.Array, ...]) -> str:
        return ", ".join(self.printer.expressions.local(one) for one in what)


def _combines(shared: st.SharedLoop) -> bool:
    """Whether the teams combine anything in their loops."""
    return any(isinstance(part, st.TeamLoop) and part.reductions for part in walk(shared.loop))


def _broken(head: str, clauses: list[str]) -> Iterator[str]:
    """One directive, broken before a clause, and between the names of a long one, where it would be too long."""
    line = head
    for clause in clauses:
        if len(line) + 1 + len(clause) > DIRECTIVE_WIDTH:
            yield f"{line} \\"
            *ahead, line = textwrap.wrap(
                clause,
                DIRECTIVE_WIDTH,
                initial_indent=lines.INDENT,
                subsequent_indent=lines.INDENT * 2,
                break_long_words=False,
            )
            yield from (f"{part} \\" for part in ahead)
        else:
            line = f"{line} {clause}"
    yield line
