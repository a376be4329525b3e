"""Values common to all iterations of a parallel loop; storing one is not a race.

Literals and what the loop does not write are common to all. In a pass of iterateInBFS so are functions of the level
alone: a property that every visited node sets for all its children, from its own, has one value at every node of a
level.
"""

from starplat.analysis import parallel, positions, walk
from starplat.frontend import typed
from starplat.frontend.walk import children

_PURE = typed.Literal | typed.Infinity | typed.Unary | typed.Binary | typed.Convert | typed.Conditional | typed.Apply


def is_common(value: typed.Expression, loop: parallel.ParallelLoop) -> bool:
    """Whether all iterations compute the same value: literals and outer scalars that the loop does not write."""
    private = {loop.iterator, *walk.declared(loop.body)}
    written = {p.symbol for p in walk.places(loop.body)}
    return all(
        isinstance(e, _PURE)
        or (isinstance(e, typed.Variable) and e.symbol not in private and e.symbol not in written)
        or (isinstance(e, typed.GraphQuery) and e.query in (typed.Query.NUM_NODES, typed.Query.NUM_EDGES))
        for e in walk.within(value)
    )


def is_of_level(value: typed.Expression, loop: parallel.ParallelLoop) -> bool:
    """Whether, in a pass of iterateInBFS, a value is a function of the level of the visited node."""
    search = loop.node if isinstance(loop.node, typed.IterateInBFS) else None
    search = search or next((s for s in reversed(loop.around) if isinstance(s, typed.IterateInBFS)), None)
    if search is None or search.filter is not None:
        return False
    return _Levels(search).has(value, frozenset())


class _Levels:
    """What depends on the level alone in the forward pass of one search."""

    def __init__(self, search: typed.IterateInBFS) -> None:
        self.search = search
        self.aliases = positions.aliases(search.body)
        inside = list(walk.statements(search.body))
        self.written = {symbol for s in inside for symbol in walk.written(s)}
        self.private = {search.iterator, *walk.declared(search.body)}

    def has(self, value: typed.Expression, assumed: frozenset[typed.Symbol]) -> bool:
        """Whether a value is the same for all nodes of a level, if the `assumed` properties are."""
        match value:
            case typed.Variable(symbol) if symbol in self.aliases:
                return self.has(self.aliases[symbol], assumed)
            case typed.Variable(symbol):
                return symbol not in self.private and symbol not in self.written
            case typed.Cell(symbol, typed.Variable(node)):
                return node is self.search.iterator and (symbol in assumed or self.is_set_by_level(symbol, assumed))
            case typed.GraphQuery(query=typed.Query.NUM_NODES | typed.Query.NUM_EDGES):
                return True
        return isinstance(value, _PURE) and all(self.has(part, assumed) for part in children(value))

    def is_set_by_level(self, symbol: typed.Symbol, assumed: frozenset[typed.Symbol]) -> bool:
        """Whether every visited node sets the property for all its children, to a function of its level."""
        stores = walk.writers(symbol, self.search)
        loops = [s for s in self.search.body.statements if isinstance(s, typed.ForEach) and self.is_over_children(s)]
        direct = [(s, loop) for loop in loops for s in loop.body.statements if s in stores]
        return len(direct) == len(stores) > 0 and all(
            isinstance(s, typed.Assign)
            and s.place == typed.Cell(symbol, typed.Variable(loop.iterator))
            and self.has(s.value, assumed | {symbol})
            for s, loop in direct
        )

    def is_over_children(self, loop: typed.ForEach) -> bool:
        match loop.domain:
            case typed.Neighbors(node=typed.Variable(node), direction=typed.Direction.OUT):
                leaves = any(isinstance(s, typed.Continue | typed.Break) for s in walk.statements(loop.body))
                return node is self.search.iterator and loop.filter is None and not leaves
        return False
