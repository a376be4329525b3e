"""Typed tree: a program and its functions."""

from dataclasses import dataclass, field

from starplat.diagnostics import Diagnostic
from starplat.frontend.typed.dynamic import Updates
from starplat.frontend.typed.expressions import Infinity, Literal
from starplat.frontend.typed.statements import Block
from starplat.frontend.typed.symbols import Node, Role, Symbol
from starplat.frontend.types import ListType, PropertyType, Scalar, SetType, Several, Void
from starplat.source import SourceFile


@dataclass(frozen=True, slots=True)
class FunctionDefinition(Node):
    """`defaults` holds a value for each parameter that has one. `kind` is the word it was declared with. `result` is
    VOID where it returns nothing. Parameters that are lists of `updates` stand taken apart among `parameters`."""

    name: str
    kind: str
    parameters: tuple[Symbol, ...]
    defaults: tuple[Literal | Infinity | None, ...]
    result: Scalar | Several | ListType | Void
    body: Block
    updates: tuple[tuple[Symbol, Updates], ...] = ()

    @property
    def arguments(self) -> tuple[tuple[Symbol, Literal | Infinity | None], ...]:
        """The parameters as they are written, with their defaults: a list of updates is one."""
        lists = {part: symbol for symbol, updates in self.updates for part in updates.parts}
        given = zip(self.parameters, self.defaults, strict=True)
        return tuple({lists.get(symbol, symbol): default for symbol, default in given}.items())

    @property
    def results(self) -> frozenset[Symbol]:
        """The parameters in which the caller sees what the function leaves: properties, sets, lists and references."""
        shared = PropertyType | SetType | ListType
        return frozenset(p for p in self.parameters if isinstance(p.type, shared) or p.role is Role.REFERENCE)

    @property
    def result_types(self) -> tuple[Scalar | ListType, ...]:
        """The types of the values that it returns."""
        if isinstance(self.result, Several):
            return self.result.types
        return (self.result,) if isinstance(self.result, Scalar | ListType) else ()


@dataclass(frozen=True, slots=True)
class Program(Node):
    """Functions in the order of the text, and the warnings and notes that checking gave."""

    source: SourceFile = field(compare=False, repr=False)
    functions: tuple[FunctionDefinition, ...]
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)

    def function(self, name: str) -> FunctionDefinition:
        """The function of that name.

        Raises:
            KeyError: there is none.
        """
        for function in self.functions:
            if function.name == name:
                return function
        raise KeyError(name)
