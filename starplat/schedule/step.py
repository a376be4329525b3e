"""The types of scheduling steps and of the choices that they report."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.module_rewriter import ModuleRewriter
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


def for_kernels(given: ir.Module, made: ir.Module, kernels: Iterable[str], what: str, why: str) -> Decided:
    """The module that was made, with the same choice for each of these kernels; the given one if there are none."""
    choices = tuple(Choice(f"{name}: {what}", why) for name in kernels)
    return Decided(made, choices) if choices else Decided(given)


class Decider(ModuleRewriter):
    """Base class of rewrites that tell their `choices`, and what they have `refused`."""

    def __init__(self, module: ir.Module) -> None:
        super().__init__(module)
        self.choices: list[Choice] = []
        self.refused: list[Choice] = []

    def decided(self, *, tells_refused: bool = False) -> Decided:
        """The module as it is made, or the given one if nothing was chosen."""
        made = self.module()
        refused = self.refused if tells_refused else ()
        return Decided(made if self.choices else self.given, (*self.choices, *refused))


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
