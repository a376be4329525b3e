"""Leaves `print` and `assert` out of a program, and what only they need: devices have no code for them."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from starplat.analysis import forms, walk
from starplat.frontend import typed
from starplat.frontend.expressions.acting import Acting
from starplat.frontend.statements.remarks import remarks
from starplat.operators.canonical.rebuilding import rebuilt, with_statements


def without_remarks(program: typed.Program) -> typed.Program:
    """The program without them, without loops, branches and variables that did nothing else, and without functions that
    nothing else called; itself if it has none."""
    if not remarks(program.functions):
        return program
    acting = Acting(program)
    shorter = [replace(f, body=_without(f.body, acting)) for f in program.functions]
    had = {f.name for f in program.functions if f.body.statements}
    while idle := {f.name for f in shorter if f.name in had and not f.body.statements}:
        had -= idle
        goes = partial(_calls_one_of, idle, acting)
        shorter = [replace(f, body=_shorter(f.body, goes, acting)) for f in shorter]
    kept = {function.name for function in forms.uncalled(program)}
    kept |= walk.called_from(shorter, *(function.body for function in shorter if function.name in kept))
    return replace(program, functions=tuple(function for function in shorter if function.name in kept))


def _calls_one_of(functions: set[str], acting: Acting, s: typed.Statement) -> bool:
    return isinstance(s, typed.CallStatement) and s.call.function in functions and not acting.acts(s.call)


def _without(body: typed.Block, acting: Acting) -> typed.Block:
    """A function's body: its remarks go, and then variables that nothing else reads."""
    seen = {symbol for s in walk.statements(body) if isinstance(s, typed.Remark) for symbol in walk.read(s)}
    body = _shorter(body, lambda s: isinstance(s, typed.Remark), acting)
    while idle := _declared(body) & seen - set(_used(body, acting)):
        seen |= {symbol for s in walk.statements(body) if _stores(s) in idle for symbol in walk.read(s)}
        body = _shorter(body, partial(_stores_one_of, idle), acting)
    return body


def _stores_one_of(idle: set[typed.Symbol], s: typed.Statement) -> bool:
    return _stores(s) in idle


def _declared(body: typed.Block) -> set[typed.Symbol]:
    return {s.symbol for s in walk.statements(body) if isinstance(s, typed.Declare)}


def _stores(s: typed.Statement) -> typed.Symbol | None:
    """The variable that a statement gives a value, and does nothing else."""
    match s:
        case typed.Declare(symbol) | typed.Assign(typed.Variable(symbol)):
            return symbol
    return None


def _used(body: typed.Block, acting: Acting) -> Iterator[typed.Symbol]:
    """The variables that are read, or that are changed by more than a plain store."""
    for s in walk.statements(body):
        yield from walk.read(s)
        if _stores(s) is None:
            yield from walk.written(s)
        elif any(map(acting.acts, walk.expressions(s))):
            yield from walk.written(s)
            if isinstance(s, typed.Declare):
                yield s.symbol


def _shorter(body: typed.Block, goes: Any, acting: Acting) -> typed.Block:
    """The body without the statements that go, and those that held nothing else."""

    def change(part: Any) -> Any:
        if not isinstance(part, typed.Block):
            return None
        kept = []
        for s in part.statements:
            inner = s if goes(s) else rebuilt(s, change)
            if not goes(s) and not (inner is not s and _does_nothing(inner, acting)):
                kept.append(inner)
        return with_statements(part, kept)

    return change(body)  # type: ignore[no-any-return]


def _does_nothing(s: typed.Statement, acting: Acting) -> bool:
    """Whether a statement whose blocks became shorter only evaluates what changes nothing."""
    match s:
        case typed.If() | typed.ForEach() | typed.IterateInBFS() | typed.Block():
            pass
        case typed.CountedLoop(declares=True):
            return not s.body.statements and not any(map(acting.acts, walk.expressions(s)))
        case _:
            return False
    return all(isinstance(b, typed.Block) and not b.statements for b in walk.blocks(s)) and not any(
        map(acting.acts, walk.expressions(s))
    )
