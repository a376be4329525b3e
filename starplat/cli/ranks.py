"""Runs in parts from the command line, whose ranks `--ranks` starts, or `mpiexec` or a cluster's launcher has started.

Rank 0 speaks for all: the others are silent but for what ends the run.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import typer

from starplat.cli.child_process import RANK_VARIABLES

if TYPE_CHECKING:
    from starplat.runtime.parts.communicator import Communicator

OPTION = "--ranks"
Answer = TypeVar("Answer")


def joined(ranks: int | None, timeout: float | None, *, from_stdin: bool) -> Communicator | None:
    """The ranks of this run, if it is one in parts; a call that waits for others longer than `timeout` ends all. Where
    they have not been started, this starts them and never returns. Raises E0901: mpi4py or an MPI is missing.
    typer.BadParameter: the program comes from stdin, another number of ranks has been started, or there is a timeout
    and no rank."""
    is_started = any(name in os.environ for name in RANK_VARIABLES)
    if ranks is None and not is_started:
        if timeout is not None:
            raise typer.BadParameter("only ranks wait for each other: give --ranks too", param_hint="--timeout")
        return None
    if from_stdin:
        raise typer.BadParameter("ranks do not share stdin: give the program as a file", param_hint="FILE")
    if not is_started:
        _start(ranks or 1)
    return _connected(ranks, timeout)


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


def _connected(ranks: int | None, timeout: float | None) -> Communicator:
    from starplat.runtime.divided.among_ranks import communicator_of, unavailable_mpi

    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError):
        raise unavailable_mpi() from None
    comm: Any = MPI.COMM_WORLD
    if timeout is not None:
        from starplat.runtime.parts.mpi import Watched

        comm = Watched(comm, timeout)
    if ranks is not None and ranks != comm.Get_size():
        raise typer.BadParameter(f"{comm.Get_size()} ranks have been started", param_hint=OPTION)
    here = comm.Split_type(MPI.COMM_TYPE_SHARED)
    os.environ.setdefault("OMP_NUM_THREADS", str(max((os.cpu_count() or 1) // here.Get_size(), 1)))
    if comm.Get_rank() > 0:
        sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  for the process's life
    return communicator_of(comm)


def on_all(communicator: Communicator | None, work: Callable[[], Answer]) -> Answer:
    """Carries out a piece of work, and raises on all ranks what is raised on one."""
    if communicator is None:
        return work()
    from starplat.runtime.parts.agreeing import agreed

    return agreed(communicator, work)
