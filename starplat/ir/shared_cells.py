"""The cells that an operation of a kernel writes, and which arrays the code of a kernel or a function writes, updates
atomically, or locks, itself or by what it calls."""

from collections.abc import Callable, Iterable, Iterator

from starplat.ir import nodes as ir, visitor
from starplat.same import remembered


def cells_written(op: object) -> tuple[tuple[ir.Array, ir.Expression], ...]:
    """The cells that an operation of a kernel itself writes, each as its array and its index."""
    match op:
        case ir.Store() | ir.UpdateCell() | ir.FetchAdd() | ir.FetchOr() | ir.CompareSwap():
            return ((op.array, op.index),)
        case ir.ExtremeCell():
            lock = () if op.lock is None else ((op.lock, op.index),)
            return ((op.array, op.index), *((carry.array, carry.index) for carry in op.carried), *lock)
    return ()


def written_in(body: object, module: ir.Module) -> frozenset[ir.Array]:
    """The arrays whose cells are written; those of host operations too."""
    return _chosen_in(body, module, _written)


def locked_in(body: object, module: ir.Module) -> frozenset[ir.Array]:
    """The arrays whose cells are read or written while a lock is held."""
    return _chosen_in(body, module, _locked)


def contested_in(body: object, module: ir.Module) -> frozenset[ir.Array]:
    """The arrays whose cells may be read at any moment while they change by an atomic Min, Max, swap or or."""
    return _chosen_in(body, module, _contested)


def updated_in(body: object, module: ir.Module) -> frozenset[ir.Array]:
    """The arrays whose cells are updated atomically, those of `contested_in` among them."""
    return _chosen_in(body, module, _updated)


def _written(op: object) -> Iterable[ir.Array]:
    match op:
        case ir.Fill():
            return (op.array,)
        case ir.CopyArray():
            return (op.destination,)
    return (array for array, _ in cells_written(op))


def _locked(op: object) -> Iterable[ir.Array]:
    return _with_carried(op) if isinstance(op, ir.ExtremeCell) and op.shared and op.lock is not None else ()


def _contested(op: object) -> Iterable[ir.Array]:
    match op:
        case (
            ir.ExtremeCell(array=array, lock=None, shared=True) | ir.FetchOr(array=array) | ir.CompareSwap(array=array)
        ):
            return (array,)
        case ir.UpdateCell(ir.Combine.MIN | ir.Combine.MAX | ir.Combine.BIT_OR, array, shared=True):
            return (array,)
    return ()


def _updated(op: object) -> Iterable[ir.Array]:
    match op:
        case ir.UpdateCell(array=array, shared=True) | ir.FetchAdd(array=array):
            return (array,)
    return _contested(op)


def _with_carried(op: ir.ExtremeCell) -> tuple[ir.Array, ...]:
    return (op.array, *(carry.array for carry in op.carried))


@remembered()
def _chosen_in(body: object, module: ir.Module, chosen: Callable[[object], Iterable[ir.Array]]) -> frozenset[ir.Array]:
    """The arrays that are chosen of any operation, also in functions that are called, by their names here."""
    found: set[ir.Array] = set()
    for part in visitor.walk(body):
        if isinstance(part, ir.CallFunction):
            found.update(_lent(part, _chosen_in(module.helper(part.function).body, module, chosen), module))
        elif type(part) in _CHANGING:
            found.update(chosen(part))
    return frozenset(found)


_CHANGING = frozenset(
    (ir.Fill, ir.CopyArray, ir.Store, ir.UpdateCell, ir.ExtremeCell, ir.FetchAdd, ir.FetchOr, ir.CompareSwap)
)
"""Operations that may be asked what they do to cells."""


def _lent(call: ir.CallFunction, chosen: frozenset[ir.Array], module: ir.Module) -> Iterator[ir.Array]:
    """What the caller calls the arrays that the called function knows as `chosen`."""
    for argument, parameter in zip(call.arguments, module.helper(call.function).parameters, strict=True):
        if isinstance(argument, ir.Array) and parameter.what in chosen:
            yield argument
