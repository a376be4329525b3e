"""Prints operations on lists of host functions: they are vectors of C++."""

from typing import assert_never

from starplat.backends.host import loops, words
from starplat.backends.text.comments import file_name, quoted
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host
from starplat.source import NOWHERE, Span


def list_type(element: ir.Element) -> str:
    """The C++ type of a list; bools are bytes, which a vector holds like any other type."""
    return f"std::vector<{words.CELLS[element]}>"


def list_operation(host: loops.Printer, op: ir.ListOp) -> str:
    match op:
        case ir.DeclareList(items):
            return f"{list_type(items.element)} {host.names.local(items)};"
        case ir.CopyList(destination, source):
            return f"{host.names.local(destination)} = {host.names.local(source)};"
        case ir.ReadItem(variable, items, index, span):
            return f"{host.names.local(variable)} = {_item(host, items, index, span)};"
        case ir.ReadLength(variable, items):
            return f"{host.names.local(variable)} = static_cast<int>({host.names.local(items)}.size());"
        case ir.PutItems(array, items):
            kind = words.CELLS[items.element]
            return f"{host.device_name(array)} = Buffer<{kind}>(device, Cells<{kind}>({host.names.local(items)}));"
        case ir.MakeRoom(array, items):
            size = f"{host.names.local(items)}.size()"
            return f"{host.device_name(array)} = Buffer<{words.CELLS[array.element]}>(device, {size});"
        case ir.ChangeList():
            return _change(host, op)
        case _:
            assert_never(op)


def items_of(host: loops.Printer, loop: ir.HostForItems) -> str:
    """What a loop over the elements goes over: a copy, where its body may change the list."""
    name = host.names.local(loop.items)
    return f"{list_type(loop.items.element)}({name})" if _changes(loop.body, loop.items) else name


def _changes(body: tuple[ir.HostOp, ...], items: ir.HostList) -> bool:
    for op in walk_host(body):
        match op:
            case ir.ChangeList(changed) | ir.CopyList(changed) if changed == items:
                return True
            case ir.HostCall(lists=lent) if items in lent:
                return True
            case _:
                pass
    return False


def _change(host: loops.Printer, op: ir.ChangeList) -> str:
    name = host.names.local(op.items)
    match op.change, op.arguments:
        case ir.ListChange.CLEAR, _:
            return f"{name}.clear();"
        case ir.ListChange.PUSH, (value,):
            return f"{name}.push_back({host.text(value)});"
        case ir.ListChange.SET, (place, value):
            return f"{_item(host, op.items, place, op.span)} = {host.text(value)};"
        case _, (place, value):
            macro = "insert_item" if op.change is ir.ListChange.INSERT else "resize_items"
            host.helpers.need(macro)
            kind, what = words.CELLS[op.items.element], _what(host, op.items, op.span)
            return f"{macro}<{kind}>({name}, {host.text(place)}, {host.text(value)}, {what});"
    raise AssertionError(op)


def _item(host: loops.Printer, items: ir.HostList, index: ir.Expression, span: Span) -> str:
    host.helpers.need("item_at")
    return f"item_at({host.names.local(items)}, {host.text(index)}, {_what(host, items, span)})"


def _what(host: loops.Printer, items: ir.HostList, span: Span) -> str:
    """The list and the place in the program, for messages."""
    if span == NOWHERE:
        return f"\"'{quoted(items.name)}'\""
    line, _ = host.module.source.position(span.start)
    return f"\"{quoted(file_name(host.module, span))}:{line}: '{quoted(items.name)}'\""
