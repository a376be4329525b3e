"""Records of what a kernel does to the labels of nodes in one iteration.

Conditions and values are in terms of the iteration: its nodes, their labels, and names for what loops leave behind.
"""

from dataclasses import dataclass, field

from starplat.ir import nodes as ir
from starplat.passes.labels.orders import Labels

TRUE = ir.Const(True, ir.Element.BOOL)


@dataclass(frozen=True, slots=True)
class Change:
    """`label[node]` becomes `value` if `condition` holds; with `wins` only if it is beyond the label, in one piece."""

    node: ir.Expression
    value: ir.Expression
    condition: ir.Expression
    wins: bool


@dataclass(frozen=True, slots=True)
class Signal:
    """Under `condition`, a reduction's variable gets a contribution, or the flag at `node` of an array becomes True.
    The condition was read after that many of the iteration's changes, so of these it says nothing."""

    to: ir.Variable | ir.Array
    node: ir.Expression | None
    condition: ir.Expression
    after: int


@dataclass(frozen=True, slots=True)
class Arc:
    """The two ends of any arc of the graph: what holds for them in one iteration holds for all arcs."""

    source: ir.Expression
    destination: ir.Expression


@dataclass(frozen=True, slots=True)
class Fact:
    """What holds for the names that a loop left behind, once that many of the iteration's changes are made."""

    holds: ir.Expression
    after: int


@dataclass
class Summary:
    """What a kernel does in one iteration, changes and signals in order. `others` are its other changes, which are not
    followed."""

    labels: Labels
    own: ir.Expression | None
    changes: list[Change] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)
    arcs: list[Arc] = field(default_factory=list)
    noted: list[Fact] = field(default_factory=list)
    others: set[ir.Array | ir.Variable] = field(default_factory=set)

    @property
    def facts(self) -> tuple[ir.Expression, ...]:
        """All that loops left behind."""
        return tuple(fact.holds for fact in self.noted)

    def facts_before(self, change: int) -> tuple[ir.Expression, ...]:
        """Those that were there when the iteration came to one of its changes."""
        return tuple(fact.holds for fact in self.noted if fact.after <= change)


class NotFollowed(Exception):  # noqa: N818 - it says what the kernel is
    """The kernel does what this analysis does not follow."""
