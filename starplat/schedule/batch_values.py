"""The values that scalars have inside a round, as expressions over cells of the device, and what stores them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from starplat.ir.nodes import (
    Array,
    Binary,
    BinaryOperator,
    Combine,
    Const,
    Element,
    Expression,
    Kernel,
    KernelOp,
    Let,
    Load,
    Once,
    Ref,
    Select,
    Store,
    Variable,
)
from starplat.ir.rewriter import Rewriter, map_expression
from starplat.ir.visitor import all_expressions, arrays_in, expressions_of, walk_expression, with_signature

FIRST = Const(0, Element.INT)
"""The index of the only cell of an array."""

Values = dict[Variable, Expression]
"""What scalars are worth at a point of a round."""


def stores_of(kept: Iterable[tuple[Array, str, Expression]]) -> Iterator[KernelOp]:
    """Works out all values before any cell changes, none of them twice."""
    known: dict[Expression, Expression] = {}
    stores: list[Store] = []
    for array, name, new in kept:
        value = map_expression(lambda part: known.get(part, part), new)
        if not isinstance(value, Const | Ref):
            local = Variable(name, value.element)
            yield Let(local, value)
            known[value] = Ref(local)
        stores.append(Store(array, FIRST, known.get(value, value)))
    yield from stores


class Reading(Rewriter):
    """Works scalars out in place of being given them."""

    def __init__(self, values: Values) -> None:
        self.values = values

    def expression(self, expression: Expression) -> Expression:
        if isinstance(expression, Ref) and expression.variable in self.values:
            return self.values[expression.variable]
        return self.rebuild(expression)


def loaded_by(value: Expression) -> set[Array]:
    """What is looked at to work a value out."""
    return set(arrays_in(value))


def loaded_in(kernel: Kernel) -> Iterator[Array]:
    """What a kernel looks at."""
    heads = (*expressions_of(kernel.domain), *(() if kernel.filter is None else (kernel.filter,)))
    inside = (*(part for head in heads for part in walk_expression(head)), *all_expressions(kernel.body))
    return (part.array for part in inside if isinstance(part, Load))


def without_stores(kernel: Kernel, cells: set[Array]) -> Kernel:
    """The kernel of one thread, which does not store what nobody reads; others never store into cells."""
    if not isinstance(kernel.domain, Once):
        return kernel
    body = tuple(op for op in kernel.body if not (isinstance(op, Store) and op.array in cells))
    return with_signature(replace(kernel, body=body))


def found_in(word: Array, element: Element) -> Expression:
    """What came of a reduction."""
    found = Load(word, FIRST)
    return Binary(BinaryOperator.NOT_EQUAL, found, FIRST, Element.BOOL) if element is Element.BOOL else found


_ANY = (Combine.OR, Combine.BIT_OR, Combine.MAX, Combine.ADD)
_OPERATORS = {
    Combine.ADD: BinaryOperator.ADD,
    Combine.MULTIPLY: BinaryOperator.MULTIPLY,
    Combine.BIT_AND: BinaryOperator.BIT_AND,
    Combine.BIT_OR: BinaryOperator.BIT_OR,
    Combine.BIT_XOR: BinaryOperator.BIT_XOR,
}


def combined_with(combine: Combine, old: Expression, found: Expression) -> Expression:
    """`old combine found`, as the host would work it out."""
    element = old.element
    if element is Element.BOOL and combine is not Combine.BIT_XOR:
        any_of = combine in _ANY
        if old == Const(not any_of, Element.BOOL):
            return found
        return Binary(BinaryOperator.OR if any_of else BinaryOperator.AND, old, found, Element.BOOL)
    if combine in (Combine.MIN, Combine.MAX):
        order = BinaryOperator.LESS if combine is Combine.MIN else BinaryOperator.GREATER
        return Select(Binary(order, found, old, Element.BOOL), found, old)
    return Binary(_OPERATORS[combine], old, found, element)
