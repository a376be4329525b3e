"""Declares ahead of a launch the variables that are live after it."""

from collections.abc import Container, Iterable, Sequence

from starplat.ir import nodes as ir, uses, visitor
from starplat.ir.rewriter import HostRule


def declared_ahead(
    run: Sequence[ir.HostOp], mentioned: Container[ir.Variable]
) -> tuple[tuple[ir.DeclareVariable, ...], tuple[ir.HostOp, ...]]:
    """The declarations of variables that operations in a row declare and others have `mentioned`, and the row, which
    assigns these."""
    late = frozenset(v for op in uses.stream(run) for v in visitor.declared_by(op) if v in mentioned)
    ordered = (v for op in uses.stream(run) for v in visitor.declared_by(op) if v in late)
    declarations = tuple(ir.DeclareVariable(v, ir.Const(_zero(v.element), v.element)) for v in ordered)
    return declarations, as_assignments(run, late)


def as_assignments(ops: Iterable[ir.HostOp], late: Container[ir.Variable] | None = None) -> tuple[ir.HostOp, ...]:
    """The operations in a row with assignments in place of declarations, of all variables or of some."""

    def assigned(op: ir.HostOp) -> tuple[ir.HostOp, ...] | None:
        match op:
            case ir.DeclareVariable(variable, value) if late is None or variable in late:
                return (ir.SetVariable(variable, value),)
        return None if isinstance(op, ir.HostBlock) else (op,)

    return HostRule(assigned).host_block(ops)


def _zero(element: ir.Element) -> int | float | bool:
    if element is ir.Element.BOOL:
        return False
    return 0.0 if element.is_real else 0
