"""Step `balance`: lets threads share the arcs of a kernel's nodes, where the work of each arc is independent.

A kernel qualifies if it goes over nodes and its last operation is a `forall` over the node's arcs; the operations
before it must give the same whenever they are evaluated, or be of the node alone.
"""

from dataclasses import replace

from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.shapes.collecting import collecting
from starplat.ir.shapes.gathering import gathering
from starplat.ir.shapes.histograms import histogram
from starplat.ir.shapes.members import membership
from starplat.ir.shapes.rows_of_arcs import row_of_arc
from starplat.ir.shapes.searching import asking, finds_any
from starplat.ir.shapes.shared_rows import leaves
from starplat.ir.shapes.visiting import in_any_order, is_apart, passes_arrays
from starplat.ir.shapes.whole_rows import takes_whole_rows
from starplat.ir.visitor import (
    all_expressions,
    arrays_in,
    assigned_variables,
    declared_by,
    launched_alone,
    loops_of,
    walk_host,
    walk_kernel,
    written_arrays,
)
from starplat.schedule.facts import GraphFacts
from starplat.schedule.loop.step import is_small
from starplat.schedule.parts import gathered, has_sums
from starplat.schedule.schedule import Balance, Schedule
from starplat.schedule.step import Choice, Decided

_SHORT_ROW = 16
"""Largest degree up to which a thread goes over the pairs of a node's neighbors by itself."""


def share_arcs(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
) -> ir.Module | Decided:
    """The module whose kernels share their arcs, where the schedule, the target and the kernel permit it."""
    if not threads_share_arcs(schedule, capabilities):
        return module
    places = _places(module)
    by_warps = capabilities.shared_arcs
    counts = by_warps or capabilities.group_maps
    given = (
        kernel
        for kernel in module.kernels
        if kernel.name in places and (_suits(kernel, by_warps) or (counts and histogram(kernel, module) is not None))
    )
    suited = [kernel for kernel in given if not (_gathers_words if by_warps else _walks_a_part)(kernel)]
    others = [k for k in module.kernels if k.name in places and not k.shares_arcs]
    suited += (k for k in others if asking(k) is not None)
    if counts:
        suited += (k for k in others if collecting(k) is not None)
    if by_warps:
        suited += (k for k in others if finds_any(k))
        suited += (k for k in others if _shares_rows_of_arcs(k))
    if not suited:
        return module
    short = schedule.balance is Balance.AUTO and facts is not None and facts.max_degree <= _SHORT_ROW
    outside = {kernel.name for kernel in launched_alone(module)}
    alone = {k.name for k in suited if short and _goes_over_pairs(k) and k.name in outside}
    shared = {kernel.name for kernel in suited} - alone
    even = by_warps and facts is not None and facts.has_short_rows
    few = facts is not None and is_small(facts.num_nodes, facts.num_arcs)
    in_rounds = [k for k in suited if even and k.name not in outside]
    whole = {k.name for k in in_rounds if gathered(k) is not None or (few and takes_whole_rows(k))}
    many = by_warps and facts is not None and facts.outgrows_caches
    streams = {k.name for k in suited if many and k.name not in whole and _adds_up_all(k)}

    long_rows = by_warps and facts is not None and facts.has_long_rows
    long = {k.name for k in suited if long_rows and _is_of_some(k)}

    def balanced(kernel: ir.Kernel) -> ir.Kernel:
        name = kernel.name
        shares = kernel.shares_arcs or name in shared
        streamed, cuts = name in streams, name in streams and facts is not None and not facts.has_even_rows
        made = replace(kernel, shares_arcs=shares, short_rows=name in whole, streams=streamed, in_pieces_of_rows=cuts)
        return replace(made, long_rows=name in long)

    made = module.with_each_kernel(balanced)
    why = "arcs are independent, and degrees differ"
    choices = [Choice(f"{name}: threads share arcs, not nodes", why) for name in sorted(shared - whole)]
    why = f"no node has more than {facts.max_degree if facts else 0:,} arcs, too few to share"
    choices += (Choice(f"{name}: a thread takes a node", why) for name in sorted(alone))
    choices += (Choice(f"{name}: a thread takes two nodes at once", why) for name in sorted(whole))
    return Decided(made, tuple(choices))


def asks_for_lengths(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether sharing arcs depends on the lengths of rows."""
    shares = capabilities.shared_arcs or capabilities.group_rows
    return has_sums(module, capabilities) or (shares and any(map(_goes_over_pairs, module.kernels)))


def _goes_over_pairs(kernel: ir.Kernel) -> bool:
    """Whether a loop over neighbors contains another one."""
    outer = (op for op in walk_kernel(kernel.body) if isinstance(op, ir.ForNeighbors))
    return any(isinstance(inner, ir.ForNeighbors) for loop in outer for inner in walk_kernel(loop.body))


def threads_share_arcs(schedule: Schedule, capabilities: Capabilities) -> bool:
    """Whether threads share arcs: by warps, or by groups where group barriers are cheap or it is asked for."""
    if schedule.balance is Balance.NODE:
        return False
    quick = capabilities.quick_groups or schedule.balance is Balance.EDGE
    return capabilities.shared_arcs or (capabilities.group_rows and quick)


def _places(module: ir.Module) -> set[str]:
    """The kernels where threads can share arcs."""
    found = {kernel.name for kernel in launched_alone(module)}
    return found | {op.kernel for loop in loops_of(module) for op in walk_host(loop.body) if isinstance(op, ir.Launch)}


def _suits(kernel: ir.Kernel, by_warps: bool) -> bool:
    """Whether threads can share the kernel's arcs; of all nodes, warps visit each once, other threads several times."""
    if (
        not isinstance(kernel.domain, ir.AllNodes | ir.Listed | ir.InWords)
        or kernel.iterator is None
        or kernel.shares_arcs
    ):
        return False
    gathers = gathering(kernel)
    if gathers is not None:
        return not passes_arrays(gathers.ahead)
    members = membership(kernel)
    body = kernel.body if members is None else members.body
    if not body or not isinstance(body[-1], ir.ForNeighbors):
        return False
    loop = body[-1]
    return (
        loop.parallel
        and loop.node == kernel.own
        and not leaves(loop.body)
        and (_is_repeatable(body[:-1], kernel) or _visits_once(kernel, loop))
        and all(_for_many(op, loop) for op in walk_kernel(loop.body))
        and not _assigns_outside(loop)
    )


def _shares_rows_of_arcs(kernel: ir.Kernel) -> bool:
    """Whether threads can share the rows that some arcs lead to."""
    found = row_of_arc(kernel)
    if found is None or passes_arrays(found.lets):
        return False
    loop = found.loop
    apart = loop.parallel and not leaves(loop.body) and not _assigns_outside(loop)
    return apart and all(_for_many(op, loop) for op in walk_kernel(loop.body))


def _is_of_some(kernel: ir.Kernel) -> bool:
    """Whether the kernel goes over a set, or a list."""
    return membership(kernel) is not None or isinstance(kernel.domain, ir.Listed)


def _walks_a_part(kernel: ir.Kernel) -> bool:
    """Whether nodes' rows are those of one part."""
    return any(isinstance(op, ir.ForNeighbors) and op.ahead is not None for op in walk_kernel(kernel.body))


def _gathers_words(kernel: ir.Kernel) -> bool:
    """Whether each node of listed words gathers a value; warps share only those of all nodes, sets and lists."""
    return isinstance(kernel.domain, ir.InWords) and gathering(kernel) is not None


def _adds_up_all(kernel: ir.Kernel) -> bool:
    """Whether the kernel adds up reals of the arcs of all nodes."""
    found, everywhere = gathering(kernel), isinstance(kernel.domain, ir.AllNodes) and kernel.filter is None
    return everywhere and found is not None and found.combine is ir.Combine.ADD and found.total.element.is_real


def _visits_once(kernel: ir.Kernel, loop: ir.ForNeighbors) -> bool:
    once = isinstance(kernel.domain, ir.AllNodes) and membership(kernel) is None
    ahead = kernel.body[:-1]
    return once and is_apart(ahead, loop, kernel) and in_any_order(ahead, loop)


def _is_repeatable(ahead: tuple[ir.KernelOp, ...], kernel: ir.Kernel) -> bool:
    """Whether what stands ahead of the arcs may be done several times."""
    return all(_repeatable(op, kernel) for op in ahead) and not passes_arrays(ahead)


def _repeatable(op: ir.KernelOp, kernel: ir.Kernel) -> bool:
    """Whether a value is computed that nothing in the kernel changes, or stored where nothing else reads or writes."""
    written = written_arrays(kernel.body)
    if any(isinstance(part, ir.Load) and part.array in written for part in all_expressions((op,))):
        return False
    match op:
        case ir.Let():
            return True
        case ir.Store(array):
            return array.packed is None and _mentions(kernel, array) == 1
    return False


def _mentions(kernel: ir.Kernel, array: ir.Array) -> int:
    """How often a kernel uses an array."""
    heads = (kernel.domain,) if kernel.filter is None else (kernel.domain, kernel.filter)
    return sum(found == array for part in (*heads, *walk_kernel(kernel.body)) for found in arrays_in(part))


def _for_many(op: ir.KernelOp, loop: ir.ForNeighbors) -> bool:
    """Whether threads with arcs of one node may do it at once: an update is atomic, or of the arc's cell."""
    match op:
        case ir.UpdateCell(index=index) | ir.ExtremeCell(index=index):
            return op.shared or index == ir.Ref(loop.position)
    return True


def _assigns_outside(loop: ir.ForNeighbors) -> bool:
    """Whether the body changes a local that it does not declare."""
    declared = {variable for op in walk_kernel(loop.body) for variable in declared_by(op)}
    return bool(assigned_variables(loop.body) - declared)
