"""Syntax tree: names, types and expressions."""

from __future__ import annotations

from dataclasses import dataclass, field

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
