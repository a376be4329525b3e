"""The types of the language and their conversions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeGuard


class Scalar(Enum):
    """A type whose values fit in a register; `node` and `edge` are -1 for none."""

    __hash__ = object.__hash__  # faster than Enum's, which hashes the name

    BOOL = "bool"
    INT = "int"
    LONG = "long"
    FLOAT = "float"
    DOUBLE = "double"
    NODE = "node"
    EDGE = "edge"

    @property
    def is_integer(self) -> bool:
        """Whether values are whole numbers that may be computed with."""
        return self in (Scalar.INT, Scalar.LONG)

    @property
    def is_real(self) -> bool:
        """Whether values are IEEE numbers."""
        return self in (Scalar.FLOAT, Scalar.DOUBLE)

    @property
    def is_numeric(self) -> bool:
        """Whether arithmetic is defined."""
        return self.is_integer or self.is_real

    @property
    def is_index(self) -> bool:
        """Whether values name a node or an edge."""
        return self in (Scalar.NODE, Scalar.EDGE)

    def __str__(self) -> str:
        return self.value


class Void(Enum):
    """What a function without a value returns."""

    VOID = "nothing"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Several:
    """What a function with several values returns."""

    types: tuple[Scalar, ...]

    def __str__(self) -> str:
        return f"{len(self.types)} values"


@dataclass(frozen=True, slots=True)
class GraphType:
    """`Graph` or `dirGraph`."""

    directed: bool = False

    def __str__(self) -> str:
        return "dirGraph" if self.directed else "Graph"


class Carrier(Enum):
    """What a property has a value for."""

    NODE = "propNode"
    EDGE = "propEdge"
    UPDATE = "updates"


@dataclass(frozen=True, slots=True)
class PropertyType:
    """One value of `element` for every node, every edge or every update of a list."""

    carrier: Carrier
    element: Scalar

    def holds_as_much_as(self, other: PropertyType) -> bool:
        """Whether one stands for the other: they are the same, or one holds nodes and the other their numbers."""
        elements = {self.element, other.element}
        return self.carrier is other.carrier and (len(elements) == 1 or elements == {Scalar.INT, Scalar.NODE})

    def __str__(self) -> str:
        return f"{self.carrier.value}<{self.element}>"


@dataclass(frozen=True, slots=True)
class SetType:
    """`SetN<g>` or `SetE<g>`: a set of nodes or of edges."""

    member: Scalar  # NODE or EDGE

    def __str__(self) -> str:
        return "SetN" if self.member is Scalar.NODE else "SetE"


@dataclass(frozen=True, slots=True)
class ListType:
    """`list<T>`."""

    element: Type

    def __str__(self) -> str:
        return f"list<{self.element}>"


@dataclass(frozen=True, slots=True)
class ContainerType:
    """`container<T>` of collections; one of scalars is a `list<T>`."""

    element: Type

    def __str__(self) -> str:
        return f"container<{self.element}>"


@dataclass(frozen=True, slots=True)
class NodeMapType:
    """`nodeMap(T)`."""

    element: Type

    def __str__(self) -> str:
        return f"nodeMap({self.element})"


@dataclass(frozen=True, slots=True)
class MapType:
    """`map<K, V>`: numbers by key, of one iteration of a `forall`."""

    key: Scalar  # INT, NODE or BOOL
    value: Scalar

    def __str__(self) -> str:
        return f"map<{self.key}, {self.value}>"


@dataclass(frozen=True, slots=True)
class UpdatesType:
    """`updates<g>`: an ordered list of additions and deletions."""

    def __str__(self) -> str:
        return "updates"


@dataclass(frozen=True, slots=True)
class UpdateType:
    """One of them, with `.source`, `.destination`, `.weight`."""

    def __str__(self) -> str:
        return "update"


Collection = ListType | ContainerType | NodeMapType | UpdatesType | UpdateType
Type = Scalar | Void | Several | GraphType | PropertyType | SetType | MapType | Collection


def is_list(kind: object) -> TypeGuard[ListType]:
    """Whether something is the type of a list that programs can run with: its elements are scalars."""
    return isinstance(kind, ListType) and isinstance(kind.element, Scalar)


_RANK = {Scalar.INT: 0, Scalar.LONG: 1, Scalar.FLOAT: 2, Scalar.DOUBLE: 3}


def common(left: Scalar, right: Scalar) -> Scalar | None:
    """The type in which two numbers meet: the wider; None where they do not.

    `node` and `edge` meet numbers as `int` (`edge` as `long`) and meet themselves as themselves. `bool` meets only
    `bool`. A `long` and a `float` meet as `double`.
    """
    if left is right:
        return left
    if Scalar.BOOL in (left, right):
        return None
    left, right = as_number(left), as_number(right)
    if {left, right} == {Scalar.LONG, Scalar.FLOAT}:
        return Scalar.DOUBLE
    return max(left, right, key=_RANK.__getitem__)


def as_number(kind: Scalar) -> Scalar:
    """`node` as `int`, `edge` as `long`, everything else as it is."""
    match kind:
        case Scalar.NODE:
            return Scalar.INT
        case Scalar.EDGE:
            return Scalar.LONG
    return kind


def convertible(source: Scalar, target: Scalar) -> bool:
    """Whether a value of `source` may be assigned to `target`: any number to any number, an index to and from
    integers, an edge never to a node; `bool` only to `bool`.
    """
    if source is target:
        return True
    if Scalar.BOOL in (source, target):
        return False
    if source.is_index and target.is_index:
        return False
    if target.is_index:
        return source.is_integer
    return True


def indefinite(kind: Type | str) -> str:
    """A type with its article, for messages.

    >>> indefinite(Scalar.INT), indefinite(Scalar.BOOL)
    ('an int', 'a bool')
    """
    word = str(kind)
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def described(kind: Type) -> str:
    """A type as a person would call it.

    >>> described(GraphType())
    'a graph'
    """
    match kind:
        case GraphType():
            return "a graph"
        case SetType():
            return "a set of nodes" if kind.member is Scalar.NODE else "a set of edges"
        case Void():
            return "nothing"
        case UpdatesType():
            return "a list of updates"
    return indefinite(kind)
