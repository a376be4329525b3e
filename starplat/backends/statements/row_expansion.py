"""A group's knowledge of the nodes whose arcs its threads share."""

from dataclasses import dataclass

from starplat.ir import nodes as ir


@dataclass(frozen=True, slots=True)
class RowExpansion:
    """The names in a group's row expansion: each thread brings one node at a time, and all share the arcs of these.

    The nodes are all, those `listed`, or those of listed words; `keep` says of the one `brought` whether it is kept.
    The rest are names: of the group's memory, and of the locals with how many are listed, the first number of a turn,
    how many groups share a node, the arcs of all nodes brought, a place among these, and which thread brought its node.
    """

    rows: ir.Array
    listed: ir.Listed | ir.InWords | None
    keep: ir.Expression | None
    brought: ir.Variable
    memory: ir.Variable
    size: ir.Variable
    begin: ir.Variable
    groups: ir.Variable
    count: ir.Variable
    place: ir.Variable
    owner: ir.Variable
