"""What runs do to the elements of a list; a place that is none is a fault of the program's run, E0720."""

from starplat.ir.python.arithmetic import Fault, Value


def item(items: list[Value], name: str, place: int) -> Value:
    """An element.

    Raises:
        Fault: there is none.
    """
    return items[_place(items, name, place)]


def set_item(items: list[Value], name: str, place: int, value: Value) -> None:
    """Gives an element another value.

    Raises:
        Fault: there is no such element.
    """
    items[_place(items, name, place)] = value


def insert(items: list[Value], name: str, place: int, value: Value) -> None:
    """Puts a value before an element, or behind the last.

    Raises:
        Fault: there is no such place.
    """
    if not 0 <= place <= len(items):
        raise _fault(f"nothing can be inserted at {place} in '{name}', whose size is {len(items):,}", name)
    items.insert(place, value)


def resize(items: list[Value], name: str, size: int, value: Value) -> None:
    """Takes the last elements away, or puts new ones behind them.

    Raises:
        Fault: the size is negative.
    """
    if size < 0:
        raise _fault(f"'{name}' cannot have {size} elements", name)
    del items[size:]
    items.extend([value] * (size - len(items)))


def _place(items: list[Value], name: str, place: int) -> int:
    if 0 <= place < len(items):
        return place
    raise _fault(f"'{name}' has no element {place}; its size is {len(items):,}", name)


def _fault(message: str, name: str) -> Fault:
    return Fault("E0720", message, f"elements are counted from 0: compare with '{name}.size()' first")
