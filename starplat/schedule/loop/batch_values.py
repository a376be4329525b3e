"""Values of scalars inside a round, as expressions over cells of the device, and the kernels that store them."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from starplat.ir import build, rewriter
from starplat.ir import nodes as ir
from starplat.ir.visitor import all_expressions, arrays_in, expressions_of, walk_expression, with_signature

"""The index of the only cell of an array."""

Values = dict[ir.Variable, ir.Expression]
"""The values of scalars at a point of a round."""


def stores_of(kept: Iterable[tuple[ir.Array, str, ir.Expression]]) -> Iterator[ir.KernelOp]:
    """Computes all values before any cell changes, none of them twice."""
    known: dict[ir.Expression, ir.Expression] = {}
    stores: list[ir.Store] = []
    for array, name, new in kept:
        value = rewriter.map_expression(lambda part: known.get(part, part), new)
        if not isinstance(value, ir.Const | ir.Ref):
            local = ir.Variable(name, value.element)
            yield ir.Let(local, value)
            known[value] = ir.Ref(local)
        stores.append(ir.Store(array, build.ZERO, known.get(value, value)))
    yield from stores


def loaded_by(value: ir.Expression) -> set[ir.Array]:
    """What a value reads."""
    return set(arrays_in(value))


def loaded_in(kernel: ir.Kernel) -> Iterator[ir.Array]:
    """What a kernel reads."""
    heads = (*expressions_of(kernel.domain), *(() if kernel.filter is None else (kernel.filter,)))
    inside = (*(part for head in heads for part in walk_expression(head)), *all_expressions(kernel.body))
    return (part.array for part in inside if isinstance(part, ir.Load))


def without_stores(kernel: ir.Kernel, cells: set[ir.Array]) -> ir.Kernel:
    """The kernel of one thread, without stores that are never read; others never store into cells."""
    if not isinstance(kernel.domain, ir.Once):
        return kernel
    body = tuple(op for op in kernel.body if not (isinstance(op, ir.Store) and op.array in cells))
    return with_signature(replace(kernel, body=body))


def found_in(word: ir.Array, element: ir.Element) -> ir.Expression:
    """The result of a reduction."""
    found = ir.Load(word, build.ZERO)
    return build.differs(found, build.ZERO) if element is ir.Element.BOOL else found


_ANY = (ir.Combine.OR, ir.Combine.BIT_OR, ir.Combine.MAX, ir.Combine.ADD)
_OPERATORS = {
    ir.Combine.ADD: ir.BinaryOperator.ADD,
    ir.Combine.MULTIPLY: ir.BinaryOperator.MULTIPLY,
    ir.Combine.BIT_AND: ir.BinaryOperator.BIT_AND,
    ir.Combine.BIT_OR: ir.BinaryOperator.BIT_OR,
    ir.Combine.BIT_XOR: ir.BinaryOperator.BIT_XOR,
}


def combined_with(combine: ir.Combine, old: ir.Expression, found: ir.Expression) -> ir.Expression:
    """`old combine found`, as the host would compute it."""
    element = old.element
    if element is ir.Element.BOOL and combine is not ir.Combine.BIT_XOR:
        any_of = combine in _ANY
        if old == ir.Const(not any_of, ir.Element.BOOL):
            return found
        return build.either(old, found) if any_of else build.both(old, found)
    if combine in (ir.Combine.MIN, ir.Combine.MAX):
        order = ir.BinaryOperator.LESS if combine is ir.Combine.MIN else ir.BinaryOperator.GREATER
        return ir.Select(build.compared(order, found, old), found, old)
    return ir.Binary(_OPERATORS[combine], old, found, element)
