"""Step `queue`: keeps a set of nodes in plain arrays, where the host drives the rounds or a target has no other sets.

A set has a bit per node. As a list it also has its nodes and their number: a node whose bit was not set joins the list,
a kernel walks the list, whose length has been read, and the walk that empties a set clears its bits. As a bitmap it
only adds the number of non-zero words, as two layers a bit for each such word (`bit_sets`). After this step only
persistent kernels know of sets.
"""

from collections.abc import Mapping
from dataclasses import replace

from starplat.ir import fresh_names, nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.schedule.direction.pull_rounds import nodes_for_words
from starplat.schedule.queues import host, kept_sets, queue
from starplat.schedule.queues.kernels import ListKernels
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Choice, Decided

_KEPT: Mapping[ir.Packing, tuple[str, str]] = {
    ir.Packing.BITS: ("a bit for each node", "a round reads whether there are any"),
    ir.Packing.LAYERS: (
        "a bit for each node, and one for each word of these",
        "a round reads how many words are not zero, and only these are visited",
    ),
}
_LISTED = ("a list of nodes, and a bit for each", "a round reads its length, and only its members are visited")
"""The packing of a set, and why."""


def has_queues(capabilities: Capabilities) -> bool:
    """Whether threads can add nodes to a set of plain arrays, each once."""
    return capabilities.has_atomic(ir.Combine.BIT_OR, ir.Element.INT) and capabilities.has_atomic(
        ir.Combine.ADD, ir.Element.INT
    )


def sets_as_queues(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module whose sets are plain arrays, except in persistent kernels of a target with sets of its own."""
    kept = {array for loop in visitor.loops_of(module) for array in loop.arrays} if capabilities.shared_arcs else set()
    sets = [a for f in module.functions for a in f.arrays if a.packed and a not in kept]
    if not sets:
        return module
    taken, share = fresh_names.names_of(module), nodes_for_words(capabilities)
    queues = {array: kept_sets.kept_as(array, taken) for array in sets}
    insert = kept_sets.insertion_into(queues[sets[0]], taken)
    walks = ListKernels(queues, insert, taken)
    kernels = tuple(map(walks.kernel, module.kernels))
    rounds = host.ListRounds(module, replace(module, kernels=kernels), walks, queues, insert, taken, share)
    functions = tuple(
        rounds.function(function) if any(array in queues for array in function.arrays) else function
        for function in module.functions
    )
    helpers = (*module.helpers, *_insertions(insert, queues[sets[0]], capabilities, taken))
    made = replace(module, functions=functions, kernels=(*kernels, *rounds.kernels), helpers=helpers)
    names = ", ".join(sorted(array.name for array in queues))
    what, why = _how(sets[0])
    return Decided(made, (Choice(f"{names}: {what}", why),))


def _insertions(
    insert: ir.Function, kept: kept_sets.KeptSet, capabilities: Capabilities, taken: fresh_names.FreshNames
) -> tuple[ir.Function, ...]:
    """The function that adds a node and, where one thread may take the few nodes of a list, what that thread calls."""
    if not (isinstance(kept, queue.Queue) and capabilities.structured_loops and capabilities.group_loops):
        return (insert,)
    alone = queue.insertion_alone(insert, taken)
    return replace(insert, alone=alone.name), alone


def _how(members: ir.Array) -> tuple[str, str]:
    """The packing of a set, and why; all sets of a module have the same."""
    return _LISTED if members.packed is None else _KEPT.get(members.packed, _LISTED)
