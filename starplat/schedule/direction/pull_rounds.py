"""Push or pull, chosen by the host in each round: pull if many nodes are active, or if they have many arcs.

The host knows how many nodes are active. A launch counts their arcs, only in rounds where that decides: with fewer
nodes pushing is fast in any case, with more there is no doubt.
"""

from dataclasses import dataclass

from starplat.ir import build, fresh_names, nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.shapes.listed import known_length
from starplat.same import Same
from starplat.schedule.loop.groups import FEW
from starplat.source import Span

_MANY_NODES, _MANY_ARCS = 16, 8
"""Pulling is faster where more than one node in so many is active, or active nodes have more than one arc in so
many."""

_SOME_NODES = 64
"""Arcs are counted where more than one node in so many is active, and more than few: else a launch and a readback take
longer than the round."""

_MANY_WORDS, _MANY_WORDS_IN_LOCKSTEP = 16, 32
"""The same where only non-zero words of bits are counted. Atomic operations cost more on a GPU."""


def nodes_for_words(capabilities: Capabilities) -> int:
    """One node in how many must be active so that pulling is worth it, where words of bits are counted."""
    return _MANY_WORDS_IN_LOCKSTEP if capabilities.lockstep else _MANY_WORDS


def pulls_if_many_words(
    words: ir.Expression, share: int, push: tuple[ir.HostOp, ...], pull: tuple[ir.HostOp, ...]
) -> ir.HostIf:
    """The choice by the number of non-zero words: pull if there are more than one active node in `share`, spread at
    random, would touch. Where active nodes are adjacent there are more of them by then, and pushing is right as
    well."""
    eighths = round(8 * (1 - (1 - 1 / share) ** 32))
    all_words = _share(ir.NumNodes(), 32, ir.Element.INT)
    some = build.times(all_words, build.number(eighths), ir.Element.INT)
    return ir.HostIf(build.greater(words, _share(some, 8, ir.Element.INT)), pull, push)


def _has_many_arcs(arcs: ir.Expression) -> ir.Expression:
    return build.greater(arcs, ir.Cast(_share(ir.NumArcs(), _MANY_ARCS, ir.Element.LONG), ir.Element.FLOAT))


@dataclass(frozen=True, slots=True)
class ActiveNodes:
    """The nodes of a round, which are called `name`: how many they are, and where they are: in a domain, all of them or
    those with the flag `members`."""

    name: str
    number: ir.Expression
    domain: ir.Domain
    members: ir.Array | None = None


class Choices:
    """Makes choices by how many nodes are active, and the kernels that count arcs for them, collected in `added`.

    One is made `of` each launch, which may be visited more often than once.
    """

    def __init__(self, taken: fresh_names.FreshNames, added: list[ir.Kernel]) -> None:
        self.taken, self.added = taken, added
        self._counts: dict[Same, tuple[ir.Kernel, ir.Variable, ir.Variable]] = {}

    def choose_by_list(
        self, of: ir.Launch, listed: ir.Listed, push: tuple[ir.HostOp, ...], pull: tuple[ir.HostOp, ...], span: Span
    ) -> tuple[ir.HostOp, ...]:
        """The choice between push and pull for a round whose active nodes are `listed`."""
        number = known_length(listed)
        assert number is not None
        return self.choose(of, ActiveNodes(listed.array.name, number, listed), push, pull, span)

    def choose(
        self, of: ir.Launch, active: ActiveNodes, push: tuple[ir.HostOp, ...], pull: tuple[ir.HostOp, ...], span: Span
    ) -> tuple[ir.HostOp, ...]:
        """The choice between push and pull for a round with these active nodes."""
        count, arcs, pulls = self._count(of, active, span)
        many_arcs = _has_many_arcs(ir.Ref(arcs))
        some = build.greater(active.number, _share(ir.NumNodes(), _SOME_NODES, ir.Element.INT))
        unsure = build.both(build.greater(active.number, build.number(FEW)), build.denied(ir.Ref(pulls)))
        counted = (
            ir.DeclareVariable(arcs, ir.Const(0.0, ir.Element.FLOAT)),
            ir.Launch(count.name),
            ir.SetVariable(pulls, many_arcs),
        )
        return (
            ir.DeclareVariable(pulls, build.greater(active.number, _share(ir.NumNodes(), _MANY_NODES, ir.Element.INT))),
            ir.HostIf(build.both(unsure, some), counted),
            ir.HostIf(ir.Ref(pulls), pull, push),
        )

    def _count(self, of: ir.Launch, active: ActiveNodes, span: Span) -> tuple[ir.Kernel, ir.Variable, ir.Variable]:
        """The kernel that counts the arcs of active nodes, and the variables for the count and for the choice."""
        if Same(of) not in self._counts:
            kernel = self._counting(active, span)
            pulls = self.taken.variable("pulls", ir.Element.BOOL)
            self._counts[Same(of)] = kernel, kernel.reductions[0].variable, pulls
            self.added.append(kernel)
        return self._counts[Same(of)]

    def _counting(self, active: ActiveNodes, span: Span) -> ir.Kernel:
        node = self.taken.variable("active_node", ir.Element.NODE)
        arcs = self.taken.variable("active_arcs", ir.Element.FLOAT)
        degree = ir.Cast(ir.CSR.degree(ir.Ref(node)), ir.Element.FLOAT)
        return visitor.with_signature(
            ir.Kernel(
                self.taken.fresh(f"arcs_of_{active.name}"),
                active.domain,
                node,
                (ir.Contribute(arcs, degree),),
                filter=None if active.members is None else ir.Load(active.members, ir.Ref(node)),
                reductions=(ir.Reduction(arcs, ir.Combine.ADD),),
                span=span,
                comment="how many arcs the active nodes have",
            )
        )


def _share(whole: ir.Expression, one_in: int, element: ir.Element) -> ir.Expression:
    return build.divided(whole, ir.Const(one_in, element), element)
