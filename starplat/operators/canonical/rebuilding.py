"""Rebuilding parts of a checked tree: a change made everywhere below a node, and fresh symbols for declared names."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.records import fields_of_records

Tree = TypeVar("Tree")
Change = Callable[[Any], Any]
"""Takes a node, a symbol or a domain; gives what takes its place, or None to look inside it."""


def rebuilt(tree: Tree, change: Change) -> Tree:
    """The tree with every part replaced for which `change` gives another, outermost first."""
    return _rebuilt(tree, change)  # type: ignore[no-any-return]


def _rebuilt(part: Any, change: Change) -> Any:
    if (kind := type(part)) is tuple:
        every = tuple(_rebuilt(inner, change) for inner in part)
        return part if all(new is old for new, old in zip(every, part, strict=True)) else every
    names = _names(kind)  # type: ignore[arg-type]
    if names is None:
        return part
    if (new := change(part)) is not None:
        return new
    changed = {}
    for name in names:
        old = getattr(part, name)
        if (inner := _rebuilt(old, change)) is not old:
            changed[name] = inner
    return replace(part, **changed) if changed else part


@cache
def _names(kind: Any) -> tuple[str, ...] | None:
    """The fields of a node that may hold nodes, symbols or domains; None for what is none of these."""
    if not is_dataclass(kind):
        return None
    return () if kind is typed.Symbol else tuple(name for name in fields_of_records(kind) if name != "type")  # type: ignore[arg-type]


def with_statements(block: typed.Block, statements: Sequence[typed.Statement]) -> typed.Block:
    """The block with other statements; itself if they are its own."""
    same = len(statements) == len(block.statements) and all(map(operator.is_, statements, block.statements))
    return block if same else replace(block, statements=tuple(statements))


def with_each_statement(tree: Tree, change: Callable[[typed.Statement], Iterable[typed.Statement] | None]) -> Tree:
    """The tree with others in the place of the statements of its blocks for which `change` gives some, outermost first;
    None leaves one, and looks inside it."""

    def inside(part: Any) -> Any:
        if not isinstance(part, typed.Block):
            return None
        found = ((s, change(s)) for s in part.statements)
        return with_statements(part, [n for s, new in found for n in ((rebuilt(s, inside),) if new is None else new)])

    return rebuilt(tree, inside)


def without(tree: Tree, goes: Callable[[typed.Statement], bool]) -> Tree:
    """The tree without the statements that go."""
    return with_each_statement(tree, lambda s: () if goes(s) else None)


def with_each_statement_inside_out(tree: Tree, change: Callable[[typed.Statement], Iterable[typed.Statement]]) -> Tree:
    """The same, innermost first, for all statements."""

    def inside(part: Any) -> Any:
        if not isinstance(part, typed.Block):
            return None
        return with_statements(part, [new for s in part.statements for new in change(rebuilt(s, inside))])

    return rebuilt(tree, inside)


def spliced(block: typed.Block, place: int, statements: Iterable[typed.Statement]) -> typed.Block:
    """The block with others in the place of one of its statements."""
    return replace(block, statements=(*block.statements[:place], *statements, *block.statements[place + 1 :]))


def with_block(body: typed.Block, block: typed.Block, changed: typed.Block) -> typed.Block:
    """A body with another block in the place of one."""
    return rebuilt(body, lambda part: changed if part is block else None)


Statements = tuple[typed.Statement, ...]


def with_host_blocks(body: typed.Block, change: Callable[[Statements], Statements]) -> typed.Block:
    """A body with other statements in the blocks that the host runs, innermost first; the same ones leave a block."""

    def inside(part: Any) -> Any:
        match part:
            case typed.ForEach(parallel=True) | typed.IterateInBFS():
                return part
            case typed.Block():
                done = change(rebuilt(part.statements, inside))
                return part if done is part.statements else replace(part, statements=done)
        return None

    return rebuilt(body, inside)


def substituted(tree: Tree, values: Mapping[typed.Symbol, typed.Expression | typed.Symbol]) -> Tree:
    """The tree with symbols renamed, and scalars replaced by expressions where they are read."""

    def change(part: Any) -> Any:
        match part:
            case typed.Symbol():
                return values.get(part) if isinstance(values.get(part), typed.Symbol) else None
            case typed.Variable(symbol) if isinstance(value := values.get(symbol), typed.Expression):
                return value
        return None

    return rebuilt(tree, change)


def with_fresh_symbols(tree: Tree, statements: Iterable[typed.Statement]) -> Tree:
    """The tree with symbols of its own for all that `statements` declare."""
    return substituted(tree, {symbol: replace(symbol) for s in statements for symbol in walk.declared(s)})
