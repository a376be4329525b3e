"""Runs a module: device, built kernels, graph and arguments in; a `Result` out, with the time of every step.

The graph stays on the device between repetitions and between runs. Every repetition starts from the same arguments;
results come down once, at the end, and only those that were asked for. A run that would not fit is refused before it
starts, and a device that fails is opened anew by the next run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from pathlib import PurePath
from time import perf_counter
from typing import Any

from starplat.backends.scheduled import capabilities_of, for_target, made_for_target, own_schedule
from starplat.frontend.types import ListType, PropertyType, Scalar
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.launches import changes_graph
from starplat.runtime.arguments.bind import Bound, bind, names_in
from starplat.runtime.arguments.caller_arrays import CallerArray
from starplat.runtime.arguments.properties import shown_cells
from starplat.runtime.attending.attended import Job, TimeIsOverError, attended
from starplat.runtime.attending.limits import UNLIMITED, Limits, took_too_long
from starplat.runtime.attending.progress import Progress, Step
from starplat.runtime.devices.building import kernels_on
from starplat.runtime.devices.device import Device
from starplat.runtime.devices.device_faults import NoRoomError
from starplat.runtime.elements import Returned, is_for_all
from starplat.runtime.estimate import Estimate
from starplat.runtime.facts import wants_facts
from starplat.runtime.looking import look
from starplat.runtime.parts.communicator import Communicator
from starplat.runtime.renumbered import Renumbering, renumbering
from starplat.runtime.resident import on_device
from starplat.runtime.results.not_numbers import not_numbers
from starplat.runtime.results.result import Bytes, Result, Seconds, no_such_result
from starplat.runtime.running import Run
from starplat.runtime.session import Session, default_session
from starplat.runtime.tracing.trace import Trace
from starplat.runtime.tracing.tracing import taken_apart, traced
from starplat.runtime.tracing.watch import Watch
from starplat.runtime.tracing.work import work_of
from starplat.schedule import AUTO, PLAIN, Schedule, driven_by_host, in_less_memory
from starplat.schedule.by_slot import one_for_all
from starplat.schedule.memory.heads import heads_of_rows
from starplat.schedule.schedule import Memory, Updates
from starplat.schedule.updates.room import pays_in_place

NO_ARGUMENTS: Mapping[str, object] = {}


def run_module(
    module: ir.Module,
    graph: Graph,
    *,
    target: str = "auto",
    device_index: int = 0,
    arguments: Mapping[str, object] | Bound = NO_ARGUMENTS,
    results: Sequence[str] | None = None,
    device_results: bool = False,
    repeat: int = 1,
    schedule: Schedule | None = None,
    trace: bool = False,
    limits: Limits = UNLIMITED,
    session: Session | None = None,
    on_batch: Callable[[int, Result], None] | None = None,
    communicator: Communicator | None = None,
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
        trace: runs once more, watched; `Result.trace` says what happened in every round.
        limits: what the run may take; rounds that are counted are the host's to drive.
        session: whose device it runs on; None is the default one.
        on_batch: in the first repetition, is given the number of every batch of updates that is done, from 1 on, and
            the results so far, with the graph as it is then.
        communicator: connects this rank of a run in parts to the others, which call this with the same arguments; the
            module is one in parts then (see `passes.parts`), and runs as it is.
        load_seconds, compile_seconds: what reading the graph and the front end took, to be reported with the rest.

    Raises:
        DiagnosticError: E06xx for what the target or the schedule cannot do, E07xx for arguments, E09xx for devices,
            E0703 and E0704 for mistakes of the program's run, E0730 and E0731 for what takes more than it may.
        KeyboardInterrupt: Ctrl-C; where the device could not be stopped, its words say so.
    """
    given = arguments if isinstance(arguments, Bound) else bind(module, graph, arguments)
    wanted = _Wanted(
        _arrays_wanted(module, results), max(repeat, 1), device_results, trace, schedule, on_batch, communicator
    )
    within = default_session() if session is None else session
    device = within.device(target, device_index).beside(
        a.value for a in given.arrays.values() if isinstance(a, CallerArray)
    )
    progress = Progress(limits.max_rounds)
    spent = Seconds(load_seconds, compile_seconds)
    with within.turn(device, device_index):
        if device_results:
            device.with_arrays()
        left_behind = partial(within.leave_busy, device, device_index, progress)
        work = partial(_work, module, graph, given, wanted, device, progress, spent, device.as_here(), limits)
        return _within_limits(work, limits, progress, left_behind)


def _work(
    module: ir.Module,
    graph: Graph,
    given: Bound,
    wanted: _Wanted,
    device: Device,
    progress: Progress,
    spent: Seconds,
    here: Callable[[], AbstractContextManager[object]],
    limits: Limits,
) -> Result:
    """The run itself, on the device as it is taken `here`, in the memory that the limits allow; seconds are added to
    those that are `spent`."""
    before, began = replace(device.traffic), perf_counter()
    with here(), device.limited(limits.device_memory, limits.host_memory), ExitStack() as held:
        numbers = renumbering(module, graph, wanted.schedule, on_device=wanted.on_device)
        taken = graph if numbers is None else numbers.to.graph
        inside = given if numbers is None else numbers.given(module, given)
        started, resident, again = perf_counter(), on_device(device, taken), wanted.repeat > 1 or wanted.trace
        counted = progress.most_rounds is not None
        modules, looking = _scheduled(module, taken, wanted.schedule, device, inside, counted=counted)
        begin = partial(
            Run,
            first_graph=taken,
            device=device,
            resident=resident,
            held=held,
            repeated=again,
            progress=progress,
            communicator=wanted.communicator,
        )
        runs, tried = (begin(made, bound=inside.within(made)) for made in modules), list[Run]()
        run = _that_fits(runs, tried)
        compiling = spent.compile + perf_counter() - started - looking
        run, done = _driven_where_it_fits(run, runs, tried, wanted)
        if numbers is not None:
            done = _in_callers_numbers(run, done, numbers)
        now = graph if run.graph is taken else run.graph
        later = partial(not_numbers, module, now, given, returned=None) if wanted.on_device else None
        odd = not_numbers(module, now, given, done.properties, run.returned)
    looking += started - began
    batches = tuple(run.batch_seconds)
    seconds = Seconds(spent.load, compiling + done.build, looking + done.upload, done.runs, done.download, batches)
    now_moved = device.traffic
    moved = Bytes(now_moved.up - before.up, now_moved.down - before.down, now_moved.chunks - before.chunks)
    return replace(_result(run, now, done, seconds, moved, on_device=wanted.on_device), warnings=odd, judge=later)


def _that_fits(runs: Iterator[Run], tried: list[Run]) -> Run:
    """The first for which there is room, else the last. Those that were `tried` before come first; the others join
    them."""
    for run in tried:
        if run.room.fits():
            return run
    for run in runs:
        tried.append(run)
        if run.room.fits():
            break
    return tried[-1]


def _driven_where_it_fits(run: Run, others: Iterator[Run], tried: list[Run], wanted: _Wanted) -> tuple[Run, _Done]:
    """The run that came to its end and what came of it: where an allocation fails, there is less room than the system
    says, and the run, or one of those that were `tried` before or of the others, does with less.

    Raises:
        DiagnosticError: E0908, none does within the limit that was asked for; E0903, none does at all, or the caller's
            arrays may have been changed already.
    """
    asked_for = run.device.is_limited
    while True:
        try:
            return run, _driven(run, wanted)
        except NoRoomError as failed:
            if not run.may_begin_again:
                raise
            run.held.close()
            run.device.lower_limit(failed.size)
            run = _that_fits(others, tried)
            if not (asked_for or run.room.fits()):
                raise


def _in_callers_numbers(run: Run, done: _Done, numbers: Renumbering) -> _Done:
    """The outcome of a run on a renumbered graph, as of one on the caller's."""
    started, module = perf_counter(), run.module
    types = {a.name: a.type for a in module.arguments if isinstance(a.type, PropertyType)}
    cells = {name: numbers.cells(cells, types[name]) for name, cells in done.properties.items()}
    run.returned = numbers.returned(module, run.returned)
    return replace(done, properties=cells, download=done.download + perf_counter() - started)


def _within_limits(
    work: Callable[[], Result], limits: Limits, progress: Progress, left_behind: Callable[[Job[Result]], str]
) -> Result:
    """What the work gives, if it may take as long as it takes."""
    follow = limits.follow
    try:
        return attended(
            work,
            seconds=limits.time_limit,
            look=None if follow is None else lambda: follow(progress),
            stop=progress.stop,
            left_behind=left_behind,
        )
    except TimeIsOverError as over:
        assert limits.time_limit is not None
        raise took_too_long(limits.time_limit, over.left_behind) from None


@dataclass(frozen=True, slots=True)
class _Wanted:
    """How a run is to go: the arrays to bring back, by the program's names, how often, under which schedule, and what
    is told of every batch of updates."""

    arrays: Mapping[str, ir.Array]
    repeat: int
    on_device: bool
    trace: bool
    schedule: Schedule | None
    on_batch: Callable[[int, Result], None] | None = None
    communicator: Communicator | None = None


@dataclass(frozen=True, slots=True)
class _Done:
    """The outcome of a run, and the seconds of its parts; `cached` says that the kernels were built before."""

    properties: dict[str, Any]
    estimate: Estimate
    cached: bool
    build: float
    upload: float
    runs: tuple[float, ...]
    download: float
    trace: Trace | None


def _scheduled(
    module: ir.Module, graph: Graph, schedule: Schedule | None, device: Device, given: Bound, *, counted: bool
) -> tuple[Iterator[ir.Module], float]:
    """The module as it runs on the device, those that take its place where it does not fit, and the seconds of uploads
    for looking at the graph. Rounds that are counted are driven by the host."""
    facts, seconds = None, 0.0
    able = device.capabilities or capabilities_of(device.target)
    asked, whole = own_schedule(device.target) if schedule is None else schedule, module
    if asked != PLAIN and asked.memory in (Memory.AUTO, Memory.RESIDENT) and not able.lockstep:
        equal = _of_one_value(module, graph, given)
        module = one_for_all(module, *equal) if equal else module
    if not changes_graph(module) and wants_facts(module, schedule, able, graph):
        looked = look(device, graph, module, (schedule or AUTO).memory)
        facts, seconds = looked.facts, looked.upload
    if asked.updates is Updates.AUTO and pays_in_place(module, able, graph.num_nodes, graph.num_arcs):
        schedule = asked = replace(asked, updates=Updates.IN_PLACE)
    made = for_target(module, device.target, schedule, facts, device.capabilities)
    less = in_less_memory(replace(asked, memory=Memory.AUTO) if schedule is None else asked)

    def made_under(one: Schedule) -> ir.Module:
        driven, of = driven_by_host(one) if counted else one, module if one is asked else whole
        return made if driven is asked else made_for_target(of, device.target, driven, facts, device.capabilities)

    def modules() -> Iterator[ir.Module]:
        if asked.memory is Memory.ONDEMAND:  # with room for all it is as resident
            yield made_under(replace(asked, memory=Memory.RESIDENT))
        for one in chain((asked,), less):
            found = made_under(one)
            weights = frozenset(a for a in found.inputs if a.origin is ir.Origin.WEIGHT and a.name not in given.arrays)
            with_heads = heads_of_rows(found, symmetric=not graph.directed, weights=weights)
            yield from (found,) if with_heads is found else (with_heads, found)

    return modules(), seconds


def _of_one_value(module: ir.Module, graph: Graph, given: Bound) -> list[ir.Array]:
    """The entry's arrays of values of arcs that begin with one value for all, in a graph with arcs."""
    arrays = [array for array in module.inputs if array.extent is ir.Extent.ARCS]
    if not arrays or not graph.num_arcs:
        return []
    names = names_in(module)
    known = {names[name]: cells for name, cells in given.arrays.items()}
    plain = graph.weights is None
    return [
        array
        for array in arrays
        if is_for_all(known.get(array.name)) or (plain and array.origin is ir.Origin.WEIGHT and array.name not in known)
    ]


def _driven(run: Run, wanted: _Wanted) -> _Done:
    """Builds, uploads, runs so often, once more under a watch for a trace, and brings back what is wanted."""
    started, progress = perf_counter(), run.progress
    expected = run.room.foresee()
    progress.begin(Step.BUILDING)
    kernels = kernels_on(run.device, run.module, run.resident.wide_arcs)
    built = perf_counter()
    progress.begin(Step.UPLOADING)
    run.upload()
    run.prepare(kernels)
    run.device.synchronise()
    uploaded = perf_counter()
    progress.begin(Step.RUNNING)
    if wanted.on_batch is not None:
        run.after_batch = _teller(wanted, expected, kernels.cached)
    times = [run.once(kernels)]
    run.after_batch = None
    times += (run.once(kernels) for _ in range(wanted.repeat - 1))
    watched = _watched(run) if wanted.trace else None
    before = perf_counter()
    progress.begin(Step.FINISHING)
    properties = {name: run.result(array, on_device=wanted.on_device) for name, array in wanted.arrays.items()}
    download = perf_counter() - before
    done = tuple(times)
    return _Done(properties, expected, kernels.cached, built - started, uploaded - built, done, download, watched)


def _teller(wanted: _Wanted, expected: Estimate, cached: bool) -> Callable[[Run], None]:
    """Tells of every batch what the run has found so far."""
    numbers = count(1)

    def tell(run: Run) -> None:
        assert wanted.on_batch is not None
        properties = {name: run.result(array, on_device=False) for name, array in wanted.arrays.items()}
        so_far = _Done(properties, expected, cached, 0.0, 0.0, (), 0.0, None)
        wanted.on_batch(next(numbers), _result(run, run.graph, so_far, Seconds(), Bytes(), on_device=False))

    return tell


def _result(run: Run, graph: Graph, done: _Done, seconds: Seconds, moved: Bytes, *, on_device: bool) -> Result:
    """The `Result` of a run on the caller's graph."""
    module, cells = run.module, done.properties
    types = {a.name: a.type for a in module.arguments if isinstance(a.type, PropertyType)}
    return Result(
        program=PurePath(module.source.name).stem,
        function=module.entry,
        graph=graph,
        target=run.device.target,
        device=run.device.name,
        properties=cells if on_device else {name: shown_cells(p, types[name], graph) for name, p in cells.items()},
        types={name: types[name] for name in cells},
        returned=_returned(module, run.returned, graph),
        returned_types=module.result_types,
        seconds=seconds,
        bytes=moved,
        launches=run.launches,
        cached=done.cached,
        on_device=on_device,
        estimate=done.estimate,
        trace=done.trace,
    )


def _watched(run: Run) -> Trace:
    """The trace of one more run, whose bytes do not count."""
    watch, module, traffic = Watch(), traced(run.module), replace(run.device.traffic)
    kernels = kernels_on(run.device, module, run.resident.wide_arcs)
    found = watch.trace(run.once(kernels, watch))
    run.device.traffic = replace(traffic, launches=run.device.traffic.launches)
    sizes = run.resident
    work = work_of(module, found, num_nodes=sizes.num_nodes, num_arcs=sizes.num_arcs, wide_arcs=sizes.wide_arcs)
    return replace(found, work=work, taken_apart=taken_apart(run.module))


def _arrays_wanted(module: ir.Module, results: Iterable[str] | None) -> dict[str, ir.Array]:
    """The arrays to bring back, by the names that the program has for them."""
    arrays = {array.name: array for array in module.results}
    known = {name: arrays[within] for name, within in names_in(module).items() if within in arrays}
    if results is None:
        return known
    for name in results:
        if name not in known:
            raise no_such_result(name, known)
    return {name: known[name] for name in results}


def _returned(module: ir.Module, returned: Returned, graph: Graph) -> Any:
    """What the entry returned, nodes by their original ids; a tuple of several values, a list of elements."""
    values = returned if isinstance(returned, tuple) else (returned,)
    shown = tuple(map(partial(_shown, graph), module.result_types, values))
    return shown if len(shown) > 1 else shown[0] if shown else None


def _shown(graph: Graph, kind: Scalar | ListType, value: Returned) -> Any:
    if isinstance(kind, ListType):
        assert isinstance(value, list)
        assert isinstance(kind.element, Scalar)
        return [_shown(graph, kind.element, one) for one in value]
    assert not isinstance(value, list | tuple)
    is_node = kind is Scalar.NODE and value is not None and 0 <= value < graph.num_nodes
    return graph.original_id(int(value or 0)) if is_node else value
