"""Carries out `print` and `assert`: lines on standard error, and the fault of an assertion that does not hold."""

import sys
from collections.abc import Iterator

from starplat.diagnostics import DiagnosticError
from starplat.frontend import typed, types, walk
from starplat.ir.python.arithmetic import Fault
from starplat.runtime.checked import expressions, memory
from starplat.runtime.elements import written

_MOST_VALUES = 6
_SHOWN = typed.Variable | typed.Cell | typed.Call | typed.GraphQuery | typed.GraphWeight | typed.EdgeEnd
_SHOWN_TOO = typed.Aggregate | typed.MapValue | typed.MapSize | typed.MapBest | typed.SetSize | typed.SetContains


class Remarks:
    """The remarks of one run."""

    def __init__(self, values: expressions.Expressions, where: memory.Whereabouts) -> None:
        self.values, self.where = values, where

    def print(self, s: typed.Print, frame: memory.Frame) -> None:
        """Writes a line: the parts with blanks between them."""
        parts = [part if isinstance(part, str) else self.shown(part, frame) for part in s.parts]
        print(*parts, file=sys.stderr, flush=True)

    def judge(self, s: typed.Assert, frame: memory.Frame) -> None:
        """Stops the run if the condition is False. Raises E0719: with the place, the nodes of the loops around and the
        values in the condition."""
        if self.values.value(s.condition, frame):
            return
        said = "" if s.message is None else f": {s.message}"
        values = dict(self.told(s.condition, frame))
        told = ", ".join(f"{name} is {value}" for name, value in list(values.items())[:_MOST_VALUES])
        fault = Fault("E0719", f"an assertion fails{said}", told or None)
        raise self.where.stopped(fault, s.condition.span)

    def told(self, condition: typed.Expression, frame: memory.Frame) -> Iterator[tuple[str, str]]:
        """The parts of a condition that have values, as they are written, with these; not those that cannot be
        evaluated, which `&&` and `||` may have passed over."""
        source = self.where.source
        for part in walk.within(condition):
            if isinstance(part, _SHOWN | _SHOWN_TOO) and part.span.end:
                try:
                    yield source.piece(part.span), self.shown(part, frame)
                except DiagnosticError:
                    continue

    def shown(self, e: typed.Expression, frame: memory.Frame) -> str:
        """A value as people write it: a node by its id in the input, INF as such."""
        value, kind = self.values.value(e, frame), typed.scalar_of(e)
        if kind is types.Scalar.NODE and 0 <= value < self.where.graph.num_nodes:
            return str(self.where.graph.original_id(int(value)))
        return written(value, kind)
