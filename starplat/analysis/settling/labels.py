"""Component labels that are nodes: every cell names a node of its component, and only falls (or rises).

At first every node is its own label. A loop hooks labels to those of neighbors and lets labels follow labels, until the
ends of no arc differ: then the label of every node of a component is the least one's, whatever the rounds saw of each
other (Shiloach and Vishkin). Such loops read the cells as indices and compare them, which `loops` knows nothing of.
"""

from starplat.analysis import walk
from starplat.analysis.settling.guards import Guarded, guarded, is_left
from starplat.analysis.settling.monotone import mentions, says_that_it_wins
from starplat.analysis.settling.signals import Loop, Signals
from starplat.frontend import typed
from starplat.frontend.types import PropertyType, Scalar
from starplat.same import Same

_COMPARED = (typed.Operator.EQUAL, typed.Operator.NOT_EQUAL, typed.Operator.LESS, typed.Operator.LESS_EQUAL,
             typed.Operator.GREATER, typed.Operator.GREATER_EQUAL)  # fmt: skip
_ENDS = (typed.End.SOURCE, typed.End.DESTINATION)


def are_labels(
    symbol: typed.Symbol, extreme: typed.Extreme, loop: Loop, function: typed.Statement, program: typed.Program
) -> bool:
    """Whether the cells of a property are labels of which the loop finds the least (greatest) of each component."""
    if not _are_nodes(symbol) or not _starts_as_itself(symbol, loop, function):
        return False
    labels = _Labels(symbol, extreme, loop, program)
    return labels.are_kept() and (labels.spreads() or labels.agree() == (True, True))


def hooked_ways(symbol: typed.Symbol, extreme: typed.Extreme, loop: Loop, program: typed.Program) -> tuple[bool, bool]:
    """Whether a loop of labels that begin as their nodes ends only if no arc has a better label at its beginning than
    at its end, and the other way round."""
    if not _are_nodes(symbol):
        return False, False
    labels = _Labels(symbol, extreme, loop, program)
    return labels.agree() if labels.are_kept() and labels.are_own() else (False, False)


def _are_nodes(symbol: typed.Symbol) -> bool:
    return isinstance(symbol.type, PropertyType) and symbol.property.element in (Scalar.NODE, Scalar.INT)


def _starts_as_itself(symbol: typed.Symbol, loop: Loop, function: typed.Statement) -> bool:
    """Whether all that the function stores elsewhere is `v.label = v`, for all nodes."""
    inside = {Same(s) for s in walk.statements(loop)}
    elsewhere = [s for s in walk.statements(function) if Same(s) not in inside and symbol in walk.written(s)]
    starts = [s.body.statements for s in walk.statements(function) if isinstance(s, typed.ForEach) and _is_all(s)]
    starts_as_itself = {
        Same(body[0]) for body in starts for s in body[:1] if isinstance(s, typed.Assign) and _is_own_number(s)
    }
    return bool(elsewhere) and all(Same(s) in starts_as_itself for s in elsewhere)


def _is_all(loop: typed.ForEach) -> bool:
    return isinstance(loop.domain, typed.AllNodes) and loop.filter is None


def _is_own_number(s: typed.Assign) -> bool:
    return isinstance(s.place, typed.Cell) and _named(s.value) == _named(s.place.index)


def _named(value: typed.Expression) -> typed.Expression:
    while isinstance(value, typed.Convert):
        value = value.operand
    return value


class _Labels:
    """The labels of one loop: the property, copies of its cells, and the nodes of an iteration."""

    def __init__(self, symbol: typed.Symbol, extreme: typed.Extreme, loop: Loop, program: typed.Program) -> None:
        self.symbol = symbol
        self.extreme = extreme
        self.loop = loop
        self.signals = Signals(loop, program)
        self.inside = list(walk.statements(loop.body))
        self.labels = {symbol}
        self.guarded = list(guarded(loop.body))
        self.iterators = {s.iterator for s in self.inside if isinstance(s, typed.ForEach)}
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
            self.labels |= {p.symbol for s in self.inside for p, value in _stores(s) if mentions(value, self.labels)}
        reads = all(self.is_fine(value) for s in self.inside for value in walk.expressions(s))
        stores = all(self.may_store(s) for s in self.inside)
        return reads and stores and self.stays_in_component() and self.goes_over_the_same_arcs() and self.hooks_apart()

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
        inner = {Same(i) for s in loops for i in walk.statements(s.body) if isinstance(i, typed.ForEach)}
        return all(
            self.is_label(s.domain.node) if isinstance(s.domain, typed.Neighbors) else Same(s) not in inner
            for s in loops
        )

    def may_store(self, s: typed.Statement) -> bool:
        """Whether a statement keeps labels labels, and the least one its own."""
        match s:
            case typed.CopyProperty(destination=copy, source=source):
                return (copy in self.labels) <= (source in self.labels)
            case typed.AssignExtreme(place=typed.Cell(symbol=symbol)) if symbol in self.labels:
                told = self.signals.told_by(s, self.beside[Same(s)]) or self.follows(s.place, s.candidate)
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
        """Whether a local's value comes from the node or from the local itself."""
        match _named(given):
            case typed.Cell(symbol=symbol, index=index) if symbol in self.labels:
                itself = _named(index) == typed.Variable(local)
                return itself or self.leads_from(node, given, depth)
            case _:
                return self.leads_from(node, given, depth)

    # --- when the loop ends

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
            moving |= {p.symbol for s in self.inside for p, value in _stores(s) if mentions(value, moving)}
        moving -= self.labels
        return not any(mentions(condition, moving) for inner in self.guarded for condition in inner.conditions)

    def are_own(self) -> bool:
        """Whether a label comes from the property alone or from the iteration in hand."""
        inner = {symbol for s in self.inside if isinstance(s, typed.ForEach) for symbol in walk.declared(s.body)}
        return self.labels <= inner | {self.symbol}

    def agree(self) -> tuple[bool, bool]:
        """Whether the loop goes on while the label at the beginning of any arc is better than that at its end, and
        while it is worse."""
        if is_left(self.loop.body.statements):
            return False, False
        found: set[bool] = set()
        for s in self.loop.body.statements:
            match s:
                case typed.ForEach(iterator=edge, domain=typed.AllEdges(graph=graph), filter=None, body=body):
                    source, destination = (typed.EdgeEnd(typed.Variable(edge), end, graph) for end in _ENDS)
                    found |= self.ways(source, destination, body)
                case typed.ForEach(iterator=node, domain=typed.AllNodes(), filter=None, body=body):
                    for inner in guarded(body):
                        if inner.known and not inner.conditions:
                            found |= self.ways_of_row(node, inner.statement)
                case _:
                    pass
        return True in found, False in found

    def ways_of_row(self, node: typed.Symbol, s: typed.Statement) -> set[bool]:
        match s:
            case typed.ForEach(domain=typed.Neighbors() as row, filter=None, body=body) if row.node == typed.Variable(
                node
            ) and not is_left(body.statements):
                found = self.ways(typed.Variable(node), typed.Variable(s.iterator), body)
            case _:
                return set()
        turned = {not way for way in found}
        ways = {typed.Direction.OUT: found, typed.Direction.IN: turned, typed.Direction.BOTH: found | turned}
        return ways[row.direction]

    def ways(self, first: typed.Expression, second: typed.Expression, body: typed.Block) -> set[bool]:
        """Of which end the loop surely hears if its label is the better one: the first (True), the second."""
        return {
            way
            for hook in guarded(body)
            for way, better, worse in ((True, first, second), (False, second, first))
            if hook.known and self.hears(hook, better, worse)
        }

    def hears(self, hook: Guarded, better: typed.Expression, worse: typed.Expression) -> bool:
        """Whether a statement lets the label of one node, if it is better, be that of another or of its label, and
        tells. A label's own label may be as good already, so that nothing wins."""
        s = hook.statement
        if not isinstance(s, typed.AssignExtreme) or s.extreme is not self.extreme or s.place.symbol is not self.symbol:
            return False
        given, held = (typed.Cell(self.symbol, end) for end in (better, worse))
        assert isinstance(s.place, typed.Cell)
        index = self.stands_for(s.place.index)
        if self.stands_for(s.candidate) != given or index not in (worse, held):
            return False
        told = self.signals.told_by(s, hook.beside, surely=index == held and not self.are_roots())
        plain = typed.AssignExtreme(s.extreme, held, given, span=s.span)
        return told and all(self.only_asks_whether_it_wins(c, plain) for c in hook.conditions)

    def are_roots(self) -> bool:
        """Whether labels are their own labels whenever hooks begin: at first they are, and in every round nodes take
        their roots."""
        return len(self.parts_that_hook()) == 1 and any(map(self.takes_roots, self.loop.body.statements))

    def takes_roots(self, s: typed.Statement) -> bool:
        match s:
            case typed.ForEach(
                iterator=node,
                domain=typed.AllNodes(),
                filter=None,
                body=typed.Block(
                    statements=(
                        typed.Declare(symbol=root, value=first),
                        typed.While(condition=typed.Binary() as climbs, body=typed.Block(statements=(step,))),
                        typed.Assign() | typed.AssignExtreme() as last,
                    )
                ),
            ):
                own, above = (typed.Cell(self.symbol, typed.Variable(at)) for at in (node, root))
                compared = {climbs.left, climbs.right} == {above, typed.Variable(root)}
                climbs_on = compared and climbs.operator is typed.Operator.NOT_EQUAL
                stores = (*_stores(step), *_stores(last))
                return (
                    first == own
                    and climbs_on
                    and stores == ((typed.Variable(root), above), (own, typed.Variable(root)))
                )
            case _:
                return False

    def stands_for(self, value: typed.Expression) -> typed.Expression:
        """A value with a local that was given one label once replaced by that label."""
        name = _named(value)
        if isinstance(name, typed.Variable) and name.symbol in self.labels:
            given = [value for s in self.inside for place, value in _stores(s) if place.symbol is name.symbol]
            return _named(given[0]) if len(given) == 1 else name
        return name

    def tells(self, s: typed.Statement) -> bool:
        if not isinstance(s, typed.AssignExtreme) or s.place.symbol not in self.labels:
            return False
        return self.signals.told_by(s, self.beside[Same(s)])

    # --- labels that only spread

    def spreads(self) -> bool:
        """Whether labels go over the same pairs of nodes in all rounds, and the loop goes on while one of them gets
        another: then every label is the least of all that lead to its node, pairs taken one way."""
        hooks = [inner for inner in self.guarded if self.is_hook(inner.statement)]
        return len(self.parts_that_hook()) == 1 and all(self.is_direct(hook) for hook in hooks)

    def is_direct(self, hook: Guarded) -> bool:
        """Whether a node of a pair gets the label of the other whenever it is less, with a signal to the loop."""
        s = hook.statement
        assert isinstance(s, typed.AssignExtreme)
        label = self.stands_for(s.candidate)
        if not hook.known or not self.tells(s) or not isinstance(s.place, typed.Cell):
            return False
        pair = isinstance(label, typed.Cell) and label.symbol is self.symbol and self.is_at_hand(label.index)
        plain = typed.AssignExtreme(s.extreme, s.place, label, span=s.span)
        return (
            pair
            and self.is_at_hand(s.place.index)
            and all(self.only_asks_whether_it_wins(c, plain) for c in hook.conditions if mentions(c, self.labels))
        )

    def only_asks_whether_it_wins(self, condition: typed.Expression, s: typed.AssignExtreme) -> bool:
        if not isinstance(condition, typed.Binary):
            return False
        ends = {self.stands_for(condition.left), self.stands_for(condition.right)}
        if condition.operator is typed.Operator.NOT_EQUAL:
            return ends == {s.candidate, s.place}
        left, right = self.stands_for(condition.left), self.stands_for(condition.right)
        return says_that_it_wins(typed.Binary(condition.operator, left, right, condition.type, span=condition.span), s)

    def is_at_hand(self, node: typed.Expression) -> bool:
        match _named(node):
            case typed.Variable(symbol=symbol) | typed.EdgeEnd(edge=typed.Variable(symbol=symbol)):
                return symbol in self.iterators
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
