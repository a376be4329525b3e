"""Prints loops whose threads share the arcs of nodes: of all, of those in a set or a list, and of who looks for one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from starplat.backends.cexpr import SUM, ExpressionPrinter, Helpers
from starplat.backends.launch import MOST_LISTED, MOST_NEW, THREADS_TOGETHER
from starplat.backends.statements import Advance, EachMember, Gather, Search, Statement
from starplat.backends.uses import variables_in
from starplat.ir.listed import known_length
from starplat.ir.nodes import Array, Binary, BinaryOperator, Const, Element, Expression, Listed

INDENT = "    "


class Printer(Protocol):
    """What is asked of the printer of plain statements."""

    @property
    def expressions(self) -> ExpressionPrinter: ...

    def lines(self, body: tuple[Statement, ...], depth: int = 1) -> list[str]: ...


def need_frontier(helpers: Helpers) -> None:
    """Notes what sets of nodes are."""
    helpers.need("frontier", most_new=str(MOST_NEW), most_listed=str(MOST_LISTED))


@dataclass(frozen=True)
class RowPrinter:
    """Prints calls of the functions that share arcs out."""

    printer: Printer

    @property
    def expressions(self) -> ExpressionPrinter:
        """The printer's own."""
        return self.printer.expressions

    def each_member(self, each: EachMember) -> Iterator[str]:
        need_frontier(self.expressions.helpers)
        for helper in ("warp_number", "visit_members", "each_member"):
            self.expressions.helpers.need(helper)
        name, function = self.expressions.local, "take_members" if each.takes else "each_member"
        yield f"{function}({name(each.members)}, num_nodes, [&](int {name(each.node)}) {{"
        yield from self.printer.lines(each.body)
        yield "});"

    def advance(self, advance: Advance) -> Iterator[str]:
        name = self.expressions.local
        yield from self.over_nodes(advance, "advance")
        yield f"{INDENT}[&](int {name(advance.node)}, arc_t {name(advance.position)}) {{"
        yield from self.printer.lines(advance.body, 2)
        yield f"{INDENT}}});"

    def gather(self, gather: Gather) -> Iterator[str]:
        name, element = self.expressions.local, gather.total.element
        kind = self.expressions.spelling.values[element]
        joined = self.expressions.combined(gather.combine, "a", "b", element)
        start, of_node = f"({kind}){self.expressions.expression(gather.start)}", f"int {name(gather.node)}, "
        everybody = gather.members is None and gather.listed is None and gather.keep is None
        if everybody and gather.node not in variables_in(gather.value):
            for helper in ("long_values", "gather_step", "every_node", "gather_all", "gather_rows"):
                self.need_for_rows(helper)
            of_node = ""
            yield f"gather_rows(num_nodes, {name(gather.rows)}, {start},"
        else:
            yield from self.over_nodes(gather, "gather", start)
        yield f"{INDENT}[&]({kind} a, {kind} b) -> {kind} {{ return {joined}; }},"
        yield f"{INDENT}[&]({of_node}arc_t {name(gather.position)}) -> {kind} {{"
        yield from self.printer.lines(gather.value, 2)
        yield f"{INDENT}}},"
        yield f"{INDENT}[&](int {name(gather.node)}, {kind} {name(gather.total)}) {{"
        yield from self.printer.lines(gather.finish, 2)
        yield f"{INDENT}}});"

    def search(self, search: Search) -> Iterator[str]:
        name = self.expressions.local
        yield from self.over_nodes(search, "search")
        yield f"{INDENT}[&](int {name(search.node)}, arc_t {name(search.position)}) {{"
        yield from self.printer.lines(search.test, 2)
        yield f"{INDENT}}},"
        yield f"{INDENT}[&](int {name(search.node)}, arc_t {name(search.position)}) {{"
        yield from self.printer.lines(search.reach, 2)
        yield f"{INDENT}}});"

    def over_nodes(self, loop: Advance | Gather | Search, function: str, *more: str) -> Iterator[str]:
        """The beginning of a call that shares the arcs of nodes out: whose, and which are kept."""
        name, need = self.expressions.local, self.expressions.helpers.need
        members, takes = (None, False) if isinstance(loop, Search) else (loop.members, loop.takes)
        listed = None if isinstance(loop, Search) else loop.listed
        if members is not None:
            need_frontier(self.expressions.helpers)
            need("warp_number")
            need("visit_members")
        for helper in _NEEDS[type(loop), members is None]:
            self.need_for_rows(helper)
        if listed is not None:
            function, whose = f"{function}_listed", f"{self.listed(listed)}{', num_nodes' * isinstance(loop, Gather)}"
            self.need_for_rows(function)
        elif members is None:
            function, whose = f"{function}_all", "num_nodes"
            self.need_for_rows(function)
        else:
            self.need_for_rows(f"{function}_members")
            function, whose = f"{function}{'' if takes else '_and_keep'}", f"{name(members)}, num_nodes"
        given = f"{', '.join((whose, name(loop.rows), *more))},"
        if listed is not None:
            yield f"{function}("
            given = f"{INDENT}{given}"
        else:
            given = f"{function}({given}"
        if loop.keep is None:
            need("every_node")
            yield f"{given} every_node,"
        else:
            yield given
            yield f"{INDENT}[&](int {name(loop.node)}) {{ return {self.expressions.expression(loop.keep)}; }},"

    def need_for_rows(self, helper: str) -> None:
        """Notes a function that goes over rows, and what all of these call."""
        self.expressions.helpers.need("warp_number")
        self.expressions.helpers.need("long_rows", threads=str(THREADS_TOGETHER))
        self.expressions.helpers.need(helper)

    def listed(self, listed: Listed) -> str:
        """Where a list begins, and how many are in it."""
        length = known_length(listed) or Binary(BinaryOperator.SUBTRACT, listed.last, listed.first, Element.INT)
        return f"{self.behind(listed.array, listed.first)}, {self.expressions.expression(length)}"

    def behind(self, array: Array, first: Expression) -> str:
        """The cells of an array from one on."""
        name = self.expressions.local(array)
        return name if isinstance(first, Const) and first.value == 0 else f"{name} + {self.expressions.at(SUM, first)}"


_NEEDS: dict[tuple[type[Statement], bool], tuple[str, ...]] = {
    (Advance, True): ("warp_arcs", "share_arcs"),
    (Advance, False): ("warp_arcs", "share_arcs"),
    (Gather, True): ("long_values", "gather_step"),
    (Gather, False): ("warp_arcs", "share_values", "long_values"),
    (Search, True): (),
}
"""What the functions that share arcs out call, by what they do and whether they go over all nodes."""
