"""The surroundings of a kernel being lowered: the current arc, the level of a BFS pass, its host function."""

from collections.abc import Callable
from dataclasses import dataclass, field

from starplat.frontend import typed
from starplat.ir import nodes as ir
from starplat.ir.lowering.checking import Lines
from starplat.same import Same

NewArray = Callable[[str, ir.Element, ir.Extent, ir.Origin], ir.Array]


@dataclass(frozen=True, slots=True)
class ArcPlace:
    """Where an enclosing neighbor loop stands: the forward arc id and the two ends."""

    arc: ir.Expression
    source: ir.Expression
    destination: ir.Expression


def arc_place(direction: ir.Direction, node: ir.Expression, neighbor: ir.Variable, position: ir.Variable) -> ArcPlace:
    """The arc at a position of the row of `node`."""
    ends = (node, ir.Ref(neighbor)) if direction is ir.Direction.OUT else (ir.Ref(neighbor), node)
    return ArcPlace(direction.layout.arc_id(ir.Ref(position)), *ends)


@dataclass(frozen=True, slots=True)
class LevelScope:
    """Inside a BFS pass: neighbors of `iterator` are children or parents only. `pulling` holds the ids of loops over
    `neighbors` that mean parents; `judged` the nodes of the level that passed the pass's filter, where the host drives
    a body that may change what the filter reads."""

    iterator: typed.Symbol
    levels: ir.Array
    depth: ir.Variable
    pulling: frozenset[Same]
    judged: ir.Array | None = None


@dataclass
class Surroundings:
    """The kernel's view of its host function.

    `values` are host scalars read by value; `arrays` device arrays; `reductions` outer scalars that iterations
    contribute to; `words` outer scalars that live in a one-cell array meanwhile; `flags` outer scalars of which only
    the storing is told; `stand_ins` replace an array where it is written (the second copy of a fixed point's flags);
    `announce` are reductions that hear of every True stored to an array; `lock_of` gives the locks of an array's
    cells, `new_array` makes one for the function; `faults` are the arrays in which a checked run records
    what goes wrong, `lines` those for what it prints; `hoisted` are numbers worked out before.
    """

    values: dict[typed.Symbol, ir.Expression] = field(default_factory=dict)
    arrays: dict[typed.Symbol, ir.Array] = field(default_factory=dict)
    reductions: dict[typed.Symbol, ir.Reduction] = field(default_factory=dict)
    flags: dict[typed.Symbol, ir.Variable] = field(default_factory=dict)
    words: dict[typed.Symbol, ir.Array] = field(default_factory=dict)
    stand_ins: dict[ir.Array, ir.Array] = field(default_factory=dict)
    announce: dict[ir.Array, ir.Variable] = field(default_factory=dict)
    new_array: NewArray | None = None
    lock_of: Callable[[ir.Array], ir.Array] | None = None
    faults: tuple[ir.Array, ir.Array] | None = None
    lines: Lines | None = None
    hoisted: dict[Same, ir.Expression] = field(default_factory=dict)
