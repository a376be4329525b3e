"""Finds the variables that operations of a launch assign, and which of them only count."""

from collections.abc import Iterable

from starplat.ir import launches, visitor
from starplat.ir import nodes as ir

_SMALL = 2**20
"""The largest start of a counter: from there it takes two thousand million rounds to wrap around."""


def variables_set(ops: Iterable[ir.HostOp], module: ir.Module) -> frozenset[ir.Variable]:
    """The variables that get a value in the operations, or in blocks inside them."""
    return frozenset(variable for part in visitor.walk_host(ops) for variable in launches.given_by(part, module))


def counters_in(ops: Iterable[ir.HostOp], module: ir.Module) -> frozenset[ir.Variable]:
    """The variables of the operations that begin with a small constant, go up or down by one, and do nothing else."""
    counting, others = set[ir.Variable](), set[ir.Variable]()
    for part in visitor.walk_host(ops):
        (counting if _counts(part) else others).update(launches.given_by(part, module))
    return frozenset(counting - others)


def _counts(op: ir.HostOp) -> bool:
    match op:
        case ir.DeclareVariable(variable, ir.Const(int() as value, ir.Element.INT)):
            return variable.element is ir.Element.INT and abs(value) <= _SMALL
        case ir.SetVariable(variable, ir.Const(int() as value, ir.Element.INT)):
            return variable.element is ir.Element.INT and abs(value) <= _SMALL
        case ir.SetVariable(
            variable, ir.Binary(ir.BinaryOperator.ADD | ir.BinaryOperator.SUBTRACT, ir.Ref(counted), ir.Const(1))
        ):
            return counted == variable and variable.element is ir.Element.INT
    return False
