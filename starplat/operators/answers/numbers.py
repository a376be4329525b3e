"""Can the answer of a program depend on which numbers its nodes have? Then nodes may not be renumbered.

    v < w, label[v] := v, int(v), dist[3]      the number of a node is a value
    for v in g.nodes() in order ...            the first, or the last, of several nodes wins
    parent[w] := v with Min(dist[w], ...)      any winner of a tie is right, and which it is shows

Equality of nodes, cells of nodes, sums, `Min` and `Max` in any order, searches from many sources, and intersections,
which may take three nodes in any order, ask for no number. Sums of floating-point numbers may round otherwise.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from starplat.analysis import Facts, walk
from starplat.diagnostics import Diagnostic
from starplat.frontend import typed, types
from starplat.frontend.walk import children
from starplat.operators.answers import orders, triangles
from starplat.operators.answers.triples import bare, constant
from starplat.operators.records import NodeNumbers, Searches, Shown
from starplat.same import Same
from starplat.source import NOWHERE

_EQUAL = (typed.Operator.EQUAL, typed.Operator.NOT_EQUAL)
_ORDERED = (typed.Operator.LESS, typed.Operator.LESS_EQUAL, typed.Operator.GREATER, typed.Operator.GREATER_EQUAL)
_NONE = {
    (typed.Operator.EQUAL, -1), (typed.Operator.NOT_EQUAL, -1), (typed.Operator.GREATER_EQUAL, 0),
    (typed.Operator.LESS, 0), (typed.Operator.GREATER, -1), (typed.Operator.LESS_EQUAL, -1),
}  # fmt: skip
"""How a node on the left is asked whether it is none."""

_DOUBTFUL = ("W0501", "W0506")
"""Warnings of races, and notes of ties, after which any of several answers is right."""

_ANY_ORDER = "write 'forall' with '+=', 'Min' or 'Max' if the order does not matter"
_DECLARE = "declare it as 'node', which is given by its id"
_BY_NODE = "let the answer depend on nodes alone, not on their numbers"


def node_numbers(
    name: str, facts: Facts, searching: Mapping[Same, Searches], warnings: Iterable[Diagnostic]
) -> NodeNumbers:
    """What the function `name` of a program in canonical form, of which `facts` are known, makes of numbers of nodes.

    Args:
        searching: the loops over sources that are searches from each.
        warnings: those about the program as it was written.
    """
    reader = _Reader(facts.program, searching)
    shown = next(reader.shown(facts.program.function(name)), None)
    doubts = (w for w in (*warnings, *facts.warnings) if w.code in _DOUBTFUL and w.place is not None)
    doubt = next((Shown(w.message, w.place.span, w.help or "") for w in doubts if w.place is not None), None)
    return NodeNumbers(shown or doubt, if_simple=reader.intersects)


class _Reader:
    """Looks through a function and those that it calls; `intersects` says that loops were passed over that count
    triangles, which holds for some graphs."""

    def __init__(self, program: typed.Program, searching: Mapping[Same, Searches]) -> None:
        self.program, self.searching = program, searching
        self.intersects = False
        self._seen: set[str] = set()

    def shown(self, function: typed.FunctionDefinition) -> Iterator[Shown]:
        """The places where numbers show."""
        self._seen.add(function.name)
        body, found = triangles.with_intersections(function.body, self.program)
        self.intersects |= bool(found)
        for s in _statements(body, found):
            if (why := self._of_statement(s)) is not None:
                yield Shown(why, s.span, _ANY_ORDER if isinstance(s, typed.ForEach) else _BY_NODE)
            for part in (part for value in walk.values(s) for part in _asked(value)):
                if (why := _of_value(part)) is not None:
                    remedy = _DECLARE if isinstance(part, typed.Convert) and _is_index(part) else _BY_NODE
                    yield Shown(why, part.span if part.span != NOWHERE else s.span, remedy)
                if isinstance(part, typed.Call) and part.function not in self._seen:
                    for inner in self.shown(self.program.function(part.function)):
                        yield inner if inner.span != NOWHERE else Shown(inner.why, s.span, inner.remedy)

    def _of_statement(self, s: typed.Statement) -> str | None:
        match s:
            case typed.Update(place=place) | typed.AssignExtreme(place=place) if place.type.is_index:
                return f"numbers of {_several(place.type)} are combined"
            case typed.ForEach(parallel=False, domain=domain) if not _is_over_numbers(domain):
                search = self.searching.get(Same(s))
                if (search is None or search.why_not is not None) and orders.order_shows(s):
                    return f"'{s.iterator.name}' takes one after another, and the order may show"
                return None
            case typed.Unsupported():
                return f"'{s.construct}' may show numbers"
        return None


def _statements(s: typed.Statement, found: Collection[Same]) -> Iterator[typed.Statement]:
    """A statement and those inside it, without loops that are `found` to be something else."""
    if Same(s) in found:
        return
    yield s
    for inner in walk.blocks(s):
        yield from _statements(inner, found)


def _is_over_numbers(domain: typed.Domain) -> bool:
    """Whether a loop goes over keys of a map that are no nodes, or over a list, whose order is the program's own."""
    if isinstance(domain, typed.Items):
        return True
    return isinstance(domain, typed.Keys) and not domain.symbol.map.key.is_index


def _asked(value: typed.Expression) -> Iterator[typed.Expression]:
    """An expression and what is inside it, without questions of nodes whether they are one, or none."""
    match value:
        case typed.Binary(operator, left, right) if _is_identity(operator, bare(left), bare(right)):
            inner: Iterable[typed.Expression] = (side for side in map(bare, (left, right)) if constant(side) is None)
        case _:
            yield value
            inner = children(value)
    for part in inner:
        yield from _asked(part)


def _is_identity(operator: typed.Operator, left: typed.Expression, right: typed.Expression) -> bool:
    """Whether a comparison asks if two nodes are one, or if a node is none, which is -1: `x == y`, `x >= 0`."""
    if _is_index(left) and _is_index(right):
        return operator in _EQUAL
    return _is_index(left) and (operator, constant(right)) in _NONE


def _of_value(part: typed.Expression) -> str | None:
    """How an expression itself asks for a number."""
    match part:
        case typed.Binary(operator, left) if _is_index(left) and operator not in _EQUAL:
            is_ordered = operator in _ORDERED
            return f"numbers of {_several(left.type)} are {'compared' if is_ordered else 'computed with'}"
        case typed.Convert(operand) | typed.Cast(operand) if _is_index(operand) != _is_index(part):
            if _is_index(part):
                return None if constant(bare(operand)) == -1 else f"a number is taken for {_one(part.type)}"
            return f"the number of {_one(operand.type)} is a value"
        case typed.Literal(value, kind) if kind.is_index and value != -1:
            return f"{_one(kind)} is named by its number"
        case typed.Apply(type=kind) if kind.is_index:
            return f"numbers of {_several(kind)} are compared"
        case typed.GraphQuery(query=typed.Query.FIRST_EDGE):
            return "the place of a node's arcs is asked for"
        case typed.MapBest(symbol=symbol) if symbol.map.key.is_index:
            return f"of {_several(symbol.map.key)} with equal sums that of the least number is taken"
        case typed.Aggregate(property=symbol) if symbol.property.element.is_index:
            return f"numbers of {_several(symbol.property.element)} are combined"
    return None


def _is_index(value: typed.Expression) -> bool:
    return isinstance(value.type, types.Scalar) and value.type.is_index


def _one(kind: object) -> str:
    return "a node" if kind is types.Scalar.NODE else "an arc"


def _several(kind: object) -> str:
    return "nodes" if kind is types.Scalar.NODE else "arcs"
