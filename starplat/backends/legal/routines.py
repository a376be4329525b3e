"""Legalises kernels and functions: rewrites their operations as statements within a target's capabilities.

Takes the kernels and functions of a module and the target's capabilities, returns statements in which every decision is
taken.
"""

from dataclasses import replace

from starplat.backends import statements as st
from starplat.backends.launch import FEW_ITERATIONS
from starplat.backends.legal import additions
from starplat.backends.legal.blocks import tested_in_blocks
from starplat.backends.legal.contributions import Together, result_word
from starplat.backends.legal.domains import in_pieces, over_domain
from starplat.backends.legal.gangs import by_gangs, guarded, guarded_block
from starplat.backends.legal.inside import without_unread
from starplat.backends.legal.one_thread import by_one_thread
from starplat.backends.legal.operations import Operations
from starplat.ir import build, nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.shapes.listed import listed_length


def legal_kernel(kernel: ir.Kernel, module: ir.Module, capabilities: Capabilities) -> st.LegalKernel:
    """The kernel as statements: its loop over the domain, and the end of its reductions."""
    assert kernel.guard is None or capabilities.batches, "kernels have guards only where the host asks for rounds ahead"
    operations = Operations(kernel, module, capabilities)
    contributions = operations.contributions
    scalars = {scalar.name for scalar in kernel.scalars}
    results = tuple(result_word(reduction, scalars, operations.locals) for reduction in kernel.reductions)
    body = over_domain(kernel, operations)
    if capabilities.structured_loops:
        body = _structured(kernel, module, operations, results, body)
    else:
        body = in_pieces(operations, body) if kernel.in_pieces else body
        ends = contributions.ends(results, _together(kernel))
        body = (*_guarded(kernel), *contributions.declared(), *body, *ends)
    body = without_unread(body)
    if capabilities.gathers:
        body = additions.in_loops(body, module, lambda function: _gathered(function, module, capabilities))
    return st.LegalKernel(kernel, results, body)


def _guarded(kernel: ir.Kernel) -> st.Body:
    """All threads exit at once if the guard does not hold."""
    if kernel.guard is None:
        return ()
    return (st.If(build.denied(ir.Load(kernel.guard, build.ZERO)), (st.Leave(),)),)


def _together(kernel: ir.Kernel) -> Together:
    """Which threads combine their contributions."""
    if isinstance(kernel.domain, ir.Once):
        return Together.ALONE
    return Together.APART if kernel.works_apart else Together.IN_GROUPS


def legal_function(function: ir.Function, module: ir.Module, capabilities: Capabilities) -> st.LegalFunction:
    """The function as statements."""
    body = _of_function(function, module, capabilities)
    pair = _gathered(function, module, capabilities)
    return st.LegalFunction(function, body) if pair is None else additions.in_function(function, body, module, pair)


def _of_function(function: ir.Function, module: ir.Module, capabilities: Capabilities) -> st.Body:
    return without_unread(Operations(function, module, capabilities).block(function.body))


def _gathered(function: ir.Function, module: ir.Module, capabilities: Capabilities) -> additions.Pair | None:
    """The parameters in whose place the function gets what a thread gathers."""
    if not capabilities.gathers or function.alone is None:
        return None
    return additions.pair_of_function(function, _of_function(function, module, capabilities), module)


def _structured(
    kernel: ir.Kernel, module: ir.Module, operations: Operations, results: tuple[ir.Array, ...], body: st.Body
) -> st.Body:
    """The kernel's loop as the target shares it out, or its block for one thread."""
    contributions, ahead = operations.contributions, kernel.guard is not None
    begins, parts = contributions.declared(), contributions.parts
    stays = any(reduction.into is not None for reduction in kernel.reductions)
    assert not (stays and kernel.brought_back), "what stays on the device and what comes back are combined apart"
    arrays = (*kernel.arrays, *results) if stays else kernel.arrays
    if isinstance(kernel.domain, ir.Once):
        if operations.capabilities.group_loops:
            body = by_one_thread(body, module)
        if stays:
            body = (*begins, *body, *contributions.ends(results, Together.ALONE))
            return (st.Alone(guarded_block(body, kernel.guard), (), arrays, ahead),)
        block = st.Alone(guarded_block(body, kernel.guard), tuple(parts.values()), arrays, ahead)
        return (*begins, block, *contributions.handed_over(results))
    (loop,) = body
    assert isinstance(loop, st.Count)
    loop = tested_in_blocks(kernel, loop, operations.locals, operations.capabilities)
    reductions = tuple(map(contributions.contributed, parts))
    shared = _shared_out(kernel, loop, reductions, arrays)
    if stays:
        ends = contributions.ends(results, Together.APART)
        loop = by_gangs(shared.loop, reductions, begins, ends, operations.locals, for_teams=shared.by_teams)
        return (replace(shared, loop=guarded(loop, kernel.guard), reductions=(), by_gangs=True),)
    shared = replace(shared, loop=guarded(shared.loop, kernel.guard))
    loops = _by_one_if_few(shared, kernel, module) if operations.capabilities.group_loops else (shared,)
    return (*begins, *loops, *contributions.handed_over(results))


def _by_one_if_few(shared: st.SharedLoop, kernel: ir.Kernel, module: ir.Module) -> st.Body:
    """The shared loop; where few nodes are listed, a loop of one thread in its place, which needs no atomic updates."""
    many = None if shared.length is None else build.greater(shared.length, build.number(FEW_ITERATIONS))
    if many is None or not isinstance(kernel.domain, ir.Listed) or not _updates(shared.loop.body):
        return (shared,)
    return (st.If(many, (replace(shared, length=None),), by_one_thread((shared.loop,), module)),)


def _updates(body: st.Body) -> bool:
    """Whether atomic updates are much of what an iteration does: additions, or a call where there are no loops."""
    parts = tuple(visitor.walk(body))
    calls = any(isinstance(part, st.Call) for part in parts)
    loops = any(isinstance(part, st.Count | st.While | st.For) for part in parts)
    return any(isinstance(part, st.AtomicCell | st.FetchCell) for part in parts) or (calls and not loops)


def _shared_out(
    kernel: ir.Kernel,
    loop: st.Count,
    reductions: tuple[tuple[ir.Combine, ir.Variable], ...],
    arrays: tuple[ir.Array, ...],
) -> st.SharedLoop:
    """A loop over the kernel's domain that all threads share."""
    uneven = any(isinstance(part, st.Count | st.While | st.For | ir.CallFunction) for part in visitor.walk(loop.body))
    domain, ahead = kernel.domain, kernel.guard is not None
    length = listed_length(domain) if isinstance(domain, ir.Listed | ir.InWords | ir.Numbers) else None
    if kernel.in_pieces:  # a thread's iterations follow each other, and all of them are worth it
        uneven, length = False, None
    by_teams = any(isinstance(part, st.TeamLoop) for part in visitor.walk(loop.body))
    loop = replace(loop, stride=st.Stride.ONE)
    long = isinstance(domain, ir.Workers)
    rows, own = _offsets_of_rows(kernel, loop), visitor.thread_arrays(kernel.body)
    steps = uneven and _only_follows_paths(kernel)
    return st.SharedLoop(
        loop, reductions, arrays, uneven, length, by_teams, long, ahead=ahead, rows=rows, own=own, steps=steps
    )


def _only_follows_paths(kernel: ir.Kernel) -> bool:
    """Whether the iterations of a kernel over all nodes or arcs have no loops but those of which nothing says how often
    they go round."""
    parts = tuple(visitor.walk_kernel(kernel.body))
    counted = any(isinstance(op, ir.ForNeighbors | ir.ForRange | ir.CallFunction) for op in parts)
    return kernel.domain in (ir.AllNodes(), ir.AllArcs()) and not counted


def _offsets_of_rows(kernel: ir.Kernel, loop: st.Count) -> ir.Array | None:
    """Where the rows begin that a loop over all nodes walks, each node its own."""
    if kernel.domain != ir.AllNodes() or kernel.iterator is None or loop.variable != kernel.iterator:
        return None
    node = ir.Ref(kernel.iterator)
    loops = (op for op in visitor.walk_kernel(kernel.body) if isinstance(op, ir.ForNeighbors) and op.node == node)
    return next((op.layout.offsets for op in loops if op.layout.ahead is None), None)
