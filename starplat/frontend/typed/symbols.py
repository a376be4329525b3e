"""Typed tree: nodes with a place in the text, and symbols."""

from dataclasses import dataclass, field
from enum import Enum

from starplat.frontend.types import ListType, MapType, PropertyType, Scalar, Type
from starplat.source import NOWHERE, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Anything in the tree."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


class Role(Enum):
    """How a name came to be."""

    PARAMETER = "parameter"
    REFERENCE = "reference parameter"  # a scalar parameter with `&`
    LOCAL = "local"
    ITERATOR = "iterator"
    FLAG = "fixed point flag"


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """A declared thing. Two symbols are the same only if they are one object.

    `parallel_depth` counts the `forall`s (and BFS bodies) around the declaration: a scalar declared at a smaller depth
    than it is updated at is shared by the iterations.
    """

    name: str
    type: Type
    role: Role
    span: Span = NOWHERE
    parallel_depth: int = 0

    @property
    def scalar(self) -> Scalar:
        """The type, of a symbol that is known to be a scalar."""
        assert isinstance(self.type, Scalar), self
        return self.type

    @property
    def map(self) -> MapType:
        """The type, of a symbol that is known to be a map."""
        assert isinstance(self.type, MapType), self
        return self.type

    @property
    def element(self) -> Scalar:
        """The type of the elements, of a symbol that is known to be a list of scalars."""
        assert isinstance(self.type, ListType), self
        assert isinstance(self.type.element, Scalar), self
        return self.type.element

    @property
    def property(self) -> PropertyType:
        """The type, of a symbol that is known to be a property."""
        assert isinstance(self.type, PropertyType), self
        return self.type
