"""Typed tree: a program and its functions."""

from dataclasses import dataclass, field

from starplat.diagnostics import Diagnostic
from starplat.frontend.typed import dynamic, expressions, statements, symbols
from starplat.frontend.types import ListType, PropertyType, Scalar, SetType, Several, Void
from starplat.source import SourceFile


@dataclass(frozen=True, slots=True)
class FunctionDefinition(symbols.Node):
    """`defaults` holds a value for each parameter that has one. `kind` is the word it was declared with. `result` is
    VOID where it returns nothing. Parameters that are lists of `updates` stand taken apart among `parameters`."""

    name: str
    kind: str
    parameters: tuple[symbols.Symbol, ...]
    defaults: tuple[expressions.Literal | expressions.Infinity | None, ...]
    result: Scalar | Several | ListType | Void
    body: statements.Block
    updates: tuple[tuple[symbols.Symbol, dynamic.Updates], ...] = ()

    @property
    def arguments(self) -> tuple[tuple[symbols.Symbol, expressions.Literal | expressions.Infinity | None], ...]:
        """The parameters as they are written, with their defaults: a list of updates is one."""
        lists = {part: symbol for symbol, updates in self.updates for part in updates.parts}
        given = zip(self.parameters, self.defaults, strict=True)
        return tuple({lists.get(symbol, symbol): default for symbol, default in given}.items())

    @property
    def results(self) -> frozenset[symbols.Symbol]:
        """The parameters in which the caller sees what the function leaves: properties, sets, lists and references."""
        shared = PropertyType | SetType | ListType
        return frozenset(p for p in self.parameters if isinstance(p.type, shared) or p.role is symbols.Role.REFERENCE)

    @property
    def result_types(self) -> tuple[Scalar | ListType, ...]:
        """The types of the values that it returns."""
        if isinstance(self.result, Several):
            return self.result.types
        return (self.result,) if isinstance(self.result, Scalar | ListType) else ()


@dataclass(frozen=True, slots=True)
class Program(symbols.Node):
    """Functions in the order of the text, and the warnings and notes that checking gave."""

    source: SourceFile = field(compare=False, repr=False)
    functions: tuple[FunctionDefinition, ...]
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)

    def function(self, name: str) -> FunctionDefinition:
        """The function of that name. Raises KeyError: there is none."""
        for function in self.functions:
            if function.name == name:
                return function
        raise KeyError(name)
