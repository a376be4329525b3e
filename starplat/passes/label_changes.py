"""What a kernel does to the labels of nodes in one iteration, as records.

Conditions and values are in terms of the iteration: its nodes, their labels, and names for what loops leave behind.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from starplat.ir.nodes import (
    Array,
    Const,
    Element,
    Expression,
    Variable,
)
from starplat.passes.orders import Labels

TRUE = Const(True, Element.BOOL)


@dataclass(frozen=True, slots=True)
class Change:
    """`label[node]` becomes `value` if `condition` holds; with `wins` only if it is beyond the label, in one piece."""

    node: Expression
    value: Expression
    condition: Expression
    wins: bool


@dataclass(frozen=True, slots=True)
class Signal:
    """Under `condition`, a reduction's variable is told, or the flag at `node` of an array is set to True."""

    to: Variable | Array
    node: Expression | None
    condition: Expression


@dataclass(frozen=True, slots=True)
class Arc:
    """The two ends of any arc of the graph: what holds for them in one iteration holds for all arcs."""

    source: Expression
    destination: Expression


@dataclass
class Summary:
    """What a kernel does in one iteration. `facts` hold for the names that loops left behind; `others` is what it
    changes besides, in ways that are not followed."""

    labels: Labels
    own: Expression | None
    changes: list[Change] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)
    arcs: list[Arc] = field(default_factory=list)
    facts: list[Expression] = field(default_factory=list)
    others: set[Array | Variable] = field(default_factory=set)


class NotFollowed(Exception):  # noqa: N818 - it says what the kernel is
    """The kernel does what this analysis does not follow."""
