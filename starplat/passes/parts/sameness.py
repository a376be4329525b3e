"""What a kernel of a persistent launch does to the same end on every part of a run, whatever the order of its threads.

Takes kernels of a program without races; says what of them parts can share, and raises `DiffersError` where parts that
do the same might come to different cells.
"""

from dataclasses import dataclass

from starplat.diagnostics import DiagnosticError
from starplat.ir import nodes as ir
from starplat.ir.shapes.members import membership
from starplat.ir.shapes.searching import searching
from starplat.ir.visitor import expressions_of, walk_expression, walk_host, walk_kernel, written_arrays
from starplat.passes.parts.effects import FROM_IDENTITY, KernelEffects, effects
from starplat.passes.parts.joining import is_only_joined

_EXCHANGED = (ir.Element.INT, ir.Element.NODE, ir.Element.LONG)
"""Elements of which a device changes cells of another one by Min and Max."""


class DiffersError(Exception):
    """Parts that do the same might not come to the same."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """What the walk over the members of `now` changes: cells of `values`, of nodes that join `following`."""

    values: ir.Array
    combine: ir.Combine
    now: ir.Array
    following: ir.Array


def of_own_cells(kernel: ir.Kernel, module: ir.Module) -> KernelEffects | None:
    """The effects of a kernel over all nodes that only writes cells of its own nodes."""
    if not isinstance(kernel.domain, ir.AllNodes) or kernel.domain.first is not None:
        return None
    if membership(kernel) is not None or _takes_out(kernel):
        return None
    try:
        found = effects(kernel, module)
    except DiagnosticError:
        return None
    whole = all(array.extent is ir.Extent.NODES for array in found.own)
    return found if whole and not (found.combined or found.common) else None


def lowered(kernel: ir.Kernel) -> Lowered | None:
    """What a walk over a set lowers (raises), if it does so to the cells of nodes that join another one."""
    members = membership(kernel)
    if members is None or not members.takes:
        return None
    extremes = [op for op in walk_kernel(kernel.body) if isinstance(op, ir.ExtremeCell)]
    if len(extremes) != 1 or extremes[0].lock is not None or extremes[0].partner is not None:
        return None
    extreme, carried = extremes[0], extremes[0].carried
    joins = [carry for carry in carried if carry.array.packed and carry.index == extreme.index]
    fits = len(joins) == len(carried) == 1 and extreme.array.element in _EXCHANGED and extreme.array.pairs is None
    if not fits or written_arrays(kernel.body) != {extreme.array, joins[0].array, members.members}:
        return None
    return Lowered(extreme.array, extreme.extreme, members.members, joins[0].array)


def pull_of_wave(op: ir.Launch, module: ir.Module) -> ir.Kernel:
    """A push comes to the same in any order where a pull may end at the first neighbor in the set: all that is
    offered in a round is one value. Returns the pull."""
    push = written_arrays(module.kernel(op.kernel).body)
    pulls = [module.kernel(inner.kernel) for inner in walk_host(op.pull) if isinstance(inner, ir.Launch)]
    if len(pulls) != 1 or searching(pulls[0]) is None or module.kernel(op.kernel).reductions:
        raise DiffersError
    plain = {array for array in push if not array.packed}
    if len(plain) != 1 or plain != {array for array in written_arrays(pulls[0].body) if not array.packed}:
        raise DiffersError
    return pulls[0]


def require_alike(kernel: ir.Kernel, module: ir.Module) -> None:
    """Raises where what a kernel leaves depends on the order of its iterations."""
    try:
        found = effects(kernel, module)
    except DiagnosticError:
        raise DiffersError from None
    if isinstance(kernel.domain, ir.Once):
        return
    if _sums_reals(kernel):
        raise DiffersError
    of_others = {one.array for one in found.combined} | set(found.common)
    if _read(kernel) & of_others or set(found.own) & found.needs:
        raise DiffersError
    for one in found.combined:
        if one.carried or (one.combine in FROM_IDENTITY and one.array.element.is_real):
            raise DiffersError


def _sums_reals(kernel: ir.Kernel) -> bool:
    """Whether a node takes a real value of its arcs together. Threads may share the row, and how they do depends on
    where the node lies in a list, whose order is chance."""
    loops = (op for op in walk_kernel(kernel.body) if isinstance(op, ir.ForNeighbors))
    taken = (op for loop in loops for op in walk_kernel(loop.body) if isinstance(op, ir.SetLocal))
    return any(op.variable.element.is_real for op in taken)


def depends_on_order(reduction: ir.Reduction) -> bool:
    """Whether the last bits of a result depend on the order in which threads contribute."""
    return reduction.variable.element.is_real and reduction.combine in FROM_IDENTITY


def _takes_out(kernel: ir.Kernel) -> bool:
    """Whether a kernel takes nodes out of a set, of which parts only tell each other what they put in."""
    return not all(is_only_joined(array, kernel.body) for array in written_arrays(kernel.body) if array.packed)


def _read(kernel: ir.Kernel) -> set[ir.Array]:
    """The arrays of which an iteration looks at cells, other than to lower or raise them."""
    tops = [] if kernel.filter is None else [kernel.filter]
    tops += (expression for op in walk_kernel(kernel.body) for expression in expressions_of(op))
    return {part.array for top in tops for part in walk_expression(top) if isinstance(part, ir.Load)}
