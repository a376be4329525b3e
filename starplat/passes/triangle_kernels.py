"""Kernels that count triangles, whatever their spelling: three nodes, an arc between any two of them, one sum.

Takes a kernel, gives its `TriangleCount`. The three nodes come from loops over neighbors, from the kernel's own range
of nodes or arcs, and arcs between them from these loops and from tests with `is_an_edge`. All that else decides whether
three nodes count is how their numbers compare; so in a graph whose arcs lead both ways, without parallel ones, every
triangle counts equally often.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product

from starplat.ir.nodes import (
    COLUMNS,
    IN_COLUMNS,
    SOURCES,
    AllArcs,
    AllNodes,
    Array,
    Binary,
    BinaryOperator,
    Cast,
    Combine,
    Const,
    Contribute,
    Direction,
    Element,
    Expression,
    FindArc,
    ForNeighbors,
    Kernel,
    KernelIf,
    KernelOp,
    Let,
    Load,
    Reduction,
    Ref,
    SetLocal,
    Unary,
    UnaryOperator,
    Variable,
)
from starplat.ir.rewriter import map_expression

_COMPARISONS = {
    BinaryOperator.EQUAL: lambda a, b: a == b,
    BinaryOperator.NOT_EQUAL: lambda a, b: a != b,
    BinaryOperator.LESS: lambda a, b: a < b,
    BinaryOperator.LESS_EQUAL: lambda a, b: a <= b,
    BinaryOperator.GREATER: lambda a, b: a > b,
    BinaryOperator.GREATER_EQUAL: lambda a, b: a >= b,
}


@dataclass(frozen=True, slots=True)
class TriangleCount:
    """`reduction` grows by `value` for every triangle; `loops_count` if loops may make triangles of fewer nodes."""

    reduction: Reduction
    value: int
    loops_count: bool


class IsNone(Exception):  # noqa: N818 - it says what the kernel is
    """What is read counts something else."""


def triangle_count(kernel: Kernel) -> TriangleCount | None:
    """What the kernel counts, if it counts triangles and does nothing else."""
    try:
        return _counted(kernel, TripleReader())
    except IsNone:
        return None


def _counted(kernel: Kernel, reader: TripleReader) -> TriangleCount:
    if len(kernel.reductions) != 1 or kernel.iterator is None:
        raise IsNone
    match kernel.domain:
        case AllNodes():
            reader.nodes.append(Ref(kernel.iterator))
        case AllArcs():
            reader.ends(kernel.iterator)
        case _:
            raise IsNone
    if kernel.filter is not None:
        reader.condition(reader.term(kernel.filter))
    reduction = kernel.reductions[0]
    value = reader.value(kernel.body, reduction.variable)
    whole = reduction.combine is Combine.ADD and reduction.variable.element in (Element.INT, Element.LONG)
    if not whole or not reader.is_triangle():
        raise IsNone
    times = sum(map(reader.holds, ORDERS))
    if times == 0:
        raise IsNone
    return TriangleCount(reduction, value * times, reader.loops_count())


ORDERS = tuple(permutations(range(3)))
"""How the numbers of three nodes may compare."""


class TripleReader:
    """Reads which triples of nodes something is done for: the `nodes`, by the loops that they come from, the `arcs`
    that there are between them, and the conditions on their numbers."""

    def __init__(self) -> None:
        self.known: dict[Expression, Expression] = {}
        self.nodes: list[Ref] = []
        self.arcs: set[frozenset[Ref]] = set()
        self.conditions: list[Expression] = []

    def is_triangle(self) -> bool:
        """Whether it is about three nodes, an arc between any two of them."""
        return len(self.nodes) == len(self.arcs) == 3

    def loops_count(self) -> bool:
        """Whether loops may make triples that count of fewer nodes."""
        return any(self.holds(places) for places in product(range(3), repeat=3) if len(set(places)) < 3)

    def ends(self, arc: Variable) -> None:
        """The ends of an arc, under names of ours."""
        source, destination = (Ref(Variable(f"{arc.name}'{end}", Element.NODE)) for end in ("source", "end"))
        self.known[Load(SOURCES, Ref(arc))] = source
        self.known[Load(COLUMNS, Ref(arc))] = destination
        self.nodes += (source, destination)
        self.arcs.add(frozenset((source, destination)))

    # --- operations ---

    def value(self, ops: tuple[KernelOp, ...], total: Variable) -> int:
        """What each triple adds to `total`, a reduction or a local that begins with 0."""
        rest = list(self.defined(ops))
        match rest:
            case [Contribute(variable, Const(int() as value))] if variable == total:
                return value
            case [SetLocal(variable, Binary(BinaryOperator.ADD, Ref(old), Const(int() as value)))]:
                if variable == old == total:
                    return value
            case [KernelIf(condition, then, ())]:
                self.condition(self.term(condition))
                return self.value(then, total)
            case [ForNeighbors() as loop]:
                self.neighbors(loop)
                return self.value(loop.body, total)
            case [Let(local, Const(0)), first, last] if _adds(last, local, total):
                return self.value((first,), local)
        raise IsNone

    def defined(self, ops: tuple[KernelOp, ...]) -> Iterator[KernelOp]:
        """The operations without locals that only name nodes, which are noted."""
        for op in ops:
            if isinstance(op, Let) and self.term(op.value) in self.nodes:
                self.known[Ref(op.variable)] = self.term(op.value)
            else:
                yield op

    def neighbors(self, loop: ForNeighbors) -> None:
        node, neighbor = self.term(loop.node), Ref(loop.neighbor)
        if node not in self.nodes or len(self.nodes) == 3:
            raise IsNone
        assert isinstance(node, Ref)
        columns: Array = COLUMNS if loop.direction is Direction.OUT else IN_COLUMNS
        self.known[Load(columns, Ref(loop.position))] = neighbor
        self.nodes.append(neighbor)
        self.arcs.add(frozenset((node, neighbor)))

    # --- conditions ---

    def term(self, expression: Expression) -> Expression:
        return map_expression(lambda inner: self.known.get(inner, inner), expression)

    def condition(self, condition: Expression) -> None:
        """Takes a condition apart into arcs that there must be and comparisons of nodes."""
        tested = tested_arc(condition)
        if isinstance(condition, Binary) and condition.operator is BinaryOperator.AND:
            self.condition(condition.left)
            self.condition(condition.right)
        elif tested is not None:
            if tested[0] == tested[1] or not all(end in self.nodes for end in tested):
                raise IsNone
            self.arcs.add(frozenset(end for end in tested if isinstance(end, Ref)))
        else:
            self.conditions.append(condition)

    def holds(self, places: tuple[int, ...]) -> bool:
        """Whether three nodes count whose numbers are in this order."""
        numbers: dict[Expression, int] = dict(zip(self.nodes, places, strict=True))
        return all(_holds(condition, numbers) for condition in self.conditions)


def _adds(op: KernelOp, local: Variable, total: Variable) -> bool:
    """Whether the operation adds a local to the total."""
    match op:
        case Contribute(variable, Ref(added)):
            return (variable, added) == (total, local)
        case SetLocal(variable, Binary(BinaryOperator.ADD, Ref(old), Ref(added))):
            return (variable, old, added) == (total, total, local)
        case _:
            return False


def tested_arc(condition: Expression) -> tuple[Expression, Expression] | None:
    """The ends of an arc, if the condition is that there is one, or one of both ways, where they lead both ways."""
    if not isinstance(condition, Binary):
        return None
    if condition.operator is BinaryOperator.OR:
        one, other = tested_arc(condition.left), tested_arc(condition.right)
        return one if one is not None and other is not None and set(one) == set(other) else None
    found = condition.left
    while isinstance(found, Cast) and found.element in (Element.ARC, Element.LONG):
        found = found.operand
    if not isinstance(found, FindArc):
        return None
    match condition.operator, condition.right:
        case (BinaryOperator.GREATER_EQUAL, Const(0)) | (BinaryOperator.NOT_EQUAL | BinaryOperator.GREATER, Const(-1)):
            return found.source, found.destination
        case _:
            return None


def _holds(condition: Expression, numbers: dict[Expression, int]) -> bool:
    match condition:
        case Const(bool() as truth):
            return truth
        case Unary(UnaryOperator.NOT, operand):
            return not _holds(operand, numbers)
        case Binary(BinaryOperator.AND, left, right):
            return _holds(left, numbers) and _holds(right, numbers)
        case Binary(BinaryOperator.OR, left, right):
            return _holds(left, numbers) or _holds(right, numbers)
        case Binary(operator, left, right) if operator in _COMPARISONS and left in numbers and right in numbers:
            return bool(_COMPARISONS[operator](numbers[left], numbers[right]))
        case _:
            raise IsNone
