"""Expressions of the intermediate form as text for readers, with no more brackets than C needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from starplat.ir.nodes import (
    Apply,
    Array,
    Binary,
    BinaryOperator,
    CallFunction,
    Cast,
    Const,
    Element,
    Expression,
    FindArc,
    Load,
    NumArcs,
    NumNodes,
    Ref,
    Select,
    Unary,
    Variable,
    infinity,
)

_LEVELS = {
    BinaryOperator.OR: 1,
    BinaryOperator.AND: 2,
    BinaryOperator.BIT_OR: 3,
    BinaryOperator.BIT_XOR: 4,
    BinaryOperator.BIT_AND: 5,
    BinaryOperator.EQUAL: 6,
    BinaryOperator.NOT_EQUAL: 6,
    BinaryOperator.LESS: 7,
    BinaryOperator.LESS_EQUAL: 7,
    BinaryOperator.GREATER: 7,
    BinaryOperator.GREATER_EQUAL: 7,
    BinaryOperator.SHIFT_LEFT: 8,
    BinaryOperator.ADD: 9,
    BinaryOperator.ADD_INF: 9,
    BinaryOperator.SUBTRACT: 9,
    BinaryOperator.MULTIPLY: 10,
    BinaryOperator.DIVIDE: 10,
    BinaryOperator.REMAINDER: 10,
}
_SIGN, _ATOM = 11, 12


def print_expression(expression: Expression) -> str:
    """An expression with no more brackets than C needs; `+inf` is the addition that keeps INF."""
    return _expression(expression, 0)


def _expression(expression: Expression, outer: int) -> str:
    text, level = _leveled(expression)
    return text if level >= outer else f"({text})"


def _leveled(expression: Expression) -> tuple[str, int]:
    match expression:
        case Const():
            text = _constant(expression)
            return text, _SIGN if text.startswith("-") else _ATOM
        case Ref(variable):
            return variable.name, _ATOM
        case Load(array, index):
            return f"{array.name}[{print_expression(index)}]", _ATOM
        case Unary(operator, operand):
            inner = _expression(operand, _SIGN)
            return f"{operator.value}{f'({inner})' if inner.startswith('-') else inner}", _SIGN
        case Binary(operator, left, right):
            level = _LEVELS[operator]
            return f"{_expression(left, level)} {operator.value} {_expression(right, level + 1)}", level
        case Select(condition, then, otherwise):
            return f"{_expression(condition, 1)} ? {print_expression(then)} : {print_expression(otherwise)}", 0
        case Cast(operand, element, keeps_inf):
            return f"{element.value}{' inf' if keeps_inf else ''}({print_expression(operand)})", _ATOM
        case Apply(function, arguments):
            return f"{function.value}({', '.join(map(print_expression, arguments))})", _ATOM
        case NumNodes():
            return "num_nodes", _ATOM
        case NumArcs():
            return "num_arcs", _ATOM
        case FindArc(source, destination):
            return f"find_arc({print_expression(source)}, {print_expression(destination)})", _ATOM
        case CallFunction(function, arguments):
            return f"{function}({print_arguments(arguments)})", _ATOM
        case _:
            assert_never(expression)


def _constant(constant: Const) -> str:
    if constant.element is Element.BOOL:
        return "true" if constant.value else "false"
    if constant.value == infinity(constant.element).value:
        return "INF"
    return repr(float(constant.value)) if constant.element.is_real else str(constant.value)


def print_arguments(arguments: Iterable[Expression | Array | Variable]) -> str:
    """What a call is given."""
    texts = []
    for argument in arguments:
        match argument:
            case Array(name):
                texts.append(name)
            case Variable(name):
                texts.append(f"&{name}")
            case _:
                texts.append(print_expression(argument))
    return ", ".join(texts)
