"""Syntax tree: functions and the program."""

from dataclasses import dataclass
from enum import Enum

from starplat.frontend.ast.expressions import Expression, Name, Syntax, Text, TypeName
from starplat.frontend.ast.statements import Block


@dataclass(frozen=True, slots=True)
class Parameter(Syntax):
    """`by_reference` for `&`; `graph` the one bound to by `propNode<int> d(g)`; `default` a literal."""

    type: TypeName
    name: Name
    by_reference: bool = False
    graph: Name | None = None
    default: Expression | None = None


class FunctionKind(Enum):
    FUNCTION = "function"
    STATIC = "Static"
    DYNAMIC = "Dynamic"
    INCREMENTAL = "Incremental"
    DECREMENTAL = "Decremental"


@dataclass(frozen=True, slots=True)
class Function(Syntax):
    """`name` is None for `Incremental` and `Decremental`, which have none."""

    kind: FunctionKind
    name: Name | None
    parameters: tuple[Parameter, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Import(Syntax):
    """`import "file";`"""

    file: Text


@dataclass(frozen=True, slots=True)
class Program(Syntax):
    """`functions` are, once its imports are followed, also those of the files that it imports, after its own."""

    functions: tuple[Function, ...]
    imports: tuple[Import, ...] = ()
