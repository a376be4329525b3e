"""Statements about locals, and those that leave something."""

from __future__ import annotations

from dataclasses import dataclass

from starplat.ir.nodes import CallFunction, Combine, Expression, Variable


@dataclass(frozen=True, slots=True)
class Declare:
    """A new local; `constant` if it never changes."""

    variable: Variable
    value: Expression
    constant: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """New locals: `begin` and `end` of what this thread has of the range from `first` to `last`, which those of the
    launch take in turn, each a piece."""

    begin: Variable
    end: Variable
    first: Expression
    last: Expression


@dataclass(frozen=True, slots=True)
class Assign:
    variable: Variable
    value: Expression


@dataclass(frozen=True, slots=True)
class Accumulate:
    """`variable = variable combine value`."""

    variable: Variable
    combine: Combine
    value: Expression


@dataclass(frozen=True, slots=True)
class Leave:
    """Returns from the function or kernel."""

    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Break:
    pass


@dataclass(frozen=True, slots=True)
class Continue:
    pass


@dataclass(frozen=True, slots=True)
class Call:
    call: CallFunction


PlainStatement = Declare | Piece | Assign | Accumulate | Leave | Break | Continue | Call
