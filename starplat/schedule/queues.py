"""Step `queue`: keeps a set of nodes as a list, where the host drives the rounds, or a target has no other sets.

A set becomes a list of its nodes, its length, and a bit for each node that says whether it is there: a node whose bit
was not set joins the list, a kernel walks the list, whose length has been read, and the walk that empties a set clears
its bits. After this step nothing but loops in one launch knows of sets.
"""

from __future__ import annotations

from dataclasses import replace

from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import Combine, Element, Module, Packing
from starplat.ir.visitor import loops_of
from starplat.schedule.names import Taken
from starplat.schedule.pull_rounds import pulling_share
from starplat.schedule.queue import insertion, queue_of
from starplat.schedule.queue_host import ListRounds
from starplat.schedule.queue_kernels import ListKernels
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Choice, Decided

QUEUED = frozenset({Packing.LIST, Packing.SWITCHED})
"""What may become lists; a launch that walks one goes over all nodes where they are many."""


def has_queues(capabilities: Capabilities) -> bool:
    """Whether threads can put nodes into a list, each once."""
    return capabilities.has_atomic(Combine.BIT_OR, Element.INT) and capabilities.has_atomic(Combine.ADD, Element.INT)


def sets_as_queues(module: Module, schedule: Schedule, capabilities: Capabilities) -> Module | Decided:
    """The module whose sets are lists, but for those of loops in one launch where a target has other sets for these."""
    kept = {array for loop in loops_of(module) for array in loop.arrays} if capabilities.shared_arcs else set()
    sets = [a for f in module.functions for a in f.arrays if a.packed and a not in kept]
    if not sets:
        return module
    taken, share = Taken(module), pulling_share(capabilities)
    queues = {array: queue_of(array, taken) for array in sets}
    insert = insertion(taken)
    walks = ListKernels(queues, insert, taken)
    kernels = tuple(map(walks.kernel, module.kernels))
    rounds = ListRounds(module, replace(module, kernels=kernels), walks, queues, insert, taken, share)
    functions = tuple(
        rounds.function(function) if any(array in queues for array in function.arrays) else function
        for function in module.functions
    )
    made = replace(module, functions=functions, kernels=(*kernels, *rounds.kernels), helpers=(*module.helpers, insert))
    names = ", ".join(sorted(array.name for array in queues))
    why = "a round reads how many there are, and no thread looks at another node"
    return Decided(made, (Choice(f"{names}: a list of nodes, and a bit for each", why),))
