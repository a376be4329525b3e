"""What a set of nodes is as bits alone, in one layer or two, and what kernels do with it.

A bitmap is gone through by a launch over all nodes. Of two layers, the second has a bit for each word of the first that
is not zero: a launch gathers where such words are, and another goes over the nodes of these.
"""

from __future__ import annotations

from dataclasses import dataclass

from starplat.ir.nodes import (
    Array,
    Binary,
    BinaryOperator,
    Combine,
    Const,
    Element,
    Expression,
    Extent,
    FetchAdd,
    ForRange,
    Function,
    InWords,
    Kernel,
    KernelIf,
    KernelOp,
    Launch,
    Let,
    Load,
    Numbers,
    NumNodes,
    Origin,
    Parameter,
    Ref,
    SetLocal,
    Store,
    UpdateCell,
    Variable,
)
from starplat.ir.visitor import with_signature
from starplat.schedule.names import Taken
from starplat.schedule.queue import ONE, ZERO, bit_of, put_into, word_of
from starplat.source import Span

_BITS_IN_A_WORD = Const(32, Element.INT)
_NODES_OF_A_LAYER = Const(32 * 32, Element.INT)


@dataclass(frozen=True, slots=True)
class Bitmap:
    """What a set comes to: `bits` say who is in it; `size[0]` is how many words of these are not zero, and `count` the
    host's copy of that number."""

    bits: Array
    size: Array
    count: Variable

    @property
    def arrays(self) -> tuple[Array, ...]:
        """All that is on the device."""
        return self.bits, self.size

    @property
    def told(self) -> tuple[Array, ...]:
        """What who puts a node in must know."""
        return self.bits, self.size


@dataclass(frozen=True, slots=True)
class Layers:
    """What a set comes to: `bits` say who is in it, `layer` which words of these are not zero. Once these are gathered,
    the first `size[0]` cells of `words` have the first node of each; `count` is the host's copy of that number."""

    bits: Array
    layer: Array
    words: Array
    size: Array
    count: Variable

    @property
    def arrays(self) -> tuple[Array, ...]:
        """All that is on the device."""
        return self.bits, self.layer, self.words, self.size

    @property
    def told(self) -> tuple[Array, ...]:
        """What who puts a node in must know."""
        return self.bits, self.layer

    @property
    def walked(self) -> InWords:
        """The nodes that may be in the set, once its words are gathered."""
        return InWords(self.words, Ref(self.count))


def bitmap_of(flags: Array, taken: Taken) -> Bitmap:
    """Arrays and a variable in the place of flags."""
    name = flags.name
    return Bitmap(
        _own(taken.free(f"{name}_bits"), Extent.BITS),
        _own(taken.free(f"{name}_size"), Extent.ONE),
        Variable(taken.free(f"{name}_count"), Element.INT),
    )


def layers_of(flags: Array, taken: Taken) -> Layers:
    """Arrays and a variable in the place of flags."""
    name = flags.name
    return Layers(
        _own(taken.free(f"{name}_bits"), Extent.BITS),
        _own(taken.free(f"{name}_layer"), Extent.LAYER),
        Array(taken.free(f"{name}_words"), Element.NODE, Extent.BITS, Origin.TEMPORARY),
        _own(taken.free(f"{name}_size"), Extent.ONE),
        Variable(taken.free(f"{name}_count"), Element.INT),
    )


def marking(taken: Taken) -> Function:
    """The function that puts a node into a bitmap, and counts the words that are not zero."""
    held, size = Variable("held", Element.INT), _own("size", Extent.ONE)
    counted = UpdateCell(Combine.ADD, size, ZERO, ONE, shared=True)
    comment = "Puts a node into a set, unless its bit says that it is there; who is the first of a word counts that."
    return _insertion(taken, held, size, (counted,), comment)


def marking_layers(taken: Taken) -> Function:
    """The function that puts a node into a set of two layers: who finds a word zero sets its bit in the second."""
    held, layer = Variable("held", Element.INT), _own("layer", Extent.LAYER)
    word = Variable("word", Element.INT)
    told = (
        Let(word, word_of(Ref(Variable("node", Element.NODE)))),
        UpdateCell(Combine.BIT_OR, layer, word_of(Ref(word)), bit_of(Ref(word)), shared=True),
    )
    comment = "Puts a node into a set, unless its bit says that it is there; who is the first of a word marks that."
    return _insertion(taken, held, layer, told, comment)


def _insertion(taken: Taken, held: Variable, also: Array, first: tuple[KernelOp, ...], comment: str) -> Function:
    """The function, which does something more where the word was zero."""
    node, bits = Variable("node", Element.NODE), _own("bits", Extent.BITS)
    was_zero = Binary(BinaryOperator.EQUAL, Ref(held), ZERO, Element.BOOL)
    body = put_into(bits, node, held, (KernelIf(was_zero, first),))
    parameters = (Parameter(node), Parameter(bits), Parameter(also))
    return Function(taken.free("mark_node"), parameters, None, body, comment=comment)


# --- two layers ------------------------------------------------------------------------------------------------------


class WordKernels:
    """Makes the kernels that have to do with the words of a set, and with nothing of the program; `added` gets them."""

    def __init__(self, taken: Taken, added: list[Kernel]) -> None:
        self.taken = taken
        self.added = added
        self._made: dict[str, Kernel] = {}
        self.number = Variable(taken.free("number"), Element.INT)
        self.marks = Variable(taken.free("some_bits"), Element.INT)
        self.counted = Variable(taken.free("bit"), Element.INT)
        self.noted = Variable(taken.free("bit"), Element.INT)
        self.found = Variable(taken.free("words_found"), Element.INT)
        self.slot = Variable(taken.free("slot"), Element.INT)
        self.first = Variable(taken.free("first_node"), Element.NODE)

    def gather(self, members: Layers, span: Span) -> Launch:
        """The launch that notes which words are not zero, in no order; a thread has a word of the second layer."""
        counts = KernelIf(_has_bit(self.marks, self.counted), (SetLocal(self.found, _sum(Ref(self.found), ONE)),))
        first = _by_32(_sum(_by_32(Ref(self.number)), Ref(self.noted)))
        notes = KernelIf(
            _has_bit(self.marks, self.noted),
            (
                Store(members.words, Ref(self.slot), first),
                SetLocal(self.slot, _sum(Ref(self.slot), ONE)),
            ),
        )
        gathers: tuple[KernelOp, ...] = (
            Let(self.found, ZERO),
            ForRange(self.counted, ZERO, _BITS_IN_A_WORD, (counts,)),
            Let(self.slot, ZERO),
            FetchAdd(self.slot, members.size, ZERO, Ref(self.found)),
            ForRange(self.noted, ZERO, _BITS_IN_A_WORD, (notes,)),
        )
        some = Binary(BinaryOperator.NOT_EQUAL, Ref(self.marks), ZERO, Element.BOOL)
        body = (Let(self.marks, Load(members.layer, Ref(self.number))), KernelIf(some, gathers))
        words = Binary(BinaryOperator.DIVIDE, NumNodes(), _NODES_OF_A_LAYER, Element.INT)
        comment = "notes which words of the bits are not zero"
        return self.launch(f"gather_{members.bits.name}", _sum(words, ONE), body, span, comment)

    def clear(self, members: Layers, span: Span) -> Launch:
        """The launch that empties a set whose words have just been gathered and walked."""
        layer = Binary(BinaryOperator.DIVIDE, Ref(self.first), _NODES_OF_A_LAYER, Element.INT)
        body: tuple[KernelOp, ...] = (
            Let(self.first, Load(members.words, Ref(self.number))),
            Store(members.bits, word_of(Ref(self.first)), ZERO),
            Store(members.layer, layer, ZERO, shared=True),
        )
        comment = "clears the words that have been walked"
        return self.launch(f"clear_{members.bits.name}", Ref(members.count), body, span, comment)

    def launch(self, name: str, count: Expression, body: tuple[KernelOp, ...], span: Span, comment: str) -> Launch:
        """The launch of a kernel over numbers, which is made when it is asked for first."""
        if name not in self._made:
            kernel = Kernel(self.taken.free(name), Numbers(count), self.number, None, body, (), (), (), span, comment)
            self._made[name] = with_signature(kernel)
            self.added.append(self._made[name])
        return Launch(self._made[name].name)


def _has_bit(word: Variable, number: Variable) -> Expression:
    """Whether one bit of a word is set, by its number."""
    bit = Binary(BinaryOperator.SHIFT_LEFT, ONE, Ref(number), Element.INT)
    found = Binary(BinaryOperator.BIT_AND, Ref(word), bit, Element.INT)
    return Binary(BinaryOperator.NOT_EQUAL, found, ZERO, Element.BOOL)


def _sum(left: Expression, right: Expression) -> Expression:
    return Binary(BinaryOperator.ADD, left, right, Element.INT)


def _by_32(number: Expression) -> Expression:
    """Thirty-two times as many."""
    return Binary(BinaryOperator.SHIFT_LEFT, number, Const(5, Element.INT), Element.INT)


def _own(name: str, extent: Extent) -> Array:
    return Array(name, Element.INT, extent, Origin.TEMPORARY)
