"""Is a loop over sources a search from each, of which only the distances are asked? Then many may run at once.

    one after another src of sources
      level := INF
      level[src] := 0
      loop until active is empty
        advance active  v -> w
          level[w] <- min level[v] + 1
          activates active
      each v when level[v] != INF
        far[v] += level[v]

What the iterations leave must not depend on their order: sums of whole numbers, `Min`, `Max`, `or`, `and` into cells of
the node that is reached, of values made of its level and of what no iteration changes; or, where all nodes are sources,
into cells of the source, or locals from which these are computed behind the search. The level may be kept by
`iterateInBFS`, and what is done to a node may stand in its body.
"""

from collections.abc import Mapping, Sequence

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.answers.components import begin_or_offer_nothing
from starplat.operators.answers.own_cells import OwnVisits
from starplat.operators.answers.visits import Search, Visits, flat
from starplat.operators.canonical.hosts import Surroundings, surroundings
from starplat.operators.canonical.rounds import edge_effects
from starplat.operators.canonical.searches.initial_values import initial_values
from starplat.operators.canonical.searches.levels import above
from starplat.operators.records import How, Searches
from starplat.same import Same

_ONLY_FOR_ALL = (
    "what the source gets from its search is found by searches against the arcs, from all nodes; write "
    "'for (… in g.nodes())', or change cells of the nodes that are reached"
)


def searches(program: typed.Program, infinite: frozenset[typed.Symbol]) -> Mapping[Same, Searches]:
    """The loops over sources that are such searches, by identity; `infinite` are the symbols that may hold INF."""
    found: dict[Same, Searches] = {}
    for function in program.functions:
        around: Surroundings | None = None
        for loop in walk.statements(function.body):
            if isinstance(loop, typed.ForEach) and _is_over_nodes(loop) and _may_search(loop):
                around = around or surroundings(function.body)
                if (one := _Reader(loop, function, around, program, infinite).searches()) is not None:
                    found[Same(loop)] = one
    return found


def _is_over_nodes(loop: typed.ForEach) -> bool:
    match loop.domain:
        case typed.AllNodes():
            return loop.filter is None
        case typed.Members(symbol=symbol):
            return loop.filter is None and symbol.type == types.SetType(types.Scalar.NODE)
    return False


def _may_search(loop: typed.ForEach) -> bool:
    rounds = (typed.FixedPoint, typed.IterateInBFS)
    return any(isinstance(s, rounds) for s in flat(loop.body))


class _Reader:
    """Reads one loop over sources."""

    def __init__(
        self,
        loop: typed.ForEach,
        function: typed.FunctionDefinition,
        around: Surroundings,
        program: typed.Program,
        infinite: frozenset[typed.Symbol],
    ) -> None:
        self.loop, self.around, self.program, self.infinite = loop, around, program, infinite
        self.results = function.results
        self.source = typed.Variable(loop.iterator)
        self.changed = {symbol for s in walk.statements(loop.body) for symbol in walk.changed(s, program)}

    def searches(self) -> Searches | None:
        """What the loop comes to; None if it is no such loop."""
        row = list(flat(self.loop.body))
        places = [i for i, s in enumerate(row) if isinstance(s, typed.FixedPoint | typed.IterateInBFS)]
        if len(places) != 1:
            return None
        before, search, after = row[: places[0]], row[places[0]], row[places[0] + 1 :]
        found = self.rounds(search, before) if isinstance(search, typed.FixedPoint) else self.in_bfs(search, before)
        if found is None or not all(self.begins(s, found.own) for s in before):
            return None
        if any(symbol in self.results or self.around.is_seen(symbol, self.loop) for symbol in found.own):
            return None
        return self.of_nodes(found, after) or self.of_sources(found, before, after)

    def of_nodes(self, found: Search, after: Sequence[typed.Statement]) -> Searches | None:
        """The searches, if they change cells of the nodes that they reach."""
        visits = Visits(self.loop, found, self.changed, self.infinite)
        reached = visits.all(found.beside, found.node) if found.node is not None else ()
        for s in after:
            more = visits.of_loop(s)
            reached = None if reached is None or more is None else (*reached, *more)
        if not reached:
            return None
        return Searches(found.direction, visits.node, visits.level, visits.count, reached, visits.why_not)

    def of_sources(
        self, found: Search, before: Sequence[typed.Statement], after: Sequence[typed.Statement]
    ) -> Searches | None:
        """The searches, if they change cells of their sources."""
        visits = OwnVisits(self.loop, found, self.changed, self.infinite)
        for s in before:
            visits.keep(s)
        reached = visits.all(found.beside, found.node) if found.node is not None else ()
        rest = list(after)
        while rest and reached is not None:
            if not visits.keep(rest[0]):
                if (more := visits.of_loop(rest[0])) is None:
                    break
                reached = (*reached, *more)
            del rest[0]
        behind = visits.behind(rest)
        if not reached or behind is None:
            return None
        why_not = visits.why_not
        if not isinstance(self.loop.domain, typed.AllNodes):
            why_not = why_not or _ONLY_FOR_ALL
        if why_not is not None:
            return Searches(found.direction, visits.node, visits.level, visits.count, (), why_not)
        back = typed.Direction.IN if found.direction is typed.Direction.OUT else typed.Direction.OUT
        return Searches(back, visits.node, visits.level, visits.count, reached, None, tuple(visits.begun), behind)

    # --- the search

    def rounds(self, search: typed.Statement, before: Sequence[typed.Statement]) -> Search | None:
        """A search by rounds over a frontier."""
        assert isinstance(search, typed.FixedPoint)
        if not any(search is loop for loop in self.around.loops):
            return None
        effects = edge_effects(search, self.around, self.program, self.results, frontier_is_kept=True)
        match effects:
            case (effect,) if effect.how is How.LEAST and not (effect.when or effect.carried):
                offered = above(effect.value, effect.own)
            case _:
                return None
        frontier = effect.frontier
        if offered != 1 or frontier is None or effect.direction is typed.Direction.BOTH:
            return None
        begins = begin_or_offer_nothing(effect, self.around.before(search))
        if not begins or not self.begins_at_source(effect.symbol, before):
            return None
        return Search(effect.direction, effect.symbol, frozenset({effect.symbol, frontier}))

    def in_bfs(self, search: typed.Statement, before: Sequence[typed.Statement]) -> Search | None:
        """A search by `iterateInBFS`, which may also write the level down."""
        assert isinstance(search, typed.IterateInBFS)
        if search.source != self.source or search.filter is not None or search.reverse is not None:
            return None
        level: typed.Symbol | None = None
        beside = []
        for s in flat(search.body):
            if (kept := _level_kept(s, search.iterator)) is None:
                beside.append(s)
            elif level not in (None, kept):
                return None
            level = kept or level
        if level is not None and not self.begins_at_source(level, before):
            return None
        own = frozenset() if level is None else frozenset({level})
        return Search(typed.Direction.OUT, level, own, search.iterator, tuple(beside))

    def begins_at_source(self, level: typed.Symbol, before: Sequence[typed.Statement]) -> bool:
        """Whether the level is INF but for the source, which has 0."""
        begun = initial_values(level, before) if level.property.element is types.Scalar.INT else None
        if begun is None or not isinstance(begun.fill, typed.Infinity) or begun.fill.negative:
            return False
        return begun.set == ((self.source, typed.Literal(0, types.Scalar.INT)),)

    def begins(self, s: typed.Statement, own: frozenset[typed.Symbol]) -> bool:
        """Whether a statement before the search only prepares what belongs to it, or what nothing else sees."""
        match s:
            case typed.Declare():
                return not walk.changed(s, self.program) - {s.symbol}
            case typed.Attach(items=items):
                return all(symbol in own and not isinstance(value, typed.Symbol) for symbol, value in items)
            case typed.Assign(typed.Cell(symbol, index)):
                return symbol in own and index == self.source
        return False


def _level_kept(s: typed.Statement, node: typed.Symbol) -> typed.Symbol | None:
    """The property in which a node's children get its level and 1 more."""
    match s:
        case typed.ForEach(
            iterator=child,
            domain=typed.Neighbors(node=typed.Variable(parent), direction=typed.Direction.OUT),
            filter=None,
            body=typed.Block((inner,)),
        ) if parent is node:
            pass
        case _:
            return None
    match inner:
        case typed.AssignExtreme(extreme=typed.Extreme.MIN, place=place, candidate=value, carried=()):
            pass
        case typed.Assign(place, value):
            pass
        case _:
            return None
    is_childs = isinstance(place, typed.Cell) and place.index == typed.Variable(child)
    return place.symbol if is_childs and above(value, typed.Cell(place.symbol, typed.Variable(node))) == 1 else None
