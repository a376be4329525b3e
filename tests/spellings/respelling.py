"""Spells a program otherwise: changes of its syntax tree, drawn at random, that keep what it means.

Each change takes a part of the tree and gives what may stand in its place, or None. A name stands for all that a
program calls so, and what is written together with anything else of its name is taken to be the same; so a change is
left out rather than made wrongly. Where iterations run in any order (`forall`), another order is drawn too.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from starplat.frontend import ast

Change = Callable[[Any, "Names"], Any]
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
_ROWS = {"neighbors": "nodes_to", "nodes_to": "neighbors"}
_LEAVES = (ast.Break, ast.Continue, ast.Return)
_BUILT_IN = {"weight", "source", "destination", "id", "dir", "reverse"}


@dataclass
class Names:
    """What a function calls its parameters and locals, with their types, and names that it has no use for yet."""

    function: ast.Function
    helpers: list[ast.Function]
    made: int = 0

    def fresh(self, word: str) -> str:
        self.made += 1
        return f"{word}_{self.made}"

    @property
    def types(self) -> dict[str, ast.TypeName]:
        inside = list(parts(self.function))
        given = {p.name.text: p.type for p in self.function.parameters}
        return given | {d.name.text: s.type for s in inside if isinstance(s, ast.Declaration) for d in s.declarators}

    @property
    def properties(self) -> set[str]:
        return {name for name, kind in self.types.items() if kind.name in ("propNode", "propEdge")}

    @property
    def waited_for(self) -> set[str]:
        """The flags that fixed points take back in every round, as they do not if these are numbers."""
        return used(tuple(s.condition for s in parts(self.function) if isinstance(s, ast.FixedPoint)))


def respelled(program: ast.Program, choice: random.Random, changes: int) -> tuple[ast.Program, list[str]]:
    """The program after so many changes of its last function, and the names of these."""
    done: list[str] = []
    helpers = list(program.functions[:-1])
    names = Names(_with_blocks(program.functions[-1]), helpers)
    for _ in range(changes):
        change = choice.choice(CHANGES)
        sites = [(part, new) for part in parts(names.function.body) if (new := change(part, names)) is not None]
        if sites:
            part, new = choice.choice(sites)
            names.helpers += new.helpers if isinstance(new, _Called) else ()
            new = new.call if isinstance(new, _Called) else new
            old = names.function
            names.function = new(old) if callable(new) else replace(old, body=_with(old.body, part, new))
            done.append(change.__name__)
    return replace(program, functions=(*names.helpers, names.function)), done


# --- trees


def parts(tree: Any) -> Iterator[Any]:
    """All parts of a tree, from the outside in."""
    if isinstance(tree, tuple):
        for inner in tree:
            yield from parts(inner)
    elif is_dataclass(tree) and isinstance(tree, ast.Syntax):
        yield tree
        for field in fields(tree):
            if field.name != "span":
                yield from parts(getattr(tree, field.name))


def _mapped(tree: Any, change: Callable[[Any], Any]) -> Any:
    """The tree with each part changed, from the inside out."""
    if isinstance(tree, tuple):
        return tuple(_mapped(inner, change) for inner in tree)
    if not isinstance(tree, ast.Syntax):
        return tree
    inner = {f.name: _mapped(getattr(tree, f.name), change) for f in fields(tree) if f.name != "span"}
    return change(replace(tree, **inner))


def _with(tree: Any, part: Any, new: Any) -> Any:
    """The tree with something else in the place of one part."""
    if tree is part:
        return new
    if isinstance(tree, tuple):
        return tuple(_with(inner, part, new) for inner in tree)
    if not isinstance(tree, ast.Syntax):
        return tree
    return replace(tree, **{f.name: _with(getattr(tree, f.name), part, new) for f in fields(tree) if f.name != "span"})


def _with_blocks(function: ast.Function) -> ast.Function:
    """The function with a block wherever a statement depends on another."""

    def change(part: Any) -> Any:
        if not isinstance(part, ast.Statement) or isinstance(part, ast.Block | ast.For):
            return part
        bodies = {
            name: ast.Block((body,))
            for name in ("then", "otherwise", "body")
            if isinstance(body := getattr(part, name, None), ast.Statement) and not isinstance(body, ast.Block)
        }
        return replace(part, **bodies)

    return _mapped(function, change)  # type: ignore[no-any-return]


def used(tree: Any) -> set[str]:
    """All names in a tree."""
    found = set[str]()
    for part in parts(tree):
        match part:
            case ast.Identifier(name) | ast.Name(name):
                found.add(name)
    return found


def written(tree: Any) -> set[str]:
    """The names of all that a tree declares or writes."""
    found = set[str]()
    for part in parts(tree):
        match part:
            case ast.Assignment(target=target) | ast.Increment(target=target):
                found.add(_written(target))
            case ast.MultiAssignment(targets=targets):
                found |= {_written(target) for target in targets}
            case ast.Declarator(name=name) | ast.Keyword(name=name) | ast.ForEach(iterator=name) | ast.For(name=name):
                found.add(name.text)
            case ast.CallStatement(ast.Call(ast.Attribute(ast.Identifier(receiver)))):
                found.add(receiver)
    return found - ({"g"} if "g" in found else set())


def _written(target: ast.Expression) -> str:
    match target:
        case ast.Identifier(name):
            return name
        case ast.Attribute(_, name):
            return name.text
        case ast.Index(value):
            return _written(value)
    raise AssertionError(target)


def _is_apart(one: Any, other: Any) -> bool:
    """Whether two statements have nothing to do with each other, and neither leaves what they stand in."""
    both = [*parts(one), *parts(other)]
    calls = any(isinstance(p, ast.CallStatement) and isinstance(p.call.function, ast.Identifier) for p in both)
    leaves = any(isinstance(p, (*_LEAVES, ast.Incremented)) for p in both)
    return not calls and not leaves and not written(one) & used(other) and not written(other) & used(one)


def _not(condition: ast.Expression) -> ast.Expression:
    return ast.Unary("!", condition)


# --- changes


def statements_swapped(part: Any, names: Names) -> Any:
    if not isinstance(part, ast.Block):
        return None
    pairs = [i for i in range(len(part.statements) - 1) if _is_apart(*part.statements[i : i + 2])]
    if not pairs:
        return None
    at = pairs[len(pairs) // 2]
    one, other = part.statements[at : at + 2]
    return ast.Block((*part.statements[:at], other, one, *part.statements[at + 2 :]))


def condition_named(part: Any, names: Names) -> Any:
    match part:
        case ast.If(condition) if not isinstance(condition, ast.Identifier):
            name = names.fresh("holds")
            declared = ast.Declaration(ast.TypeName("bool"), (ast.Declarator(ast.Name(name), condition),))
            return ast.Block((declared, replace(part, condition=ast.Identifier(name))))
    return None


def branches_turned(part: Any, names: Names) -> Any:
    match part:
        case ast.If(condition, then, otherwise):
            return ast.If(_not(condition), otherwise or ast.Block(()), then)
    return None


def comparison_turned(part: Any, names: Names) -> Any:
    match part:
        case ast.Binary(operator, left, right) if operator in _TURNED:
            return ast.Binary(_TURNED[operator], right, left)
    return None


def filter_as_branch(part: Any, names: Names) -> Any:
    match part:
        case ast.ForEach(iterator=node, domain=ast.Domain(filter=condition), body=body) if condition is not None:
            if used(condition) & written(body):
                return None
            asked = _of(node, condition, names)
            inner = ast.Block((ast.If(asked, body),))
            return replace(part, domain=replace(part.domain, filter=None), body=inner)
    return None


def branch_as_filter(part: Any, names: Names) -> Any:
    match part:
        case ast.ForEach(domain=ast.Domain(filter=None), body=ast.Block((ast.If(condition, then, None),))):
            calls = any(isinstance(p, ast.Call | ast.Incremented) for p in parts(condition))
            if calls or used(condition) & written(then):
                return None
            return replace(part, domain=replace(part.domain, filter=condition), body=then)
    return None


def _of(node: ast.Name, condition: ast.Expression, names: Names) -> ast.Expression:
    """A filter as a condition: a bare property is the node's."""
    properties = names.properties
    own = ast.Identifier(node.text)
    keep = {id(p.value) for p in parts(condition) if isinstance(p, ast.Index)}

    def change(part: Any) -> Any:
        match part:
            case ast.Identifier(name) if name in properties and id(part) not in keep:
                return ast.Attribute(own, ast.Name(name))
        return part

    return condition if keep else _mapped(condition, change)  # type: ignore[no-any-return]


def one_after_another(part: Any, names: Names) -> Any:
    match part:
        case ast.ForEach(parallel=True):
            return replace(part, parallel=False)
    return None


def arcs_from_the_other_end(part: Any, names: Names) -> Any:
    match part:
        case ast.ForEach(
            True,
            v,
            ast.Domain(ast.Call(ast.Attribute(graph, ast.Name("nodes")), ()), of_v),
            ast.Block((ast.ForEach(_, w, ast.Domain(ast.Call(ast.Attribute(_, way), (at,)), of_w), body),)),
        ) if way.text in _ROWS and at == ast.Identifier(v.text):
            conditions = [c for c in (of_v, of_w) if c is not None]
            if any(used(c) & written(body) for c in conditions) or any(isinstance(p, _LEAVES) for p in parts(body)):
                return None
            inner = body if of_w is None else ast.Block((ast.If(_of(w, of_w, names), body),))
            row = ast.Call(ast.Attribute(graph, ast.Name(_ROWS[way.text])), (ast.Identifier(w.text),))
            back = ast.ForEach(True, v, ast.Domain(row, of_v), inner)
            nodes = ast.Call(ast.Attribute(graph, ast.Name("nodes")), ())
            return ast.ForEach(True, w, ast.Domain(nodes), ast.Block((back,)))
    return None


def left_in_the_loop(part: Any, names: Names) -> Any:
    match part:
        case ast.While(condition, ast.Block(inside)) if condition != ast.Boolean(True):
            leaves = ast.If(_not(condition), ast.Block((ast.Break(),)))
            return ast.While(ast.Boolean(True), ast.Block((leaves, *inside)))
    return None


def asked_at_the_end(part: Any, names: Names) -> Any:
    match part:
        case ast.While(condition, body) if condition != ast.Boolean(True):
            return ast.If(condition, ast.Block((ast.DoWhile(body, condition),)))
    return None


def asked_at_the_beginning(part: Any, names: Names) -> Any:
    match part:
        case ast.DoWhile(ast.Block(inside), condition) if not any(isinstance(p, ast.Continue) for p in parts(inside)):
            name = names.fresh("first")
            begins = ast.Declaration(ast.TypeName("bool"), (ast.Declarator(ast.Name(name), ast.Boolean(True)),))
            over = ast.Assignment(ast.Identifier(name), "=", ast.Boolean(False))
            asked = ast.Binary("||", ast.Identifier(name), condition)
            return ast.Block((begins, ast.While(asked, ast.Block((over, *inside)))))
    return None


def counted_by_hand(part: Any, names: Names) -> Any:
    match part:
        case ast.For(type=kind, name=name, body=body) if kind is not None:
            if any(isinstance(p, ast.Continue) for p in parts(body)):
                return None
            first = ast.Declaration(kind, (ast.Declarator(name, part.start),))
            return ast.Block((first, ast.While(part.condition, ast.Block((body, part.step)))))
    return None


def sum_written_out(part: Any, names: Names) -> Any:
    match part:
        case ast.Assignment(target, "+=", value):
            return ast.Assignment(target, "=", ast.Binary("+", target, value))
    return None


def branch_as_extreme(part: Any, names: Names) -> Any:
    match part:
        case ast.If(
            ast.Binary("<" | ">" as way, left, right), ast.Block((ast.Assignment(place, "=", value), *rest)), None
        ) if {left, right} == {place, value} and left != right:
            carried = [s for s in rest if isinstance(s, ast.Assignment) and isinstance(s.value, ast.Boolean)]
            if len(carried) < len(rest) or any(s.operator != "=" for s in carried):
                return None
            is_less = (way == "<") is (left == value)
            best = ast.Call(ast.Identifier("Min" if is_less else "Max"), (place, value))
            return ast.MultiAssignment((place, *(s.target for s in carried)), (best, *(s.value for s in carried)))
    return None


def flag_as_number(part: Any, names: Names) -> Any:
    match part:
        case ast.Declaration(ast.TypeName("bool")):
            return replace(part, type=ast.TypeName("int"))
        case ast.Declaration(ast.TypeName("propNode", ast.TypeName("bool")) as kind, declarators):
            if {d.name.text for d in declarators} & names.waited_for:
                return None
            return replace(part, type=replace(kind, element=ast.TypeName("int")))
    return None


def local_renamed(part: Any, names: Names) -> Any:
    match part:
        case ast.Declarator(ast.Name(old)) if old not in _BUILT_IN:
            new = names.fresh(f"other_{old}")

            def change(inner: Any) -> Any:
                match inner:
                    case ast.Identifier(name) if name == old:
                        return replace(inner, name=new)
                    case ast.Name(text) if text == old:
                        return replace(inner, text=new)
                return inner

            return lambda function: _mapped(function, change)
    return None


@dataclass(frozen=True)
class _Called:
    """A call in the place of a statement, and the function that does it."""

    call: ast.Statement
    helpers: tuple[ast.Function, ...]


def in_a_helper(part: Any, names: Names) -> Any:
    match part:
        case ast.ForEach(parallel=True) if not any(isinstance(p, ast.Return | ast.IterateInBFS) for p in parts(part)):
            if any(isinstance(p, ast.Call) and isinstance(p.function, ast.Identifier) for p in parts(part)):
                return None
            inner = {name for p in parts(part) for name in _declared(p)}
            outside = {name: kind for name, kind in names.types.items() if name in used(part) - inner}
            loops = [s for s in parts(names.function) if isinstance(s, ast.ForEach) and s is not part]
            if any(s.iterator.text in used(part) - inner for s in loops):
                return None
            given = tuple(
                ast.Parameter(
                    kind, ast.Name(name), kind.element is None and name in written(part) and kind.name != "Graph"
                )
                for name, kind in outside.items()
            )
            name = names.fresh("helper")
            made = ast.Function(ast.FunctionKind.FUNCTION, ast.Name(name), given, ast.Block((part,)))
            arguments = tuple(ast.Identifier(text) for text in outside)
            return _Called(ast.CallStatement(ast.Call(ast.Identifier(name), arguments)), (made,))
    return None


def _declared(part: Any) -> Iterator[str]:
    match part:
        case ast.Declarator(name) | ast.ForEach(iterator=name) | ast.For(name=name):
            yield name.text


CHANGES: tuple[Change, ...] = (
    statements_swapped,
    condition_named,
    branches_turned,
    comparison_turned,
    filter_as_branch,
    branch_as_filter,
    one_after_another,
    arcs_from_the_other_end,
    left_in_the_loop,
    asked_at_the_end,
    asked_at_the_beginning,
    counted_by_hand,
    sum_written_out,
    branch_as_extreme,
    flag_as_number,
    local_renamed,
    in_a_helper,
)
