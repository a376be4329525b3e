"""The output of legalisation: kernels, persistent kernels and functions, ready to be printed."""

from dataclasses import dataclass

from starplat.backends.statements.blocks import (
    Advance,
    AdvanceRows,
    Body,
    CountRows,
    Gather,
    GroupAdvance,
    GroupAsk,
    GroupCollect,
    GroupCount,
    GroupGather,
    GroupTriangles,
    Search,
)
from starplat.backends.statements.cells import CombineGroup
from starplat.ir import nodes as ir

GroupLoop = GroupAdvance | GroupAsk | GroupCollect | GroupCount | GroupGather | GroupTriangles
_BY_GROUPS = CombineGroup | Advance | AdvanceRows | Gather | Search | CountRows | GroupLoop


@dataclass(frozen=True, slots=True)
class LegalKernel:
    """A kernel ready to be printed; `results` are the words that its reductions are combined into."""

    kernel: ir.Kernel
    results: tuple[ir.Array, ...]
    body: Body

    @property
    def needs_whole_groups(self) -> bool:
        """Whether threads of a group work together, so that the size of a group is fixed."""
        return any(isinstance(statement, _BY_GROUPS) for statement in self.body)


@dataclass(frozen=True, slots=True)
class LegalLoop:
    """A persistent kernel ready to be printed.

    `found` are the rings of three cells that reductions are combined into, each with the identity that its cells start
    from; `outcomes` the words that changed variables of the host come back in. Sets of a cluster are `marked` if each
    member needs its bit.
    """

    op: ir.OnDevice
    found: tuple[tuple[ir.Array, ir.Const], ...]
    outcomes: tuple[ir.Array, ...]
    body: Body
    marked: bool = True


@dataclass(frozen=True, slots=True)
class LegalFunction:
    """A function that kernels call, ready to be printed."""

    function: ir.Function
    body: Body


def result_element(element: ir.Element) -> ir.Element:
    """The word that a reduction of this element is combined into: an INT for a BOOL."""
    return ir.Element.INT if element is ir.Element.BOOL else element
