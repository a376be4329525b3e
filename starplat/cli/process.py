"""Entry points of the `starplat` command and of `python -m starplat`."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

import starplat
from starplat.cli.child_process import step_aside

_DEVICE_LIBRARIES = ("pyopencl", "cupy", "dpctl", "starplat.runtime.devices.library")


def run() -> NoReturn:
    """Runs the command line and ends the process with its exit code.

    Where a device was used the process ends at once: the runtimes of several vendors in one process tear down each
    other's threads and contexts, and may crash after the answer has been printed. `verbs.graph.KEPT` holds what was on
    devices till then.
    """
    if sys.argv[1:] in (["version"], ["--version"]) and _has_said(f"starplat {starplat.__version__}"):
        sys.exit(0)
    step_aside()
    _keep_stderr()
    with _interrupted_without_words():
        from starplat.cli.app import main
    code = main()
    if code != 0 and sys.argv[1:2] == ["run"]:
        from starplat.cli.ranks import end_others

        sys.stderr.flush()
        end_others(code)
    is_rank = "mpi4py.MPI" in sys.modules  # which takes leave of the others as it ends
    if not is_rank and any(name in sys.modules for name in _DEVICE_LIBRARIES):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _has_said(line: str) -> bool:
    """Prints a line that takes no imports; False where that fails, which the command line knows how to report."""
    try:
        print(line, flush=True)
    except (OSError, ValueError):
        return False
    return True


def _keep_stderr() -> None:
    """Gives our own messages a way to stderr beside that of drivers, which is shut while they compile."""
    with suppress(OSError):  # it is closed
        sys.stderr = open(os.dup(2), "w", encoding=sys.stderr.encoding, errors="backslashreplace", buffering=1)  # noqa: SIM115  for the process's life


@contextmanager
def _interrupted_without_words() -> Iterator[None]:
    """Until there is something to clean up, Ctrl-C ends the process without a traceback."""
    if (usual := signal.getsignal(signal.SIGINT)) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, usual)
