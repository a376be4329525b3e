"""Finds the nodes that two rows have in common by marks: the rows are those parts of a graph's rows that are kept.

Each of a few workers takes blocks of nodes from all over the graph. It marks the nodes of a row, a bit for each in
memory of its own, looks at the bits of all nodes in the rows of these, and takes the marks away again. So an arc costs
as many looks as the other row is long, none of which is a branch that nobody can foresee.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starplat.ir.nodes import (
    ROW_OFFSETS,
    WORKERS,
    Apply,
    Array,
    Binary,
    BinaryOperator,
    Cast,
    Combine,
    Const,
    Element,
    Expression,
    ForRange,
    KernelFor,
    KernelIf,
    KernelOp,
    Let,
    Load,
    MathFunction,
    NumNodes,
    Ref,
    SetLocal,
    Store,
    UpdateCell,
    Variable,
)
from starplat.passes.meetings import Tally

BLOCK = 64
"""Nodes that a worker takes at once: their rows lie side by side."""

_ZERO, _ONE, _WORD = (Const(number, Element.INT) for number in (0, 1, 32))


@dataclass(frozen=True, slots=True)
class MarkedRows:
    """Writes the body of a kernel over workers. Row `v` is kept[row_offsets[v]] up to kept[ends[v]]; `local` gives
    names to locals."""

    kept: Array
    ends: Array
    marks: Array
    local: Callable[[str, Element], Variable]

    def share(self, tally: Tally) -> tuple[Variable, tuple[KernelOp, ...]]:
        """A worker's number, and what it does."""
        worker, first = self.local("worker", Element.INT), self.local("first", Element.INT)
        mine, v = self.local("mine", Element.LONG), self.local("v", Element.NODE)
        words = _binary("+", _binary("/", NumNodes(), _WORD), _ONE)
        begin = _binary("*", Cast(Ref(worker), Element.LONG), Cast(words, Element.LONG))
        block = ForRange(v, Ref(first), self.end_of_block(first), self.row(v, mine, tally))
        step = (SetLocal(first, _binary("+", Ref(first), Const(BLOCK * WORKERS, Element.INT))),)
        return worker, (
            Let(mine, begin),
            Let(first, _binary("*", Ref(worker), Const(BLOCK, Element.INT))),
            KernelFor(_binary("<", Ref(first), NumNodes()), step, (block,)),
        )

    def end_of_block(self, first: Variable) -> Expression:
        last = _binary("+", Ref(first), Const(BLOCK, Element.INT))
        return Apply(MathFunction.MIN, (last, NumNodes()), Element.INT)

    def row(self, v: Variable, mine: Variable, tally: Tally) -> tuple[KernelOp, ...]:
        """What is done with the row of one node; one of a single arc has nothing in common with any other."""
        begin, end = self.local("begin", Element.ARC), self.local("end", Element.ARC)
        place, e, old = (self.local(name, Element.ARC) for name in ("place", "e", "old"))
        bit, u = self.bit(Load(self.kept, Ref(place))), self.local("u", Element.NODE)
        put = UpdateCell(Combine.BIT_OR, self.marks, self.word(mine, Load(self.kept, Ref(place))), bit, shared=False)
        clear = Store(self.marks, self.word(mine, Load(self.kept, Ref(old))), _ZERO)
        rows = (Let(u, Load(self.kept, Ref(e))), *tally.begin(), self.other_row(u, mine, tally), *tally.end(v, u))
        several = Binary(BinaryOperator.GREATER, _binary("-", Ref(end), Ref(begin)), _ONE, Element.BOOL)
        loops = (ForRange(at, Ref(begin), Ref(end), body) for at, body in ((place, (put,)), (e, rows), (old, (clear,))))
        return (
            Let(begin, Load(ROW_OFFSETS, Ref(v))),
            Let(end, Load(self.ends, Ref(v))),
            KernelIf(several, tuple(loops)),
        )

    def other_row(self, u: Variable, mine: Variable, tally: Tally) -> ForRange:
        """Looks for marks."""
        i, w = self.local("i", Element.ARC), self.local("w", Element.NODE)
        look = _binary("&", Load(self.marks, self.word(mine, Ref(w))), self.bit(Ref(w)))
        marked = _binary("!=", look, _ZERO)
        body = (Let(w, Load(self.kept, Ref(i))), KernelIf(marked, tally.found(w)))
        return ForRange(i, Load(ROW_OFFSETS, Ref(u)), Load(self.ends, Ref(u)), body)

    def word(self, mine: Variable, node: Expression) -> Expression:
        return _binary("+", Ref(mine), Cast(_binary("/", node, _WORD), Element.LONG))

    def bit(self, node: Expression) -> Expression:
        return _binary("<<", _ONE, _binary("%", node, _WORD))


def _binary(operator: str, left: Expression, right: Expression) -> Binary:
    found = BinaryOperator(operator)
    if operator in ("<", "!="):
        return Binary(found, left, right, Element.BOOL)
    return Binary(found, left, right, left.element if left.element in (Element.LONG, Element.ARC) else Element.INT)
