"""Runs a command in a child process, so that a crash there ends in a sentence.

Drivers, their compilers and kernels on the host's cores run in the calling process, and a fault in one of them ends it
silently. The parent only waits: it forwards signals and reports how the child ended. A child that ignores a request to
stop, because it waits for a kernel, is killed. With STARPLAT_DEBUG there is one process, for debuggers, and so there is
for each of MPI's ranks.
"""

import os
import signal
import sys
from contextlib import suppress


def _known(*names: str) -> frozenset[int]:
    return frozenset(int(getattr(signal, name)) for name in names if hasattr(signal, name))


VERBS = frozenset({"run", "bench", "tune", "devices", "doctor", "explain", "inspect", "graph"})
"""Those that load what belongs to a device, or wait for libraries that do not hear of signals."""

RANK_VARIABLES = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
"""What launchers of MPI leave in the environment of the ranks that they start, watch and end by themselves."""

CRASHES = _known("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGSYS", "SIGTRAP")
_STOPS = _known("SIGINT", "SIGTERM")
_PATIENCE, _PAUSES = 0.8, 4
"""Seconds of grace for a process that is told to stop, in so many pauses: a machine may stand still in one of them."""
_HANDED_ON = _known("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
_PR_SET_PDEATHSIG = 1
_INTERRUPTED = 130
"""The exit code then; also where SIGTERM came before the work could report it."""


def started_as() -> int | None:
    """The number that a launcher of MPI has given this process among its ranks; None if none has."""
    return next((int(said) for name in RANK_VARIABLES if (said := os.environ.get(name, "")).isdecimal()), None)


def step_aside() -> None:
    """Returns in the child process; the calling one ends as the child does."""
    is_one_process = bool(os.environ.get("STARPLAT_DEBUG")) or started_as() is not None
    wanted = len(sys.argv) > 1 and sys.argv[1] in VERBS and not is_one_process
    if not wanted or sys.platform != "linux":
        return
    heard = {*_HANDED_ON, int(signal.SIGCHLD)}
    usual = signal.pthread_sigmask(signal.SIG_BLOCK, heard)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    waiting = os.getpid()
    if (worker := os.fork()) == 0:
        _end_with(waiting)
        signal.pthread_sigmask(signal.SIG_SETMASK, usual)
        return
    _end_as(_status_of(worker, heard))


def _end_with(waiting: int) -> None:
    """A signal that kills the waiting process is meant for the child."""
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != waiting:
        os._exit(1)


def _status_of(worker: int, heard: set[int]) -> int:
    """How the child ended. A signal sent to the parent alone is forwarded; one from a terminal reaches both."""
    in_background = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    pauses: int | None = None
    while pauses != 0:
        came = signal.sigwaitinfo(heard) if pauses is None else signal.sigtimedwait(heard, _PATIENCE / _PAUSES)
        if came is None:
            pauses = None if pauses is None else pauses - 1
            continue
        if came.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(worker, os.WNOHANG)
            if ended:
                return status
            continue
        sent, number = came.si_code <= 0, came.si_signo
        if sent:  # a shell has what it starts with & ignore SIGINT, which a terminal sends to all
            os.kill(worker, signal.SIGTERM if number == signal.SIGINT and in_background else number)
        if number in _STOPS and (sent or not in_background):
            pauses = _PAUSES if pauses is None else pauses - 1
    return _killed(worker)


def _killed(worker: int) -> int:
    """Kills a child that did not stop when it was told to, without waiting for its drivers."""
    os.kill(worker, signal.SIGKILL)
    print("interrupted", file=sys.stderr, flush=True)
    return _INTERRUPTED << 8


def _end_as(status: int) -> None:
    """Ends with the child's exit code, by the signal that ended it, or with a sentence about its crash."""
    if os.WIFEXITED(status):
        os._exit(os.WEXITSTATUS(status))
    if (number := os.WTERMSIG(status)) in CRASHES:
        os._exit(_crashed(number))
    if number == signal.SIGTERM:
        os._exit(_INTERRUPTED)
    with suppress(OSError):  # SIGKILL does this already
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    os._exit(128 + number)


def _crashed(number: int) -> int:
    """Reports the crash, and gives the exit code."""
    from starplat.cli import console
    from starplat.cli.console import write_failure
    from starplat.diagnostics import Diagnostic, ExitCode
    from starplat.toolchain.tools import signal_name

    message = f"a kernel, a driver or its compiler crashed and took the process with it ({signal_name(number)})"
    help = "an index out of range does this: run with --target reference, which checks every index"
    crash = Diagnostic("E0913", message, help=help)
    console.show([crash])
    sys.stderr.flush()
    write_failure(sys.argv[1:], ExitCode.NO_DEVICE, message, [crash])
    sys.stdout.flush()
    return ExitCode.NO_DEVICE.value
