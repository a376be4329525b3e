"""Intersects two rows by marks, a bit per node; a row is the kept part of a graph's row.

Each of a few workers takes blocks of nodes from all over the graph. It marks the nodes of a row in memory of its own,
tests the bits of all nodes in the rows of these, and clears the marks. So an arc costs as many tests as the other row
is long, none of them an unpredictable branch.
"""

from collections.abc import Callable
from dataclasses import dataclass

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.passes.triangles.tallies import Tally

BLOCK = 64
"""Nodes that a worker takes at once: their rows are adjacent."""

_WORD = build.number(32)


@dataclass(frozen=True, slots=True)
class MarkedRows:
    """Writes the body of a kernel over workers. Row `v` is kept[row_offsets[v]] up to kept[ends[v]]; `local` gives
    names to locals."""

    kept: ir.Array
    ends: ir.Array
    marks: ir.Array
    local: Callable[[str, ir.Element], ir.Variable]

    def share(self, tally: Tally) -> tuple[ir.Variable, tuple[ir.KernelOp, ...]]:
        """A worker's number, and what it does."""
        worker, first = self.local("worker", ir.Element.INT), self.local("first", ir.Element.INT)
        mine, v = self.local("mine", ir.Element.LONG), self.local("v", ir.Element.NODE)
        words = build.plus(build.divided(ir.NumNodes(), _WORD), build.ONE)
        begin = build.times(ir.Cast(ir.Ref(worker), ir.Element.LONG), ir.Cast(words, ir.Element.LONG))
        block = ir.ForRange(v, ir.Ref(first), self.end_of_block(first), self.row(v, mine, tally))
        step = (ir.SetLocal(first, build.plus(ir.Ref(first), build.number(BLOCK * ir.WORKERS))),)
        return worker, (
            ir.Let(mine, begin),
            ir.Let(first, build.times(ir.Ref(worker), build.number(BLOCK))),
            ir.KernelFor(build.less(ir.Ref(first), ir.NumNodes()), step, (block,)),
        )

    def end_of_block(self, first: ir.Variable) -> ir.Expression:
        last = build.plus(ir.Ref(first), build.number(BLOCK))
        return ir.Apply(ir.MathFunction.MIN, (last, ir.NumNodes()), ir.Element.INT)

    def row(self, v: ir.Variable, mine: ir.Variable, tally: Tally) -> tuple[ir.KernelOp, ...]:
        """The work on the row of one node; one of a single arc has nothing in common with any other."""
        begin, end = self.local("begin", ir.Element.ARC), self.local("end", ir.Element.ARC)
        place, e, old = (self.local(name, ir.Element.ARC) for name in ("place", "e", "old"))
        bit, u = self.bit(ir.Load(self.kept, ir.Ref(place))), self.local("u", ir.Element.NODE)
        put = ir.UpdateCell(
            ir.Combine.BIT_OR, self.marks, self.word(mine, ir.Load(self.kept, ir.Ref(place))), bit, shared=False
        )
        clear = ir.Store(self.marks, self.word(mine, ir.Load(self.kept, ir.Ref(old))), build.ZERO)
        rows = (
            ir.Let(u, ir.Load(self.kept, ir.Ref(e))),
            *tally.begin(),
            self.other_row(u, mine, tally),
            *tally.end(v, u),
        )
        several = build.greater(build.minus(ir.Ref(end), ir.Ref(begin)), build.ONE)
        loops = (
            ir.ForRange(at, ir.Ref(begin), ir.Ref(end), body)
            for at, body in ((place, (put,)), (e, rows), (old, (clear,)))
        )
        return (
            ir.Let(begin, ir.CSR.first(ir.Ref(v))),
            ir.Let(end, ir.Load(self.ends, ir.Ref(v))),
            ir.KernelIf(several, tuple(loops)),
        )

    def other_row(self, u: ir.Variable, mine: ir.Variable, tally: Tally) -> ir.ForRange:
        """Tests the marks."""
        i, w = self.local("i", ir.Element.ARC), self.local("w", ir.Element.NODE)
        look = _of_words(
            ir.BinaryOperator.BIT_AND, ir.Load(self.marks, self.word(mine, ir.Ref(w))), self.bit(ir.Ref(w))
        )
        marked = build.differs(look, build.ZERO)
        body = (ir.Let(w, ir.Load(self.kept, ir.Ref(i))), ir.KernelIf(marked, tally.found(w)))
        return ir.ForRange(i, ir.CSR.first(ir.Ref(u)), ir.Load(self.ends, ir.Ref(u)), body)

    def word(self, mine: ir.Variable, node: ir.Expression) -> ir.Expression:
        return build.plus(ir.Ref(mine), ir.Cast(build.divided(node, _WORD, ir.Element.INT), ir.Element.LONG))

    def bit(self, node: ir.Expression) -> ir.Expression:
        return _of_words(ir.BinaryOperator.SHIFT_LEFT, build.ONE, _of_words(ir.BinaryOperator.REMAINDER, node, _WORD))


def _of_words(operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression) -> ir.Binary:
    return ir.Binary(operator, left, right, ir.Element.INT)
