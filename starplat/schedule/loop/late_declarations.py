"""Declares ahead of a launch the variables that are live after it."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from starplat.ir import nodes as ir
from starplat.ir.uses import stream
from starplat.ir.visitor import declared_by


def declared_ahead(
    run: Sequence[ir.HostOp], mentioned: Container[ir.Variable]
) -> tuple[tuple[ir.DeclareVariable, ...], tuple[ir.HostOp, ...]]:
    """The declarations of variables that operations in a row declare and others have `mentioned`, and the row, which
    assigns these."""
    late = frozenset(v for op in stream(run) for v in declared_by(op) if v in mentioned)
    ordered = (v for op in stream(run) for v in declared_by(op) if v in late)
    declarations = tuple(ir.DeclareVariable(v, ir.Const(_zero(v.element), v.element)) for v in ordered)
    return declarations, _without_declarations(run, late)


def _without_declarations(ops: Iterable[ir.HostOp], late: frozenset[ir.Variable]) -> tuple[ir.HostOp, ...]:
    result: list[ir.HostOp] = []
    for op in ops:
        match op:
            case ir.HostBlock(body):
                result.append(replace(op, body=_without_declarations(body, late)))
            case ir.DeclareVariable(variable, value) if variable in late:
                result.append(ir.SetVariable(variable, value))
            case _:
                result.append(op)
    return tuple(result)


def _zero(element: ir.Element) -> int | float | bool:
    if element is ir.Element.BOOL:
        return False
    return 0.0 if element.is_real else 0
