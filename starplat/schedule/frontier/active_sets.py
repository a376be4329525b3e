"""Finds the arrays of flags that are sets of active nodes.

Such flags are only walked by a loop of kernels, tested, set one by one, cleared together, and swapped with another
array.
"""

from collections.abc import Iterable, Iterator, Mapping, Set as AbstractSet

from starplat.ir import conditions, nodes as ir, uses
from starplat.ir.launches import launched_kernels, touched
from starplat.ir.shapes.members import flag_of, membership
from starplat.ir.visitor import blocks_of, walk_around, walk_host
from starplat.schedule.frontier.obstacles import obstacle


def sets_in(loop: ir.OnDevice, module: ir.Module) -> frozenset[ir.Array]:
    """The arrays that are sets in a persistent kernel: their memory must be cleared before anything is put in."""
    function = next(f for f in module.functions if any(op is loop for op in walk_host(f.body)))
    inside = tuple(walk_host(loop.body))
    elsewhere = {
        a
        for op in walk_host(function.body)
        if not any(op is i for i in inside) and op is not loop and not isinstance(op, ir.CheckCell)
        for a in touched(op, module)
    }
    candidates = {a for a in own_flags(function) - elsewhere if begins_cleared(loop.body, a, module)}
    return _sets_among(candidates, inside, inside, module)


def sets_of_the_host(function: ir.HostFunction, module: ir.Module) -> frozenset[ir.Array]:
    """The arrays that are sets in all of a function, and walked in loops that the host drives."""
    ops = tuple(op for op in walk_host(function.body) if not isinstance(op, ir.CheckCell))
    in_one_launch = {array for op in ops if isinstance(op, ir.OnDevice) for array in op.arrays}
    candidates = {a for a in own_flags(function) - in_one_launch if begins_cleared(function.body, a, module)}
    in_loops = tuple(op for loop in ops if isinstance(loop, ir.HostLoop) for op in walk_host((loop,)))
    return _sets_among(candidates, ops, in_loops, module)


def own_flags(function: ir.HostFunction) -> set[ir.Array]:
    """The arrays of a function that may be sets of nodes: invisible outside."""
    return {a for a in function.arrays if a.element is ir.Element.BOOL and a.extent is ir.Extent.NODES}


def begins_cleared(ops: Iterable[ir.HostOp], array: ir.Array, module: ir.Module) -> bool:
    """Whether the array is cleared before any other use, on every path."""
    row = [op for op in uses.stream(ops) if not isinstance(op, ir.CheckCell)]
    about = [op for op in row if any(array in touched(inner, module) for inner in walk_host((op,)))]
    match about:
        case [ir.Fill(), *_] | []:
            return True
        case [op, *rest] if blocks_of(op):
            blocks = [b for b in blocks_of(op) if any(array in touched(inner, module) for inner in walk_host(b))]
            each = all(begins_cleared(block, array, module) for block in blocks)
            surely = isinstance(op, ir.OnDevice) or (isinstance(op, ir.Loop) and op.test_last)
            return each and (surely or begins_cleared(rest, array, module))
    return False


def _sets_among(
    candidates: set[ir.Array], ops: tuple[ir.HostOp, ...], in_loops: tuple[ir.HostOp, ...], module: ir.Module
) -> frozenset[ir.Array]:
    """The arrays with set operations only, which a kernel walks in a loop; an array swapped with one is a set too."""
    candidates = {array for array in candidates if all(obstacle(op, array, module) is None for op in ops)}
    pairs = [{op.first, op.second} for op in ops if isinstance(op, ir.Swap)]
    while alone := {array for pair in pairs if not pair <= candidates for array in pair & candidates}:
        candidates -= alone
    walked = {m.members for k in launched_kernels(in_loops, module) if (m := membership(k, candidates.__contains__))}
    while more := {a for pair in pairs if pair & walked for a in pair if a in candidates} - walked:
        walked |= more
    return frozenset(walked)


def why_no_sets(
    module: ir.Module, sets: AbstractSet[ir.Array], origins: Mapping[str, str]
) -> Iterator[tuple[ir.Array, str]]:
    """The flags by which loops choose their nodes, where none of these is a set, with the reason; `origins` are the
    names of the kernels that others are parts of."""
    for function in module.functions:
        ops = tuple(walk_host(function.body))
        loops = tuple(op for loop in ops if isinstance(loop, ir.HostLoop) for op in walk_host((loop,)))
        without = [k for k in launched_kernels(loops, module) if membership(k, sets.__contains__) is None]
        asked = {array for kernel in without for array in _asked_first(kernel)}
        for array in sorted(asked, key=lambda array: array.name):
            yield array, _why_no_set(array, function, module, origins)


def _why_no_set(array: ir.Array, function: ir.HostFunction, module: ir.Module, origins: Mapping[str, str]) -> str:
    if array not in function.arrays:
        return "the caller sees its flags"
    ops = tuple(op for op in walk_host(function.body) if not isinstance(op, ir.CheckCell | ir.OnDevice))
    swaps = [{op.first, op.second} for op in ops if isinstance(op, ir.Swap)]
    partners = {other for pair in swaps if array in pair for other in pair - {array}}
    for one in (array, *sorted(partners, key=lambda array: array.name)):
        if not begins_cleared(function.body, one, module):
            return "it does not begin empty" if one == array else f"'{one.name}' does not begin empty"
        for op in ops:
            if (why := obstacle(op, one, module)) is not None:
                whole = f"{origins.get(op.kernel, op.kernel)} {why}" if isinstance(op, ir.Launch) else why
                return whole if one == array else f"it changes places with '{one.name}': {whole}"
    if _is_outside_too(array, function, module):
        return "not all that is done with it is in one launch"
    return "no loop walks its members only"


def _is_outside_too(array: ir.Array, function: ir.HostFunction, module: ir.Module) -> bool:
    """Whether a persistent kernel and operations outside of it both use the array."""
    launches = [op for op in walk_host(function.body) if isinstance(op, ir.OnDevice) and array in op.arrays]
    others = (op for op in walk_around(function.body, *launches) if not isinstance(op, ir.CheckCell))
    return bool(launches) and any(array in touched(op, module) for op in others)


def _asked_first(kernel: ir.Kernel) -> Iterator[ir.Array]:
    """The flags by which a kernel chooses its nodes, one of them or either."""
    if (found := membership(kernel, lambda _: True)) is not None:
        yield found.members
    elif isinstance(kernel.domain, ir.AllNodes) and kernel.filter is not None and kernel.iterator is not None:
        for condition in conditions.conjuncts(kernel.filter):
            parts = [flag_of(part, kernel.iterator) for part in conditions.disjuncts(condition)]
            yield from (array for array in parts if array is not None)
