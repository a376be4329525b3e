"""Lists of the host: what they are, and the host operations on them. A kernel knows a copy of one, which is an array;
no persistent loop knows any."""

from dataclasses import dataclass, field
from enum import Enum

from starplat.ir.nodes.values import Array, Element, Expression, Variable
from starplat.source import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class HostList:
    """Elements that only the host has, as many as the program puts in."""

    name: str
    element: Element


@dataclass(frozen=True, slots=True)
class ListOf:
    """The result of a host function that returns a list."""

    element: Element


class ListChange(Enum):
    """What is done to a list, with its arguments. A place that is none is an error of the program's run."""

    PUSH = "push"  # a value, behind the last
    INSERT = "insert"  # a place, at most the number of elements, and the value that stands there then
    RESIZE = "resize"  # how many elements it has then, and the value of those that are new
    CLEAR = "clear"
    SET = "set"  # the place of an element, and its value


@dataclass(frozen=True, slots=True)
class DeclareList:
    """An empty list comes to be."""

    items: HostList


@dataclass(frozen=True, slots=True)
class ChangeList:
    """`span` is the place in the program, for errors of its run."""

    items: HostList
    change: ListChange
    arguments: tuple[Expression, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class CopyList:
    """Both have one element type."""

    destination: HostList
    source: HostList


@dataclass(frozen=True, slots=True)
class ReadItem:
    """`variable = items[index]`. The variable is declared before; an index that is none is an error of the program's
    run, at `span`."""

    variable: Variable
    items: HostList
    index: Expression
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ReadLength:
    """`variable` becomes the number of elements."""

    variable: Variable
    items: HostList


@dataclass(frozen=True, slots=True)
class PutItems:
    """The cells of `array`, whose extent is ITEMS, become the elements."""

    array: Array
    items: HostList


@dataclass(frozen=True, slots=True)
class MakeRoom:
    """`array`, whose extent is ITEMS, has a cell for each element, with undefined contents."""

    array: Array
    items: HostList


ListOp = DeclareList | ChangeList | CopyList | ReadItem | ReadLength | PutItems | MakeRoom
