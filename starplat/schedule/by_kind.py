"""Schedules a module for all kinds of graphs at once, for programs that load their graph at run time.

Takes a function that schedules for known facts, and calls it for each kind of graph that schedules distinguish. A kind
with another result becomes a variant of the entry.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from starplat.ir import launches, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.rewriter import Rewriter
from starplat.schedule.facts import EVEN, GraphFacts
from starplat.schedule.memory.heads import with_near_kernels

_NODES = 2**10
SIZE = _NODES, 4 * _NODES
"""The nodes and arcs of a graph of a kind. Programs that load their graph do not tell apart what only large graphs are
looked at for."""

_KINDS = ((True, True), (False, True), (True, False))
"""Whether a graph is symmetric, and whether it has few pairs of neighbors: first those of which most is known. Of one
that is neither nothing is known."""


def for_all_kinds(schedule: Callable[[GraphFacts | None], ir.Module]) -> ir.Module:
    """The module scheduled for an unknown graph, with variants for the kinds that `schedule` distinguishes."""
    base = schedule(None)
    made = {(symmetric, few): schedule(_typical(symmetric=symmetric, few=few)) for symmetric, few in _KINDS}
    made[False, False] = base
    found = base
    for kind, module in made.items():
        first = next(other for other, same in made.items() if same == module)
        if kind != first or module == base:
            continue
        variant = _variant(tuple(other for other, same in made.items() if same == module))
        found = _with_variant(found, module, variant)
    return found


def also_near(far: ir.Module, near: ir.Module, capabilities: Capabilities) -> ir.Module:
    """A module whose arcs are placed on demand, with variants for graphs that have room for all arcs: what `near` does.
    The same object where that is nothing else, or needs other arrays of the graph."""
    near = with_near_kernels(replace(near, mapped=far.mapped, on_demand=True), capabilities)
    if near == far or near.prepared != far.prepared or not set(far.graph_arrays).issuperset(near.graph_arrays):
        return far
    return _with_variant(far, near, ir.Variant("near", near=True))


def _typical(*, symmetric: bool, few: bool) -> GraphFacts:
    """A graph of the kind, with few neighbors per node or with one long row. It has few nodes, so that threads share
    rows as where nothing is known: a long row's other effects have no kind of their own."""
    degree, most = (SIZE[1] // _NODES, 4 * EVEN) if few else (64, _NODES)
    return GraphFacts(_NODES, _NODES * degree, most, symmetric)


def _variant(kinds: tuple[tuple[bool, bool], ...]) -> ir.Variant:
    """The kind of these graphs, as part of a function's name."""
    symmetric, few = ({kind[place] for kind in kinds} for place in (0, 1))
    words = ("symmetric" * (symmetric == {True}), "few_pairs" * (few == {True}))
    name = "_".join(word for word in words if word)
    return ir.Variant(
        name, next(iter(symmetric)) if len(symmetric) == 1 else None, next(iter(few)) if len(few) == 1 else None
    )


def _with_variant(base: ir.Module, other: ir.Module, variant: ir.Variant) -> ir.Module:
    """The module with the entry of another, and of all functions that it calls those that are others, renamed."""
    end = f"_{variant.function}"
    kernels = {kernel.name: kernel for kernel in base.kernels}
    helpers = {helper.name: helper for helper in base.helpers}
    same_helpers = all(helpers.get(helper.name, helper) == helper for helper in other.helpers)
    own = {k.name: f"{k.name}{end}" for k in other.kernels if not same_helpers or kernels.get(k.name) != k}
    known = {replace(kernel, name=""): name for name, kernel in kernels.items()} if same_helpers else {}
    named = own | {
        k.name: known[bare] for k in other.kernels if k.name in own and (bare := replace(k, name="")) in known
    }
    own_functions = _other_functions(base, other, set(named))
    renamer = _Renamer(end, named, set() if same_helpers else {helper.name for helper in other.helpers}, own_functions)
    functions = tuple(renamer.host_function(f) for f in other.functions if f.name in own_functions)
    new_kernels = tuple(renamer.kernel(k) for k in other.kernels if k.name in own and named[k.name] == own[k.name])
    new_helpers = tuple(
        replace(helper, name=f"{helper.name}{end * (not same_helpers)}", body=renamer.kernel_block(helper.body))
        for helper in other.helpers
        if not same_helpers or helper.name not in helpers
    )
    used = {*base.graph_arrays, *other.graph_arrays}
    theirs = tuple(
        replace(one, function=f"{one.function}{end}") if one.function in own_functions else one
        for one in other.prepared
    )
    prepared = {one.arrays[0]: one for one in sorted((*theirs, *base.prepared), key=lambda one: len(one.arrays))}
    idle = {one.function for one in (*theirs, *base.prepared)} - {one.function for one in prepared.values()}
    kept = tuple(function for function in (*base.functions, *functions) if function.name not in idle)
    launched = launches.launched_names(kept)
    return replace(
        base,
        functions=kept,
        kernels=tuple(kernel for kernel in (*base.kernels, *new_kernels) if kernel.name in launched),
        helpers=(*base.helpers, *new_helpers),
        inputs=_either(base.inputs, other.inputs),
        graph_arrays=tuple(array for array in ir.GRAPH_ARRAYS if array in used),
        mapped=_either(base.mapped, other.mapped),
        on_demand=base.on_demand or other.on_demand,
        managed=base.managed or other.managed,
        prepared=tuple(prepared.values()),
        variants=_variants(base, other, variant),
    )


def _variants(base: ir.Module, other: ir.Module, variant: ir.Variant) -> tuple[ir.Variant, ...]:
    """Those of both, in the order in which they are asked for: of a graph with room for all arcs most is known."""
    end = f"_{variant.function}"
    own = (*(replace(v, function=f"{v.function}{end}", near=variant.near) for v in other.variants),
           replace(variant, function=f"{other.entry}{end}"))  # fmt: skip
    return (*own, *base.variants) if variant.near else (*base.variants, *own)


def _other_functions(base: ir.Module, other: ir.Module, kernels: set[str]) -> set[str]:
    """The entry of the other module, and its functions that are not as in the base, or that launch one of the kernels
    or call one of these functions."""
    known = {function.name: function for function in base.functions}
    found = {other.entry, *(variant.function for variant in other.variants)}
    found |= {f.name for f in other.functions if known.get(f.name) != f}
    found |= {f.name for f in other.functions if kernels & launches.launched_names((f,))}
    calls = {f.name: launches.calls_in(f) for f in other.functions}
    while more := {name for name, called in calls.items() if called & found} - found:
        found |= more
    return found


def _either(one: tuple[ir.Array, ...], other: tuple[ir.Array, ...]) -> tuple[ir.Array, ...]:
    return tuple(dict.fromkeys((*one, *other)))


class _Renamer(Rewriter):
    """Appends a suffix to the names of these host functions, their persistent kernels, and these helpers; `kernels`
    have the names that are given."""

    def __init__(self, end: str, kernels: Mapping[str, str], helpers: set[str], functions: set[str]) -> None:
        self.end = end
        self.kernels = kernels
        self.helpers = helpers
        self.functions = functions

    def host_function(self, function: ir.HostFunction) -> ir.HostFunction:
        return replace(function, name=f"{function.name}{self.end}", body=self.host_block(function.body))

    def kernel(self, kernel: ir.Kernel) -> ir.Kernel:
        return replace(super().kernel(kernel), name=self.kernels[kernel.name])

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        match self.rebuild(op):
            case ir.Launch(kernel) as launch if kernel in self.kernels:
                yield replace(launch, kernel=self.kernels[kernel])
            case ir.HostCall(function) as call if function in self.functions:
                yield replace(call, function=f"{function}{self.end}")
            case ir.OnDevice(name) as together:
                yield replace(together, name=f"{name}{self.end}")
            case same:
                yield same

    def expression(self, expression: ir.Expression) -> ir.Expression:
        rebuilt = self.rebuild(expression)
        if isinstance(rebuilt, ir.CallFunction) and rebuilt.function in self.helpers:
            return replace(rebuilt, function=f"{rebuilt.function}{self.end}")
        return rebuilt
