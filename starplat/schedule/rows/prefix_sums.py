"""Replaces numbers by the sums up to each of them, in place: the kernels and the host operations.

A thread adds up 32 numbers, and leaves each sum on the way. The last cells of all threads are the numbers of the next
launch, until there is one thread. Then what precedes the cells of a thread is added to them, the last launch first.
"""

from dataclasses import dataclass

from starplat.ir import build, fresh_names, nodes as ir, visitor

_PIECE = 32
"""Numbers that a thread adds up."""

_LONG = ir.Element.LONG


@dataclass(frozen=True)
class PrefixSums:
    """What adds up: `ops` launch the `kernels`."""

    kernels: tuple[ir.Kernel, ...]
    ops: tuple[ir.HostOp, ...]


def prefix_sums(numbers: ir.Array, cells: ir.Expression, names: fresh_names.FreshNames) -> PrefixSums:
    """The sums of the first `cells`, a LONG, of an array of whole numbers."""
    made = _Sums(numbers, cells, names)
    return PrefixSums((made.adding, made.completing), made.ops())


def _long(value: int) -> ir.Const:
    return ir.Const(value, _LONG)


class _Sums:
    """`stride` is the distance of the numbers of a launch: number j stands in cell (j + 1) * stride - 1."""

    def __init__(self, numbers: ir.Array, cells: ir.Expression, names: fresh_names.FreshNames) -> None:
        self.numbers, self.cells = numbers, cells
        self.stride = names.variable("stride", _LONG)
        inner = names.inner()
        self.piece, self.number = inner.variable("piece", ir.Element.INT), inner.variable("number", _LONG)
        self.sum = inner.variable("sum", numbers.element)
        self.first = build.times(ir.Cast(ir.Ref(self.piece), _LONG), _long(_PIECE))
        word = f"sums_of_{numbers.name}"
        self.adding = self.kernel(names.fresh(f"add_{word}"), self.added(), "sums within pieces")
        self.completing = self.kernel(names.fresh(f"complete_{word}"), self.completed(), "and of those before a piece")

    def kernel(self, name: str, body: tuple[ir.KernelOp, ...], comment: str) -> ir.Kernel:
        pieces = build.divided(self.cells, build.times(_long(_PIECE), ir.Ref(self.stride)))
        domain = ir.Numbers(ir.Cast(build.plus(pieces, _long(1)), ir.Element.INT))
        return visitor.with_signature(ir.Kernel(name, domain, self.piece, body=body, comment=comment))

    def each(self, many: int, *body: ir.KernelOp) -> ir.ForRange:
        """For so many numbers of a piece."""
        there = build.divided(self.cells, ir.Ref(self.stride))
        end = ir.Apply(ir.MathFunction.MIN, (build.plus(self.first, _long(many)), there), _LONG)
        return ir.ForRange(self.number, self.first, end, body)

    def place(self, number: ir.Expression) -> ir.Expression:
        return build.minus(build.times(build.plus(number, _long(1)), ir.Ref(self.stride)), _long(1))

    def added(self) -> tuple[ir.KernelOp, ...]:
        place = self.place(ir.Ref(self.number))
        return (
            ir.Let(self.sum, ir.Const(0, self.sum.element)),
            self.each(
                _PIECE,
                ir.SetLocal(self.sum, build.plus(ir.Ref(self.sum), ir.Load(self.numbers, place))),
                ir.Store(self.numbers, place, ir.Ref(self.sum)),
            ),
        )

    def completed(self) -> tuple[ir.KernelOp, ...]:
        """The last number of a piece is one of the launch before."""
        place = self.place(ir.Ref(self.number))
        more = build.plus(ir.Load(self.numbers, place), ir.Ref(self.sum))
        before = ir.Load(self.numbers, build.minus(build.times(self.first, ir.Ref(self.stride)), _long(1)))
        steps = (ir.Let(self.sum, before), self.each(_PIECE - 1, ir.Store(self.numbers, place, more)))
        return (ir.KernelIf(build.greater(ir.Ref(self.piece), build.ZERO), steps),)

    def ops(self) -> tuple[ir.HostOp, ...]:
        stride = ir.Ref(self.stride)
        wider = ir.SetVariable(self.stride, build.times(stride, _long(_PIECE)))
        narrower = ir.SetVariable(self.stride, build.divided(stride, _long(_PIECE)))
        return (
            ir.DeclareVariable(self.stride, _long(1)),
            ir.Loop((), build.less(stride, self.cells), body=(ir.Launch(self.adding.name), wider)),
            ir.Loop((), build.greater(stride, _long(1)), body=(narrower, ir.Launch(self.completing.name))),
        )
