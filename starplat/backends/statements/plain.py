"""Statements on locals, and returns."""

from dataclasses import dataclass

from starplat.ir import nodes as ir


@dataclass(frozen=True, slots=True)
class Declare:
    """A new local; `constant` if it never changes."""

    variable: ir.Variable
    value: ir.Expression
    constant: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """New locals: `begin` and `end` of this thread's piece of the range from `first` to `last`."""

    begin: ir.Variable
    end: ir.Variable
    first: ir.Expression
    last: ir.Expression


@dataclass(frozen=True, slots=True)
class Assign:
    variable: ir.Variable
    value: ir.Expression


@dataclass(frozen=True, slots=True)
class Accumulate:
    """`variable = variable combine value`."""

    variable: ir.Variable
    combine: ir.Combine
    value: ir.Expression


@dataclass(frozen=True, slots=True)
class Leave:
    """Returns from the function or kernel."""

    value: ir.Expression | None = None


@dataclass(frozen=True, slots=True)
class Break:
    pass


@dataclass(frozen=True, slots=True)
class Continue:
    pass


@dataclass(frozen=True, slots=True)
class Call:
    call: ir.CallFunction


@dataclass(frozen=True, slots=True)
class AddToMap:
    """Returns what an arc adds to its row's map: a value to a key; nothing where it has no key."""

    key: ir.Expression
    value: ir.Expression


PlainStatement = AddToMap | Declare | Piece | Assign | Accumulate | Leave | Break | Continue | Call
