"""A whole run: device, built kernels, graph and arguments in; a `Result` out, with what every step took.

The graph stays on the device between repetitions and between runs. Every repetition starts from the same arguments;
results come down once, at the end, and only those that were asked for. A run that would not fit is refused before it
starts, and a device that fails is opened anew by the next run.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import PurePath
from time import perf_counter

from starplat.backends.scheduled import for_target
from starplat.frontend.types import PropertyType, Scalar
from starplat.graph.graph import Graph
from starplat.ir.nodes import Array, Module
from starplat.runtime.arguments import Bound, bind, names_in
from starplat.runtime.device import Device, DeviceFaultError, Kernels
from starplat.runtime.elements import Value
from starplat.runtime.facts import facts_for
from starplat.runtime.lent import Lent
from starplat.runtime.properties import shown_cells
from starplat.runtime.resident import forget_device, on_device
from starplat.runtime.result import Bytes, Result, Seconds, no_such_result
from starplat.runtime.running import Run
from starplat.runtime.targets import abandon, open_device
from starplat.runtime.text import dump_program, edited_text_may_be_wrong
from starplat.schedule import Schedule

NO_ARGUMENTS: Mapping[str, object] = {}


def run_module(
    module: Module,
    graph: Graph,
    *,
    target: str = "auto",
    device_index: int = 0,
    arguments: Mapping[str, object] | Bound = NO_ARGUMENTS,
    results: Sequence[str] | None = None,
    device_results: bool = False,
    repeat: int = 1,
    schedule: Schedule | None = None,
    load_seconds: float = 0.0,
    compile_seconds: float = 0.0,
) -> Result:
    """Runs a module's entry on a graph.

    Args:
        arguments: Python values by parameter (see `arguments.bind`), or what `bind` or `bind_text` made of them.
        results: the properties to bring back; None means all, an empty list none.
        device_results: leaves them on the device, as its arrays; see `Result`.
        repeat: how often to run; `Result.seconds.run` has a time for each.
        schedule: how to run; None is what is best for devices, and for the interpreter the program as it is.
        load_seconds, compile_seconds: what reading the graph and the front end took, to be reported with the rest.

    Raises:
        DiagnosticError: E06xx for what the target or the schedule cannot do, E07xx for arguments, E09xx for devices,
            E0703 and E0704 for mistakes of the program's run.
    """
    given = arguments if isinstance(arguments, Bound) else bind(module, graph, arguments)
    wanted = _wanted(module, results)
    device = open_device(target, device_index).beside(a.value for a in given.arrays.values() if isinstance(a, Lent))
    if device_results:
        device.require_arrays()
    scheduling = perf_counter()
    module = for_target(module, device.target, schedule, facts_for(schedule, graph))
    bound = given.within(module)
    compile_seconds += perf_counter() - scheduling
    up, down = device.traffic.up, device.traffic.down
    try:
        with ExitStack() as held:
            started = perf_counter()
            resident = on_device(device, graph)
            run = Run(module, graph, bound, device, resident, held, repeated=repeat > 1)
            expected = run.foresee()
            kernels = _kernels(device, module, resident.wide_arcs)
            built = perf_counter()
            run.upload()
            device.synchronise()
            uploaded = perf_counter()
            times = [run.once(kernels) for _ in range(max(repeat, 1))]
            before = perf_counter()
            properties = {name: run.result(array, on_device=device_results) for name, array in wanted.items()}
            finished = perf_counter()
    except DeviceFaultError:
        _abandon(device)
        raise
    types = {a.name: a.type for a in module.arguments if isinstance(a.type, PropertyType)}
    shown = {n: p if device_results else shown_cells(p, types[n], graph) for n, p in properties.items()}
    return Result(
        program=PurePath(module.source.name).stem,
        function=module.entry,
        graph=graph,
        target=device.target,
        device=device.name,
        properties=shown,
        types={name: types[name] for name in properties},
        returned=_returned(module, run.returned, graph),
        seconds=Seconds(
            load_seconds, compile_seconds + built - started, uploaded - built, tuple(times), finished - before
        ),
        bytes=Bytes(device.traffic.up - up, device.traffic.down - down),
        launches=run.launches,
        cached=kernels.cached,
        on_device=device_results,
        estimate=expected,
    )


def _wanted(module: Module, results: Iterable[str] | None) -> dict[str, Array]:
    """The arrays to bring back, by the names that the program has for them."""
    arrays = {array.name: array for array in module.results}
    known = {name: arrays[within] for name, within in names_in(module).items() if within in arrays}
    if results is None:
        return known
    for name in results:
        if name not in known:
            raise no_such_result(name, known)
    return {name: known[name] for name in results}


def _returned(module: Module, value: Value | None, graph: Graph) -> Value | None:
    if module.result_type is Scalar.NODE and value is not None and 0 <= value < graph.num_nodes:
        return graph.original_id(int(value))
    return value


_BUILT: weakref.WeakKeyDictionary[Device, dict[tuple[int, bool], tuple[Module, Kernels]]] = weakref.WeakKeyDictionary()
_MOST_BUILT = 64


def _kernels(device: Device, module: Module, wide_arcs: bool) -> Kernels:
    """The module's kernels on the device; those of the modules last used are at hand."""
    known = _BUILT.setdefault(device, {})
    key = (id(module), wide_arcs)
    if key not in known:
        if len(known) >= _MOST_BUILT:
            known.pop(next(iter(known)))
        dump_program(module)
        with edited_text_may_be_wrong(device.target, module):
            known[key] = (module, device.build(module, wide_arcs=wide_arcs))
    return known[key][1]


def _abandon(device: Device) -> None:
    """Lets go of a device that has failed, and of all that was on it."""
    device.broken = True
    abandon(device)
    forget_device(device)
    _DEAD.append((device, _BUILT.pop(device, None)))


_DEAD: list[object] = []
"""What was on devices that have failed: unloading it would only fail again, and say so where nobody can catch it."""
