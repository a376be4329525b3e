"""Verifies operations on lists of the host."""

from typing import assert_never

from starplat.ir import nodes as ir
from starplat.ir.verifying.wellformed import Scope


def verify_list(op: ir.ListOp, scope: Scope) -> None:
    """Passes if the operation is well formed; a list that it declares is seen from then on.

    Raises:
        InvalidModule: it is not.
    """
    match op:
        case ir.DeclareList(items):
            scope.declare(items)
        case ir.CopyList(destination, source):
            scope.items(destination)
            scope.items(source)
            same = destination.element is source.element
            scope.require(same, f"'{destination.name}' cannot hold what '{source.name}' has")
        case ir.ReadItem(variable, items, index):
            scope.items(items)
            scope.index(index)
            scope.variable(variable)
            scope.require(variable.element is items.element, f"'{variable.name}' cannot hold '{items.name}'")
        case ir.ReadLength(variable, items):
            scope.items(items)
            scope.variable(variable)
            scope.require(variable.element is ir.Element.INT, f"'{variable.name}' cannot hold a length")
        case ir.PutItems(array, items):
            scope.items(items)
            scope.written(array)
            fits = array.extent is ir.Extent.ITEMS and array.element is items.element
            scope.require(fits, f"'{array.name}' cannot hold '{items.name}'")
        case ir.MakeRoom(array, items):
            scope.items(items)
            scope.written(array)
            scope.require(array.extent is ir.Extent.ITEMS, f"'{array.name}' does not go with '{items.name}'")
        case ir.ChangeList():
            _change(op, scope)
        case _:
            assert_never(op)


def _change(op: ir.ChangeList, scope: Scope) -> None:
    scope.items(op.items)
    match op.change, op.arguments:
        case ir.ListChange.CLEAR, ():
            pass
        case ir.ListChange.PUSH, (value,):
            scope.value(value, op.items.element)
        case ((ir.ListChange.INSERT | ir.ListChange.RESIZE | ir.ListChange.SET), (place, value)):
            scope.index(place)
            scope.value(value, op.items.element)
        case _:
            scope.require(False, f"'{op.change.value}' has {len(op.arguments)} arguments")
