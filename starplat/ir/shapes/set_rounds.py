"""Reads the rounds of a loop that walks a set, swaps it with the one that it fills, and goes on until that is empty."""

from dataclasses import dataclass

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.uses import stream


@dataclass(frozen=True, slots=True)
class SetRounds:
    """The walk over the set `now` while `following` is filled; `done` is what ends the loop. In parts each walks its
    own members, and `exchange` tells the others what it has found."""

    walk: ir.Launch
    now: ir.Array
    following: ir.Array
    done: ir.SetVariable
    exchange: ir.ExchangeCells | None = None


def set_rounds(loop: ir.Loop) -> SetRounds | None:
    """The parts of a round, if it is `do { launch walk; swap; ask whether the set is empty } while (it is not)`."""
    ops = list(stream(loop.body))
    exchange = next((op for op in ops if isinstance(op, ir.ExchangeCells)), None)
    if exchange is not None and len(ops) == 5 and isinstance(ops[1], ir.Fill):
        ops = [ops[0], *ops[3:]]
    match ops:
        case [ir.Launch() as walk, ir.Swap(first, second), ir.ReadEmpty(variable, now, when_empty)] if now in (
            first,
            second,
        ):
            over: ir.Expression = ir.Ref(variable)
            done = ir.SetVariable(variable, ir.Const(when_empty, ir.Element.BOOL))
            plain = loop.test_last and not (loop.before or loop.step)
            if not plain or loop.condition != (build.denied(over) if when_empty else over):
                return None
            return SetRounds(walk, now, second if now == first else first, done, exchange)
    return None
