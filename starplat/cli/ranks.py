"""Runs in parts from the command line, whose ranks `--ranks` starts, or `mpiexec` or a cluster's launcher has started.

Rank 0 speaks for all: the others are silent but for what ends the run.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import typer

from starplat.cli.child_process import started_as
from starplat.version import __version__

if TYPE_CHECKING:
    from starplat.runtime.parts.communicator import Communicator

OPTION = "--ranks"
MAY_DIFFER = frozenset({"file", "graph", "arg", "device", "device_memory", "host_memory", "verbose", "json"})
"""What each rank may say in its own way: its own files and devices, and what is compared later by what it comes to."""
Answer = TypeVar("Answer")


def joined(ranks: int | None, timeout: float | None, *, from_stdin: bool) -> Communicator | None:
    """The ranks of this run, if it is one in parts; a call that waits for others longer than `timeout` ends all. Where
    they have not been started, this starts them and never returns. Raises E0901: mpi4py or an MPI is missing.
    typer.BadParameter: the program comes from stdin, or there is a timeout and no rank."""
    number = started_as()
    if ranks is None and number is None:
        if timeout is not None:
            raise typer.BadParameter("only ranks wait for each other: give --ranks too", param_hint="--timeout")
        return None
    if number is None:
        if from_stdin:
            raise _no_stdin()
        _start(ranks or 1)
    return _connected(number, timeout)


def _no_stdin() -> typer.BadParameter:
    return typer.BadParameter("ranks do not share stdin: give the program as a file", param_hint="FILE")


@contextmanager
def together(communicator: Communicator | None, context: typer.Context, *, from_stdin: bool) -> Iterator[None]:
    """Around what the ranks of a run do alike: what goes wrong on one alone ends all. Raises E0735: they were given
    unlike options. typer.BadParameter: the program comes from stdin, or another number of ranks has been started."""
    if communicator is None:
        yield
        return
    from starplat.runtime.parts.agreeing import VERSION, ending_together, require_alike

    called = {option.name: max(option.opts, key=len) for option in context.command.params}
    options = {called[name]: given for name, given in context.params.items() if name not in MAY_DIFFER}
    with ending_together(communicator):
        place = {"place of the program, a file or stdin,": from_stdin}
        require_alike(communicator, {VERSION: __version__, **options, **place})
        if from_stdin:
            raise _no_stdin()
        if context.params["ranks"] not in (None, communicator.size):
            raise typer.BadParameter(f"{communicator.size} ranks have been started", param_hint=OPTION)
        yield


def _start(ranks: int) -> NoReturn:
    from starplat.runtime.divided.among_ranks import unavailable_mpi

    beside = Path(sys.executable).with_name("mpiexec")
    launcher = str(beside) if beside.is_file() else shutil.which("mpiexec")
    if launcher is None or not _has_mpi4py():
        raise unavailable_mpi()
    sys.stdout.flush()
    os.execv(launcher, [launcher, "-n", str(ranks), sys.executable, "-m", "starplat", *without_ranks(sys.argv[1:])])


def _has_mpi4py() -> bool:
    from importlib.util import find_spec

    return find_spec("mpi4py") is not None


def without_ranks(words: Sequence[str]) -> list[str]:
    """The words of a command line but `--ranks` and its number.

    >>> without_ranks(["run", "a.sp", "--ranks", "4"]), without_ranks(["run", "--ranks=4", "a.sp"])
    (['run', 'a.sp'], ['run', 'a.sp'])
    """
    found: list[str] = []
    for place, word in enumerate(words):
        is_value = place > 0 and words[place - 1] == OPTION
        if not (is_value or word == OPTION or word.startswith(f"{OPTION}=")):
            found.append(word)
    return found


def _connected(number: int, timeout: float | None) -> Communicator:
    from starplat.runtime.divided.among_ranks import communicator_of, unavailable_mpi
    from starplat.runtime.parts.mpi import leave_no_names

    try:
        if timeout is not None:
            from starplat.runtime.parts.mpi import watched_world

            comm: Any = watched_world(number, timeout)
        from mpi4py import MPI
    except (ImportError, RuntimeError):
        raise unavailable_mpi() from None
    if timeout is None:
        comm = MPI.COMM_WORLD
    here = comm.Split_type(MPI.COMM_TYPE_SHARED)
    leave_no_names()
    os.environ.setdefault("OMP_NUM_THREADS", str(max((os.cpu_count() or 1) // here.Get_size(), 1)))
    if comm.Get_rank() > 0:
        sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  for the process's life
    return communicator_of(comm)


def end_others(code: int) -> None:
    """Ends the ranks that would wait for this one, which fails before it has joined them."""
    if started_as() is None or "mpi4py.MPI" in sys.modules:
        return
    with suppress(ImportError, RuntimeError):  # without an MPI none of them goes on
        from mpi4py import MPI

        from starplat.runtime.parts.mpi import abort_all

        abort_all(MPI.COMM_WORLD, code)


def on_all(communicator: Communicator | None, work: Callable[[], Answer]) -> Answer:
    """Carries out a piece of work, and raises on all ranks what is raised on one."""
    if communicator is None:
        return work()
    from starplat.runtime.parts.agreeing import agreed

    return agreed(communicator, work)
