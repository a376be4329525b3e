"""Component labels that are nodes: every cell names a node of its component, and only falls (or rises).

At first every node is its own label. A loop hooks labels to those of neighbors and lets labels follow labels, until the
ends of no arc differ: then the label of every node of a component is the least one's, whatever the rounds saw of each
other (Shiloach and Vishkin). Such loops read the cells as indices and compare them, which `loops` knows nothing of.
"""

from dataclasses import replace

from starplat.analysis import walk
from starplat.analysis.settling.guards import Guarded, guarded, is_left
from starplat.analysis.settling.kept_labels import KeptLabels, named, stores_of
from starplat.analysis.settling.loop_flags import Loop
from starplat.analysis.settling.monotone import mentions, says_that_it_wins
from starplat.frontend import typed
from starplat.frontend.types import PropertyType, Scalar
from starplat.same import Same

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
    starts_as_itself = set()
    for s in walk.statements(function):
        match s:
            case typed.ForEach(
                domain=typed.AllNodes(), filter=None, body=typed.Block((typed.Assign() as first, *_))
            ) if _is_own_number(first):
                starts_as_itself.add(Same(first))
    return bool(elsewhere) and all(Same(s) in starts_as_itself for s in elsewhere)


def _is_own_number(s: typed.Assign) -> bool:
    return isinstance(s.place, typed.Cell) and named(s.value) == named(s.place.index)


class _Labels(KeptLabels):
    """When a loop of labels ends."""

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
        if not self.is_no_worse_than(s.candidate, given) or index not in (worse, held):
            return False
        told = self.signals.told_by(s, hook.beside, surely=index == held and not self.are_roots())
        plain = typed.AssignExtreme(s.extreme, held, given, span=s.span)
        return told and all(self.only_asks_whether_it_wins(c, plain) for c in hook.conditions)

    def is_no_worse_than(self, value: typed.Expression, given: typed.Expression) -> bool:
        """Whether a value is a label, or the better one of several labels that it is among."""
        match self.stands_for(value):
            case typed.Apply(typed.Function.MIN | typed.Function.MAX as function, arguments):
                better = (function is typed.Function.MIN) is (self.extreme is typed.Extreme.MIN)
                return better and any(self.is_no_worse_than(a, given) for a in arguments)
            case label:
                return label == given

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
                    (
                        typed.Declare(root, first),
                        typed.While(typed.Binary() as climbs, typed.Block((step,))),
                        typed.Assign() | typed.AssignExtreme() as last,
                    )
                ),
            ):
                own, above = (typed.Cell(self.symbol, typed.Variable(at)) for at in (node, root))
                compared = {climbs.left, climbs.right} == {above, typed.Variable(root)}
                climbs_on = compared and climbs.operator is typed.Operator.NOT_EQUAL
                stores = (*stores_of(step), *stores_of(last))
                return (
                    first == own
                    and climbs_on
                    and stores == ((typed.Variable(root), above), (own, typed.Variable(root)))
                )
        return False

    def stands_for(self, value: typed.Expression) -> typed.Expression:
        """A value with a local that was given one label once replaced by that label, and the name of an arc's end by
        that end."""
        if isinstance(name := named(value), typed.Variable) and name.symbol in self.labels:
            given = [value for s in self.inside for place, value in stores_of(s) if place.symbol is name.symbol]
            name = named(given[0]) if len(given) == 1 else name
        match name:
            case typed.Variable(symbol) if symbol in self.ends:
                return self.ends[symbol]
            case typed.Cell(index=typed.Variable(symbol)) if symbol in self.ends:
                return replace(name, index=self.ends[symbol])
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
        match named(node):
            case typed.Variable(symbol) | typed.EdgeEnd(edge=typed.Variable(symbol)):
                return symbol in self.iterators
        return False
