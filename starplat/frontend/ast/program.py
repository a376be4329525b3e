"""Syntax tree: functions and the program."""

from dataclasses import dataclass
from enum import Enum

from starplat.frontend.ast import expressions, statements


@dataclass(frozen=True, slots=True)
class Parameter(expressions.Syntax):
    """`by_reference` for `&`; `graph` the one bound to by `propNode<int> d(g)`; `default` a literal."""

    type: expressions.TypeName
    name: expressions.Name
    by_reference: bool = False
    graph: expressions.Name | None = None
    default: expressions.Expression | None = None


class FunctionKind(Enum):
    FUNCTION = "function"
    STATIC = "Static"
    DYNAMIC = "Dynamic"
    INCREMENTAL = "Incremental"
    DECREMENTAL = "Decremental"


@dataclass(frozen=True, slots=True)
class Function(expressions.Syntax):
    """`name` is None for `Incremental` and `Decremental`, which have none."""

    kind: FunctionKind
    name: expressions.Name | None
    parameters: tuple[Parameter, ...]
    body: statements.Block


@dataclass(frozen=True, slots=True)
class Import(expressions.Syntax):
    """`import "file";`"""

    file: expressions.Text


@dataclass(frozen=True, slots=True)
class Program(expressions.Syntax):
    """`functions` are, once its imports are followed, also those of the files that it imports, after its own."""

    functions: tuple[Function, ...]
    imports: tuple[Import, ...] = ()
