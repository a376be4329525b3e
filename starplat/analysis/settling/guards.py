"""The conditions under which a statement runs, relative to the statement around it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked, conjuncts
from starplat.frontend import typed


@dataclass(frozen=True, slots=True, eq=False)
class Guarded:
    """A statement, the conditions that must all hold for it to happen, and its block.

    `known` is False where a loop of the host or a `break` has a say too.
    """

    statement: typed.Statement
    conditions: tuple[typed.Expression, ...]
    beside: tuple[typed.Statement, ...]
    known: bool = True


def guarded(block: typed.Block, outer: tuple[typed.Expression, ...] = (), known: bool = True) -> Iterator[Guarded]:
    """Every statement inside a block, loops over nodes and arcs entered, in the order of the text."""
    under = outer
    for s in block.statements:
        yield Guarded(s, under, block.statements, known)
        match s:
            case typed.Block():
                yield from guarded(s, under, known)
            case typed.If():
                yield from guarded(s.then, (*under, *conjuncts(s.condition)), known)
                if s.otherwise is not None:
                    yield from guarded(s.otherwise, (*under, *conjuncts(s.condition, holds=False)), known)
            case typed.ForEach():
                asked = all_asked(s.filter)
                yield from guarded(s.body, (*under, *asked), known and not is_left(s.body.statements))
            case _:
                for inner in walk.blocks(s):
                    if isinstance(inner, typed.Block):
                        yield from guarded(inner, under, known=False)
        match s:
            case typed.If(_, typed.Block((typed.Continue(),)), None):
                under = (*under, *conjuncts(s.condition, holds=False))
            case typed.If() if any(isinstance(i, typed.Continue) for i in walk.own_statements(s)):
                known = False


def is_left(inside: Sequence[typed.Statement]) -> bool:
    """Whether a loop with that body may be left before its end."""
    return any(isinstance(i, typed.Break | typed.Return) for s in inside for i in walk.own_statements(s))
