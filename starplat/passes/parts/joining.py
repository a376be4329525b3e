"""Sets that tell which cells a kernel changes: wherever it changes the cell of a node, the node joins the set."""

from collections.abc import Iterator

from starplat.ir import build, nodes as ir, visitor

Body = tuple[ir.KernelOp, ...]


def written_beside(array: ir.Array, members: ir.Array, body: Body) -> bool:
    """Whether wherever a cell is stored its node joins the set, in the same run of operations."""
    for place, op in enumerate(body):
        match op:
            case ir.Store() if op.array == array:
                if not _joins(op.index, members, body[:place], body[place + 1 :]):
                    return False
            case ir.UpdateCell() | ir.ExtremeCell() if op.array == array:
                return False
            case ir.ExtremeCell() if any(carry.array == array for carry in op.carried):
                return False
        if not all(written_beside(array, members, block) for block in visitor.blocks_of(op)):
            return False
    return True


def joined_by_winners(array: ir.Array, members: ir.Array, body: Body) -> bool:
    """Whether cells change only where a Min or Max has found a better value, or carries one, and the node joins the set
    with that."""
    for op in visitor.walk_kernel(body):
        match op:
            case ir.Store() | ir.UpdateCell() if op.array == array:
                return False
            case ir.ExtremeCell():
                cells = [op.index] if op.array == array else []
                cells += [carry.index for carry in op.carried if carry.array == array]
                joined = {carry.index for carry in op.carried if carry.array == members and carry.value == build.TRUE}
                if not joined.issuperset(cells):
                    return False
    return True


def is_only_joined(members: ir.Array, body: Body) -> bool:
    """Whether no node leaves a set."""
    return all(value == build.TRUE for value in _stored(members, body))


def _joins(node: ir.Expression, members: ir.Array, before: Body, after: Body) -> bool:
    """Whether a node joins the set in a run of operations, before some place, or after it with no way out between."""
    if any(isinstance(op, ir.Store) and (op.array, op.index) == (members, node) for op in before):
        return True
    for op in after:
        if isinstance(op, ir.Store) and (op.array, op.index) == (members, node):
            return True
        if visitor.blocks_of(op) or isinstance(op, ir.KernelBreak | ir.KernelContinue | ir.KernelReturn):
            return False
    return False


def _stored(array: ir.Array, body: Body) -> Iterator[ir.Expression | None]:
    """What is stored in an array; None for what changes it otherwise."""
    for op in visitor.walk_kernel(body):
        match op:
            case ir.Store() if op.array == array:
                yield op.value
            case ir.UpdateCell() | ir.ExtremeCell() if op.array == array:
                yield None
        if isinstance(op, ir.ExtremeCell):
            yield from (carry.value for carry in op.carried if carry.array == array)
