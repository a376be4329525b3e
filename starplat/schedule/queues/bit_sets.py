"""Sets of nodes as bits, in one layer or two, and the kernels on them.

A bitmap is walked by a launch over all nodes. Of two layers, the second has a bit for each word of the first that is
not zero: a launch gathers these words, and another goes over their nodes.
"""

from dataclasses import dataclass

from starplat.ir import build, fresh_names, nodes as ir, visitor
from starplat.schedule.queues.queue import bit_of, put_into, word_of
from starplat.source import Span

_BITS_IN_A_WORD = build.number(32)
_NODES_OF_A_LAYER = build.number(32 * 32)


@dataclass(frozen=True, slots=True)
class Bitmap:
    """The arrays of a set: `bits` of the members; `size[0]` is the number of non-zero words, and `count` the host's
    copy of it."""

    bits: ir.Array
    size: ir.Array
    count: ir.Variable

    @property
    def arrays(self) -> tuple[ir.Array, ...]:
        return self.bits, self.size

    @property
    def told(self) -> tuple[ir.Array, ...]:
        """The arguments of an insertion."""
        return self.bits, self.size


@dataclass(frozen=True, slots=True)
class Layers:
    """The arrays of a set: `bits` of the members, `layer` of the non-zero words. Once these are gathered, the first
    `size[0]` cells of `words` have the first node of each; `count` is the host's copy of that number."""

    bits: ir.Array
    layer: ir.Array
    words: ir.Array
    size: ir.Array
    count: ir.Variable

    @property
    def arrays(self) -> tuple[ir.Array, ...]:
        return self.bits, self.layer, self.words, self.size

    @property
    def told(self) -> tuple[ir.Array, ...]:
        """The arguments of an insertion."""
        return self.bits, self.layer

    @property
    def walked(self) -> ir.InWords:
        """The nodes that may be in the set, once its words are gathered."""
        return ir.InWords(self.words, ir.Ref(self.count))


def bitmap_of(flags: ir.Array, taken: fresh_names.FreshNames) -> Bitmap:
    """Arrays and a variable in the place of flags."""
    name = flags.name
    return Bitmap(
        _own(taken.fresh(f"{name}_bits"), ir.Extent.BITS),
        _own(taken.fresh(f"{name}_size"), ir.Extent.ONE),
        taken.variable(f"{name}_count", ir.Element.INT),
    )


def layers_of(flags: ir.Array, taken: fresh_names.FreshNames) -> Layers:
    """Arrays and a variable in the place of flags."""
    name = flags.name
    return Layers(
        _own(taken.fresh(f"{name}_bits"), ir.Extent.BITS),
        _own(taken.fresh(f"{name}_layer"), ir.Extent.LAYER),
        taken.array(f"{name}_words", ir.Element.NODE, ir.Extent.BITS),
        _own(taken.fresh(f"{name}_size"), ir.Extent.ONE),
        taken.variable(f"{name}_count", ir.Element.INT),
    )


def marking(taken: fresh_names.FreshNames) -> ir.Function:
    """The function that adds a node to a bitmap; the first setter of a word increments the count of non-zero words."""
    held, size = ir.Variable("held", ir.Element.INT), _own("size", ir.Extent.ONE)
    counted = ir.UpdateCell(ir.Combine.ADD, size, build.ZERO, build.ONE, shared=True)
    comment = "Puts a node into a set, unless its bit says that it is there; the first bit of a word is counted."
    return _insertion(taken, held, size, (counted,), comment)


def marking_layers(taken: fresh_names.FreshNames) -> ir.Function:
    """The function that adds a node to a set of two layers; the first setter of a word sets its bit in the second."""
    held, layer = ir.Variable("held", ir.Element.INT), _own("layer", ir.Extent.LAYER)
    word = ir.Variable("word", ir.Element.INT)
    told = (
        ir.Let(word, word_of(ir.Ref(ir.Variable("node", ir.Element.NODE)))),
        ir.UpdateCell(ir.Combine.BIT_OR, layer, word_of(ir.Ref(word)), bit_of(ir.Ref(word)), shared=True),
    )
    comment = "Puts a node into a set, unless its bit says that it is there; the first bit of a word marks it."
    return _insertion(taken, held, layer, told, comment)


def _insertion(
    taken: fresh_names.FreshNames, held: ir.Variable, also: ir.Array, first: tuple[ir.KernelOp, ...], comment: str
) -> ir.Function:
    """The function, which does something more where the word was zero."""
    node, bits = ir.Variable("node", ir.Element.NODE), _own("bits", ir.Extent.BITS)
    was_zero = build.equal(ir.Ref(held), build.ZERO)
    body = put_into(bits, node, held, (ir.KernelIf(was_zero, first),))
    parameters = (ir.Parameter(node), ir.Parameter(bits), ir.Parameter(also))
    return ir.Function(taken.fresh("mark_node"), parameters, None, body, comment=comment)


# --- two layers ------------------------------------------------------------------------------------------------------


class WordKernels:
    """Makes the kernels on the words of a set, independent of the program; `added` collects them."""

    def __init__(self, taken: fresh_names.FreshNames, added: list[ir.Kernel]) -> None:
        self.taken, self.added = taken, added
        self._made: dict[str, ir.Kernel] = {}
        self.number = taken.variable("number", ir.Element.INT)
        self.marks = taken.variable("some_bits", ir.Element.INT)
        self.counted = taken.variable("bit", ir.Element.INT)
        self.noted = taken.variable("bit", ir.Element.INT)
        self.found = taken.variable("words_found", ir.Element.INT)
        self.slot = taken.variable("slot", ir.Element.INT)
        self.first = taken.variable("first_node", ir.Element.NODE)

    def gather(self, members: Layers, span: Span) -> ir.Launch:
        """The launch that lists the non-zero words, in no order; a thread has a word of the second layer."""
        counts = ir.KernelIf(
            _has_bit(self.marks, self.counted),
            (ir.SetLocal(self.found, build.plus(ir.Ref(self.found), build.ONE, ir.Element.INT)),),
        )
        first = _by_32(build.plus(_by_32(ir.Ref(self.number)), ir.Ref(self.noted), ir.Element.INT))
        notes = ir.KernelIf(
            _has_bit(self.marks, self.noted),
            (
                ir.Store(members.words, ir.Ref(self.slot), first),
                ir.SetLocal(self.slot, build.plus(ir.Ref(self.slot), build.ONE, ir.Element.INT)),
            ),
        )
        gathers: tuple[ir.KernelOp, ...] = (
            ir.Let(self.found, build.ZERO),
            ir.ForRange(self.counted, build.ZERO, _BITS_IN_A_WORD, (counts,)),
            ir.Let(self.slot, build.ZERO),
            ir.FetchAdd(self.slot, members.size, build.ZERO, ir.Ref(self.found)),
            ir.ForRange(self.noted, build.ZERO, _BITS_IN_A_WORD, (notes,)),
        )
        some = build.differs(ir.Ref(self.marks), build.ZERO)
        body = (ir.Let(self.marks, ir.Load(members.layer, ir.Ref(self.number))), ir.KernelIf(some, gathers))
        words = build.divided(ir.NumNodes(), _NODES_OF_A_LAYER)
        comment = "notes which words of the bits are not zero"
        return self.launch(
            f"gather_{members.bits.name}", build.plus(words, build.ONE, ir.Element.INT), body, span, comment
        )

    def clear(self, members: Layers, span: Span) -> ir.Launch:
        """The launch that empties a set whose words have just been gathered and walked."""
        layer = build.divided(ir.Ref(self.first), _NODES_OF_A_LAYER, ir.Element.INT)
        body: tuple[ir.KernelOp, ...] = (
            ir.Let(self.first, ir.Load(members.words, ir.Ref(self.number))),
            ir.Store(members.bits, word_of(ir.Ref(self.first)), build.ZERO),
            ir.Store(members.layer, layer, build.ZERO, shared=True),
        )
        comment = "clears the words that have been walked"
        return self.launch(f"clear_{members.bits.name}", ir.Ref(members.count), body, span, comment)

    def launch(
        self, name: str, count: ir.Expression, body: tuple[ir.KernelOp, ...], span: Span, comment: str
    ) -> ir.Launch:
        """The launch of a kernel over numbers, made on first use."""
        if name not in self._made:
            kernel = ir.Kernel(self.taken.fresh(name), ir.Numbers(count), self.number, body, span=span, comment=comment)
            self._made[name] = visitor.with_signature(kernel)
            self.added.append(self._made[name])
        return ir.Launch(self._made[name].name)


def _has_bit(word: ir.Variable, number: ir.Variable) -> ir.Expression:
    """Whether one bit of a word is set, by its number."""
    bit = ir.Binary(ir.BinaryOperator.SHIFT_LEFT, build.ONE, ir.Ref(number), ir.Element.INT)
    found = ir.Binary(ir.BinaryOperator.BIT_AND, ir.Ref(word), bit, ir.Element.INT)
    return build.differs(found, build.ZERO)


def _by_32(number: ir.Expression) -> ir.Expression:
    """Thirty-two times as many."""
    return ir.Binary(ir.BinaryOperator.SHIFT_LEFT, number, build.number(5), ir.Element.INT)


def _own(name: str, extent: ir.Extent) -> ir.Array:
    return ir.Array(name, ir.Element.INT, extent, ir.Origin.TEMPORARY)
