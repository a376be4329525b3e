"""Finds triangles by intersecting rows, where a program tries every pair of a node's neighbors.

A kernel that counts the graph's triangles, or of which loops count those of their node, as for clustering coefficients,
gives way to a search that finds each once, on simple graphs whose arcs lead both ways. Behind a search that counts them
for each node stands the kernel without the counting. On other graphs the program's own kernel runs.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.fresh_names import FreshNames
from starplat.ir.visitor import walk_host, walk_kernel, with_signature
from starplat.passes.rewritten import Found, Rewritten, tidied
from starplat.passes.triangles import pairs, tables, uncounted
from starplat.passes.triangles.search import Meeting, TriangleSearch
from starplat.passes.triangles.tallies import OfNodes, Sum

Counts = dict[ir.Variable | ir.Array, ir.PerTriangle]
"""What grows, and by how much."""

_KINDS = {Meeting.TABLES: tables.TableSearch, Meeting.PAIRS: pairs.PairSearch, Meeting.ENDS: pairs.PairSearch}


def triangles(
    module: ir.Module,
    *,
    meeting: Meeting = Meeting.SEARCH,
    symmetric: bool = False,
    adds: Callable[[ir.Element], bool] = lambda element: True,
) -> Rewritten:
    """The same program with intersections in place of tests of pairs, and the replacements.

    Args:
        meeting: how rows are compared; PAIRS only where nodes are counted for, as a sum of all triangles is what such
            tests give as well.
        symmetric: whether every graph that the program will see has the reverse of each of its arcs.
        adds: whether threads can add to one cell of this kind at the same time.
    """
    found, rewritten = [], module
    for function in module.functions:
        for launch in walk_host(function.body):
            if isinstance(launch, ir.Launch) and (counts := _counts(kernel := module.kernel(launch.kernel), adds)):
                if meeting is Meeting.PAIRS and kernel.reductions:
                    continue
                host = rewritten.function(function.name)
                loops_matter = any(count.loops_count for count in counts.values())
                kind = _KINDS.get(meeting, TriangleSearch)
                search = kind(rewritten, host, kernel, launch, meeting, loops_matter, symmetric)
                rewritten = _with_counts(search, counts) if kernel.counts is None else _with_sum(search, kernel.counts)
                found.append(_note(kernel, counts))
    return Rewritten(tidied(rewritten), tuple(found)) if found else Rewritten(module)


def _counts(kernel: ir.Kernel, adds: Callable[[ir.Element], bool]) -> Counts:
    """What grows for triangles, if threads can make it: the kernel's one sum, the cells of all nodes, or locals of one
    type for those of its node."""
    counts: Counts = {}
    match kernel.counts:
        case ir.PerTriangle(ir.Array() as cells) as count:
            counts = {cells: count} if adds(cells.element) else {}
        case ir.PerTriangle() as count:
            counts = {kernel.reductions[0].variable: count}
        case None if isinstance(kernel.domain, ir.AllNodes):
            found = uncounted.counts_of(*walk_kernel(kernel.body))
            elements = {local.element for local in found}
            if len(elements) == 1 and all(map(adds, elements)):
                for local, count in found.items():
                    counts[local] = count
    return counts if all(map(_fits, counts, counts.values())) else {}


def _fits(variable: ir.Variable | ir.Array, count: ir.PerTriangle) -> bool:
    """Whether a triangle's addition is a number of the variable's type."""
    least, most = ir.limits(variable.element)
    return least <= count.value <= most


def _note(kernel: ir.Kernel, counts: Iterable[ir.Variable | ir.Array]) -> Found:
    """What was done, for people."""
    names = " and ".join(f"'{name}'" for name in dict.fromkeys(local.name for local in counts))
    why = "every triangle adds the same for each of its nodes"
    if kernel.counts is not None and kernel.reductions:
        why = f"every triangle adds {kernel.counts.value} to it, whichever of its nodes comes first"
    return Found(f"intersections of neighbors for {names}, on simple graphs whose arcs lead both ways", why)


def _with_sum(search: TriangleSearch, count: ir.PerTriangle) -> ir.Module:
    """The module with the search for what is all that a kernel does."""
    if isinstance(count.target, ir.Array):
        search.taken.add(count.target.name)
        return search.module_with(OfNodes(count.target, search.local("here", count.target.element), count.value))
    total = Sum(search.kernel.reductions[0], count.value)
    search.taken.add(total.reduction.variable.name)
    return search.module_with(total)


def _with_counts(search: TriangleSearch, locals_: Iterable[ir.Variable | ir.Array]) -> ir.Module:
    """The module with the search, and the kernel without its counting after it."""
    kernel, node = search.kernel, search.kernel.iterator
    element = next(iter(locals_)).element
    assert node is not None
    counts = ir.Array(search.outer.free("triangles_of"), element, ir.Extent.NODES, ir.Origin.TEMPORARY)
    search.taken.add(counts.name)

    def added(local: ir.Variable, times: int) -> ir.KernelOp:
        counted: ir.Expression = ir.Load(counts, ir.Ref(node))
        if times != 1:
            counted = build.times(ir.Const(times, element), counted, element)
        return ir.SetLocal(local, build.plus(ir.Ref(local), counted))

    name = FreshNames({kernel.name for kernel in search.module.kernels}).free(f"{kernel.name}_from_triangles")
    comment = f"{kernel.comment}: from the triangles of nodes".removeprefix(": ")
    body = uncounted.Uncounted(added).kernel_block(kernel.body)
    return search.module_with(
        OfNodes(counts, search.local("here", element)),
        before=(ir.Fill(counts, ir.Const(0, element)),),
        after=(ir.Launch(name),),
        arrays=(counts,),
        kernels=(with_signature(replace(kernel, name=name, body=body, comment=comment)),),
    )
