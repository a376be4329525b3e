"""Labels that are nodes: cells that say for every node some node of its own component, and only fall (or rise).

At first every node is its own label. A loop hooks labels to those of neighbors and lets labels follow labels, until the
ends of no arc differ: then the label of every node of a component is the least one's, whatever the rounds saw of each
other (Shiloach and Vishkin). Such loops read the cells as indices and compare them, which `settling` knows nothing of.
"""

from __future__ import annotations

from starplat.analysis import walk
from starplat.analysis.monotone import mentions
from starplat.analysis.signals import Loop, Signals
from starplat.frontend import typed
from starplat.frontend.types import PropertyType, Scalar

_COMPARED = (typed.Operator.EQUAL, typed.Operator.NOT_EQUAL, typed.Operator.LESS, typed.Operator.LESS_EQUAL,
             typed.Operator.GREATER, typed.Operator.GREATER_EQUAL)  # fmt: skip


def are_labels(symbol: typed.Symbol, extreme: typed.Extreme, loop: Loop, function: typed.Statement) -> bool:
    """Whether the cells of a property are labels of which the loop finds the least (greatest) of each component."""
    if not isinstance(symbol.type, PropertyType) or symbol.property.element not in (Scalar.NODE, Scalar.INT):
        return False
    return _starts_as_itself(symbol, loop, function) and _Labels(symbol, extreme, loop).hold()


def _starts_as_itself(symbol: typed.Symbol, loop: Loop, function: typed.Statement) -> bool:
    """Whether all that the function stores elsewhere is `v.label = v`, for all nodes."""
    inside = {id(s) for s in walk.statements(loop)}
    elsewhere = [s for s in walk.statements(function) if id(s) not in inside and symbol in walk.written(s)]
    starts = [s.body.statements for s in walk.statements(function) if isinstance(s, typed.ForEach) and _is_all(s)]
    starts_as_itself = {
        id(body[0]) for body in starts for s in body[:1] if isinstance(s, typed.Assign) and _is_own_number(s)
    }
    return bool(elsewhere) and all(id(s) in starts_as_itself for s in elsewhere)


def _is_all(loop: typed.ForEach) -> bool:
    return isinstance(loop.domain, typed.AllNodes) and loop.filter is None


def _is_own_number(s: typed.Assign) -> bool:
    return isinstance(s.place, typed.Cell) and _named(s.value) == _named(s.place.index)


def _named(value: typed.Expression) -> typed.Expression:
    while isinstance(value, typed.Convert):
        value = value.operand
    return value


class _Labels:
    """The labels of one loop: the property, what holds copies of its cells, and the nodes of an iteration."""

    def __init__(self, symbol: typed.Symbol, extreme: typed.Extreme, loop: Loop) -> None:
        self.symbol = symbol
        self.extreme = extreme
        self.loop = loop
        self.signals = Signals(loop)
        self.inside = list(walk.statements(loop.body))
        self.labels = {symbol}
        self.iterators = {s.iterator for s in self.inside if isinstance(s, typed.ForEach)}
        self.beside = {
            id(s): block.statements for block in self.inside if isinstance(block, typed.Block) for s in block.statements
        }

    def hold(self) -> bool:
        """Whether labels are only stored as labels and only compared with labels, and the loop goes on till they
        agree."""
        before = 0
        while before < len(self.labels):
            before = len(self.labels)
            self.labels |= {p.symbol for s in self.inside for p, value in _stores(s) if mentions(value, self.labels)}
        reads = all(self.is_fine(value) for s in self.inside for value in walk.expressions(s))
        return reads and self.stays_in_component() and all(self.may_store(s) for s in self.inside) and self.agrees()

    def is_label(self, value: typed.Expression) -> bool:
        """Whether a value is a node of the component of the nodes at hand."""
        match _named(value):
            case typed.Variable(symbol=symbol):
                return symbol in self.labels or symbol in self.iterators
            case typed.Cell(symbol=symbol, index=index):
                return symbol in self.labels and self.is_label(index)
            case typed.EdgeEnd(edge=typed.Variable(symbol=symbol)):
                return symbol in self.iterators
            case typed.Apply(function=typed.Function.MIN | typed.Function.MAX, arguments=arguments):
                return all(self.is_label(a) for a in arguments)
            case _:
                return False

    def is_fine(self, value: typed.Expression) -> bool:
        """Whether an expression reads labels only as labels."""
        if not mentions(value, self.labels) or self.is_label(value):
            return True
        match value:
            case typed.Binary(operator=operator, left=left, right=right) if operator in _COMPARED:
                return self.is_label(left) and self.is_label(right)
            case typed.Binary(operator=typed.Operator.AND, left=left, right=right):
                return self.is_fine(left) and self.is_fine(right)
            case _:
                return False

    def stays_in_component(self) -> bool:
        """Whether all nodes of an iteration belong to one component."""
        loops = [s for s in self.inside if isinstance(s, typed.ForEach)]
        inner = {id(i) for s in loops for i in walk.statements(s.body) if isinstance(i, typed.ForEach)}
        return all(
            self.is_label(s.domain.node) if isinstance(s.domain, typed.Neighbors) else id(s) not in inner for s in loops
        )

    def may_store(self, s: typed.Statement) -> bool:
        """Whether a statement leaves labels labels, and the least one its own."""
        match s:
            case typed.CopyProperty(destination=copy, source=source):
                return (copy in self.labels) <= (source in self.labels)
            case typed.AssignExtreme(place=typed.Cell(symbol=symbol)) if symbol in self.labels:
                told = self.signals.told_by(s, self.beside[id(s)]) or self.follows(s.place, s.candidate)
                return s.extreme is self.extreme and self.is_label(s.candidate) and told
            case typed.Assign(place=typed.Cell() as place, value=value) if place.symbol in self.labels:
                return self.follows(place, value)
            case typed.Assign() | typed.AssignExtreme() | typed.Declare():
                return all(self.is_label(value) for place, value in _stores(s) if place.symbol in self.labels)
            case typed.Update():
                return s.place.symbol not in self.labels
            case _:
                return not any(symbol in self.labels for symbol in walk.written(s))

    def follows(self, place: typed.Place, value: typed.Expression) -> bool:
        """Whether a node takes a label that its own label leads to."""
        return isinstance(place, typed.Cell) and self.leads_from(place.index, value, 0)

    def leads_from(self, node: typed.Expression, value: typed.Expression, depth: int) -> bool:
        match _named(value):
            case typed.Cell(symbol=symbol, index=index) if symbol in self.labels:
                return _named(index) == _named(node) or self.leads_from(node, index, depth)
            case typed.Variable(symbol=symbol) if symbol in self.labels and depth < len(self.labels):
                stored = [given for s in self.inside for place, given in _stores(s) if place.symbol is symbol]
                return bool(stored) and all(self.leads_on(symbol, node, given, depth + 1) for given in stored)
            case _:
                return False

    def leads_on(self, local: typed.Symbol, node: typed.Expression, given: typed.Expression, depth: int) -> bool:
        """Whether what a local is given comes from the node or from the local itself."""
        match _named(given):
            case typed.Cell(symbol=symbol, index=index) if symbol in self.labels:
                itself = _named(index) == typed.Variable(local)
                return itself or self.leads_from(node, given, depth)
            case _:
                return self.leads_from(node, given, depth)

    def agrees(self) -> bool:
        """Whether the loop goes on while the ends of an arc differ: one of them is told, whichever is greater."""
        for s in self.inside:
            match s:
                case typed.ForEach(domain=typed.AllEdges(), filter=None, body=body):
                    if any(self.tells_both(inner) for inner in walk.statements(body)):
                        return True
                case typed.ForEach(domain=typed.Neighbors(direction=typed.Direction.BOTH), filter=None, body=body):
                    if any(self.tells(inner) for inner in walk.statements(body)):
                        return True
                case _:
                    pass
        return False

    def tells(self, s: typed.Statement) -> bool:
        return isinstance(s, typed.AssignExtreme) and self.signals.told_by(s, self.beside[id(s)])

    def tells_both(self, s: typed.Statement) -> bool:
        """Whether two labels that differ are told each other."""
        match s:
            case typed.Block(statements=statements):
                extremes = [i for i in statements if isinstance(i, typed.AssignExtreme) and self.tells(i)]
                told = {(i.place.index, i.candidate) for i in extremes if isinstance(i.place, typed.Cell)}
                return any((candidate, index) in told for index, candidate in told)
            case _:
                return False


def _stores(s: typed.Statement) -> list[tuple[typed.Place, typed.Expression]]:
    match s:
        case typed.Declare() if s.value is not None:
            return [(typed.Variable(s.symbol), s.value)]
        case typed.Assign():
            return [(s.place, s.value)]
        case typed.AssignExtreme():
            return [(s.place, s.candidate)]
        case _:
            return []
