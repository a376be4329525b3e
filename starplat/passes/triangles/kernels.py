"""Recognises kernels that count triangles, however they are spelled: three nodes, an arc between any two of them, one
sum.

Takes a kernel, gives its `TriangleCount`. The three nodes come from loops over neighbors, from the kernel's own range
of nodes or arcs, and arcs between them from these loops and from tests with `is_an_edge`. Otherwise only the order of
their numbers and degrees may decide whether three nodes count, in such a way that in a graph whose arcs lead both ways,
without parallel ones, every triangle counts equally often.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations, product

from starplat.ir import nodes as ir
from starplat.ir.conditions import COMPARISONS, conjuncts
from starplat.ir.rewriter import map_expression
from starplat.ir.visitor import walk_expression


@dataclass(frozen=True, slots=True)
class TriangleCount:
    """`reduction` grows by `value` for every triangle; `loops_count` if loops may make triangles of fewer nodes."""

    reduction: ir.Reduction
    value: int
    loops_count: bool


class IsNone(Exception):  # noqa: N818 - it says what the kernel is
    """The kernel counts something else."""


def triangle_count(kernel: ir.Kernel) -> TriangleCount | None:
    """What the kernel counts, if it counts triangles and does nothing else."""
    try:
        return _counted(kernel, TripleReader())
    except IsNone:
        return None


def _counted(kernel: ir.Kernel, reader: TripleReader) -> TriangleCount:
    if len(kernel.reductions) != 1 or kernel.iterator is None:
        raise IsNone
    match kernel.domain:
        case ir.AllNodes():
            reader.nodes.append(ir.Ref(kernel.iterator))
        case ir.AllArcs():
            reader.ends(kernel.iterator)
        case _:
            raise IsNone
    if kernel.filter is not None:
        reader.condition(reader.term(kernel.filter))
    reduction = kernel.reductions[0]
    value = reader.value(kernel.body, reduction.variable)
    whole = reduction.combine is ir.Combine.ADD and reduction.variable.element in (ir.Element.INT, ir.Element.LONG)
    if not whole or not reader.is_triangle():
        raise IsNone
    times = reader.times()
    if len(times) != 1 or times == {0}:
        raise IsNone
    return TriangleCount(reduction, value * times.pop(), reader.loops_count())


_ORDERS = tuple(permutations(range(3)))
"""The orders of the numbers of three nodes."""
_Degrees = tuple[int, ...]


class TripleReader:
    """Reads the triples of nodes that something is done for: the `nodes`, by the loops that they come from, the `arcs`
    between them, and the conditions on their numbers."""

    def __init__(self) -> None:
        self.known: dict[ir.Expression, ir.Expression] = {}
        self.nodes: list[ir.Ref] = []
        self.arcs: set[frozenset[ir.Ref]] = set()
        self.conditions: list[ir.Expression] = []

    def is_triangle(self) -> bool:
        """Whether it is about three nodes, an arc between any two of them."""
        return len(self.nodes) == len(self.arcs) == 3

    def loops_count(self) -> bool:
        """Whether loops may make triples that count of fewer nodes."""
        fewer = [places for places in product(range(3), repeat=3) if len(set(places)) < 3]
        return any(self.holds(places, degrees) for places in fewer for degrees in self.degrees())

    def times(self, first: int | None = None) -> set[int]:
        """How many of the orders of three nodes count, whatever their degrees are; of those only in which the `first`
        node has a place, if it is given."""
        orders = [order for order in _ORDERS if first is None or order[0] == first]
        return {sum(self.holds(order, degrees) for order in orders) for degrees in self.degrees()}

    def degrees(self) -> Iterable[_Degrees]:
        """The degrees that three nodes may have, as far as conditions compare them."""
        asked = any(degree_of(part) is not None for c in self.conditions for part in walk_expression(c))
        return product(range(3), repeat=3) if asked else ((0, 0, 0),)

    def ends(self, arc: ir.Variable) -> None:
        """The ends of an arc, under names of ours."""
        source, destination = (ir.Ref(ir.Variable(f"{arc.name}'{end}", ir.Element.NODE)) for end in ("source", "end"))
        self.known[ir.Load(ir.SOURCES, ir.Ref(arc))] = source
        self.known[ir.CSR.neighbor(ir.Ref(arc))] = destination
        self.nodes += (source, destination)
        self.arcs.add(frozenset((source, destination)))

    # --- operations ---

    def value(self, ops: tuple[ir.KernelOp, ...], total: ir.Variable) -> int:
        """What each triple adds to `total`, a reduction or a local that begins with 0."""
        rest = list(self.defined(ops))
        match rest:
            case [ir.Contribute(variable, ir.Const(int() as value))] if variable == total:
                return value
            case [ir.SetLocal(variable, ir.Binary(ir.BinaryOperator.ADD, ir.Ref(old), ir.Const(int() as value)))]:
                if variable == old == total:
                    return value
            case [ir.KernelIf(condition, then, ())]:
                self.condition(self.term(condition))
                return self.value(then, total)
            case [ir.ForNeighbors() as loop]:
                self.neighbors(loop)
                return self.value(loop.body, total)
            case [ir.Let(local, ir.Const(0)), first, last] if _adds(last, local, total):
                return self.value((first,), local)
        raise IsNone

    def defined(self, ops: tuple[ir.KernelOp, ...]) -> Iterator[ir.KernelOp]:
        """The operations without locals that only name nodes, degrees and conditions, which are noted."""
        for op in ops:
            if isinstance(op, ir.Let) and not isinstance(op.value, ir.Const):
                self.known[ir.Ref(op.variable)] = self.term(op.value)
            else:
                yield op

    def neighbors(self, loop: ir.ForNeighbors) -> None:
        node, neighbor = self.term(loop.node), ir.Ref(loop.neighbor)
        if node not in self.nodes:
            raise IsNone
        assert isinstance(node, ir.Ref)
        if len(self.nodes) == 3:
            self.known[neighbor] = neighbor = self.looked_for(loop)
        else:
            self.nodes.append(neighbor)
        self.known[loop.direction.layout.neighbor(ir.Ref(loop.position))] = neighbor
        self.arcs.add(frozenset((node, neighbor)))

    def looked_for(self, loop: ir.ForNeighbors) -> ir.Ref:
        """Which of the three nodes a loop looks for: it only does something for that one."""
        body = loop.body
        while len(body) == 1 and isinstance(branch := body[0], ir.KernelIf) and not branch.otherwise:
            for asked in conjuncts(self.term(branch.condition)):
                if isinstance(asked, ir.Binary) and asked.operator is ir.BinaryOperator.EQUAL:
                    others = {asked.left, asked.right} - {ir.Ref(loop.neighbor)}
                    found = [node for node in self.nodes if others == {node}]
                    if found:
                        return found[0]
            body = branch.then
        raise IsNone

    # --- conditions ---

    def term(self, expression: ir.Expression) -> ir.Expression:
        return map_expression(lambda inner: self.known.get(inner, inner), expression)

    def condition(self, condition: ir.Expression) -> None:
        """Takes a condition apart into arcs that there must be and comparisons of nodes."""
        tested = tested_arc(condition)
        if isinstance(condition, ir.Binary) and condition.operator is ir.BinaryOperator.AND:
            self.condition(condition.left)
            self.condition(condition.right)
        elif tested is not None:
            if tested[0] == tested[1] or not all(end in self.nodes for end in tested):
                raise IsNone
            self.arcs.add(frozenset(end for end in tested if isinstance(end, ir.Ref)))
        else:
            self.conditions.append(condition)

    def holds(self, places: tuple[int, ...], degrees: _Degrees) -> bool:
        """Whether three nodes count whose numbers are in this order; the node of each number has one of the degrees."""
        numbers: dict[ir.Expression, int] = dict(zip(self.nodes, places, strict=True))
        lengths = {ir.Ref(node.variable): degrees[place] for node, place in zip(self.nodes, places, strict=True)}

        def number(term: ir.Expression) -> int | None:
            node = degree_of(term)
            return numbers.get(term) if node is None else lengths.get(node)

        return all(_holds(condition, number) for condition in self.conditions)


def _adds(op: ir.KernelOp, local: ir.Variable, total: ir.Variable) -> bool:
    """Whether the operation adds a local to the total."""
    match op:
        case ir.Contribute(variable, added):
            return variable == total and _whole(added) == ir.Ref(local)
        case ir.SetLocal(variable, ir.Binary(ir.BinaryOperator.ADD, ir.Ref(old), added)):
            return variable == old == total and _whole(added) == ir.Ref(local)
        case _:
            return False


def tested_arc(condition: ir.Expression) -> tuple[ir.Expression, ir.Expression] | None:
    """The ends of an arc, if the condition is that it exists; or of either direction, where arcs lead both ways."""
    if not isinstance(condition, ir.Binary):
        return None
    if condition.operator is ir.BinaryOperator.OR:
        one, other = tested_arc(condition.left), tested_arc(condition.right)
        return one if one is not None and other is not None and set(one) == set(other) else None
    found = condition.left
    while isinstance(found, ir.Cast) and found.element in (ir.Element.ARC, ir.Element.LONG):
        found = found.operand
    if not isinstance(found, ir.FindArc):
        return None
    match condition.operator, condition.right:
        case (ir.BinaryOperator.GREATER_EQUAL, ir.Const(0)) | (
            ir.BinaryOperator.NOT_EQUAL | ir.BinaryOperator.GREATER,
            ir.Const(-1),
        ):
            return found.source, found.destination
        case _:
            return None


def degree_of(term: ir.Expression) -> ir.Ref | None:
    """The node whose degree a term is; on graphs whose arcs lead both ways it has only one."""
    match _whole(term):
        case ir.Binary(
            ir.BinaryOperator.SUBTRACT,
            ir.Load(rows, ir.Binary(ir.BinaryOperator.ADD, following, ir.Const(1))),
            ir.Load(same, ir.Ref() as node),
        ) if following == node and rows == same and rows in ir.LAYOUTS:
            return node
        case _:
            return None


def _whole(term: ir.Expression) -> ir.Expression:
    """A number without conversions to wider or narrower types, which it is taken to fit."""
    while isinstance(term, ir.Cast) and term.element in (ir.Element.INT, ir.Element.LONG, ir.Element.ARC):
        term = term.operand
    return term


def _holds(condition: ir.Expression, number: Callable[[ir.Expression], int | None]) -> bool:
    match condition:
        case ir.Const(bool() as truth):
            return truth
        case ir.Unary(ir.UnaryOperator.NOT, operand):
            return not _holds(operand, number)
        case ir.Binary(ir.BinaryOperator.AND, left, right):
            return _holds(left, number) and _holds(right, number)
        case ir.Binary(ir.BinaryOperator.OR, left, right):
            return _holds(left, number) or _holds(right, number)
        case ir.Binary(operator, left, right) if operator in COMPARISONS:
            one, other = number(left), number(right)
            if one is None or other is None or (degree_of(left) is None) is not (degree_of(right) is None):
                raise IsNone
            return bool(COMPARISONS[operator](one, other))
        case _:
            raise IsNone
