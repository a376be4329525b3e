"""Prints what the threads of a launch on several devices do with those of the others."""

from collections.abc import Iterator
from typing import Protocol, assert_never

from starplat.backends import statements as st
from starplat.backends.c.assign import combination_text
from starplat.backends.c.expressions import ExpressionPrinter
from starplat.backends.c.lines import INDENT
from starplat.backends.c.set_forms import need_frontier
from starplat.backends.launch import MOST_ARRAYS_OF_PARTS, MOST_PARTS
from starplat.ir import nodes as ir

_BEST = {ir.Combine.MIN: ("give_lowest", "atomicMin_system"), ir.Combine.MAX: ("give_highest", "atomicMax_system")}


class Printer(Protocol):
    """What this module needs from the statement printer."""

    @property
    def expressions(self) -> ExpressionPrinter: ...

    def text(self, expression: ir.Expression) -> str: ...


def of_peers(printer: Printer, statement: st.OfPeers) -> Iterator[str]:
    """The lines of the statement, from the margin."""
    expressions, name, need = printer.expressions, printer.expressions.local, printer.expressions.helpers.need
    need("grid_barrier")
    need("peers", most_parts=str(MOST_PARTS), most_arrays=str(MOST_ARRAYS_OF_PARTS))
    match statement:
        case st.MeetPeers(None):
            yield "if (!meet_peers(peers, arrived)) return;"
        case st.MeetPeers(members):
            assert members is not None
            yield f"if (!meet_peers(peers, arrived, {name(members)}.count().arcs)) return;"
        case st.GiveCells(array, None, _, first, end):
            need("give_own")
            yield f"give_own(peers, {name(array)}, {printer.text(first)}, {printer.text(end)});"
        case st.GiveCells(array, members, by):
            assert members is not None
            _need_words(printer, members)
            need("each_given")
            given = f"peers, {name(members)}, num_nodes, {name(array)}"
            if by is None:
                need("give_members")
                yield f"give_members({given});"
            else:
                function, atomic = _BEST[by]
                need("give_best", NAME=function, ATOMIC=atomic, WHAT=function.removeprefix("give_"))
                yield f"{function}({given});"
        case st.GiveSet(members):
            _need_words(printer, members)
            need("give_set")
            yield f"give_set(peers, {name(members)}, num_nodes);"
        case st.CountAnew(members):
            need_frontier(expressions.helpers, members)
            need("count_anew")
            yield f"count_anew({name(members)}, num_nodes);"
        case st.AgreeOn(members):
            need_frontier(expressions.helpers, members)
            need("agree_on")
            yield f"if (!agree_on(peers, arrived, {name(members)})) return;"
        case st.HearOf(variable, combine, before, of_part):
            kind, local = expressions.spelling.values[variable.element], name(variable)
            yield f"if (!meet_peers(peers, arrived, word_of({local}))) return;"
            if combine is None:
                yield f"{local} = heard<{kind}>(peers, 0);"
                return
            yield f"{local} = {printer.text(before)};"
            yield "for (int peer = 0; peer < peers->size; peer++) {"
            yield f"{INDENT}const {kind} {name(of_part)} = heard<{kind}>(peers, peer);"
            yield f"{INDENT}{combination_text(expressions, combine, ir.Ref(variable), local, ir.Ref(of_part))};"
            yield "}"
        case _:
            assert_never(statement)


def _need_words(printer: Printer, members: ir.Array) -> None:
    need_frontier(printer.expressions.helpers, members)
    printer.expressions.helpers.need("warp_number")
    printer.expressions.helpers.need("words_of_warp")
