"""Prints what the threads of a launch on several devices do with those of the others."""

from collections.abc import Iterator
from typing import assert_never

from starplat.backends import statements as st
from starplat.backends.c.expressions import combination_text
from starplat.backends.c.lines import INDENT, Printer
from starplat.backends.c.set_forms import need_frontier
from starplat.backends.launch import MOST_PARTS
from starplat.ir import nodes as ir
from starplat.ir.launches import MOST_ARRAYS_OF_PARTS

FEW = 64
"""One in so many members does not make a pull pay, where these have at most a few times their share of arcs."""

_BEST = {ir.Combine.MIN: ("give_lowest", "atomicMin_system"), ir.Combine.MAX: ("give_highest", "atomicMax_system")}


def of_peers(printer: Printer, statement: st.OfPeers) -> Iterator[str]:
    """The lines of the statement, from the margin."""
    name, need = printer.expressions.local, printer.expressions.helpers.need
    need("grid_barrier")
    need("peers", most_parts=str(MOST_PARTS), most_arrays=str(MOST_ARRAYS_OF_PARTS))
    if isinstance(statement, st.HearOf):
        yield from _heard(printer, statement)
        return
    if statement.members is not None:
        need_frontier(printer.expressions.helpers, statement.members)
        need("warp_number", "words_of_warp")
    match statement:
        case st.MeetPeers(members):
            word = "" if members is None else f", {name(members)}.count().arcs"
            yield f"if (!meet_peers(peers, arrived{word})) return;"
        case st.GiveCells():
            yield _given(printer, statement)
        case st.TakeValue(array, members, first, end):
            need("take_value")
            yield f"take_value(peers, {name(members)}, {_nodes(printer, first, end)}, num_nodes, {name(array)});"
        case st.GiveSet(members, first, end):
            need("give_set")
            given = "0, num_nodes, false" if first is None or end is None else f"{_nodes(printer, first, end)}, true"
            yield f"give_set(peers, {name(members)}, {given});"
        case st.CountAnew(members):
            need("count_anew")
            yield f"count_anew({name(members)}, num_nodes);"
        case st.AgreeOn(members, even):
            need("agree_on")
            few = f"num_nodes / {FEW}" if even else f"min(MUCH_NEW - 1, num_nodes / {FEW})"
            yield f"if (!agree_on(peers, arrived, {name(members)}, {few})) return;"
        case _:
            assert_never(statement)


def _given(printer: Printer, give: st.GiveCells) -> str:
    """The call that gives cells to other parts."""
    name, need = printer.expressions.local, printer.expressions.helpers.need
    own, cells = _nodes(printer, give.first, give.end), name(give.array)
    if give.members is None:
        need("give_own")
        return f"give_own(peers, {cells}, {own});"
    need("each_given")
    if give.by is not None:
        function, atomic = _BEST[give.by]
        need("give_best", NAME=function, ATOMIC=atomic, WHAT=function.removeprefix("give_"))
        return f"{function}(peers, {name(give.members)}, 0, num_nodes, {cells});"
    function = "give_value" if give.common else "give_members"
    need(function)
    return f"{function}(peers, {name(give.members)}, {own}, {cells});"


def _nodes(printer: Printer, first: ir.Expression, end: ir.Expression) -> str:
    return f"{printer.text(first)}, {printer.text(end)}"


def _heard(printer: Printer, hear: st.HearOf) -> Iterator[str]:
    """A variable that becomes what it is on the first part, or what all have together."""
    name, expressions = printer.expressions.local, printer.expressions
    kind, variable = expressions.spelling.values[hear.variable.element], name(hear.variable)
    yield f"if (!meet_peers(peers, arrived, word_of({variable}))) return;"
    if hear.combine is None:
        yield f"{variable} = heard<{kind}>(peers, 0);"
        return
    combined = combination_text(expressions, hear.combine, ir.Ref(hear.variable), variable, ir.Ref(hear.of_part))
    yield f"{variable} = {printer.text(hear.before)};"
    yield "for (int peer = 0; peer < peers->size; peer++) {"
    yield f"{INDENT}const {kind} {name(hear.of_part)} = heard<{kind}>(peers, peer);"
    yield f"{INDENT}{combined};"
    yield "}"
