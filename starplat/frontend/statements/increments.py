"""`x++` and `++x` inside an expression: their meaning, where they cannot stand, and that their order is defined.

The value is the place's, from before or after the change, which happens once. Where C leaves open what comes first, as
in `a[i] = i++`, the program is refused; `&&`, `||` and `?:` put their parts in order.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from starplat.diagnostics import Label
from starplat.frontend import ast, typed
from starplat.frontend.context import Context
from starplat.frontend.expressions import expressions, local_maps
from starplat.frontend.parsing.syntax import syntax_within
from starplat.frontend.statements import assignments, lists
from starplat.source import Span


def incremented(context: Context, node: ast.Incremented) -> typed.Expression | None:
    """The value of `target++` or `++target`."""
    context.increments = True
    if context.bare_node is not None:
        refuse_increment(context, node, "a condition that is evaluated for many nodes")
        return None
    change = assignments.increment(context, ast.Increment(node.target, node.operator, span=node.span))
    match change:
        case typed.Update(place=place) | typed.Assign(place=place):
            context.mark_read(place.symbol)
            return typed.Incremented(place, 1 if node.operator == "++" else -1, not node.before, span=node.span)
        case typed.AddToMap(symbol=symbol, key=key):
            added = typed.MapValue(symbol, key, span=node.target.span)
            local_maps.refuse_change(context, added, f"'{node.operator}' gives no value of it")
            return None
        case typed.Unsupported(construct=construct) if construct != lists.BROKEN:
            return expressions.expression(context, node.target)
    return None


def refuse_increments(context: Context, parts: Iterable[ast.Expression], where: str) -> bool:
    """Reports the increments in `parts`; whether there are any."""
    found = [node for part in parts for node in syntax_within(part) if isinstance(node, ast.Incremented)]
    for node in found:
        refuse_increment(context, node, where)
    return bool(found)


def refuse_increment(context: Context, node: ast.Incremented, where: str) -> None:
    """Says that nothing can be changed in `where`."""
    message = f"'{node.operator}' cannot stand in {where}"
    context.error("E0120", message, node.span, help="change it in a statement of its own, before or after")


def check_order(context: Context, node: ast.Statement) -> None:
    """Refuses what a statement changes by an increment and mentions again, nothing saying which comes first."""
    unclear: dict[str, tuple[Span, Span]] = {}
    for moment in _moments(node):
        _joined(moment, unclear)
    for name, (change, mention) in unclear.items():
        message = f"'{name}' is changed here and used elsewhere in the same expression: nothing says which comes first"
        related = [Label(mention, "used here")]
        context.error("E0331", message, change, related=related, help="change it in a statement of its own")


def _moments(node: ast.Statement) -> Iterator[tuple[ast.Expression, ...]]:
    """The expressions that a statement itself holds; those of one tuple are evaluated in no order that C knows."""
    match node:
        case ast.Assignment():
            yield (node.target, node.value)
        case ast.MultiAssignment():
            yield (*node.targets, *node.values)
        case ast.Declaration():
            yield from ((d.value,) for d in node.declarators if d.value is not None)
        case ast.CallStatement():
            yield (node.call,)
        case ast.Return():
            yield node.values
        case ast.If() | ast.While() | ast.DoWhile():
            yield (node.condition,)
        case ast.For():
            yield (node.start,)
            yield (node.condition,)
            yield from _moments(node.step)
        case ast.ForEach():
            yield (node.domain.over,)
        case ast.IterateInBFS():
            yield (node.source,)


@dataclass(frozen=True, slots=True)
class _Names:
    """The variables and properties that an expression mentions, and those that its increments change."""

    mentioned: dict[str, Span] = field(default_factory=dict)
    changed: dict[str, Span] = field(default_factory=dict)


Unclear = dict[str, tuple[Span, Span]]
"""By name: the change, and the mention that may come before it or after it."""


def _names(node: ast.Expression | ast.Keyword, unclear: Unclear) -> _Names:
    match node:
        case ast.Identifier():
            return _Names({node.name: node.span})
        case ast.Attribute():
            inner = _names(node.value, unclear)
            return _Names({**inner.mentioned, node.name.text: node.name.span}, inner.changed)
        case ast.Keyword():
            return _names(node.value, unclear)
        case ast.Incremented():
            inner = _names(node.target, unclear)
            return _Names(inner.mentioned, {**inner.changed, _root(node.target): node.span})
        case ast.Binary(operator="&&" | "||"):
            return _united(_names(part, unclear) for part in (node.left, node.right))
        case ast.Conditional():
            return _united(_names(part, unclear) for part in (node.condition, node.then, node.otherwise))
        case ast.Binary():
            return _joined((node.left, node.right), unclear)
        case ast.Unary():
            return _names(node.operand, unclear)
        case ast.Index():
            return _joined((node.value, node.index), unclear)
        case ast.Call(function=ast.Attribute(value=base)):
            return _joined((base, *node.arguments), unclear)
        case ast.Call():
            return _joined(node.arguments, unclear)
    return _Names()


def _root(target: ast.Expression) -> str:
    """The variable, or the property, that a place is of."""
    match target:
        case ast.Index(value=inner):
            return _root(inner)
        case ast.Attribute(name=name):
            return name.text
        case ast.Identifier(name=name):
            return name
    raise AssertionError(target)


def _joined(parts: Iterable[ast.Expression | ast.Keyword], unclear: Unclear) -> _Names:
    """The names of parts between which there is no order; notes for which that matters."""
    names: list[_Names] = []
    for part in parts:
        here = _names(part, unclear)
        for before in names:
            for one, other in ((before, here), (here, before)):
                for name in one.changed.keys() & other.mentioned.keys():
                    unclear.setdefault(name, (one.changed[name], other.mentioned[name]))
        names.append(here)
    return _united(names)


def _united(names: Iterable[_Names]) -> _Names:
    all_names = _Names()
    for one in names:
        all_names.mentioned.update(one.mentioned)
        all_names.changed.update(one.changed)
    return all_names
