"""Intersects two rows by marks, a bit per node; a row is the kept part of a graph's row.

Each of a few workers takes blocks of nodes from all over the graph. It marks the nodes of a row in memory of its own,
tests the bits of all nodes in the rows of these, and clears the marks. So an arc costs as many tests as the other row
is long, none of them an unpredictable branch. Where threads count for the nodes of triangles in cells of their own,
a bit is added whether it is set or not, and what a row has found is told to its nodes once.
"""

from collections.abc import Callable
from dataclasses import dataclass

from starplat.ir import build, nodes as ir
from starplat.passes.triangles.tallies import Tally

_Parts = tuple[tuple[ir.KernelOp, ...], tuple[ir.KernelOp, ...], tuple[ir.KernelOp, ...], tuple[ir.KernelOp, ...]]
"""What is done before the arcs of a row, for each of them, for each again in the end, and behind them."""

BLOCK = 64
"""Nodes that a worker takes at once: their rows are adjacent."""

_WORD = build.number(32)
_LOG_OF_WORD, _LAST_OF_WORD = build.number(5), build.number(31)


@dataclass(frozen=True, slots=True)
class MarkedRows:
    """Writes the body of a kernel over workers. Row `v` is kept[row_offsets[v]] up to kept[ends[v]]; `local` gives
    names to locals; `sums`, if any, are cells of each thread to count triangles of nodes in."""

    kept: ir.Array
    ends: ir.Array
    marks: ir.Array
    local: Callable[[str, ir.Element], ir.Variable]
    sums: ir.Array | None = None

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
        bit = self.bit(ir.Load(self.kept, ir.Ref(place)))
        put = ir.UpdateCell(
            ir.Combine.BIT_OR, self.marks, self.word(mine, ir.Load(self.kept, ir.Ref(place))), bit, shared=False
        )
        clear = ir.Store(self.marks, self.word(mine, ir.Load(self.kept, ir.Ref(old))), build.ZERO)
        if self.sums is None:
            before, rows, told, after = self.told_at_once(e, v, mine, tally)
        else:
            before, rows, told, after = self.told_at_the_end(self.sums, e, old, v, mine, tally)
        several = build.greater(build.minus(ir.Ref(end), ir.Ref(begin)), build.ONE)
        loops = (
            ir.ForRange(at, ir.Ref(begin), ir.Ref(end), body)
            for at, body in ((place, (put,)), (e, rows), (old, (clear, *told)))
        )
        return (
            ir.Let(begin, ir.CSR.first(ir.Ref(v))),
            ir.Let(end, ir.Load(self.ends, ir.Ref(v))),
            ir.KernelIf(several, (*before, *loops, *after)),
        )

    def told_at_once(self, e: ir.Variable, v: ir.Variable, mine: ir.Variable, tally: Tally) -> _Parts:
        """Nodes are told of a triangle as it is found."""
        u, w = self.local("u", ir.Element.NODE), self.local("w", ir.Element.NODE)
        look = _of_words(ir.BinaryOperator.BIT_AND, self.marks_beside(mine, w), self.bit(ir.Ref(w)))
        test = ir.KernelIf(build.differs(look, build.ZERO), tally.found(w))
        rows = (
            ir.Let(u, ir.Load(self.kept, ir.Ref(e))),
            *tally.begin(),
            self.other_row(u, w, (test,)),
            *tally.end(v, u),
        )
        return (), rows, (), ()

    def told_at_the_end(
        self, sums: ir.Array, e: ir.Variable, old: ir.Variable, v: ir.Variable, mine: ir.Variable, tally: Tally
    ) -> _Parts:
        """What the arcs of `v` find is added up, and its nodes are told when their marks go. A cell holds triangles
        of two nodes, of which there are less than nodes."""
        u, w, corner = (self.local(name, ir.Element.NODE) for name in ("u", "w", "corner"))
        met, here, of_corner = (self.local(name, ir.Element.INT) for name in ("met", "here", "of_corner"))
        of_row = self.local("of_row", ir.Element.LONG)
        bits = _of_words(ir.BinaryOperator.SHIFT_RIGHT, self.marks_beside(mine, w), self.place_in_word(ir.Ref(w)))
        count = (
            ir.Let(met, _of_words(ir.BinaryOperator.BIT_AND, bits, build.ONE)),
            _more(here, ir.Ref(met)),
            _more_in(sums, w, met),
        )
        rows = (
            ir.Let(u, ir.Load(self.kept, ir.Ref(e))),
            ir.Let(here, build.ZERO),
            self.other_row(u, w, count),
            _more_in(sums, u, here),
            _more(of_row, ir.Cast(ir.Ref(here), of_row.element)),
        )
        tell = (tally.several(corner, of_corner), ir.Store(sums, ir.Ref(corner), build.ZERO))
        told = (
            ir.Let(corner, ir.Load(self.kept, ir.Ref(old))),
            ir.Let(of_corner, ir.Load(sums, ir.Ref(corner))),
            ir.KernelIf(build.greater(ir.Ref(of_corner), build.ZERO), tell),
        )
        none = ir.Const(0, of_row.element)
        some = ir.KernelIf(build.greater(ir.Ref(of_row), none), (tally.several(v, of_row),))
        return (ir.Let(of_row, none),), rows, told, (some,)

    def other_row(self, u: ir.Variable, w: ir.Variable, looks: tuple[ir.KernelOp, ...]) -> ir.ForRange:
        """Looks at the marks of all nodes `w` in the row of `u`."""
        i = self.local("i", ir.Element.ARC)
        body = (ir.Let(w, ir.Load(self.kept, ir.Ref(i))), *looks)
        return ir.ForRange(i, ir.CSR.first(ir.Ref(u)), ir.Load(self.ends, ir.Ref(u)), body)

    def marks_beside(self, mine: ir.Variable, w: ir.Variable) -> ir.Load:
        return ir.Load(self.marks, self.word(mine, ir.Ref(w)))

    def word(self, mine: ir.Variable, node: ir.Expression) -> ir.Expression:
        number = _of_words(ir.BinaryOperator.SHIFT_RIGHT, node, _LOG_OF_WORD)
        return build.plus(ir.Ref(mine), ir.Cast(number, ir.Element.LONG))

    def bit(self, node: ir.Expression) -> ir.Expression:
        return _of_words(ir.BinaryOperator.SHIFT_LEFT, build.ONE, self.place_in_word(node))

    def place_in_word(self, node: ir.Expression) -> ir.Expression:
        return _of_words(ir.BinaryOperator.BIT_AND, node, _LAST_OF_WORD)


def _of_words(operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression) -> ir.Binary:
    return ir.Binary(operator, left, right, ir.Element.INT)


def _more(local: ir.Variable, value: ir.Expression) -> ir.SetLocal:
    return ir.SetLocal(local, build.plus(ir.Ref(local), value))


def _more_in(sums: ir.Array, node: ir.Variable, count: ir.Variable) -> ir.UpdateCell:
    return ir.UpdateCell(ir.Combine.ADD, sums, ir.Ref(node), ir.Ref(count), shared=False)
