"""Which way a round goes where the host drives it: it pulls if many nodes are active, or if these have many arcs.

The host knows how many nodes a list has. How many arcs they have it lets a launch count, and only in rounds where that
decides: with fewer nodes pushing is quick whatever they have, with more there is no doubt.
"""

from __future__ import annotations

from starplat.ir.capabilities import Capabilities
from starplat.ir.conditions import both
from starplat.ir.listed import known_length
from starplat.ir.nodes import (
    Array,
    Binary,
    BinaryOperator,
    Cast,
    Combine,
    Const,
    Contribute,
    DeclareVariable,
    Element,
    Expression,
    HostIf,
    HostOp,
    Kernel,
    Launch,
    Listed,
    NumArcs,
    NumNodes,
    Reduction,
    Ref,
    SetVariable,
    Unary,
    UnaryOperator,
    Variable,
)
from starplat.ir.rows import row_length
from starplat.ir.visitor import with_signature
from starplat.schedule.groups import FEW
from starplat.schedule.names import Taken
from starplat.source import Span

_MANY_NODES, _MANY_ARCS = 16, 8
"""Pulling takes less time where more than one node in so many is active, or active nodes have more than one arc in so
many."""

_SOME_NODES = 64
"""Arcs are counted where more than one node in so many is active, if these are not few: then a launch and a word that
comes back take longer than the round."""

_MANY_WORDS, _MANY_WORDS_IN_LOCKSTEP = 16, 32
"""The same for nodes of which only the words of bits are counted. Atomic operations cost more on a GPU."""


def nodes_for_words(capabilities: Capabilities) -> int:
    """One node in how many must be active on a device, so that pulling is worth it, where words of bits are counted."""
    return _MANY_WORDS_IN_LOCKSTEP if capabilities.lockstep else _MANY_WORDS


def pulls_if_many_words(words: Expression, share: int, push: tuple[HostOp, ...], pull: tuple[HostOp, ...]) -> HostIf:
    """The choice, by how many words of a set's bits are not zero: more than there would be if one node in `share` were
    active and these lay anywhere. Where they lie together they are more by then, and pushing them is right as well."""
    eighths = round(8 * (1 - (1 - 1 / share) ** 32))
    all_words = _share(NumNodes(), 32, Element.INT)
    some = Binary(BinaryOperator.MULTIPLY, all_words, Const(eighths, Element.INT), Element.INT)
    return HostIf(_more(words, _share(some, 8, Element.INT)), pull, push)


class ListChoices:
    """Makes choices by what is listed, and the kernels that count arcs for them, which `added` gets."""

    def __init__(self, taken: Taken, added: list[Kernel]) -> None:
        self.taken = taken
        self.added = added
        self._counts: dict[Array, tuple[Kernel, Variable, Variable]] = {}

    def choose(
        self, listed: Listed, push: tuple[HostOp, ...], pull: tuple[HostOp, ...], span: Span
    ) -> tuple[HostOp, ...]:
        """The choice between two ways to do a round whose active nodes are `listed`."""
        active = known_length(listed)
        assert active is not None
        count, arcs, pulls = self._count(listed, span)
        many_arcs = _more(Ref(arcs), Cast(_share(NumArcs(), _MANY_ARCS, Element.LONG), Element.FLOAT))
        some = _more(active, _share(NumNodes(), _SOME_NODES, Element.INT))
        unsure = both(_more(active, Const(FEW, Element.INT)), Unary(UnaryOperator.NOT, Ref(pulls)))
        counted = (DeclareVariable(arcs, Const(0.0, Element.FLOAT)), Launch(count.name), SetVariable(pulls, many_arcs))
        return (
            DeclareVariable(pulls, _more(active, _share(NumNodes(), _MANY_NODES, Element.INT))),
            HostIf(both(unsure, some), counted),
            HostIf(Ref(pulls), pull, push),
        )

    def _count(self, listed: Listed, span: Span) -> tuple[Kernel, Variable, Variable]:
        """The kernel that counts the arcs of listed nodes, for what; and the variable for what comes of it."""
        if listed.array not in self._counts:
            kernel = self._counting(listed, span)
            pulls = Variable(self.taken.free("pulls"), Element.BOOL)
            self._counts[listed.array] = kernel, kernel.reductions[0].variable, pulls
            self.added.append(kernel)
        return self._counts[listed.array]

    def _counting(self, listed: Listed, span: Span) -> Kernel:
        name = listed.array.name
        node = Variable(self.taken.free("active_node"), Element.NODE)
        arcs = Variable(self.taken.free("active_arcs"), Element.FLOAT)
        degree = Cast(row_length(node), Element.FLOAT)
        told = (Reduction(arcs, Combine.ADD),)
        body = (Contribute(arcs, degree),)
        comment = "how many arcs the active nodes have"
        return with_signature(
            Kernel(self.taken.free(f"arcs_of_{name}"), listed, node, None, body, (), (), told, span, comment)
        )


def _share(whole: Expression, one_in: int, element: Element) -> Expression:
    return Binary(BinaryOperator.DIVIDE, whole, Const(one_in, element), element)


def _more(left: Expression, right: Expression) -> Expression:
    return Binary(BinaryOperator.GREATER, left, right, Element.BOOL)
