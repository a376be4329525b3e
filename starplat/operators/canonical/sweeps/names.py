"""A local that names a level, or a number beside a counter, is that number where searches are looked for.

int next = depth + 1;                                 forall (w in g.nodes()) { w.level = depth + 1; }
forall (w in g.nodes()) { w.level = next; }           depth = depth + 1;
depth = next;
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.canonical.rebuilding import rebuilt, substituted, with_statements
from starplat.operators.canonical.searches.levels import above


def without_names(body: typed.Block, racing: frozenset[typed.Symbol] = frozenset()) -> typed.Block:
    """A function's body without such locals; `racing` are symbols that parallel iterations around it write."""

    def change(part: Any) -> Any:
        match part:
            case typed.ForEach(parallel=True, body=inside):
                return replace(part, body=without_names(inside, racing | walk.all_written(inside)))
            case typed.Block() if part is not body:
                return without_names(part, racing)
        return None

    left = [rebuilt(s, change) for s in body.statements]
    done: list[typed.Statement] = []
    while left:
        s, *left = left
        named = _named(s, left, racing)
        left, done = (left, [*done, s]) if named is None else (list(named), done)
    return with_statements(body, done)


def _named(
    s: typed.Statement, after: Sequence[typed.Statement], racing: frozenset[typed.Symbol]
) -> Sequence[typed.Statement] | None:
    """What follows the declaration of a local, with what it names in its place; None if that may change meanwhile."""
    match s:
        case typed.Declare(typed.Symbol(type=Scalar.INT) as name, value) if value is not None:
            parts = [p for p in walk.within(value) if isinstance(p, typed.Variable | typed.Cell)]
        case _:
            return None
    uses = [place for place, other in enumerate(after) if walk.touches(other, name)]
    if all(above(value, p) is None for p in parts) or not uses:
        return None
    *between, last = after[: uses[-1] + 1]
    read = {p.symbol for p in parts}
    is_step = isinstance(last, typed.Assign) and last.place in parts
    moves = any(read & (walk.all_written(o) | walk.lent(o)) for o in (*between, *(() if is_step else (last,))))
    if moves or read & racing or any(name in walk.all_written(o) | walk.lent(o) for o in after):
        return None
    return substituted(tuple(after), {name: value})
