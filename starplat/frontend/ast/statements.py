"""Syntax tree: statements, functions and the program."""

from dataclasses import dataclass
from enum import Enum

from starplat.frontend.ast import expressions
from starplat.frontend.ast.expressions import Call, Expression, Name, Syntax, TypeName


@dataclass(frozen=True, slots=True)
class Statement(Syntax):
    """Anything that does something."""


@dataclass(frozen=True, slots=True)
class Block(Statement):
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Declarator(Syntax):
    """`graph` is the one bound to by `propNode<int> d(g);`."""

    name: Name
    value: Expression | None = None
    graph: Name | None = None


@dataclass(frozen=True, slots=True)
class Declaration(Statement):
    type: TypeName
    declarators: tuple[Declarator, ...]


@dataclass(frozen=True, slots=True)
class Assignment(Statement):
    """`target operator value`; `operator` is `=` or one of `+= -= *= /= %= &= |= ^= &&= ||=`.

    `target` is an `Identifier`, `Attribute` or `Index` (of an identifier or attribute).
    """

    target: Expression
    operator: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Increment(Statement):
    """`target++` or `target--` (also `++target` and `--target`) as a statement."""

    target: Expression
    operator: str


@dataclass(frozen=True, slots=True)
class MultiAssignment(Statement):
    """`<targets> = <values>`."""

    targets: tuple[Expression, ...]
    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class CallStatement(Statement):
    call: Call


@dataclass(frozen=True, slots=True)
class Return(Statement):
    values: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Break(Statement):
    pass


@dataclass(frozen=True, slots=True)
class Continue(Statement):
    pass


@dataclass(frozen=True, slots=True)
class If(Statement):
    condition: Expression
    then: Statement
    otherwise: Statement | None = None


@dataclass(frozen=True, slots=True)
class While(Statement):
    condition: Expression
    body: Statement


@dataclass(frozen=True, slots=True)
class DoWhile(Statement):
    body: Statement
    condition: Expression


@dataclass(frozen=True, slots=True)
class Domain(Syntax):
    """What a loop runs over: an identifier or a call, and its filter."""

    over: Expression
    filter: Expression | None = None


@dataclass(frozen=True, slots=True)
class ForEach(Statement):
    """`forall (iterator in domain)` if `parallel`, else `for (iterator in domain)`."""

    parallel: bool
    iterator: Name
    domain: Domain
    body: Statement


@dataclass(frozen=True, slots=True)
class For(Statement):
    """`for ([type] name = start; condition; step)`; `step` is an `Assignment` or `Increment`."""

    type: TypeName | None
    name: Name
    start: Expression
    condition: Expression
    step: Statement
    body: Statement


@dataclass(frozen=True, slots=True)
class Loop(Statement):
    """`loop (name in first to last by step)`."""

    name: Name
    first: Expression
    last: Expression
    step: Expression
    body: Statement


@dataclass(frozen=True, slots=True)
class FixedPoint(Statement):
    flag: Name
    condition: Expression
    body: Block


@dataclass(frozen=True, slots=True)
class Reverse(Syntax):
    """`iterateInReverse (filter) body`."""

    filter: Expression | None
    body: Block


@dataclass(frozen=True, slots=True)
class IterateInBFS(Statement):
    iterator: Name
    graph: Name
    source: Expression
    filter: Expression | None
    body: Block
    reverse: Reverse | None = None


@dataclass(frozen=True, slots=True)
class Batch(Statement):
    updates: Name
    size: Expression
    body: Block


class UpdateKind(Enum):
    ADD = "OnAdd"
    DELETE = "OnDelete"


@dataclass(frozen=True, slots=True)
class OnUpdate(Statement):
    kind: UpdateKind
    iterator: Name
    domain: Domain
    body: Block


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
    body: Block


@dataclass(frozen=True, slots=True)
class Import(expressions.Syntax):
    """`import "file";`"""

    file: expressions.Text


@dataclass(frozen=True, slots=True)
class Program(expressions.Syntax):
    """`functions` are, once its imports are followed, also those of the files that it imports, after its own."""

    functions: tuple[Function, ...]
    imports: tuple[Import, ...] = ()
