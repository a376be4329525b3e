"""Prints expressions and types with no more brackets than needed."""

import re
from typing import assert_never

from starplat.frontend import ast
from starplat.frontend.parsing.lexer import quoted

_LEVELS = (
    ("?",),
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
"""Loosest first; all but `?:` lean to the left."""

_BINDING = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}
_RELATIONAL = _BINDING["<"]
_UNARY = len(_LEVELS)
_POSTFIX = _UNARY + 1


class ExpressionPrinter:
    """Writes expressions; `text`, where given, is the program they came from, whose numbers keep their spelling."""

    def __init__(self, text: str | None = None) -> None:
        self._text = text

    def expression(self, node: ast.Expression) -> str:
        return self._operand(node, 0)

    def between(self, nodes: tuple[ast.Expression, ...]) -> str:
        """Expressions between the angle brackets of a multi-assignment, where comparisons are bracketed."""
        return ", ".join(self._operand(node, 0, bare=True) for node in nodes)

    def type(self, node: ast.TypeName) -> str:
        arguments = [self.type(part) for part in (node.key, node.element) if part is not None]
        arguments += [node.graph.text] if node.graph else []
        if node.name == "nodeMap":
            return f"nodeMap({', '.join(arguments)})"
        angles = f"<{', '.join(arguments)}>" if arguments else ""
        sizes = f"({', '.join(self.expression(size) for size in node.sizes)})" if node.sizes else ""
        return f"{node.name}{angles}{sizes}"

    def _operand(self, node: ast.Expression, binding: int, *, bare: bool = False) -> str:
        """`node` where what binds less than `binding` needs brackets, and, if `bare`, every comparison does."""
        if (own := _binding(node)) < binding or (bare and own == _RELATIONAL):
            return f"({self._plain(node, bare=False)})"
        return self._plain(node, bare=bare)

    def _plain(self, node: ast.Expression, *, bare: bool) -> str:
        match node:
            case ast.Conditional(condition, then, otherwise):
                parts = [self._operand(part, level, bare=bare) for part, level in ((condition, 1), (then, 0))]
                return f"{parts[0]} ? {parts[1]} : {self._operand(otherwise, 0, bare=bare)}"
            case ast.Binary(operator, left, right):
                own = _BINDING[operator]
                first = self._operand(left, own, bare=bare)
                return f"{first} {operator} {self._operand(right, own + 1, bare=bare)}"
            case ast.Unary(operator, operand):
                text = self._operand(operand, _UNARY, bare=bare)
                return f"{operator} {text}" if text[0] == operator and operator in "+-" else operator + text
            case ast.Incremented(target, operator, before):
                text = self._operand(target, _POSTFIX)
                return operator + text if before else text + operator
            case ast.Attribute(ast.Integer() | ast.Real() as number, name):
                return f"({self._literal(number)}).{name.text}"
            case ast.Attribute(value, name):
                return f"{self._operand(value, _POSTFIX)}.{name.text}"
            case ast.Index(value, index):
                return f"{self._operand(value, _POSTFIX)}[{self.expression(index)}]"
            case ast.Call(function, arguments):
                return f"{self._operand(function, _POSTFIX)}({', '.join(map(self._argument, arguments))})"
            case ast.Identifier(name):
                return name
            case ast.Integer() | ast.Real() | ast.Boolean() | ast.Infinity():
                return self._literal(node)
            case ast.Text(value):
                return quoted(value)
        raise TypeError(f"{type(node).__name__} is no expression")

    def _argument(self, node: ast.Expression | ast.Keyword) -> str:
        match node:
            case ast.Keyword(name, value):
                return f"{name.text} = {self.expression(value)}"
            case ast.Expression():
                return self.expression(node)
            case _:
                assert_never(node)

    def _literal(self, node: ast.Integer | ast.Real | ast.Boolean | ast.Infinity) -> str:
        match node:
            case ast.Integer(value):
                return str(value)
            case ast.Real(value, single):
                return self._spelling(node) or _shortest(value) + ("f" if single else "")
            case ast.Boolean(value):
                return str(value)
            case ast.Infinity():
                return "INF"
            case _:
                assert_never(node)

    def _spelling(self, node: ast.Real) -> str | None:
        """How the number is spelt in the program's text, if there is one."""
        written = (self._text or "")[node.span.start : node.span.end]
        number = re.fullmatch(r"[(\s]*([0-9.]+(?:[eE][+-]?[0-9]+)?f?)[)\s]*", written)
        return number[1] if number else None


def _shortest(value: float) -> str:
    """The number without the padding that Python gives an exponent."""
    return re.sub(r"e([+-])0*", r"e\1", repr(value)).replace("e+", "e")


def _binding(node: ast.Expression) -> int:
    match node:
        case ast.Conditional():
            return 0
        case ast.Binary(operator):
            return _BINDING[operator]
        case ast.Unary() | ast.Incremented(before=True):
            return _UNARY
    return _POSTFIX
