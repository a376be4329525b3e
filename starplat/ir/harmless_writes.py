"""Finds writes that cannot change the result of a pending test.

A kernel that lowers cells to one number, each of which held more, replaces a large number by a smaller one. A test
whether a cell holds a still smaller number gives the same answer all the time. INF counts as more than any number that
counters say. A test that has failed whether a cell holds more than a number fails from then on.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from starplat.ir import build, nodes as ir, visitor

Number = tuple[ir.Variable | None, int]
"""A host variable and what is added to it, or a constant alone."""


def lowered_in(kernel: ir.Kernel) -> Mapping[ir.Array, Number]:
    """The arrays whose cells the kernel only ever lowers, to one number that is the same for all its iterations."""
    found: dict[ir.Array, Number | None] = {}
    facts = _Facts(frozenset(kernel.scalars), visitor.assigned_variables(kernel.body), own=kernel.iterator)
    facts = facts if kernel.filter is None else facts.where(kernel.filter)
    for array, number in _writes(kernel.body, facts):
        found[array] = number if found.get(array, number) == number else None
    return {array: number for array, number in found.items() if number is not None}


def asked_in(kernel: ir.Kernel) -> Mapping[ir.Array, frozenset[Number]]:
    """The arrays whose cells the kernel only tests for some numbers, and these."""
    found: dict[ir.Array, frozenset[Number] | None] = {}
    facts = _Facts(frozenset(kernel.scalars), visitor.assigned_variables(kernel.body))
    wholes = [e for op in visitor.walk_kernel(kernel.body) for e in visitor.expressions_of(op)]
    for whole in (*wholes, *((kernel.filter,) if kernel.filter else ()), *visitor.expressions_of(kernel.domain)):
        for array, number in _questions(whole, facts):
            before = found.get(array, frozenset())
            found[array] = None if number is None or before is None else before | {number}
    return {array: numbers for array, numbers in found.items() if numbers is not None}


def fails_for_good(kernel: ir.Kernel, lets: Iterable[ir.Let], condition: ir.Expression) -> bool:
    """Whether the condition, which may use `lets`, asks for a cell of at least, or of more than, a number, and the
    kernel only ever lowers such cells: it never holds where it has failed."""
    facts = _Facts(frozenset(kernel.scalars), visitor.assigned_variables(kernel.body))
    for let in lets:
        facts = facts.with_let(let.variable, let.value)
    match condition:
        case ir.Binary(ir.BinaryOperator.LESS | ir.BinaryOperator.LESS_EQUAL, number, ir.Load(array, ir.Ref())) | (
            ir.Binary(ir.BinaryOperator.GREATER | ir.BinaryOperator.GREATER_EQUAL, ir.Load(array, ir.Ref()), number)
        ):
            return facts.number(number) is not None and array in lowered_in(kernel)
    return False


def goes_unnoticed(lowered: Number, asked: Iterable[Number]) -> bool:
    """Whether lowering cells to a number leaves tests for the other numbers unchanged."""
    variable, offset = lowered
    return all(other == variable and less < offset for other, less in asked) and (
        variable is None or all(abs(number) <= _SMALL for _, number in (lowered, *asked))
    )


_SMALL = 2**20
"""At most this is added to counters, or else the sum might wrap around, and be INF."""


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is known at a place of a kernel: its host variables, the locals that are set again somewhere, those that are
    never, with their numbers, and the cells that hold more than a number, or INF (None). `own` is the node or arc of an
    iteration, the same in its loops."""

    scalars: frozenset[ir.Variable]
    assigned: frozenset[ir.Variable]
    lets: Mapping[ir.Variable, Number] = field(default_factory=dict)
    larger: frozenset[tuple[ir.Load, Number | None]] = frozenset()
    own: ir.Variable | None = None

    def number(self, expression: ir.Expression) -> Number | None:
        match expression:
            case ir.Const(bool()):
                return None
            case ir.Const(int() as value, ir.Element.INT):
                return None, value
            case ir.Ref(variable) if variable in self.lets:
                return self.lets[variable]
            case ir.Ref(variable) if variable in self.scalars and variable.element is ir.Element.INT:
                return variable, 0
            case ir.Binary(
                ir.BinaryOperator.ADD | ir.BinaryOperator.SUBTRACT as operator, left, ir.Const(int() as value)
            ):
                number = self.number(left)
                sign = 1 if operator is ir.BinaryOperator.ADD else -1
                return None if number is None else (number[0], number[1] + sign * value)
        return None

    def with_let(self, variable: ir.Variable, value: ir.Expression) -> "_Facts":
        """After a local has been declared."""
        if (number := self.number(value)) is None or variable in self.assigned:
            return self
        return replace(self, lets={**self.lets, variable: number})

    def where(self, condition: ir.Expression) -> "_Facts":
        """Where the condition holds. The cell must be that of a node which stays the same."""
        match condition:
            case ir.Binary(ir.BinaryOperator.AND, left, right):
                return self.where(left).where(right)
            case ir.Binary(ir.BinaryOperator.GREATER, ir.Load() as cell, value):
                return self.where(build.less(value, cell))
            case ir.Binary(ir.BinaryOperator.LESS, value, ir.Load(_, ir.Ref(node)) as cell) if (
                node not in self.assigned
            ):
                number = self.number(value)
                return self if number is None else replace(self, larger=self.larger | {(cell, number)})
            case ir.Binary(ir.BinaryOperator.EQUAL, ir.Load(array, ir.Ref(node)) as cell, value) if (
                node not in self.assigned and value == ir.infinity(array.element)
            ):
                return replace(self, larger=self.larger | {(cell, None)})
        return self

    def in_loops(self) -> "_Facts":
        """What is known of the iteration's own cells, in loops too."""
        return replace(
            self, larger=frozenset(fact for fact in self.larger if self.own and fact[0].index == ir.Ref(self.own))
        )

    def lowers(self, cell: ir.Load, number: Number | None) -> bool:
        """Whether the cell held more than the number, or becomes INF at most."""
        return number is not None and not self.larger.isdisjoint({(cell, number), (cell, None)})


def _writes(ops: Iterable[ir.KernelOp], facts: _Facts) -> Iterator[tuple[ir.Array, Number | None]]:
    """Every array that is written, with the number that the cell is lowered to, if it is."""
    for op in ops:
        for expression in visitor.expressions_of(op):
            yield from ((array, None) for inner in visitor.walk_expression(expression) for array in _lent(inner))
        match op:
            case ir.Let(variable, value):
                facts = facts.with_let(variable, value)
            case ir.Store(array, index, value):
                number = facts.number(value)
                yield array, number if facts.lowers(ir.Load(array, index), number) else None
            case ir.UpdateCell(ir.Combine.MIN, array, _, value):
                yield array, facts.number(value)
            case ir.ExtremeCell(ir.Combine.MIN, array, _, candidate, carried):
                yield array, facts.number(candidate)
                yield from ((carry.array, None) for carry in carried)
                yield from (written for also in visitor.blocks_of(op) for written in _writes(also, facts))
            case ir.KernelIf(condition, then, otherwise):
                yield from _writes(then, facts.where(condition))
                yield from _writes(otherwise, facts)
            case _ if visitor.blocks_of(op):
                for block in visitor.blocks_of(op):
                    yield from _writes(block, facts.in_loops())
            case _:
                yield from ((array, None) for array in visitor.written_arrays((op,)))


def _questions(expression: ir.Expression, facts: _Facts) -> Iterator[tuple[ir.Array, Number | None]]:
    """Every array whose cells the expression reads, with the number tested for, if nothing else is."""
    yield from ((array, None) for array in _lent(expression))
    match expression:
        case ir.Binary(ir.BinaryOperator.EQUAL | ir.BinaryOperator.NOT_EQUAL, ir.Load(array, index), other) if (
            number := facts.number(other)
        ) is not None:
            yield array, number
            yield from _questions(index, facts)
        case ir.Load(array, index):
            yield array, None
            yield from _questions(index, facts)
        case _:
            for inner in visitor.operands(expression):
                yield from _questions(inner, facts)


def _lent(expression: ir.Expression) -> Iterator[ir.Array]:
    """The arrays that the expression passes to functions."""
    if isinstance(expression, ir.CallFunction):
        yield from (argument for argument in expression.arguments if isinstance(argument, ir.Array))
