"""Prints expressions of the intermediate form, with no more brackets than C needs."""

from collections.abc import Iterable
from typing import assert_never

from starplat.ir import nodes as ir

_LEVELS = {
    ir.BinaryOperator.OR: 1,
    ir.BinaryOperator.AND: 2,
    ir.BinaryOperator.BIT_OR: 3,
    ir.BinaryOperator.BIT_XOR: 4,
    ir.BinaryOperator.BIT_AND: 5,
    ir.BinaryOperator.EQUAL: 6,
    ir.BinaryOperator.NOT_EQUAL: 6,
    ir.BinaryOperator.LESS: 7,
    ir.BinaryOperator.LESS_EQUAL: 7,
    ir.BinaryOperator.GREATER: 7,
    ir.BinaryOperator.GREATER_EQUAL: 7,
    ir.BinaryOperator.SHIFT_LEFT: 8,
    ir.BinaryOperator.SHIFT_RIGHT: 8,
    ir.BinaryOperator.ADD: 9,
    ir.BinaryOperator.ADD_INF: 9,
    ir.BinaryOperator.SUBTRACT: 9,
    ir.BinaryOperator.MULTIPLY: 10,
    ir.BinaryOperator.DIVIDE: 10,
    ir.BinaryOperator.REMAINDER: 10,
}
_SIGN, _ATOM = 11, 12


def print_expression(expression: ir.Expression) -> str:
    """An expression with no more brackets than C needs; `+inf` is the addition that keeps INF."""
    return _expression(expression, 0)


def _expression(expression: ir.Expression, outer: int) -> str:
    text, level = _leveled(expression)
    return text if level >= outer else f"({text})"


def _leveled(expression: ir.Expression) -> tuple[str, int]:
    match expression:
        case ir.Const():
            text = _constant(expression)
            return text, _SIGN if text.startswith("-") else _ATOM
        case ir.Ref(variable):
            return variable.name, _ATOM
        case ir.Load(array, index):
            return f"{array.name}[{print_expression(index)}]", _ATOM
        case ir.Unary(operator, operand):
            inner = _expression(operand, _SIGN)
            return f"{operator.value}{f'({inner})' if inner.startswith('-') else inner}", _SIGN
        case ir.Binary(operator, left, right):
            level = _LEVELS[operator]
            return f"{_expression(left, level)} {operator.value} {_expression(right, level + 1)}", level
        case ir.Select(condition, then, otherwise):
            return f"{_expression(condition, 1)} ? {print_expression(then)} : {print_expression(otherwise)}", 0
        case ir.Cast(operand, element, keeps_inf):
            return f"{element.value}{' inf' if keeps_inf else ''}({print_expression(operand)})", _ATOM
        case ir.Apply(function, arguments):
            return f"{function.value}({', '.join(map(print_expression, arguments))})", _ATOM
        case ir.NumNodes():
            return "num_nodes", _ATOM
        case ir.NumArcs():
            return "num_arcs", _ATOM
        case ir.FindArc(source, destination, _, among_gaps):
            name = "find_arc_among_gaps" if among_gaps else "find_arc"
            return f"{name}({print_expression(source)}, {print_expression(destination)})", _ATOM
        case ir.CallFunction(function, arguments):
            return f"{function}({print_arguments(arguments)})", _ATOM
        case _:
            assert_never(expression)


def _constant(constant: ir.Const) -> str:
    if constant.element is ir.Element.BOOL:
        return "true" if constant.value else "false"
    if constant.value == ir.infinity(constant.element).value:
        return "INF"
    return repr(float(constant.value)) if constant.element.is_real else str(constant.value)


def print_arguments(arguments: Iterable[ir.Expression | ir.Array | ir.Variable]) -> str:
    texts = []
    for argument in arguments:
        match argument:
            case ir.Array(name):
                texts.append(name)
            case ir.Variable(name):
                texts.append(f"&{name}")
            case _:
                texts.append(print_expression(argument))
    return ", ".join(texts)
