"""Sessions: opened devices, with the kernels built for them, the graphs on them and their memory.

A run takes place in a session, by default in one that the first such run makes. Sessions share what belongs to the
process or the user: loaded libraries of vendors, the threads that wait for devices, the cache of built kernels.
"""

import atexit
import signal
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from threading import Lock
from typing import Any, TypeVar

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.runtime.attending.attended import Job
from starplat.runtime.attending.progress import Progress, Step
from starplat.runtime.devices.device import Device
from starplat.runtime.devices.device_faults import DeviceFaultError
from starplat.runtime.results.result import Result
from starplat.runtime.targets import automatic, open_device, require

Answer = TypeVar("Answer")


class Session:
    """Keeps devices open, and what lies on them, from one run to the next; the end of a `with` block closes it.

    Two sessions share no memory of a device. Runs of several threads on a device of one session take turns.

    >>> import starplat
    >>> nodes = starplat.compile("function nodes(Graph g) { return g.num_nodes(); }")
    >>> with starplat.Session() as session:
    ...     session.run(nodes, [(1, 2), (2, 3)], target="reference").returned
    3

    Attributes:
        closed: whether `close` has been called.
    """

    def __init__(self) -> None:
        """Opens nothing: a device is opened by the first run on it."""
        self.closed = False
        self._devices: dict[tuple[str, int], Device] = {}
        self._busy: dict[tuple[str, int], Job[Any]] = {}
        self._beside: list[Session] = []
        self._opening = Lock()

    def __enter__(self) -> "Session":
        self._require_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        held = ", ".join(f"{target} {index}" for target, index in self._devices) or "no device"
        return f"<Session, {'closed' if self.closed else held}>"

    def run(self, program: Callable[..., Result], graph: Any, **options: Any) -> Result:
        """Runs a program in this session: `program.run(graph, session=session, …)`.

        Raises:
            DiagnosticError: as `Program.run`; E0922, the session is closed.
        """
        return program(graph, session=self, **options)

    def close(self) -> None:
        """Gives back what the devices hold, once the runs under way have ended. Arrays that a run left on a device are
        the caller's and stay."""
        with self._opening:
            self.closed = True
            devices, self._devices = self._devices, {}
            beside, self._beside = self._beside, []
        for device in devices.values():
            with device.turn:
                device.close()
        for session in beside:
            session.close()

    # --- for runs ----------------------------------------------------------------------------------------------------

    def device(self, target: str = "auto", index: int = 0) -> Device:
        """A device of the target, the same one every time; `auto` is the first target that has a device.

        Raises:
            DiagnosticError: E0907, no such target; E0901 or E0902, no such device, with what would mend it; E0922, the
                session is closed.
        """
        require(target)
        key = (automatic() if target == "auto" else target, index)
        with self._opening:
            self._require_open()
            if key not in self._devices:
                self._devices[key] = open_device(*key)
            return self._devices[key]

    def beside(self, number: int) -> "Session":
        """This session, for number 0, or one that lives as long: the same device opened in it has memory of its own."""
        with self._opening:
            self._require_open()
            self._beside += (Session() for _ in range(len(self._beside), number))
        return self if number == 0 else self._beside[number - 1]

    def in_turn(self, device: Device, index: int, work: Callable[[], Answer]) -> Answer:
        """What `work` gives with exclusive use of the device; if it fails there, the next run opens it anew.

        Ctrl-C may come between any two steps. So nothing here has to be undone but what the interpreter does itself.

        Raises:
            DiagnosticError: E0920, something goes on there that could not be stopped, or waits for this; E0922, the
                session is closed.
        """
        return copy_context().run(self._in_turn, device, index, work)

    def _in_turn(self, device: Device, index: int, work: Callable[[], Answer]) -> Answer:
        taken = _TAKEN.get()
        if device.turn in taken:
            help = "run it afterwards, or in a session of its own: session=starplat.Session()"
            message = f"{device.name} is busy with the run that waits for this one"
            raise DiagnosticError(Diagnostic("E0920", message, help=help), exit_code=ExitCode.NO_DEVICE)
        with device.turn:
            self._require_open()
            self._require_free(device, index)
            _TAKEN.set(taken | {device.turn})
            try:
                return work()
            except DeviceFaultError:
                self._abandon(device)
                raise

    def _abandon(self, device: Device) -> None:
        """Forgets a device and all that was on it."""
        device.broken = True
        with self._opening:
            for key in [key for key, opened in self._devices.items() if opened.belongs(device)]:
                del self._devices[key]
        device.forget_graphs()
        _DEAD.append(device)

    def leave_busy(self, device: Device, index: int, progress: Progress, job: Job[Any]) -> str:
        """Abandons a device on which a job goes on, and runs nothing there until it ends; gives a sentence about it."""
        self._abandon(device)
        self._busy[device.target, index] = job
        atexit.register(_end_soon, job)
        step = progress.step
        what = f"a kernel on {device.name}" if step is Step.RUNNING else f"{device.name} was {step.value} and"
        return f"{what} could not be stopped: the device is closed here until that ends"

    def _require_open(self) -> None:
        if self.closed:
            help = "make another by starplat.Session(), or leave out 'session' for the default one"
            raise DiagnosticError(Diagnostic("E0922", "the session is closed", help=help))

    def _require_free(self, device: Device, index: int) -> None:
        if (job := self._busy.get((device.target, index))) is not None and not job.done.is_set():
            message = f"{device.name} is still busy with an earlier run that could not be stopped"
            help = "start a new process, or use another device (starplat devices lists them)"
            raise DiagnosticError(Diagnostic("E0920", message, help=help), exit_code=ExitCode.NO_DEVICE)


_TAKEN: ContextVar[frozenset[object]] = ContextVar("turns that are taken here", default=frozenset())
"""The turns of devices inside which the caller is, on whatever thread its work goes on."""
_DEAD: list[Device] = []
"""Devices that have failed, with all on them: unloading it would fail too, with an error that cannot be caught."""


def _end_soon(job: Job[Any]) -> None:
    """Drivers wait at process exit for their kernels: this one gets a second."""
    if not job.done.is_set() and hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(1)


_DEFAULT: list[Session] = []
"""The one session of runs that name none, as soon as there was such a run."""
_MAKING = Lock()


def default_session() -> Session:
    """The session of runs that name none; after `close`, a new one."""
    with _MAKING:
        if not _DEFAULT or _DEFAULT[0].closed:
            _DEFAULT[:] = [Session()]
        return _DEFAULT[0]


def close() -> None:
    """Closes the default session: gives back what its devices hold. The next run opens them anew."""
    for session in _DEFAULT:
        session.close()
