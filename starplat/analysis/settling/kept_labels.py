"""Whether a loop keeps component labels labels: it only stores nodes of the component, and only compares them."""

from starplat.analysis import walk
from starplat.analysis.settling.guards import guarded
from starplat.analysis.settling.loop_flags import Loop, Signals
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed
from starplat.same import Same

_COMPARED = (typed.Operator.EQUAL, typed.Operator.NOT_EQUAL, typed.Operator.LESS, typed.Operator.LESS_EQUAL,
             typed.Operator.GREATER, typed.Operator.GREATER_EQUAL)  # fmt: skip


class KeptLabels:
    """The labels of one loop: the property, copies of its cells, and the nodes of an iteration."""

    def __init__(self, symbol: typed.Symbol, extreme: typed.Extreme, loop: Loop, program: typed.Program) -> None:
        self.symbol, self.extreme, self.loop = symbol, extreme, loop
        self.signals = Signals(loop, program)
        self.inside = list(walk.statements(loop.body))
        self.labels = {symbol}
        self.guarded = list(guarded(loop.body))
        self.iterators = {s.iterator for s in self.inside if isinstance(s, typed.ForEach)}
        self.ends = self._names_of_ends()
        self.beside = {
            Same(s): block.statements
            for block in self.inside
            if isinstance(block, typed.Block)
            for s in block.statements
        }

    def are_kept(self) -> bool:
        """Whether labels are only stored as labels and only compared with labels."""
        before = 0
        while before < len(self.labels):
            before = len(self.labels)
            self.labels |= {p.symbol for s in self.inside for p, value in stores_of(s) if mentions(value, self.labels)}
        reads = all(self.is_fine(value) for s in self.inside for value in walk.expressions(s))
        stores = all(self.may_store(s) for s in self.inside)
        return reads and stores and self.stays_in_component() and self.goes_over_the_same_arcs() and self.hooks_apart()

    def is_label(self, value: typed.Expression) -> bool:
        """Whether a value is a node of the component of the nodes at hand."""
        match named(value):
            case typed.Variable(symbol):
                return symbol in self.labels or symbol in self.iterators or symbol in self.ends
            case typed.Cell(symbol, index):
                return symbol in self.labels and self.is_label(index)
            case typed.EdgeEnd(edge=typed.Variable(symbol)):
                return symbol in self.iterators
            case typed.Apply(typed.Function.MIN | typed.Function.MAX, arguments):
                return all(self.is_label(a) for a in arguments)
        return False

    def _names_of_ends(self) -> dict[typed.Symbol, typed.EdgeEnd]:
        """The locals that only ever hold an end of the arc in hand."""
        given = [(place.symbol, named(value)) for s in self.inside for place, value in stores_of(s)]
        ends = {symbol: value for symbol, value in given if isinstance(value, typed.EdgeEnd)}
        others = {place.symbol for s in self.inside for place in walk.written_places(s)}
        return {symbol: end for symbol, end in ends.items() if self.is_label(end) and symbol not in others}

    def is_fine(self, value: typed.Expression) -> bool:
        """Whether an expression reads labels only as labels."""
        if not mentions(value, self.labels) or self.is_label(value):
            return True
        match value:
            case typed.Binary(operator, left, right) if operator in _COMPARED:
                return self.is_label(left) and self.is_label(right)
            case typed.Binary(typed.Operator.AND, left, right):
                return self.is_fine(left) and self.is_fine(right)
        return False

    def stays_in_component(self) -> bool:
        """Whether all nodes of an iteration belong to one component."""
        loops = [s for s in self.inside if isinstance(s, typed.ForEach)]
        inner = {Same(i) for s in loops for i in walk.statements(s.body) if isinstance(i, typed.ForEach)}
        return all(
            self.is_label(s.domain.node) if isinstance(s.domain, typed.Neighbors) else Same(s) not in inner
            for s in loops
        )

    def may_store(self, s: typed.Statement) -> bool:
        """Whether a statement keeps labels labels, and the least one its own."""
        match s:
            case typed.CopyProperty(copy, source):
                return (copy in self.labels) <= (source in self.labels)
            case typed.AssignExtreme(place=typed.Cell(symbol)) if symbol in self.labels:
                told = self.signals.told_by(s, self.beside[Same(s)]) or self.follows(s.place, s.candidate)
                return s.extreme is self.extreme and self.is_label(s.candidate) and told
            case typed.Assign(typed.Cell() as place, value) if place.symbol in self.labels:
                return self.follows(place, value)
            case typed.Assign() | typed.AssignExtreme() | typed.Declare():
                return all(self.is_label(value) for place, value in stores_of(s) if place.symbol in self.labels)
            case typed.Update():
                return s.place.symbol not in self.labels
        return not any(symbol in self.labels for symbol in walk.written(s))

    def follows(self, place: typed.Place, value: typed.Expression) -> bool:
        """Whether a node takes a label that its own label leads to."""
        return isinstance(place, typed.Cell) and self.leads_from(place.index, value, 0)

    def leads_from(self, node: typed.Expression, value: typed.Expression, depth: int) -> bool:
        match named(value):
            case typed.Cell(symbol, index) if symbol in self.labels:
                return named(index) == named(node) or self.leads_from(node, index, depth)
            case typed.Variable(symbol) if symbol in self.labels and depth < len(self.labels):
                stored = [given for s in self.inside for place, given in stores_of(s) if place.symbol is symbol]
                return bool(stored) and all(self.leads_on(symbol, node, given, depth + 1) for given in stored)
        return False

    def leads_on(self, local: typed.Symbol, node: typed.Expression, given: typed.Expression, depth: int) -> bool:
        """Whether a local's value comes from the node or from the local itself."""
        match named(given):
            case typed.Cell(symbol, index) if symbol in self.labels:
                itself = named(index) == typed.Variable(local)
                return itself or self.leads_from(node, given, depth)
        return self.leads_from(node, given, depth)

    def hooks_apart(self) -> bool:
        """Whether labels follow labels only before or after hooks: else a label would fall after it was sent."""
        return all(
            self.is_hook(s) or not any(place.symbol is self.symbol for place in walk.written_places(s))
            for part in self.parts_that_hook()
            for s in walk.statements(part)
        )

    def parts_that_hook(self) -> list[typed.Statement]:
        return [s for s in self.loop.body.statements if any(self.is_hook(inner) for inner in walk.statements(s))]

    def is_hook(self, s: typed.Statement) -> bool:
        """Whether a statement lowers labels otherwise than by letting them follow labels."""
        if not isinstance(s, typed.AssignExtreme) or s.place.symbol is not self.symbol:
            return False
        return not self.follows(s.place, s.candidate)

    def goes_over_the_same_arcs(self) -> bool:
        """Whether no condition but those on labels changes with the rounds."""
        declared = set(walk.declared(self.loop.body))
        moving = self.signals.changing - self.labels - declared
        before = -1
        while before < len(moving):
            before = len(moving)
            moving |= {p.symbol for s in self.inside for p, value in stores_of(s) if mentions(value, moving)}
        moving -= self.labels
        return not any(mentions(condition, moving) for inner in self.guarded for condition in inner.conditions)

    def are_own(self) -> bool:
        """Whether a label comes from the property alone or from the iteration in hand."""
        inner = {symbol for s in self.inside if isinstance(s, typed.ForEach) for symbol in walk.declared(s.body)}
        return self.labels <= inner | {self.symbol}


def named(value: typed.Expression) -> typed.Expression:
    while isinstance(value, typed.Convert):
        value = value.operand
    return value


def stores_of(s: typed.Statement) -> list[tuple[typed.Place, typed.Expression]]:
    match s:
        case typed.Declare() if s.value is not None:
            return [(typed.Variable(s.symbol), s.value)]
        case typed.Assign():
            return [(s.place, s.value)]
        case typed.AssignExtreme():
            return [(s.place, s.candidate)]
    return []
