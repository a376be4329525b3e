"""Prints operations on sets of nodes: insertion, tests, walks."""

from collections.abc import Iterator
from typing import assert_never

from starplat.backends import statements as st
from starplat.backends.c.groups import GroupPrinter
from starplat.backends.c.lines import INDENT, Printer
from starplat.backends.c.rows import RowPrinter
from starplat.backends.c.set_forms import (
    clearing,
    need_beginning,
    need_end,
    need_frontier,
    need_insertion,
    need_listing,
    need_query,
)

_OfOneSet = st.AskEmpty | st.AskSize | st.Clear | st.IfEmpty | st.IfMany | st.Insert | st.Inserted | st.NoteMembers
_OfReached = st.IfReaches | st.NoteReached
_OfRows = (
    st.Advance
    | st.AdvanceAndGather
    | st.AdvanceRows
    | st.Ask
    | st.Collect
    | st.CountRows
    | st.EachAtOnce
    | st.EachTriangle
    | st.Gather
    | st.CountKey
    | st.KeepKey
    | st.GroupLoop
    | st.Search
)
WithSets = _OfRows | st.AskBeside | st.LookAhead | st.EachKept | st.EachMember | _OfOneSet | _OfReached


def with_sets(printer: Printer, statement: WithSets) -> Iterator[str]:
    """The lines of the statement, from the margin."""
    rows = RowPrinter(printer)
    match statement:
        case st.Advance():
            yield from rows.advance(statement)
        case st.AdvanceAndGather():
            yield from rows.advance_and_gather(statement)
        case st.EachAtOnce():
            yield from rows.each_at_once(statement)
        case st.AdvanceRows():
            yield from rows.advance_rows(statement)
        case st.Gather():
            yield from rows.gather(statement)
        case st.GroupAdvance(nodes):
            yield from GroupPrinter(printer, rows.of_list(nodes.listed)).advance(statement)
        case st.GroupGather(nodes):
            yield from GroupPrinter(printer, rows.of_list(nodes.listed)).gather(statement)
        case st.GroupAsk():
            yield from GroupPrinter(printer, None).ask(statement)
        case st.GroupCollect(size=size):
            yield from GroupPrinter(printer, ("", printer.expressions.expression(size))).collect(statement)
        case st.GroupCount():
            yield from GroupPrinter(printer, None).count(statement)
        case st.CountKey():
            yield from GroupPrinter(printer, None).count_key(statement)
        case st.KeepKey():
            yield from GroupPrinter(printer, None).keep_key(statement)
        case st.CountRows():
            yield from rows.count(statement)
        case st.Search():
            yield from rows.search(statement)
        case st.Ask():
            yield from rows.ask(statement)
        case st.Collect():
            yield from rows.collect(statement)
        case st.EachTriangle() | st.GroupTriangles():
            yield from _triangles(printer, statement)
        case st.EachMember():
            yield from rows.each_member(statement)
        case st.EachKept():
            yield from rows.each_kept(statement)
        case st.AskBeside():
            yield from _ask_beside(printer, statement)
        case st.LookAhead():
            yield from rows.look_ahead(statement)
        case st.IfReaches() | st.NoteReached():
            yield from _of_reached(printer, statement)
        case _:
            yield from _of_one_set(printer, statement)


def _triangles(printer: Printer, each: st.EachTriangle | st.GroupTriangles) -> Iterator[str]:
    if isinstance(each, st.EachTriangle):
        return RowPrinter(printer).each_triangle(each)
    return GroupPrinter(printer, None).triangles(each)


def _ask_beside(printer: Printer, asked: st.AskBeside) -> Iterator[str]:
    name = printer.expressions.local
    node, arc = name(asked.node), name(asked.position)
    printer.expressions.helpers.need("ask_beside")
    yield f"if ({arc} % 32 == 16) {{  // in the middle of a line of memory"
    yield from (f"{INDENT}ask_beside({name(array)}, {arc}, num_arcs);" for array in asked.of_arcs)
    yield from (f"{INDENT}ask_beside({name(array)}, {node}, num_nodes);" for array in asked.of_nodes)
    yield from (f"{INDENT}ask_beside({name(array)}.bits, {node} / 32, num_nodes / 32);" for array in asked.sets)
    yield "}"


def _of_reached(printer: Printer, statement: _OfReached) -> Iterator[str]:
    """The operations on the bits of nodes that are reached."""
    expressions = printer.expressions
    cells = expressions.local(statement.cells)
    match statement:
        case st.NoteReached():
            expressions.helpers.need("reached", "note_reached")
            yield f"note_reached({cells}, num_nodes);"
        case st.IfReaches(_, index, value, body):
            expressions.helpers.need("reach")
            yield f"if (reach({cells}, {expressions.expression(index)}, {expressions.expression(value)})) {{"
            yield from printer.lines(body)
            yield "}"


def _of_one_set(printer: Printer, statement: _OfOneSet) -> Iterator[str]:
    """The operations on a set other than a walk."""
    name, need = printer.expressions.local, printer.expressions.helpers.need
    need_frontier(printer.expressions.helpers, statement.members)
    match statement:
        case st.Insert(members, node, alone, new, own):
            own = own and bool(printer.expressions.spelling.atomic_next)
            function = need_insertion(printer.expressions.helpers, members, alone=alone, new=new, own=own)
            yield f"{function}({name(members)}, {printer.expressions.expression(node)});"
        case st.IfMany(members, then, otherwise, rows):
            asked = "has_many" if rows is None else "has_some"
            need_query(printer.expressions.helpers, asked, members)
            given = "" if rows is None else f", {name(rows)}"
            yield f"if ({asked}({name(members)}, num_nodes{given})) {{"
            yield from printer.lines(then)
            yield from printer.otherwise(otherwise)
        case st.AskEmpty(variable, members, when_empty):
            need_query(printer.expressions.helpers, "is_empty", members)
            yield f"{name(variable)} = {'' if when_empty else '!'}is_empty({name(members)});"
        case st.AskSize(variable, members):
            need("size_of_set")
            yield f"{name(variable)} = size_of({name(members)});"
        case st.NoteMembers(members, array, first):
            need_listing(printer.expressions.helpers, members)
            yield f"list_members({name(members)}, num_nodes, {RowPrinter(printer).behind(array, first)});"
        case st.IfEmpty(members, then, otherwise):
            need_query(printer.expressions.helpers, "is_empty", members)
            yield f"if ({'' if then else '!'}is_empty({name(members)})) {{"
            yield from printer.lines(then or otherwise)
            yield from printer.otherwise(otherwise if then else ())
        case st.Inserted(members, row_offsets, together):
            weighed = "" if row_offsets is None else f", num_nodes, {name(row_offsets)}"
            yield f"{need_end(printer.expressions.helpers, members, together=together)}({name(members)}{weighed});"
        case st.Clear(members, first) if first is not None:
            need_beginning(printer.expressions.helpers, members)
            yield f"begin_with({name(members)}, num_nodes, {printer.expressions.expression(first)});"
        case st.Clear(members):
            yield f"{clearing(printer.expressions.helpers, members)}({name(members)}, num_nodes);"
        case _:
            assert_never(statement)
