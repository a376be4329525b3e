"""What searches from all nodes leave in the cells of their sources, told as if the arcs were walked backwards.

    one after another src of all nodes            each src at level, from where count nodes are as far
      farthest := 0                                 farthest[src] <- max level
      each v when level[v] != INF                 each src
        farthest <- max level[v]                    ecc[src] := farthest[src]
      ecc[src] := farthest

A node is as far from a source as the source is, against the arcs, from the node. So where all nodes are sources, the
nodes that a source reaches at a level are the sources that reach it at that level of searches against the arcs. Locals
of an iteration become properties, and what follows the search is done to each node behind all searches.
"""

from collections.abc import Sequence

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.operators.answers.visits import Search, Visits
from starplat.operators.records import Kept


class OwnVisits(Visits):
    """Statements on a node that is reached which change the source's cells or locals of its iteration, told of the
    source: `node` is the source, and `kept` are the locals, as properties, with what they begin with."""

    def __init__(
        self, loop: typed.ForEach, found: Search, changed: set[typed.Symbol], infinite: frozenset[typed.Symbol]
    ) -> None:
        super().__init__(loop, found, changed, infinite)
        self.node = typed.Symbol(loop.iterator.name, Scalar.NODE, typed.Role.ITERATOR, loop.span)
        self.begun: list[Kept] = []
        self.at_hand: typed.Symbol | None = None
        self.in_order = False
        self.is_behind = False

    def keep(self, s: typed.Statement) -> bool:
        """Keeps a local of the iteration for each source, if all begin it with the same constant."""
        if not isinstance(s, typed.Declare) or not isinstance(s.symbol.type, Scalar) or s.symbol.type.is_index:
            return False
        if not isinstance(s.value, typed.Literal | typed.Infinity | None):
            return False
        kept = typed.Symbol(s.symbol.name, PropertyType(Carrier.NODE, s.symbol.type), typed.Role.LOCAL, s.span)
        self.kept[s.symbol] = kept
        self.begun.append(Kept(kept, s.symbol, s.value))
        self._changed.add(kept)
        return True

    def stands_for_node(self, node: typed.Symbol) -> typed.Symbol:
        self.at_hand = node
        return self.loop.iterator

    def of_loop(self, s: typed.Statement) -> tuple[typed.Statement, ...] | None:
        self.in_order = isinstance(s, typed.ForEach) and not (s.parallel or s.any_order)
        return super().of_loop(s)

    def behind(self, statements: Sequence[typed.Statement]) -> tuple[typed.Statement, ...] | None:
        """What is done to a source behind its search; None if that is more than changing its own cells."""
        if any(
            symbol in self.found.own for s in statements for inner in walk.statements(s) for symbol in walk.read(inner)
        ):
            return None
        self.is_behind = True
        told = tuple(self.of_node(s, self.loop.iterator) for s in statements)
        return told if all(map(self.is_done_behind, told)) else None

    def is_done_behind(self, s: typed.Statement) -> bool:
        match s:
            case typed.Block(statements):
                return all(map(self.is_done_behind, statements))
            case typed.Declare(symbol, value) if isinstance(symbol.type, Scalar):
                self.locals.add(symbol)
                return value is None or self.is_same(value)
            case typed.If(condition, then, otherwise):
                both = self.is_done_behind(then) and (otherwise is None or self.is_done_behind(otherwise))
                return both and self.is_same(condition)
            case typed.Assign(place, value) | typed.Update(place=place, value=value):
                return self.is_own(place) and self.is_same(value)
            case typed.AssignExtreme(place=place, candidate=value, carried=()):
                return self.is_own(place) and self.is_same(value)
        return False

    def is_own(self, place: typed.Place) -> bool:
        """Whether a place is a cell of the source or a local of what is done behind its search."""
        if isinstance(place, typed.Variable):
            return place.symbol in self.locals
        return place.symbol.property.carrier is Carrier.NODE and place.index == typed.Variable(self.node)

    def added(self, s: typed.Update, place: typed.Place, value: typed.Expression) -> typed.Statement:
        if self.in_order and place.type in (Scalar.FLOAT, Scalar.DOUBLE):
            self.why_not = (
                f"'{place.symbol.name}' is a sum of floating-point numbers, which 'for' adds up in the order of the "
                "nodes that are reached; write 'forall'"
            )
        return self.as_often(s, place, value)

    def is_mine(self, place: typed.Place, how: object) -> bool:
        if isinstance(place, typed.Cell) and self.at_hand is not None and place.index == typed.Variable(self.at_hand):
            self.why_not = (
                f"'{place.symbol.name}' is a cell of the node that is reached, beside cells of the source: search "
                "twice, once for each"
            )
            return True
        return super().is_mine(place, how)

    def is_known(self, part: typed.Expression) -> bool:
        match part:
            case typed.Variable(symbol) if symbol is self.at_hand and not self.is_behind:
                self.why_not = (
                    f"what the source gets depends on which node '{symbol.name}' is reached, not on its level alone"
                )
                return True
            case typed.Cell(symbol, index) if self.is_behind and index == typed.Variable(self.node):
                return symbol not in self.found.own
        return super().is_known(part)
