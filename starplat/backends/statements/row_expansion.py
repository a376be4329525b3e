"""The names in a row expansion: nodes whose arcs the threads of a group share."""

from dataclasses import dataclass

from starplat.ir import nodes as ir


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
