"""Step `loop`: puts host-driven rounds into one persistent kernel with grid barriers.

In a host function it finds consecutive operations that the threads of one launch can do, with a loop of launches among
them or, on a small graph, several launches, and makes one `OnDevice` of them. Outside stays what needs the host: calls,
returns, loops over a set's members, and operations whose errors the host must report.

A program clears its flags, then tests whether there is anything to do. The branch can become a persistent kernel only
if it begins with new contents itself. An array of the function's own that is only filled in a row and used, later in
that row, in one branch of an `if`, can be filled where that branch begins.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, takewhile

from starplat.ir import launches, nodes as ir, rewriter, uses, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.fresh_names import FreshNames
from starplat.ir.launches import in_one_launch, scalars_read, scalars_set, touched
from starplat.ir.visitor import blocks_of, declared_by, walk_around, walk_host
from starplat.passes.rewritten import replaced
from starplat.schedule.facts import GraphFacts
from starplat.schedule.loop.copies import overwrites
from starplat.schedule.loop.drivers import Grid, left_to_the_host
from starplat.schedule.loop.late_declarations import declared_ahead
from starplat.schedule.schedule import Loop, Schedule
from starplat.schedule.step import Choice, Decided

_LOOPS = (ir.Loop, ir.HostForRange)

FEW_ARCS = range(2**17, 2**22)
"""Arcs of graphs on which launches take longer than kernels. Fewer may stand for graphs of a kind (see `by_kind`), for
which an emitted program would have all of this once more."""

SEVERAL = 3
"""Launches one after the other that one takes the place of. A fill or a copy takes the host half as long."""

_SCALAR = (ir.HostBlock, ir.DeclareVariable, ir.SetVariable)
_PLAIN = (ir.Launch, ir.Fill, ir.CopyArray, *_SCALAR)


def is_small(num_nodes: int, num_arcs: int) -> bool:
    """Whether launches take longer than kernels on such a graph."""
    return num_arcs in FEW_ARCS and num_nodes < FEW_ARCS.stop


def has_launches_in_a_row(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether it may make a difference that a graph has few arcs."""
    return capabilities.grid_barrier and any(_as_several(walk_host(function.body)) for function in module.functions)


def _are_several(ops: Iterable[ir.HostOp]) -> bool:
    """Whether kernels are launched and arrays filled in turn, and nothing is decided between them."""
    inside = tuple(walk_host(ops))
    return all(isinstance(op, _PLAIN) for op in inside) and _as_several(inside)


def _is_scalar(op: ir.HostOp) -> bool:
    """Whether it concerns the host's scalars alone."""
    return all(isinstance(inner, _SCALAR) for inner in walk_host((op,)))


def _as_several(ops: Iterable[ir.HostOp]) -> bool:
    """Whether the host takes as long to ask for them as for several launches; there is one at least."""
    asked = Counter(type(op) for op in ops)
    launched, whole_arrays = asked[ir.Launch], asked[ir.Fill] + asked[ir.CopyArray]
    return launched > 0 and 2 * launched + whole_arrays >= 2 * SEVERAL


def loops_on_device(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
) -> ir.Module | Decided:
    """The module with its loops of launches as persistent kernels, where the schedule and the target permit it."""
    granted = capabilities.grid_barrier and (capabilities.clusters or schedule.loop is not Loop.CLUSTER)
    if schedule.loop in (Loop.HOST, Loop.GROUP, Loop.BATCH) or not granted:
        return module
    small = schedule.loop is Loop.AUTO and facts is not None and is_small(facts.num_nodes, facts.num_arcs)
    names = {kernel.name for kernel in module.kernels} | {function.name for function in module.functions}
    choices: list[Choice] = []
    functions = []
    for function in module.functions:
        ready = with_fills_in_branches(function, module)
        former = _Former(module, ready, names, small=small)
        body = former.block(ready.body)
        functions.append(replace(ready, body=body) if former.formed else function)
        for op in former.formed:
            names.add(op.name)
            what, why = "the whole loop in one launch", "the target has a grid barrier"
            if not any(map(_drives_launches, op.body)):
                what, why = "several kernels in one launch", f"{facts.num_arcs if facts else 0:,} arcs are few"
            choices.append(Choice(f"{op.name}: {what}", why))
        choices += former.refused
    same = tuple(functions) == module.functions
    return Decided(module if same else replace(module, functions=tuple(functions)), tuple(choices))


class _Former:
    """Finds the rows of operations in one host function."""

    def __init__(self, module: ir.Module, function: ir.HostFunction, names: set[str], *, small: bool) -> None:
        self.module, self.small = module, small
        self.function = function
        self.names = FreshNames(names)
        self.formed: list[ir.OnDevice] = []
        self.refused: list[Choice] = []
        self.grid = Grid(module, self._steady())

    def _steady(self) -> frozenset[ir.Variable]:
        """The scalars that may be nodes and keep their value: parameters that nothing assigns, and members of sets."""
        everything = tuple(walk_host(self.function.body))
        assigned = set(scalars_set(everything, self.module))
        given = {p.what for p in self.function.parameters if isinstance(p.what, ir.Variable) and not p.by_reference}
        members = {v for op in everything if not isinstance(op, ir.DeclareVariable) for v in declared_by(op)}
        return frozenset(v for v in given | members if v.element in _NODES and v not in assigned)

    def block(self, ops: Sequence[ir.HostOp]) -> tuple[ir.HostOp, ...]:
        """The operations with the rows among them made one."""
        result: list[ir.HostOp] = []
        apart = tuple(self.in_rows(ops)) if self.small else ops
        for fits, row in groupby(apart, key=self.fits):
            run = tuple(row)
            if not fits:
                result += (self.inside(op) for op in run)
            elif any(map(_drives_launches, run)):
                result += self.one_launch(run)
            elif self.small and _are_several(run):
                ahead = tuple(takewhile(_is_scalar, run))
                behind = tuple(takewhile(_is_scalar, reversed(run)))[::-1]  # none of which the host need wait for
                result += (*ahead, *self.one_launch(run[len(ahead) : len(run) - len(behind)]), *behind)
            else:
                result += run
        return tuple(result)

    def fits(self, op: ir.HostOp) -> bool:
        """Whether the threads of a launch can do it."""
        return self.grid.obstacle(op) is None

    def in_rows(self, ops: Iterable[ir.HostOp]) -> Iterator[ir.HostOp]:
        """The operations, with each statement that does not fit as a whole as several: what fits in it may go on with
        what stands beside it."""
        for op in ops:
            if isinstance(op, ir.HostBlock) and not self.fits(op):
                for _, row in groupby(self.in_rows(op.body), key=lambda part: (self.fits(part), _is_scalar(part))):
                    yield replace(op, body=tuple(row))
            else:
                yield op

    def inside(self, op: ir.HostOp) -> ir.HostOp:
        """An operation that cannot be part of a launch as a whole."""
        match op:
            case ir.HostBlock(body):
                return replace(op, body=self.block(body))
            case ir.HostIf(_, then, otherwise):
                return replace(op, then=self.block(then), otherwise=self.block(otherwise))
            case ir.Loop() | ir.HostForRange() | ir.HostForNeighbors() | ir.HostForMembers() | ir.HostForItems():
                made = replace(op, body=self.block(op.body))
                parts = (inner for inner in walk_host(made.body) if isinstance(inner, ir.HostLoop))
                self.refused += left_to_the_host(walk_around(made.body, *parts), self.grid.obstacle(op))
                return made
        return op

    # --- one launch --------------------------------------------------------------------------------------------------

    def one_launch(self, run: tuple[ir.HostOp, ...]) -> tuple[ir.HostOp, ...]:
        """The row as one operation, with its checks and declarations before it; the row itself where a swap of its
        arrays is seen outside."""
        inside = tuple(walk_host(run))
        outside = list(walk_around(self.function.body, *run))
        swapped = {array for op in inside if isinstance(op, ir.Swap) for array in (op.first, op.second)}
        if not all(self.may_swap(array, inside, outside) for array in swapped):
            self.refused += left_to_the_host(inside, "arrays that it swaps are used outside")
            return run
        before = tuple(_checks(run))
        mentioned = {*scalars_read(outside, self.module), *scalars_set(outside, self.module), *self.function.references}
        declarations, body = declared_ahead(run, mentioned)
        op = self.operation(body, mentioned)
        self.formed.append(op)
        return (*before, *declarations, op)

    def operation(self, body: tuple[ir.HostOp, ...], mentioned: set[ir.Variable]) -> ir.OnDevice:
        blocks = (op for op in walk_host(body) if isinstance(op, ir.HostBlock))
        span = next((op.span for op in blocks if any(map(_drives_launches, op.body))), self.function.span)
        name = self.names.fresh(f"{self.function.name}_loop")
        return in_one_launch(ir.OnDevice(name, body, span=span), self.module, mentioned)

    def may_swap(self, array: ir.Array, inside: Sequence[ir.HostOp], outside: Sequence[ir.HostOp]) -> bool:
        """Whether a swap is invisible outside the row: the array is the function's own, is used in the row alone, and
        begins there with new contents. What does that may stand under a condition: an array has no contents before,
        so nothing is read where the condition is false."""
        own = array in self.function.arrays
        elsewhere = any(array in touched(op, self.module) for op in outside)
        first = next((op for op in inside if array in touched(op, self.module) and not blocks_of(op)), None)
        begins_anew = isinstance(first, ir.Fill) or (isinstance(first, ir.CopyArray) and first.destination == array)
        if isinstance(first, ir.Launch) and array.element is not ir.Element.BOOL:  # sets begin with a fill
            begins_anew = overwrites(self.module.kernel(first.kernel), array)
        return own and not elsewhere and begins_anew


_NODES = (ir.Element.NODE, ir.Element.INT)


def _drives_launches(op: ir.HostOp) -> bool:
    """Whether there is a loop of launches in it."""
    return any(
        isinstance(loop, _LOOPS) and any(isinstance(inner, ir.Launch) for inner in walk_host((loop,)))
        for loop in walk_host((op,))
    )


def _cells_at_the_top(
    ops: Iterable[ir.HostOp],
) -> Iterator[tuple[ir.HostBlock | ir.CheckCell, ir.ReadCell | ir.WriteCell]]:
    """The cells that are touched for sure, each with the block where the program does it."""
    for op in ops:
        if isinstance(op, ir.HostBlock):
            for within, cell in _cells_at_the_top(op.body):
                yield (within if isinstance(within, ir.HostBlock) else op), cell
        elif isinstance(op, ir.ReadCell | ir.WriteCell):
            yield ir.CheckCell(op.array, op.index), op


def _checks(ops: Iterable[ir.HostOp]) -> Iterator[ir.HostOp]:
    """The host's checks before the launch, each index once."""
    seen = set()
    for op, cell in _cells_at_the_top(ops):
        if (cell.array.extent, cell.index) not in seen:
            seen.add((cell.array.extent, cell.index))
            check = ir.CheckCell(cell.array, cell.index)
            yield check if isinstance(op, ir.CheckCell) else replace(op, body=(check,))


def with_fills_in_branches(function: ir.HostFunction, module: ir.Module) -> ir.HostFunction:
    """The function with each fill where it is needed; the same object if none moves."""
    body = _Sinker(function, module).host_block(function.body)
    return function if body == function.body else replace(function, body=body)


class _Sinker(rewriter.Rewriter):
    def __init__(self, function: ir.HostFunction, module: ir.Module) -> None:
        self.own = function.arrays
        self.everything = tuple(visitor.walk_host(function.body))
        self.given = module

    def host_block(self, ops: Iterable[ir.HostOp]) -> tuple[ir.HostOp, ...]:
        row = tuple(ops)
        flat = list(uses.stream(row))
        for place, op in enumerate(flat):
            if isinstance(op, ir.HostIf):
                row = self.sunk(row, flat[:place], op)
        return super().host_block(row)

    def sunk(
        self, row: tuple[ir.HostOp, ...], before: Sequence[ir.HostOp], branching: ir.HostIf
    ) -> tuple[ir.HostOp, ...]:
        """The row with the fills before the `if` moved into their branch."""
        then, otherwise = self.meant_for(branching.then, before), self.meant_for(branching.otherwise, before)
        if not then and not otherwise:
            return row
        after = replace(branching, then=(*then, *branching.then), otherwise=(*otherwise, *branching.otherwise))
        return replaced(row, (branching, (after,)), *((fill, ()) for fill in (*then, *otherwise)), empties=False)

    def meant_for(self, branch: tuple[ir.HostOp, ...], before: Sequence[ir.HostOp]) -> tuple[ir.Fill, ...]:
        """The fills of arrays that only these and the branch touch."""
        fills = [op for op in before if isinstance(op, ir.Fill) and isinstance(op.value, ir.Const)]
        inside = tuple(visitor.walk_host(branch))

        def alone(array: ir.Array) -> bool:
            within, filled = self.touching(inside, array), sum(fill.array == array for fill in fills)
            return bool(within) and within + filled == self.touching(self.everything, array)

        return tuple(fill for fill in fills if fill.array in self.own and alone(fill.array))

    def touching(self, ops: Iterable[ir.HostOp], array: ir.Array) -> int:
        """How many of the operations touch the array directly."""
        return sum(array in launches.touched(op, self.given) for op in ops)
