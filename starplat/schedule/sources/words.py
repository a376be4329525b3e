"""What searches from many sources need: arrays, scalars and kernels; for searches at once the bits of nodes, and where
the words of a node lie."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import reduce

from starplat.ir import build, fresh_names, nodes as ir, visitor
from starplat.source import Span

BOOL, INT, LONG = ir.Element.BOOL, ir.Element.INT, ir.Element.LONG
WORD = 64
AT_ONCE = 4
"""Words of a node that a thread reads before it writes any: reads that wait for writes take longer."""

FEW_PARTS = 8192
"""Parts of the nodes, of each of which a thread adds what it found to the same few words."""

NO_BITS = ir.Const(0, LONG)


@dataclass(kw_only=True)
class Made:
    """What is made for one loop over sources, the statement at `span` of the function `prefix`: its `kernels` and
    `arrays`, with names that nothing else has."""

    names: fresh_names.FreshNames
    prefix: str
    span: Span
    kernels: list[ir.Kernel] = field(default_factory=list)
    arrays: list[ir.Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.locals = self.names.inner()

    def array(self, name: str, element: ir.Element, extent: ir.Extent) -> ir.Array:
        made = ir.Array(self.names.fresh(name), element, extent, ir.Origin.TEMPORARY)
        self.arrays.append(made)
        return made

    def variable(self, name: str, element: ir.Element) -> ir.Variable:
        """A scalar of the host."""
        return ir.Variable(self.names.fresh(name), element)

    def local(self, name: str, element: ir.Element) -> ir.Variable:
        """A local of the kernel that is being made."""
        return ir.Variable(self.locals.fresh(name), element)

    def kernel(self, does: str, kernel: ir.Kernel) -> str:
        """Keeps a kernel, whose name says what it does."""
        name = self.names.fresh(f"{self.prefix}_{does}")
        self.kernels.append(visitor.with_signature(replace(kernel, name=name, span=self.span)))
        return name


@dataclass(kw_only=True)
class BatchState(Made):
    """The searches of one loop over sources, `width` at a time: their arrays, in words of 64 bits, and their scalars,
    for a target whose threads share rows or do not. The `other` bits are those seen before a level, or, where each node
    `gathers` its bits, of at most AT_ONCE words, those that are coming at the next one."""

    searches: ir.Searches
    width: int
    rows_are_shared: bool
    gathers: bool = False

    def __post_init__(self) -> None:
        size = ir.Extent.NODES * self.lanes
        names = ("coming" if self.gathers else "seen", "front", "reached")
        self.other, self.front, self.reached = (self.array(name, LONG, size) for name in names)
        self.active = self.array("active", BOOL, ir.Extent.NODES)
        self.following = self.array("active_next", BOOL, ir.Extent.NODES)
        self.alive = self.array("alive", LONG, ir.Extent.ONE * self.lanes)
        self.first, self.last = self.variable("first", INT), self.variable("last", INT)
        self.more = self.variable("more", BOOL)
        super().__post_init__()
        self.level = ir.Variable(self.names.fresh("steps"), INT)

    @property
    def lanes(self) -> int:
        """Words of a node."""
        return self.width // WORD

    def word(self, node: ir.Expression, lane: ir.Expression) -> ir.Expression:
        if self.lanes == 1:
            return node
        first = build.times(node, build.number(self.lanes), INT)
        return first if lane == build.ZERO else build.plus(first, lane)

    def several(self, name: str, number: int) -> list[ir.Variable]:
        """Locals for words beside each other."""
        return [self.local(name, LONG) for _ in range(number)]

    def place(self, node: ir.Expression, first: ir.Expression) -> ir.Expression:
        """The place of a node's words from the `first` one on."""
        return self.word(node, first) if self.lanes > AT_ONCE else self.word(node, build.ZERO)

    def each_word(
        self, node: ir.Expression, body: Callable[[ir.Expression, ir.Expression, int], tuple[ir.KernelOp, ...]]
    ) -> tuple[ir.KernelOp, ...]:
        """What is done to all words of a node, a few at a time, so that none waits for another: `body` gets the first
        of these, its place among all words, and their number."""
        if self.lanes == 1:
            return body(build.ZERO, node, 1)
        index = self.local("word", INT)
        if self.lanes <= AT_ONCE:
            place = build.times(node, build.number(self.lanes), INT)
            return (ir.Let(index, place), *body(build.ZERO, ir.Ref(index), self.lanes))
        few, first = self.local("few", INT), self.local("lane", INT)
        lane = build.times(ir.Ref(few), build.number(AT_ONCE))
        inner = (
            ir.Let(first, lane),
            ir.Let(index, self.word(node, ir.Ref(first))),
            *body(ir.Ref(first), ir.Ref(index), AT_ONCE),
        )
        return (ir.ForRange(few, build.ZERO, build.number(self.lanes // AT_ONCE), inner),)


def behind(first: ir.Expression, several: int) -> list[ir.Expression]:
    if first == build.ZERO:
        return [build.number(i) for i in range(several)]
    return [first, *(build.plus(first, build.number(i)) for i in range(1, several))]


def sets(array: ir.Array, place: ir.Expression, bits: ir.Expression) -> ir.KernelOp:
    """Sets bits of a word that other threads change as well."""
    return ir.UpdateCell(ir.Combine.BIT_OR, array, place, bits, shared=True)


def on_bits(operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    return ir.Binary(operator, left, right, LONG)


def either(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    return on_bits(ir.BinaryOperator.BIT_OR, left, right)


def all_of(words: Iterable[ir.Expression]) -> ir.Expression:
    """The bits of all words."""
    return reduce(either, words)


def without(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """The bits of one that the other has not."""
    return on_bits(ir.BinaryOperator.BIT_AND, left, ir.Unary(ir.UnaryOperator.COMPLEMENT, right))


def modulo(value: ir.Expression, by: int) -> ir.Expression:
    return ir.Binary(ir.BinaryOperator.REMAINDER, value, build.number(by), INT)
