"""Runs a module: device, built kernels, graph and arguments in; a `Result` out, with the time of every step.

The graph stays on the device between repetitions and between runs. Every repetition starts from the same arguments;
results come down once, at the end, and only those that were asked for. A run that would not fit is refused before it
starts, and a device that fails is opened anew by the next run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Any

from starplat.diagnostics import Diagnostic
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime.arguments.bind import Bound, bind
from starplat.runtime.arguments.caller_arrays import CallerArray
from starplat.runtime.arguments.entry import entry_of
from starplat.runtime.arguments.properties import shown_cells, shown_returned
from starplat.runtime.attending.attended import Job, TimeIsOverError, attended
from starplat.runtime.attending.progress import UNLIMITED, Limits, Progress, Step, took_too_long
from starplat.runtime.devices.device import Device
from starplat.runtime.devices.device_faults import NoRoomError
from starplat.runtime.estimate import Estimate
from starplat.runtime.renumbered import Renumbering, renumbering
from starplat.runtime.resident import on_device
from starplat.runtime.results.not_numbers import not_numbers
from starplat.runtime.results.result import Bytes, Result, Seconds, wanted_of
from starplat.runtime.running import Run
from starplat.runtime.scheduling import alternatives
from starplat.runtime.session import default_session
from starplat.runtime.tracing.trace import Trace
from starplat.runtime.tracing.watch import Watch
from starplat.runtime.tracing.watched import taken_apart, traced
from starplat.runtime.tracing.work import work_of
from starplat.same import Same
from starplat.schedule import Schedule

if TYPE_CHECKING:
    from starplat.runtime.parts.communicator import Communicator
    from starplat.runtime.session import Session

NO_ARGUMENTS: Mapping[str, object] = {}


def run_module(
    module: ir.Module, graph: Graph, *, arguments: Mapping[str, object] | Bound = NO_ARGUMENTS, **asked: Any
) -> Result:
    """Runs a module's entry on a graph.

    `arguments`: Python values by parameter (see `arguments.bind`), or what `bind` or `bind_text` made of them. **asked:
    what a `Request` has. Raises DiagnosticError: E07xx for arguments, or as `run_as_asked`.
    """
    given = arguments if isinstance(arguments, Bound) else bind(module, graph, arguments)
    return run_as_asked(module, graph, given, Request(**asked))


def run_as_asked(module: ir.Module, graph: Graph, given: Bound, asked: Request) -> Result:
    """Runs a module's entry on a graph. Raises DiagnosticError: E06xx for what the target or the schedule cannot do,
    E09xx for devices, E0703 and E0704 for mistakes of the program's run, E0730 and E0731 for what takes more than it
    may; KeyboardInterrupt: Ctrl-C; where the device could not be stopped, its words say so."""
    arrays = wanted_of(entry_of(module).results, asked.results)
    limits, index = asked.limits, asked.device_index or 0
    within = default_session() if asked.session is None else asked.session
    device = within.device(asked.target, index).beside(
        a.value for a in given.arrays.values() if isinstance(a, CallerArray)
    )
    progress = Progress(limits.max_rounds)

    def in_turn() -> Result:
        if asked.device_results:
            device.with_arrays()
        left_behind = partial(within.leave_busy, device, index, progress)
        call = _Call(module, graph, given, asked, arrays, device, progress)
        work, run, began = partial(_work, call, device.as_here()), _repeatable(module, given, asked), perf_counter()
        soon_over = device.soon_over.knows(graph, run)
        result = work() if soon_over else _within_limits(work, limits, progress, left_behind)
        device.soon_over.note(graph, run, perf_counter() - began)
        return result

    return within.in_turn(device, index, in_turn)


def _repeatable(module: ir.Module, given: Bound, asked: Request) -> Hashable:
    """What tells a run from others on its graph; None where more than scalars tells it, or something attends it."""
    limits = asked.limits
    is_plain = asked.repeat == 1 and not asked.trace and asked.on_batch is None and asked.communicator is None
    if not is_plain or limits.time_limit is not None or limits.follow is not None:
        return None
    if given.arrays or given.updates or given.lists:
        return None
    return Same(module), asked.schedule, limits, tuple(given.scalars.items())


@dataclass(frozen=True, slots=True)
class _Call:
    """A request with what it is about, the arrays to bring back by the program's names, and the device."""

    module: ir.Module
    graph: Graph
    given: Bound
    asked: Request
    arrays: Mapping[str, ir.Array]
    device: Device
    progress: Progress
    numbers: Renumbering | None = None


def _work(call: _Call, here: Callable[[], AbstractContextManager[object]]) -> Result:
    """The run itself, on the device as it is taken `here`, in the memory that the limits allow."""
    module, graph, asked, device, limits = call.module, call.graph, call.asked, call.device, call.asked.limits
    traffic, began = device.traffic, perf_counter()
    before = Bytes(traffic.up, traffic.down, traffic.chunks)
    with here(), device.limited(limits.device_memory, limits.host_memory), ExitStack() as held:
        numbers = renumbering(module, graph, asked.schedule, on_device=asked.device_results)
        taken = graph if numbers is None else numbers.to.graph
        inside = call.given if numbers is None else numbers.given(module, call.given)
        started, resident = perf_counter(), on_device(device, taken)
        modules, looking = alternatives(
            module, taken, resident, asked.schedule, device, inside.arrays, counted=limits.max_rounds is not None
        )
        begin = partial(
            Run,
            first_graph=taken,
            device=device,
            held=held,
            repeated=asked.runs > 1,
            progress=call.progress,
            communicator=asked.communicator,
        )
        call, tried = replace(call, numbers=numbers), list[Run]()
        runs = (
            begin(m, bound=inside.within(m), resident=on_device(device, taken) if tried else resident) for m in modules
        )
        run = that_fits(runs, tried)
        compiling = asked.compile_seconds + perf_counter() - started - looking
        run, done = _driven_where_it_fits(run, runs, tried, call)
        now, done = _in_callers_numbers(run, done, call)
        odd = not_numbers(module, now, call.given, done.properties, run.returned)
    looking += started - began
    batches = tuple(run.batch_seconds)
    upload = looking + done.upload
    seconds = Seconds(0.0, compiling + done.build, upload, done.runs, done.download, batches, done.preparation)
    after = device.traffic
    moved = Bytes(after.up - before.up, after.down - before.down, after.chunks - before.chunks)
    result = _result(run, now, done, seconds, moved, on_device=asked.device_results, warnings=odd)
    if not asked.device_results:
        return result
    return replace(result, judge=partial(not_numbers, module, now, call.given, returned=None))


def that_fits(runs: Iterator[Run], tried: list[Run]) -> Run:
    """The first for which there is room, else the one that needs the least. Those that were `tried` before come first;
    the others join them."""
    for run in tried:
        if run.room.fits():
            return run
    for run in runs:
        tried.append(run)
        if run.room.fits():
            return run
    return min(reversed(tried), key=lambda run: run.room.least)


def _driven_where_it_fits(run: Run, others: Iterator[Run], tried: list[Run], call: _Call) -> tuple[Run, _Done]:
    """The run that came to its end and what came of it: where an allocation fails, there is less room than the system
    says, and the run, or one of those that were `tried` before or of the others, does with less. Raises E0903: none
    does, or the caller's arrays may have been changed already."""
    first: NoRoomError | None = None
    while True:
        try:
            return run, _driven(run, call)
        except NoRoomError as failed:
            first = first or failed.of_run(run.room.program, run.room.least)
            if not run.may_begin_again:
                raise first from failed
            run.held.close()
            run.device.lower_limit(failed.size)
            for one in tried:
                one.go_back()
            run = that_fits(others, tried)
            if not run.room.fits():
                raise first from failed


def _in_callers_numbers(run: Run, done: _Done, call: _Call) -> tuple[Graph, _Done]:
    """The graph that a run is at and its outcome, of a run on a renumbered graph as of one on the caller's."""
    started, module, numbers, changed = perf_counter(), run.module, call.numbers, run.graph is not run.first_graph
    if numbers is None:
        return run.graph if changed else call.graph, done
    now, numbers = numbers.changed(run.graph) if changed else (call.graph, numbers)
    types = entry_of(module).types
    cells = {name: numbers.cells(cells, types[name]) for name, cells in done.properties.items()}
    run.returned = numbers.returned(module, run.returned)
    return now, replace(done, properties=cells, download=done.download + perf_counter() - started)


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
class _Done:
    """The outcome of a run, and the seconds of its parts; `cached` says that the kernels were built before."""

    properties: dict[str, Any]
    estimate: Estimate
    cached: bool
    build: float
    upload: float
    preparation: float
    runs: tuple[float, ...]
    download: float
    trace: Trace | None


def _driven(run: Run, call: _Call) -> _Done:
    """Builds, uploads, runs so often, once more under a watch for a trace, and brings back what is wanted."""
    started, progress, asked = perf_counter(), run.progress, call.asked
    expected = run.room.foresee()
    progress.begin(Step.BUILDING)
    kernels = run.device.kernels_of(run.module, run.resident.wide_arcs)
    run.build_changes()
    built = perf_counter()
    progress.begin(Step.UPLOADING)
    run.upload()
    preparation = run.prepare(kernels)
    run.device.synchronise()
    uploaded = perf_counter()
    progress.begin(Step.RUNNING)
    if asked.on_batch is not None:
        run.after_batch = _teller(call, asked.on_batch, expected, kernels.cached)
    times = [run.once(kernels)]
    run.after_batch = None
    times += (run.once(kernels) for _ in range(asked.repeat - 1))
    watched = _watched(run) if asked.trace else None
    before = perf_counter()
    progress.begin(Step.FINISHING)
    properties = {name: run.result(array, on_device=asked.device_results) for name, array in call.arrays.items()}
    download = perf_counter() - before
    spent = built - started, uploaded - built, preparation, tuple(times), download
    return _Done(properties, expected, kernels.cached, *spent, watched)


def _teller(
    call: _Call, on_batch: Callable[[int, Result], None], expected: Estimate, cached: bool
) -> Callable[[Run], None]:
    """Tells of every batch what the run has found so far."""
    numbers = count(1)

    def tell(run: Run) -> None:
        properties = {name: run.result(array, on_device=False) for name, array in call.arrays.items()}
        so_far = _Done(properties, expected, cached, 0.0, 0.0, 0.0, (), 0.0, None)
        now, so_far = _in_callers_numbers(run, so_far, call)
        on_batch(next(numbers), _result(run, now, so_far, Seconds(), Bytes(), on_device=False))

    return tell


def _result(
    run: Run,
    graph: Graph,
    done: _Done,
    seconds: Seconds,
    moved: Bytes,
    *,
    on_device: bool,
    warnings: tuple[Diagnostic, ...] = (),
) -> Result:
    """The `Result` of a run on the caller's graph."""
    module, cells, entry = run.module, done.properties, entry_of(run.module)
    return Result(
        program=entry.program,
        function=module.entry,
        graph=graph,
        target=run.device.target,
        device=run.device.name,
        properties=cells if on_device else {n: shown_cells(p, entry.types[n], graph) for n, p in cells.items()},
        types={name: entry.types[name] for name in cells},
        returned=shown_returned(module.result_types, run.returned, graph),
        returned_types=module.result_types,
        seconds=seconds,
        bytes=moved,
        launches=run.launches,
        cached=done.cached,
        on_device=on_device,
        estimate=done.estimate,
        trace=done.trace,
        warnings=warnings,
    )


def _watched(run: Run) -> Trace:
    """The trace of one more run, whose bytes do not count."""
    watch, module, traffic = Watch(), traced(run.module), replace(run.device.traffic)
    kernels = run.device.kernels_of(module, run.resident.wide_arcs)
    found = watch.trace(run.once(kernels, watch))
    run.device.traffic = replace(traffic, launches=run.device.traffic.launches)
    sizes = run.resident
    work = work_of(module, found, num_nodes=sizes.num_nodes, num_arcs=sizes.num_arcs, wide_arcs=sizes.wide_arcs)
    return replace(found, work=work, taken_apart=taken_apart(run.module))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """How a module is to be run.

    Attributes:
        target: its name, or "auto" for the best that is here.
        device_index: the number of the target's device; None is the first, and for ranks of a host each its own.
        results: the properties to bring back; None means all, an empty list none.
        device_results: leaves them on the device, as its arrays; see `Result`.
        repeat: how often to run; `Result.seconds.run` has a time for each.
        schedule: how to run; None is what is best for devices, and for the interpreter the program as it is.
        trace: runs once more, watched; `Result.trace` says what happened in every round.
        limits: what the run may take; rounds that are counted are the host's to drive.
        session: whose device it runs on; None is the default one.
        on_batch: in the first repetition, is given the number of every batch of updates that is done, from 1 on, and
            the results so far, with the graph as it is then.
        communicator: connects this rank of a run in parts to the others, which ask for the same; the module is one in
            parts then (see `passes.parts`), and runs as it is.
        compile_seconds: what the front end took, to be reported with the rest.
    """

    target: str = "auto"
    device_index: int | None = None
    results: Sequence[str] | None = None
    device_results: bool = False
    repeat: int = 1
    schedule: Schedule | None = None
    trace: bool = False
    limits: Limits = UNLIMITED
    session: Session | None = None
    on_batch: Callable[[int, Result], None] | None = None
    communicator: Communicator | None = None
    compile_seconds: float = 0.0

    @property
    def runs(self) -> int:
        """How often it runs in all."""
        return max(self.repeat, 1) + self.trace
