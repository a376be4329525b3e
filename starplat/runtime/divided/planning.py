"""How a program is divided among devices: by its sources where it has some, else by nodes; and whether that pays."""

from dataclasses import replace
from functools import lru_cache

from starplat.backends.scheduled import capabilities_of, for_target
from starplat.diagnostics import DiagnosticError
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.visitor import walk_host
from starplat.passes.parts.alike import in_parts_alike
from starplat.passes.parts.placing import in_parts
from starplat.passes.parts.sources import by_sources
from starplat.runtime.devices.device import Device
from starplat.runtime.facts import look, wants_facts
from starplat.same import Same, remembered
from starplat.schedule import AUTO
from starplat.schedule.algebra import components_in_parts
from starplat.schedule.apply import (
    either_way_in_parts,
    is_run_as_written,
    scheduled_alike,
    scheduled_for_parts,
    scheduled_part,
)
from starplat.schedule.by_kind import for_all_kinds
from starplat.schedule.facts import GraphFacts

MANY_ARCS = 2**28
"""From so many arcs on a round takes longer than the exchange of what nodes have."""


def planned(module: ir.Module, graph: Graph, device: Device, *, peers: bool = False) -> ir.Module:
    """The module as every part runs it; on `peers` launches may wait for those of the other devices. Raises E0668: it
    cannot be divided."""
    sources = sources_apart(module)
    given = module if sources is None else sources
    facts = _facts(given, graph, device)
    if sources is not None:
        return for_target(sources, device.target, None, facts, device.capabilities)
    alike = _alike(Same(module), _able(device), facts) if peers and _able(device).peers else None
    return by_nodes(module, graph, _able(device), facts) if alike is None else alike


@remembered(16)
def sources_apart(module: ir.Module) -> ir.Module | None:
    """The module by its sources, before it is scheduled; None if it has none that parts can search from apart. For one
    module it is the same object every time, so that its kernels are built once."""
    return by_sources(module)


def in_each_part(module: ir.Module, target: str, able: Capabilities, facts: GraphFacts, *, peers: bool) -> ir.Module:
    """The module by its nodes on devices that are not here. Raises E0668: it cannot be divided."""
    alike = _alike(Same(module), able, facts) if peers else None
    return alike or _by_nodes(Same(module), able, facts, facts.symmetric and facts.num_arcs > 0, able.lockstep)


def by_nodes(module: ir.Module, graph: Graph, able: Capabilities, facts: GraphFacts | None = None) -> ir.Module:
    """The module as every part runs it, each its own nodes. Raises E0668: it cannot be divided."""
    return _by_nodes(Same(module), able, facts, not graph.directed and graph.num_arcs > 0, able.lockstep)


def by_nodes_of_any(module: ir.Module, able: Capabilities) -> ir.Module:
    """The same for a graph that is not known yet, with a variant of the entry where that of a symmetric one is another.
    Raises E0668: it cannot be divided."""
    same = Same(module)
    return for_all_kinds(lambda facts: _by_nodes(same, able, None, facts is not None and facts.symmetric, False))


def pays(module: ir.Module, graph: Graph, device: Device, *, peers: bool) -> bool:
    """Whether several devices may be expected to be faster than one: each has sources of its own, or rounds over all
    arcs of a large graph, after which parts get no more than what the others' nodes have; on `peers`, which meet inside
    of their launches, rounds that take near nodes first."""
    if sources_apart(module) is not None:
        return True
    facts = _facts(module, graph, device)
    if graph.num_arcs < MANY_ARCS:
        return False
    alike = _alike(Same(module), _able(device), facts) if peers and _able(device).peers else None
    if alike is not None and any(_takes_near_nodes_first(function) for function in alike.functions):
        return True
    if not is_run_as_written(module, _able(device), facts):
        return False
    try:
        divided = by_nodes(module, graph, _able(device), facts)
    except DiagnosticError:  # it cannot be divided
        return False
    ops = (op for function in divided.functions for op in walk_host(function.body))
    return not any(isinstance(op, ir.CombineParts | ir.CombineChanged) for op in ops)


def _takes_near_nodes_first(function: ir.HostFunction) -> bool:
    loops = (op for op in walk_host(function.body) if isinstance(op, ir.Loop))
    return any(isinstance(loop.driver, ir.NearestFirst) for loop in loops)


def _able(device: Device) -> Capabilities:
    return device.capabilities or capabilities_of(device.target)


def _facts(module: ir.Module, graph: Graph, device: Device) -> GraphFacts | None:
    return look(device, graph, module).facts if wants_facts(module, None, _able(device), graph) else None


@lru_cache(maxsize=16)
def _by_nodes(same: Same, able: Capabilities, facts: GraphFacts | None, symmetric: bool, all_rows: bool) -> ir.Module:
    """The module by its nodes: for one module the same object every time. GPUs of a run hold `all_rows` anyway."""
    methods = _by_other_methods(same.thing, able, symmetric, all_rows)
    return scheduled_part(in_parts(scheduled_for_parts(methods, able, facts)), able)


def _by_other_methods(module: ir.Module, able: Capabilities, symmetric: bool, all_rows: bool) -> ir.Module:
    """With union-find, and with push and pull; the latter were not measured where threads run in lockstep."""
    joined = components_in_parts(module, able, symmetric=symmetric, all_rows=all_rows)
    return joined if able.lockstep else either_way_in_parts(joined, able)


@lru_cache(maxsize=16)
def _alike(same: Same, able: Capabilities, facts: GraphFacts | None) -> ir.Module | None:
    """The module as one device would run it, with the heaviest kernels divided, where parts come to the same. No part
    leaves a round to one cluster of its device, for all devices do it."""
    scheduled = scheduled_alike(same.thing, AUTO, replace(able, clusters=False), facts)
    return in_parts_alike(scheduled, even_rows=facts is not None and facts.has_even_rows)
