"""Integers as conditions and bools as numbers, as in C: not 0 is True, False is 0, True is 1.

Each such place gets a note (W0303, W0304). Nodes, edges and reals are no conditions: node 0 is a node like any other.
"""

import re

from starplat.diagnostics import Label, Rewrite, Severity
from starplat.frontend import typed
from starplat.frontend.context import Context
from starplat.frontend.typed import Infinity, Literal, Operator, scalar_of
from starplat.frontend.types import Scalar, indefinite
from starplat.source import Span


def truth(context: Context, value: typed.Expression) -> typed.Expression | None:
    """`value` as a condition; None where it is neither a bool nor an integer."""
    if (kind := scalar_of(value)) is Scalar.BOOL:
        return value
    return _against_zero(context, value, Operator.NOT_EQUAL, value.span) if kind.is_integer else None


def falsehood(context: Context, value: typed.Expression, span: Span) -> typed.Expression | None:
    """`!value` of an integer; None where it is none."""
    return _against_zero(context, value, Operator.EQUAL, span) if scalar_of(value).is_integer else None


def number(context: Context, value: typed.Expression, because: tuple[Label, ...] = ()) -> typed.Expression:
    """`value`, a bool among them as 0 or 1. `because` are places that say why a number is needed."""
    if scalar_of(value) is not Scalar.BOOL:
        return value
    note_number(context, value, because)
    if isinstance(value, Literal):
        return Literal(int(value.value), Scalar.INT, span=value.span)
    one, zero = (Literal(i, Scalar.INT, span=value.span) for i in (1, 0))
    return typed.Conditional(value, one, zero, span=value.span)


def note_number(
    context: Context,
    value: typed.Expression,
    because: tuple[Label, ...] = (),
    help: str = "write '… ? 1 : 0' to say so",
) -> None:
    """Notes that a bool is taken as a number."""
    message = "a bool is taken as a number: False is 0, True is 1"
    context.warn("W0304", message, value.span, "this is a bool", related=because, help=help, severity=Severity.NOTE)


def require_truth(context: Context, condition: typed.Expression, what: str) -> typed.Expression | None:
    """`condition` as a bool; says that `what` must be one where it cannot be."""
    if (found := truth(context, condition)) is None:
        kind = scalar_of(condition)
        context.error(
            "E0302", f"{what} must be a bool", condition.span, f"this is {indefinite(kind)}", help=comparison_help(kind)
        )
    return found


def comparison_help(kind: Scalar) -> str:
    """How to make a condition of a value that is none."""
    return "compare it, as in '… != -1'" if kind.is_index else "compare it, as in '… != 0'"


def _compared(text: str, span: Span) -> str:
    """What says that the value at a place is not 0, in brackets where none are around it."""
    value = text[span.start : span.end]
    said = f"{value} != 0" if re.fullmatch(r"[\w.]+([(\[][\w., ]*[)\]])?", value) else f"({value}) != 0"
    around = text[: span.start].rstrip()[-1:] + text[span.end :].lstrip()[:1]
    return said if around == "()" else f"({said})"


def _against_zero(context: Context, value: typed.Expression, operator: Operator, span: Span) -> typed.Expression:
    kind = scalar_of(value)
    context.warn(
        "W0303",
        f"{indefinite(kind)} is taken as a condition: anything but 0 is True",
        value.span,
        f"this is {indefinite(kind)}",
        help=Rewrite("write '… != 0' to say so", _compared(context.reporter.source.whole, value.span)),
        severity=Severity.NOTE,
    )
    holds = operator is Operator.NOT_EQUAL
    match value:
        case Literal():
            return Literal(bool(value.value) is holds, Scalar.BOOL, span=span)
        case Infinity():
            return Literal(holds, Scalar.BOOL, span=span)
    return typed.Binary(operator, value, Literal(0, kind, span=value.span), Scalar.BOOL, span=span)
