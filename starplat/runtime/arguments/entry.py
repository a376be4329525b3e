"""The entry of a module as every run of it sees it: its arrays, those that it changes, its results (memoised)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from starplat.frontend.types import PropertyType
from starplat.ir import nodes as ir
from starplat.ir.launches import changed, changes_graph
from starplat.ir.visitor import host_ops, only_copied, walk_host, written_arrays
from starplat.runtime.arguments.bind import names_in, parts_of_updates
from starplat.same import remembered


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """What is the same in every run of a module.

    Attributes:
        program: the program's name.
        inputs: the module's inputs, by name.
        parameters: the arrays among the entry's parameters.
        changed: the names of those that a run may change.
        on_host: the names of those of which the device only gets chunks.
        counted: the names of the sets of which it is asked how many members they have.
        lists: by the name of an array with a part of a list of updates, the program's name of the list.
        walked: the names of sets whose members the host goes through.
        results: the arrays that may come back, by the program's names.
        types: the types of the program's properties, by name.
        changes_graph: whether a run changes its graph.
    """

    program: str
    inputs: frozenset[str]
    parameters: tuple[ir.Array, ...]
    changed: frozenset[str]
    on_host: frozenset[str]
    counted: frozenset[str]
    lists: Mapping[str, str]
    walked: frozenset[str]
    results: Mapping[str, ir.Array]
    types: Mapping[str, PropertyType]
    changes_graph: bool


@remembered(256)
def entry_of(module: ir.Module) -> Entry:
    parameters, body = module.function(module.entry).given_arrays, module.function(module.entry).body
    results = {array.name: array for array in module.results}
    return Entry(
        program=PurePath(module.source.name).stem,
        inputs=frozenset(array.name for array in module.inputs),
        parameters=parameters,
        changed=frozenset(array.name for array in parameters if not only_read(module, array)),
        on_host=frozenset(array.name for array in only_copied(module)),
        counted=frozenset(op.counts.name for op in walk_host(body) if isinstance(op, ir.ReadCell) and op.counts),
        lists={name: parts[0] for name, parts in parts_of_updates(module).items()},
        walked=frozenset(op.members.name for op in host_ops(module) if isinstance(op, ir.HostForMembers)),
        results={name: results[within] for name, within in names_in(module).items() if within in results},
        types={a.name: a.type for a in module.arguments if isinstance(a.type, PropertyType)},
        changes_graph=changes_graph(module),
    )


def only_read(module: ir.Module, array: ir.Array) -> bool:
    """Whether no function of the module changes the cells of the entry's parameter or what its name stands for."""
    if any(array in written_arrays(kernel.body) for kernel in module.kernels):
        return False
    return not any(array in changed(op, module) for op in walk_host(module.function(module.entry).body))
