"""Finds the loops of a host program that can be compiled together with the kernels which they launch.

Where kernels are functions of the host, a loop of launches is one more function of the same text, which a run calls
instead of going through the rounds. Loops with lists, calls, or checks that name a place in the program stay with the
run. The step changes nothing; it says which loops are compiled, and why others are not.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from starplat.ir import build, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.visitor import blocks_of, walk_around, walk_host
from starplat.passes.parts.sources import SourceLoop
from starplat.schedule.loop.among_threads import shared
from starplat.schedule.loop.drivers import Driver, Holds, Plain, cell_of_own, left_to_the_host
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Choice, Decided

CompiledLoop = ir.Loop | ir.HostForRange | ir.HostForMembers


def compiled_rounds(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module itself, and which of its loops are compiled."""
    if not capabilities.compiled_loops:
        return module
    choices: list[Choice] = []
    for function in module.functions:
        for loop, reason in _outermost(function.body, module):
            if reason is not None:
                inside = (op for op in walk_host((loop,)) if isinstance(op, ir.HostLoop) and op is not loop)
                choices += left_to_the_host(walk_around((loop,), *inside), reason)
            elif (kernel := _first_launch(loop)) is not None:
                what = f"the loop of '{kernel}': its rounds are compiled with the kernels"
                choices.append(Choice(what, "a round goes through no Python"))
                if isinstance(loop, SourceLoop) and loop.apart and shared(loop, function, module) is None:
                    choices.append(Choice(f"the loop of '{kernel}' in one thread", "its arrays are used outside of it"))
    return Decided(module, tuple(choices)) if choices else module


def loops_to_compile(function: ir.HostFunction, module: ir.Module) -> Iterator[CompiledLoop]:
    """The loops of launches in a host function that can be compiled, the outermost of those inside each other."""
    for loop, reason in _outermost(function.body, module):
        if reason is None and isinstance(loop, CompiledLoop) and _first_launch(loop) is not None:
            yield loop


def _outermost(ops: Iterable[ir.HostOp], module: ir.Module) -> Iterator[tuple[ir.HostOp, str | None]]:
    """The outermost loops, each with the reason if it cannot be compiled; then the loops inside it follow."""
    for op in ops:
        if isinstance(op, ir.OnDevice):
            continue
        reason = None
        if isinstance(op, ir.HostLoop):
            reason = Compiled(module).obstacle(op)
            yield op, reason
        if reason is not None or not isinstance(op, ir.HostLoop):
            for block in blocks_of(op):
                yield from _outermost(block, module)


def _first_launch(loop: ir.HostOp) -> str | None:
    """The name of the first kernel, or launch of several, in a loop."""
    for op in walk_host((loop,)):
        match op:
            case ir.Launch(name) | ir.OnDevice(name):
                return name
    return None


class Compiled(Driver):
    """A function that is compiled with the kernels; `nodes` are the loop variables that are nodes for sure."""

    def __init__(self, module: ir.Module) -> None:
        super().__init__(module)
        self.nodes: list[ir.Variable] = []

    def obstacle(self, op: ir.HostOp, holds: Holds = ()) -> str | None:
        match op:
            case ir.OnDevice(traced=traced):
                return "its rounds are recorded" if traced else None
            case ir.HostForRange(by_host=True):
                return self.obstacle(replace(op, by_host=False), holds)
            case ir.HostBreak() | ir.HostContinue() if holds:
                return None
            case ir.CheckCell():
                return self.cell(op, holds)
            case ir.TakeBatch() | ir.EndBatch() | ir.ChangeGraph():
                return "a round changes the graph"
        return super().obstacle(op, holds)

    def plain(self, op: Plain, holds: Holds) -> str | None:
        return None

    def launch(self, kernel: ir.Kernel) -> str | None:
        if kernel.chunks is not None:
            return f"the host copies the rows of '{kernel.name}' before each launch"
        if isinstance(kernel.domain, ir.NodeNeighbors) and not self.is_node(kernel.domain.node):
            return f"'{kernel.name}' walks the neighbors of a node that the host must check"
        return None

    def cell(self, op: ir.ReadCell | ir.WriteCell | ir.CheckCell, holds: Holds) -> str | None:
        first = bool(self.nodes) and op.index == build.ZERO  # where a loop goes over nodes, there is one
        of_node = op.array.extent is ir.Extent.NODES and (first or self.is_node(op.index))
        return None if of_node else cell_of_own(op)

    def is_node(self, index: ir.Expression) -> bool:
        """Whether it is a node for sure."""
        return isinstance(index, ir.Ref) and index.variable in self.nodes

    def loop(self, op: ir.HostLoop, holds: Holds) -> str | None:
        """A loop; what is inside is reached under a condition."""
        inside = (*holds, build.TRUE)
        match op:
            case ir.Loop():
                return next(filter(None, (self.first(block, inside) for block in blocks_of(op))), None)
            case ir.HostForRange(variable, ir.Const(0), ir.NumNodes()) | ir.HostForMembers(variable):
                self.nodes.append(variable)
                found = self.first(op.body, inside)
                self.nodes.pop()
                return found
            case ir.HostForRange():
                return self.first(op.body, inside)
        return "the host goes over a node's arcs or the elements of a list"
