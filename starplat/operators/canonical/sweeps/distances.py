"""Finds properties that hold the distance of every node from a source, and scalars that are upper bounds of these.

A property does so from a search by levels, in any form, until it is written again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked, leaves_out_end
from starplat.frontend import typed, types
from starplat.operators.canonical import hosts, rebuilding, rounds
from starplat.operators.canonical.searches.initial_values import initial_values
from starplat.operators.canonical.searches.levels import begins_at, is_next
from starplat.operators.canonical.searches.stores import compared
from starplat.operators.canonical.searches.waves import flagged_at_level
from starplat.operators.canonical.unread import without_unread


@dataclass
class Distances:
    """Cells with the distance of their nodes from a `source`; INF or a negative number for unreached nodes.

    `least` maps scalars, and None for the number of nodes, to a lower bound of their value minus the greatest distance.
    `made` are the statements that only compute distances and such scalars.
    """

    cells: typed.Symbol
    source: typed.Variable
    graph: typed.Symbol
    made: list[typed.Statement]
    is_infinite: bool = True
    least: dict[typed.Symbol | None, int] = field(default_factory=lambda: {None: 1})

    def follow(self, s: typed.Statement) -> bool:
        """Takes in a statement after the search; False if the cells may not hold distances after it."""
        changed = walk.all_written(s)
        if self.cells in changed:
            below = self.is_infinite and self._fills_the_rest(s)
            self.is_infinite = not below
            self.made += [s] * below
            return below
        match s:
            case typed.Declare(symbol, value) | typed.Assign(typed.Variable(symbol), value) if (
                value is not None and (least := self.over(value)) is not None
            ):
                self.least[symbol] = least
                self.made.append(s)
            case typed.Update(typed.Combine.ADD, typed.Variable(symbol), typed.Literal(int() as more)) if (
                symbol in self.least
            ):
                self.least[symbol] += more
                self.made.append(s)
            case typed.ForEach() if (greatest := self._greatest(s)) is not None:
                self.least[greatest] = 0
                self.made.append(s)
            case _:
                for symbol in changed:
                    self.least.pop(symbol, None)
        return True

    def over(self, value: typed.Expression) -> int | None:
        """A lower bound of a value minus the greatest distance; None if it has none."""
        match value:
            case typed.Variable(symbol):
                return self.least.get(symbol)
            case typed.GraphQuery():
                return self.least[None] if self.counts_nodes(value) else None
            case typed.Binary(operator, left, typed.Literal(int() as number)) if (
                operator in (typed.Operator.ADD, typed.Operator.SUBTRACT) and value.type is types.Scalar.INT
            ):
                least = self.over(left)
                return None if least is None else least + (number if operator is typed.Operator.ADD else -number)
        return None

    def counts_nodes(self, value: typed.Expression | None) -> bool:
        """Whether a value is the number of nodes."""
        return (
            isinstance(value, typed.GraphQuery) and value.query is typed.Query.NUM_NODES and value.graph is self.graph
        )

    def _fills_the_rest(self, s: typed.Statement) -> bool:
        """Whether a statement only sets unreached nodes to a negative constant."""
        match s:
            case typed.ForEach(
                domain=typed.AllNodes(graph=graph),
                body=typed.Block((typed.Assign(place, typed.Literal(int() as number)),)),
            ) if graph is self.graph and place == typed.Cell(self.cells, typed.Variable(s.iterator)) and number < 0:
                asked_for = all_asked(s.filter)
                return len(asked_for) == 1 and isinstance(compared(asked_for[0], place), typed.Infinity)
        return False

    def _greatest(self, s: typed.ForEach) -> typed.Symbol | None:
        """The scalar that a loop raises to the greatest distance, if it does nothing else."""
        own = typed.Cell(self.cells, typed.Variable(s.iterator))
        match s:
            case typed.ForEach(
                domain=typed.AllNodes(graph=graph),
                body=typed.Block(
                    (
                        typed.AssignExtreme(
                            extreme=typed.Extreme.MAX, place=typed.Variable(symbol), candidate=candidate, carried=()
                        ),
                    )
                ),
            ) if graph is self.graph and candidate == own and s.parallel:
                conditions = all_asked(s.filter)
                reached = [c for c in conditions if leaves_out_end(c, own, typed.Extreme.MIN)]
                return symbol if len(reached) == len(conditions) == self.is_infinite else None
        return None


def found_by(
    loop: typed.FixedPoint, around: hosts.Surroundings, program: typed.Program, results: frozenset[typed.Symbol]
) -> Distances | None:
    """The distances that a fixed point computes: the least values that are 0 at the source and rise by 1 along arcs."""
    effects = rounds.edge_effects(loop, around, program, results)
    if len(effects) != 1:
        return None
    (effect,) = effects
    mine = effect.own
    block, place = around.block_of(loop)
    before, known = block.statements[:place], around.known_before(loop)
    plain = not effect.when and not effect.carried and effect.direction is typed.Direction.OUT
    lowers = effect.extreme is typed.Extreme.MIN and is_next(mine, effect.value) and mine.type is types.Scalar.INT
    if not plain or not lowers or not begins_at(effect.symbol, 0, before, known):
        return None
    if effect.frontier is not None and flagged_at_level(effect.frontier, effect.symbol, before, known) is None:
        return None
    initial = initial_values(effect.symbol, before)
    begun = [] if initial is None else [index for index, _ in initial.set]
    if len(begun) != 1 or not isinstance(begun[0], typed.Variable) or begun[0].symbol.role is typed.Role.LOCAL:
        return None
    if not _stays(begun[0].symbol, around.body):
        return None
    distances = Distances(effect.symbol, begun[0], loop.graph, [loop])
    numbers = (
        s for s in walk.statements(around.body) if isinstance(s, typed.Declare) and distances.counts_nodes(s.value)
    )
    distances.least |= {s.symbol: distances.least[None] for s in numbers if _stays(s.symbol, around.body)}
    return distances


def _stays(symbol: typed.Symbol, body: typed.Block) -> bool:
    """Whether a variable is never written after its declaration."""
    writers = walk.writers(symbol, body)
    return all(isinstance(s, typed.Declare) for s in writers) and symbol.role is not typed.Role.REFERENCE


def written_or_declared(statements: Iterable[typed.Statement]) -> set[typed.Symbol]:
    """The symbols that any of the statements writes or declares, at any depth."""
    inside = [i for s in statements for i in walk.statements(s)]
    return {symbol for i in inside for symbol in (*walk.written(i), *walk.declared(i))}


def without_distances(body: typed.Block, distances: Distances, results: frozenset[typed.Symbol]) -> typed.Block:
    """The body without the computation of distances and their bounds, as far as nothing else reads them."""
    gone = distances.made
    while gone:
        left = _without(body, gone)
        needed = results.union(*(walk.read(s) for s in walk.statements(left)))
        kept = [s for s in gone if written_or_declared((s,)) & needed]
        if not kept:
            scalars = {s for s in written_or_declared(gone) if isinstance(s.type, types.Scalar)}
            left = without_unread(_without_scalars(left, scalars), results)
            return left if _asks_for_source(left, distances.source) else body
        gone = [s for s in gone if not any(s is other for other in kept)]
    return body


def _without(body: typed.Block, gone: Sequence[typed.Statement]) -> typed.Block:
    return rebuilding.without(body, lambda s: any(s is other for other in gone))


def _without_scalars(body: typed.Block, unread: set[typed.Symbol]) -> typed.Block:
    def goes(s: typed.Statement) -> bool:
        match s:
            case typed.Declare(symbol) | typed.Assign(typed.Variable(symbol) | typed.Cell(symbol)):
                return symbol in unread
        return False

    return rebuilding.without(body, goes)


def _asks_for_source(body: typed.Block, source: typed.Variable) -> bool:
    """Whether the program still fails for a source that is no node: `iterateInBFS` from such a source does nothing."""
    stores = (p for p in walk.places(body) if isinstance(p, typed.Cell))
    return source.symbol.role is typed.Role.ITERATOR or any(place.index == source for place in stores)
