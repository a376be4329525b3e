"""The record of all facts about a program.

`analyse` runs every analysis once on a checked program; lowering, schedules and `starplat explain` read the record.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from starplat.analysis import infinity, pulling, walk
from starplat.analysis.convergence import Convergence, convergence
from starplat.analysis.finite import FiniteCells, finite_cells
from starplat.analysis.hosting import Hosting
from starplat.analysis.races import LoopRaces, race_warnings, races, settled, tie_notes
from starplat.analysis.transfers import Transfers, transfers
from starplat.diagnostics import Diagnostic, sort
from starplat.frontend import typed
from starplat.same import Same


@dataclass(frozen=True, slots=True, eq=False)
class FunctionFacts:
    """Facts about one function: its parallel loops, outer before inner, its fixed points, its transfers."""

    function: typed.FunctionDefinition
    loops: tuple[LoopRaces, ...]
    fixed_points: tuple[Convergence, ...]
    transfers: Transfers


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What is known of a program. `infinite` are the symbols that may hold INF, `finite` cells of them that do not
    where they are read, `shows_infinity` the symbols that hold INF, -INF or what is computed from them; `warnings` what
    a user should hear (races, notes). `settled` are the places that a `Min` or `Max` changes and that end
    alike in any order (class d), whichever loop around is asked."""

    program: typed.Program
    functions: tuple[FunctionFacts, ...]
    infinite: frozenset[typed.Symbol]
    finite: FiniteCells
    shows_infinity: frozenset[typed.Symbol]
    warnings: tuple[Diagnostic, ...]
    hosting: Hosting
    settled: frozenset[Same]
    _by_body: Mapping[Same, LoopRaces]

    def function(self, name: str) -> FunctionFacts:
        return next(facts for facts in self.functions if facts.function.name == name)

    def races(self, body: typed.Block) -> LoopRaces:
        """The verdicts of the parallel loop with that body."""
        return self._by_body[Same(body)]


def analyse(program: typed.Program) -> Facts:
    """Runs every analysis."""
    hosting = Hosting(program)
    functions = tuple(_of_function(function, program, hosting) for function in program.functions)
    found = [loop for function in functions for loop in function.loops]
    warnings = sort([*race_warnings(found, program), *tie_notes(found, program), *pulling.pulling_notes(program)])
    by_body = {Same(loop.loop.body): loop for loop in found}
    finite = finite_cells(program)
    infinite = infinity.may_hold_infinity(program, finite), finite, infinity.may_show_infinity(program)
    return Facts(program, functions, *infinite, tuple(warnings), hosting, settled(found), by_body)


def _of_function(function: typed.FunctionDefinition, program: typed.Program, hosting: Hosting) -> FunctionFacts:
    fixed_points = tuple(
        convergence(s, program) for s in walk.statements(function.body) if isinstance(s, typed.FixedPoint)
    )
    loops = races(function, program)
    return FunctionFacts(function, loops, fixed_points, transfers(function, loops, hosting))
