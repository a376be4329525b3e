"""A flag that is set wherever a loop counts says that it has counted: one reduction in place of two.

again = False;                                    long counted = 0;
forall (v in g.nodes().filter(...)) {             forall (v in g.nodes().filter(...)) {
  ... done += 1; again = True;                      ... counted += 1;
}                                                 }
                                                  done += counted;
                                                  again = counted > 0;

That is done last: flags alone say more to the other rewrites.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.operators.build import Builder
from starplat.operators.canonical.rebuilding import Statements, rebuilt, with_host_blocks, with_statements


def counted_once(body: typed.Block) -> typed.Block:
    """A function's body with one count for such a flag and a count."""
    return with_host_blocks(body, _with_one_count)


def _with_one_count(statements: Statements) -> Statements:
    for place, s in enumerate(statements):
        if isinstance(s, typed.ForEach) and s.parallel:
            for block in (i for i in walk.statements(s) if isinstance(i, typed.Block)):
                for count, flag in _pairs(block):
                    reset = _reset(flag.place.symbol, statements[:place])
                    if reset is not None and _are_alone(count, flag, s):
                        before = (*statements[:reset], *_declared(statements[reset]), *statements[reset + 1 : place])
                        made = (*before, *_counting(s, block, count, flag), *statements[place + 1 :])
                        return _with_one_count(made)
    return statements


def _pairs(block: typed.Block) -> Iterator[tuple[typed.Update, typed.Assign]]:
    """The counts of a block by one, up or down, each with a flag that it sets."""
    counts = [s for s in block.statements if isinstance(s, typed.Update) and _step(s) is not None]
    flags = [
        s
        for s in block.statements
        if isinstance(s, typed.Assign) and isinstance(s.place, typed.Variable) and s.value == typed.TRUE
    ]
    yield from ((count, flag) for count in counts for flag in flags)


def _step(s: typed.Update) -> int | None:
    """1 or -1, by which a scalar counts."""
    value = s.value.operand if isinstance(s.value, typed.Convert) else s.value
    counts = s.combine is typed.Combine.ADD and isinstance(s.place, typed.Variable) and s.place.symbol.scalar.is_integer
    steps = counts and isinstance(value, typed.Literal) and value.value in (1, -1)
    return int(value.value) if steps and isinstance(value, typed.Literal) else None


def _are_alone(count: typed.Update, flag: typed.Assign, loop: typed.ForEach) -> bool:
    """Whether a loop does nothing else with the count and the flag, which it does not declare."""
    symbols = {count.place.symbol, flag.place.symbol}
    inside = list(walk.statements(loop))
    writers = [s for s in inside if symbols & {*walk.written(s), *walk.declared(s)}]
    readers = [s for s in inside if s is not count and symbols & set(walk.read(s))]
    return all(s is count or s is flag for s in writers) and not readers


def _reset(flag: typed.Symbol, before: Statements) -> int | None:
    """The place where a flag is last taken back, if nothing asks for it since."""
    concerned = [i for i, s in enumerate(before) if walk.touches(s, flag) or flag in walk.declared(s)]
    place = max(concerned, default=None)
    if place is None:
        return None
    match before[place]:
        case typed.Assign(typed.Variable(to), value) | typed.Declare(to, value) if to is flag and value == typed.FALSE:
            return place
    return None


def _declared(reset: typed.Statement) -> Statements:
    """What is left of where a flag is taken back."""
    return (replace(reset, value=None),) if isinstance(reset, typed.Declare) else ()


def _counting(loop: typed.ForEach, block: typed.Block, count: typed.Update, flag: typed.Assign) -> Statements:
    """The loop that counts for both, and what that says of them."""
    build, kind = Builder(count.span), count.place.symbol.scalar
    counted = build.variable(build.local(f"{count.place.symbol.name}_counted", kind))
    one = replace(count, place=counted, value=build.number(1, kind))
    left = with_statements(block, [one if s is count else s for s in block.statements if s is not flag])

    def change(part: Any) -> Any:
        return left if part is block else None

    up = _step(count) == 1
    change_of_count = counted if up else typed.Unary(typed.UnaryOperator.NEGATE, counted, span=count.span)
    return (
        build.declare(counted.symbol, build.number(0, kind)),
        rebuilt(loop, change),
        replace(count, value=change_of_count),
        build.assign(flag.place, build.compared(counted, typed.Operator.GREATER, build.number(0, kind))),
    )
