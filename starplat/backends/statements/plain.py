"""Statements on locals, returns, and the names in a row expansion: nodes whose arcs the threads of a group share."""

from dataclasses import dataclass

from starplat.ir import nodes as ir


@dataclass(frozen=True, slots=True)
class Declare:
    """A new local; `constant` if it never changes."""

    variable: ir.Variable
    value: ir.Expression
    constant: bool


@dataclass(frozen=True, slots=True)
class DeclareForGroup:
    """A constant in the memory of the group, which takes no register of a thread; it is there behind a barrier."""

    variable: ir.Variable
    value: ir.Expression


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


PlainStatement = AddToMap | Declare | DeclareForGroup | Piece | Assign | Accumulate | Leave | Break | Continue | Call


@dataclass(frozen=True, slots=True)
class RowExpansion:
    """The names in a group's row expansion: each thread adds the row of one `node`, and all share the arcs of the rows.

    The nodes are all, those `listed`, or those of listed words; a `node` for which `keep` is false gets an empty row.
    The rest are names. `memory` is the group's memory; the others are locals: the length of the list (`size`), the
    first index of an iteration (`begin`), how many `groups` share a row, the number of arcs in all rows (`count`), the
    `place` of an arc among them, and the thread that is its `owner`.
    """

    rows: ir.Array
    listed: ir.Listed | ir.InWords | None
    keep: ir.Expression | None
    node: ir.Variable
    memory: ir.Variable
    size: ir.Variable
    begin: ir.Variable
    groups: ir.Variable
    count: ir.Variable
    place: ir.Variable
    owner: ir.Variable
