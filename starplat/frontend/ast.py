"""The syntax tree: a program as written, before its names are resolved.

Every node is frozen and carries a `span`, which takes no part in equality, so that `parse(unparse(p)) == p` can be
asserted. Names are plain strings here; `typed` has symbols instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from starplat.source import NOWHERE, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """Anything that was written."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name(Syntax):
    """An identifier where it is declared or refers to something that is no expression."""

    text: str


@dataclass(frozen=True, slots=True)
class TypeName(Syntax):
    """A type as written.

    `name` is the type's word (`int`, `propNode`, `SetN`, `container` …), `element` the type in its angle brackets (or
    in the round ones of a nodeMap), `graph` the graph named there, `sizes` the expressions of
    `container<int>(n, init)`, `key` the first type of a map, whose second is `element`.
    """

    name: str
    element: TypeName | None = None
    graph: Name | None = None
    sizes: tuple[Expression, ...] = ()
    key: TypeName | None = None


@dataclass(frozen=True, slots=True)
class Expression(Syntax):
    """Anything that has a value."""


@dataclass(frozen=True, slots=True)
class Integer(Expression):
    value: int


@dataclass(frozen=True, slots=True)
class Real(Expression):
    """`single` for `1.0f`."""

    value: float
    single: bool = False


@dataclass(frozen=True, slots=True)
class Boolean(Expression):
    value: bool


@dataclass(frozen=True, slots=True)
class Text(Expression):
    """A text in quotes, `value` without its escapes; only `print` and `assert` take one."""

    value: str


@dataclass(frozen=True, slots=True)
class Infinity(Expression):
    """`INF` or `INT_MAX`; `-INF` is a `Unary` over it."""


@dataclass(frozen=True, slots=True)
class Identifier(Expression):
    name: str


@dataclass(frozen=True, slots=True)
class Attribute(Expression):
    """`value.name`."""

    value: Expression
    name: Name


@dataclass(frozen=True, slots=True)
class Index(Expression):
    """`value[index]`."""

    value: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Keyword(Syntax):
    """`name = value` among the arguments of `attachNodeProperty`."""

    name: Name
    value: Expression


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """`function(arguments)`, `function` an `Identifier` or, for a method, an `Attribute`."""

    function: Expression
    arguments: tuple[Expression | Keyword, ...]


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """`operator` is one of `! - ~ +`."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """`operator` is spelt as in the text."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Incremented(Expression):
    """`target++`, `target--`, and, if `before`, `++target`, `--target`, where the value is used."""

    target: Expression
    operator: str
    before: bool


@dataclass(frozen=True, slots=True)
class Conditional(Expression):
    """`condition ? then : otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression


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
