"""The types of scheduling steps and of the choices that they report."""

from collections.abc import Callable
from dataclasses import dataclass

from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.schedule import facts, schedule


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, for which part of the program, and why; the runner of the steps fills in `step`."""

    what: str
    why: str
    step: str = ""


@dataclass(frozen=True, slots=True)
class Decided:
    """A module, and the choices that led to it: those taken, and those refused with the reason."""

    module: ir.Module
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A rewrite that a schedule asks for: its name, its effect in a sentence, the reason for its place.

    A module that it leaves alone it gives back itself, not a copy; where the schedule asks for what is not legal for
    the program, it raises a DiagnosticError.
    """

    name: str
    sentence: str
    reason: str
    rewrite: Callable[[ir.Module, schedule.Schedule, Capabilities], ir.Module | Decided]


def _of_any_size(num_nodes: int, num_arcs: int) -> bool:
    return True


def _always(module: ir.Module, capabilities: Capabilities) -> bool:
    """What a step asks for that may do something anywhere."""
    return True


@dataclass(frozen=True, slots=True)
class GraphStep:
    """A step that also looks at the graph, if known: each graph gets a module of its own then, if the step `is_for` the
    program and the target. A run looks for more than numbers of nodes and arcs only where it is `of_size`."""

    name: str
    sentence: str
    reason: str
    rewrite: Callable[[ir.Module, schedule.Schedule, Capabilities, facts.GraphFacts | None], ir.Module | Decided]
    is_for: Callable[[ir.Module, Capabilities], bool] = _always
    of_size: Callable[[int, int], bool] = _of_any_size
