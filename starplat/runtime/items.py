"""What runs do to the elements of a list; a place that is none is a fault of the program's run, E0720."""

from typing import assert_never

from starplat.ir.nodes import ListChange
from starplat.ir.python.arithmetic import Fault, Value


def item(items: list[Value], name: str, place: int) -> Value:
    """An element. Raises Fault: there is none."""
    return items[_place(items, name, place)]


def change(items: list[Value], name: str, change: ListChange, place: int, value: Value) -> None:
    """Changes a list; `place` and `value` are the arguments of the change, and anything where it has none. Raises
    Fault: there is no such element or place, or the size is negative."""
    match change:
        case ListChange.PUSH:
            items.append(value)
        case ListChange.INSERT:
            if not 0 <= place <= len(items):
                raise _fault(f"nothing can be inserted at {place} in '{name}', whose size is {len(items):,}", name)
            items.insert(place, value)
        case ListChange.RESIZE:
            if place < 0:
                raise _fault(f"'{name}' cannot have {place} elements", name)
            del items[place:]
            items.extend([value] * (place - len(items)))
        case ListChange.SET:
            items[_place(items, name, place)] = value
        case ListChange.CLEAR:
            items.clear()
        case _:
            assert_never(change)


def _place(items: list[Value], name: str, place: int) -> int:
    if 0 <= place < len(items):
        return place
    raise _fault(f"'{name}' has no element {place}; its size is {len(items):,}", name)


def _fault(message: str, name: str) -> Fault:
    return Fault("E0720", message, f"elements are counted from 0: compare with '{name}.size()' first")
