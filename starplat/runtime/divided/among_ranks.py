"""Runs a program in parts: this process is one of the ranks, all of which call this with the same."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starplat.backends.scheduled import capabilities_of
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime.arguments.bind import Bound
from starplat.runtime.divided.on_devices import run_part
from starplat.runtime.divided.planning import by_nodes
from starplat.runtime.launch import Request
from starplat.runtime.parts.agreeing import agreed, ending_together, marks_of, require_alike
from starplat.runtime.parts.communicator import Communicator
from starplat.runtime.results.result import Result
from starplat.runtime.session import default_session
from starplat.runtime.targets import device_at


def communicator_of(comm: Any) -> Communicator:
    """The ranks that `comm` connects: one of mpi4py's communicators, or of ours. Raises E0712, it is neither; E0901,
    mpi4py is not installed."""
    if isinstance(comm, Communicator):
        return comm
    if not all(hasattr(comm, name) for name in ("allgather", "Allreduce", "Allgatherv", "Sendrecv", "Abort")):
        message = f"comm is a {type(comm).__name__}, which connects no ranks"
        raise DiagnosticError(Diagnostic("E0712", message, help="give a communicator of mpi4py: MPI.COMM_WORLD"))
    from starplat.runtime.parts.mpi import MpiCommunicator

    return MpiCommunicator(comm)


def require_divisible(asked: Mapping[str, object]) -> None:
    """Raises E0736 where something is asked for that runs in parts go without."""
    besides = [name for name, is_asked in asked.items() if is_asked]
    if besides:
        message = f"a run in parts goes without {', '.join(besides)}"
        help = "parts run the program as it is written, each its own nodes: leave the rest out, or run in one part"
        raise DiagnosticError(Diagnostic("E0736", message, help=help))


def run_in_parts(module: ir.Module, graph: Graph, communicator: Communicator, given: Bound, asked: Request) -> Result:
    """The same result on all ranks; `Result.parts` says how the graph was divided and what crossed. Ranks of a host
    take its GPUs in turn, unless the request says which. Raises DiagnosticError: on all ranks: E0668, the program
    cannot be divided; E0735, another rank runs something else. An error that comes later is said by its rank and ends
    the processes of all."""
    target = asked.target

    def placed() -> tuple[ir.Module, int]:
        index = device_at(target, communicator.place) if asked.device_index is None else asked.device_index
        able = capabilities_of((asked.session or default_session()).device(target, index).target)
        return by_nodes(module, graph, able), index

    divided, index = agreed(communicator, placed)
    limits = asked.limits.max_rounds, asked.limits.time_limit
    options = (target, sorted(asked.results or ()), asked.repeat, asked.trace, limits)
    require_alike(communicator, marks_of(module, graph, given, options))
    with ending_together(communicator):
        return run_part(divided, graph, communicator, given, replace(asked, device_index=index))


def unavailable_mpi() -> DiagnosticError:
    """E0901: mpi4py, or what it needs, is missing."""
    message = "runs in parts need mpi4py and an MPI"
    help = "pip install 'starplat[mpi]', which brings MPICH, or pip install mpi4py where a cluster has an MPI"
    return DiagnosticError(Diagnostic("E0901", message, help=help), exit_code=ExitCode.NO_DEVICE)
