"""Ranks of a run in parts begin alike or not at all, and end together."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode, render
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.printing.modules import print_module
from starplat.runtime.arguments.bind import Bound
from starplat.runtime.arguments.caller_arrays import CallerArray
from starplat.runtime.parts.communicator import Communicator
from starplat.version import __version__

Answer = TypeVar("Answer")
VERSION = "version of starplat"
PATIENCE = 3.0
"""Seconds that a rank waits for the others to fail as it has."""


def agreed(communicator: Communicator, work: Callable[[], Answer]) -> Answer:
    """What `work` gives here, if it gives something on all ranks. Raises DiagnosticError: what it raised on the first
    rank that has an error, on all ranks; Exception: any other error of `work` here; it ends the ranks that wait."""
    answer: list[Answer] = []
    error: DiagnosticError | None = None
    with ending_together(communicator):
        try:
            answer.append(work())
        except DiagnosticError as raised:
            error = raised
    said = None if error is None else (error.diagnostics, error.exit_code)
    if (first := next(filter(None, communicator.gather(said)), None)) is not None:
        diagnostics, code = first
        raise DiagnosticError(*diagnostics, exit_code=code) from error
    return answer[0]


def require_alike(communicator: Communicator, marks: dict[str, object]) -> None:
    """Raises E0735, on all ranks, if one of them is about to run something else than rank 0."""
    every = communicator.gather(marks)
    for rank, other in enumerate(every):
        for what, mark in every[0].items():
            if other.get(what) != mark:  # another version has other options
                message = f"rank {rank} has another {what} than rank 0"
                if what == VERSION:
                    message += f": {other[what]}, not {mark}"
                help = "give all ranks the same program, graph, arguments and options"
                raise DiagnosticError(Diagnostic("E0735", message, help=help))


def marks_of(module: ir.Module, graph: Graph, given: Bound, options: tuple[object, ...]) -> dict[str, object]:
    """What tells runs apart, by its name; of arrays their sizes and sums. The arcs of a graph in pieces are left out:
    that its files are alike was known before, and no rank reads all of it."""
    arcs = () if graph.in_pieces else (graph.columns, *(() if graph.weights is None else (graph.weights,)))
    arrays = {name: None if isinstance(a, CallerArray) else _sum(a) for name, a in sorted(given.arrays.items())}
    return {
        VERSION: __version__,
        "program": crc32(print_module(module).encode()),
        "graph": (graph.directed, graph.num_nodes, graph.num_arcs, _sum(graph.row_offsets), *map(_sum, arcs)),
        "set of arguments": (sorted(given.scalars.items()), arrays),
        "set of options": options,
    }


def _sum(cells: Any) -> tuple[str, int, int]:
    plain = np.ascontiguousarray(cells)
    return str(plain.dtype), plain.size, crc32(plain.view(np.uint8).data)


@contextmanager
def ending_together(communicator: Communicator) -> Iterator[None]:
    """What goes wrong on all ranks is raised on all. What goes wrong here alone ends the others, which would wait for
    ever."""
    try:
        yield
    except BaseException as error:
        if communicator.ends_processes and not communicator.all_fail(PATIENCE):
            code, words = _last_words(error, communicator.rank)
            os.write(2, f"{words}\n".encode(errors="replace"))
            communicator.abort(code.value)
        raise


def _last_words(error: BaseException, rank: int) -> tuple[ExitCode, str]:
    if isinstance(error, DiagnosticError):
        return error.exit_code, "\n".join(map(render, error.diagnostics))
    if isinstance(error, KeyboardInterrupt):
        return ExitCode.INTERRUPTED, "interrupted"
    said = " ".join(str(error).split())[:300]
    if isinstance(error, MemoryError):
        return ExitCode.WRONG_INPUT, f"error: there is not enough memory for this on rank {rank}{said and f': {said}'}"
    return ExitCode.BUILD_FAILED, f"internal error: {type(error).__name__}: {said}"
