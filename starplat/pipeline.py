"""The stages of the compiler, one function each: text → tree → checked program → facts → module → artifact.

`starplat.program` is the same path as Python users see it. What a later step needs is imported when it is taken, so
that checking a program stays quick.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from starplat.analysis import Facts, analyse
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode, Label, Reporter, Severity, sort
from starplat.frontend import ast, typed
from starplat.frontend.check import check as check_tree
from starplat.frontend.mistakes.remedies import did_you_mean
from starplat.frontend.parser import parse as parse_text
from starplat.frontend.parsing.tables import Keeper, keep_tables_with
from starplat.frontend.statements.remarks import remarks
from starplat.frontend.statements.sequence import sequenced
from starplat.frontend.types import ListType, UpdatesType
from starplat.imports import with_imports
from starplat.same import make_room
from starplat.source import SourceFile

if TYPE_CHECKING:
    from starplat.backends.base import Backend
    from starplat.graph import Graph
    from starplat.ir import nodes as ir
    from starplat.ir.capabilities import Capabilities
    from starplat.ir.processors import Processor
    from starplat.schedule import Schedule
    from starplat.schedule.describe import Plan


def parse(source: SourceFile, reporter: Reporter | None = None) -> ast.Program:
    """The syntax tree; with a `reporter`, which then has the mistakes, what could be understood of it. Raises E01xx: if
    there is no `reporter`."""
    keep_tables_with(_kept_tables)
    return parse_text(source, reporter)


def _kept_tables() -> Keeper | None:
    """The cache, where its folder is safe; parsing works without, so an unsafe one is no mistake here."""
    from starplat.toolchain.cache import Cache, fault_of, wanted_folder

    folder = wanted_folder()
    return Cache(folder / "grammar") if fault_of(folder) is None else None


@dataclass(frozen=True)
class Checked:
    """A program without errors: its tree, what is known about it, and what is doubtful in it, in the order of the
    text. The facts are of the program without `print` and `assert`, as devices run it."""

    source: SourceFile
    tree: typed.Program
    facts: Facts
    warnings: tuple[Diagnostic, ...]

    @cached_property
    def remarks(self) -> list[typed.Remark]:
        """Every `print` and `assert`."""
        return remarks(self.tree.functions)

    @cached_property
    def whole_facts(self) -> Facts:
        """What is known of the program with its `print` and `assert`."""
        return analyse(sequenced(self.tree)) if self.remarks else self.facts


def check(source: SourceFile, *, strict: bool = False) -> Checked:
    """The checked program and the facts about it; with `strict` a race is an error. Raises DiagnosticError: everything
    that is wrong, and the warnings beside it."""
    program, source = with_imports(parse(source), source)
    make_room(source.text.count("\n"))
    tree = check_tree(program, source)
    facts = analyse(sequenced(_run_by_devices(tree)))
    warnings = tuple(sort(dict.fromkeys((*tree.warnings, *facts.warnings))))
    if strict and any(map(is_race, warnings)):
        raise DiagnosticError(*(replace(w, severity=Severity.ERROR) if is_race(w) else w for w in warnings))
    return Checked(source, tree, facts, warnings)


def _run_by_devices(tree: typed.Program) -> typed.Program:
    """The program without `print` and `assert`."""
    if not remarks(tree.functions):
        return tree
    from starplat.operators.remarks import without_remarks

    return without_remarks(tree)


def diagnostics(source: SourceFile, *, strict: bool = False) -> tuple[Diagnostic, ...]:
    """Everything that is wrong or doubtful in a program."""
    try:
        return check(source, strict=strict).warnings
    except DiagnosticError as error:
        return error.diagnostics


def is_race(diagnostic: Diagnostic) -> bool:
    """Whether it speaks of a race, class (f)."""
    return diagnostic.code == "W0501"


def lower(checked: Checked, entry: str | None = None, *, as_written: bool = False) -> ir.Module:
    """The module whose entry is `entry`, or the function that no other calls; `as_written`: not in canonical form.
    Raises E0654 or E0655, which function is meant is not clear; E065x, it uses what cannot run yet."""
    from starplat.ir.lower import lower as lower_tree
    from starplat.ir.verifying.modules import verify
    from starplat.operators.answers.components import settling
    from starplat.operators.answers.numbers import node_numbers
    from starplat.operators.answers.sources import searches
    from starplat.passes import run as run_passes

    facts, name = (checked.facts, entry) if as_written else _fetching_late(*_canonical(checked, entry))
    program = facts.program
    searching = {} if as_written else searches(program, facts.infinite)
    kept = [one for found in searching.values() for one in found.kept]
    facts = replace(facts, infinite=facts.infinite | {one.symbol for one in kept if one.local in facts.infinite})
    module = run_passes(lower_tree(program, name, facts, settling(program), searching))
    module = replace(module, race=next(filter(is_race, checked.warnings), None))
    if not as_written:
        module = replace(module, numbers=node_numbers(module.entry, facts, searching, checked.warnings))
    verify(module)
    return module


def lower_checked(checked: Checked, entry: str | None = None) -> ir.Module:
    """The module of a checked run on a device: every loop as it is written, with its `assert`s and checks. Raises
    DiagnosticError as for `lower`."""
    from starplat.ir.lower import lower as lower_tree
    from starplat.ir.verifying.modules import verify
    from starplat.operators.given_twice import with_forms_for_repeats

    program = with_forms_for_repeats(checked.whole_facts.program)
    facts = checked.whole_facts if program is checked.whole_facts.program else analyse(program)
    module = lower_tree(program, entry, facts, checked=True)
    verify(module)
    return module


def operators(checked: Checked, entry: str | None = None, *, anonymous: bool = False) -> str:
    """The functions that the entry reaches as operators, in canonical form; `anonymous` names are numbers. Raises E0654
    or E0655: which function is meant is not clear."""
    from starplat.operators.answers.components import settling
    from starplat.operators.printing import printed
    from starplat.operators.raising import graph_program

    facts, name = _canonical(checked, entry)
    functions = sorted(facts.program.functions, key=lambda function: function.name != name)
    settles = settling(facts.program)
    raised = (graph_program(function, facts.program, settles) for function in functions)
    texts = (printed(program, facts.settled, anonymous=anonymous) for program in raised)
    return "\n".join(texts)


def _fetching_late(facts: Facts, name: str) -> tuple[Facts, str]:
    """What is known of the program whose loops carry nothing that can be found after them."""
    from starplat.operators.fetched import values_fetched_late

    program = values_fetched_late(facts.program)
    return (facts if program is facts.program else analyse(program)), name


def _canonical(checked: Checked, entry: str | None) -> tuple[Facts, str]:
    """What is known of the program in canonical form, and the entry's name."""
    from starplat.ir.lower import entry_function
    from starplat.operators.canonical.form import canonical
    from starplat.operators.given_twice import with_forms_for_repeats

    name = entry_function(checked.facts.program, entry).name
    program = canonical(with_forms_for_repeats(checked.facts.program), name)
    return (checked.facts if program is checked.facts.program else analyse(program)), name


def scheduled(
    module: ir.Module, target: str, schedule: Schedule | str | None = None, capabilities: Capabilities | None = None
) -> ir.Module:
    """The module as a target is to get it; by default everything is left to the compiler.

    `capabilities`: of the device that it is for; None: what is taken for granted of the target. Raises E0660 to E0664,
    the schedule is wrong; E06xx, it is not legal for the program, or nothing in it follows it; E0796, no such target.
    """
    from starplat.backends.scheduled import for_target
    from starplat.schedule.parse import as_schedule

    require_target(target)
    return for_target(module, target, as_schedule(schedule), capabilities=capabilities)


def plan(
    module: ir.Module,
    target: str,
    schedule: Schedule | str | None = None,
    graph: Graph | None = None,
    capabilities: Capabilities | None = None,
    device: str = "",
) -> Plan:
    """What the schedule chooses for a target, on a graph if one is given, and why.

    `capabilities`, `device`: of the device that it is for, and what to call that. Raises DiagnosticError as for
    `scheduled`.
    """
    from starplat.backends.scheduled import capabilities_of, own_schedule, require_followed
    from starplat.schedule.apply import decided
    from starplat.schedule.describe import Plan
    from starplat.schedule.parse import as_schedule

    require_target(target)
    facts = weight = None
    if graph is not None:
        from starplat.runtime.facts import facts_for, mean_weight_of

        able = capabilities or capabilities_of(target)
        facts, weight = facts_for(module, able, graph), mean_weight_of(graph)
    wanted = as_schedule(schedule) or own_schedule(target)
    found = decided(module, wanted, capabilities or capabilities_of(target), facts)
    require_followed(module, target, wanted, facts, found.module, capabilities)
    return Plan(target, wanted, found.choices, facts, device, weight)


def artifact(
    module: ir.Module,
    target: str,
    stem: str,
    *,
    library: bool = False,
    single_file: bool = False,
    schedule: Schedule | str | None = None,
    processor: Processor | str | None = None,
    mpi: bool = False,
    devices: bool = False,
) -> dict[str, str]:
    """The files that `compile` writes for a target, a program or a `library` for C: their names and texts.

    They are called after `stem`, with `_` for what a command line would have to quote, and beside them lie the headers
    that programs share; a `single_file` holds everything but a library's header for C. They run on every device of the
    target; the schedule is one for `processor`, by default for a GPU where the target runs on GPUs. With `mpi` the
    program is one of processes that have a part of the nodes each, with `devices` one of threads that have a GPU each.
    Raises E0796, no such target; E0667, the schedule renumbers nodes, which only a run does; E0668 or E0736, the
    program cannot be divided, or not together with the rest that is asked for; E06xx, the target cannot do what the
    program asks; as for `scheduled`.
    """
    from starplat.backends.files.artifact import header_text
    from starplat.backends.files.placed import is_in_chunks
    from starplat.backends.scheduled import as_processor, capabilities_of, capabilities_on, for_target
    from starplat.backends.text.comments import plain_stem
    from starplat.schedule.apply import looks_at_the_graph
    from starplat.schedule.by_kind import SIZE, also_near, for_all_kinds
    from starplat.schedule.memoised_steps import TakingOnce
    from starplat.schedule.order import not_renumbered
    from starplat.schedule.parse import as_schedule
    from starplat.schedule.schedule import Memory

    backend, stem = _backend(target), plain_stem(stem)
    _refuse_updates(module, library=library)
    if library:
        _refuse_lists(module)
    if mpi or devices:
        emitting = _emitting_parts(target, mpi=mpi, devices=devices, library=library, schedule=schedule is not None)
        from starplat.runtime.divided.planning import by_nodes_of_any

        return emitting.artifact(by_nodes_of_any(module, emitting.capabilities), stem, single_file=single_file)
    asked = None if processor is None else capabilities_on(target, as_processor(processor))
    wanted = as_schedule(schedule)
    able = asked or capabilities_of(target)
    given, taking, looks = module, TakingOnce(able), looks_at_the_graph(module, able, *SIZE)

    def made(under: Schedule | None) -> ir.Module:
        one = partial(for_target, given, target, under, capabilities=asked)
        return for_all_kinds(lambda facts: one(facts=facts, taking=taking.on(facts))) if looks else one()

    module = made(wanted)
    if module.on_demand and wanted is not None and not library:
        module = also_near(module, made(replace(wanted, memory=Memory.RESIDENT)), able)
    if module.node_order is not None:
        raise not_renumbered(
            module.node_order,
            "emitted programs keep the numbers of their file",
            "leave it out: `starplat run` renumbers; or write the file in that order",
        )
    if is_in_chunks(module) and (library or not able.emitted_chunks):
        what = f"{'libraries' if library else 'emitted programs'} for {target}"
        message = f"{what} cannot follow 'memory=chunks': their host does not copy rows for each launch"
        help = "leave it out; `starplat run` follows it"
        raise DiagnosticError(Diagnostic("E0665", message, help=help), exit_code=ExitCode.USAGE)
    header = {f"{stem}.h": header_text(module, stem, backend.capabilities)} if library else {}
    return {**header, **backend.artifact(module, stem, library=library, single_file=single_file)}


def _emitting_parts(target: str, *, mpi: bool, devices: bool, library: bool, schedule: bool) -> Backend:
    """What emits programs in parts for a target; E0736 if these are asked for with what they go without."""
    from starplat.backends import IN_PARTS
    from starplat.backends.host.parts import Connection

    connection = Connection.PROCESSES if mpi else Connection.THREADS
    able = IN_PARTS[connection]
    if target not in able:
        message = f"programs in parts ('{connection.value}') are not written for target '{target}'"
        help = f"they are for: {', '.join(able)}; on other targets `starplat run` has '--ranks' and '--devices'"
        raise DiagnosticError(Diagnostic("E0736", message, help=help), exit_code=ExitCode.USAGE)
    if library or schedule:
        message = f"a program in parts goes without {'--library' if library else 'a schedule'}"
        help = "leave it out: parts run the program as it is written, each its own nodes"
        raise DiagnosticError(Diagnostic("E0736", message, help=help), exit_code=ExitCode.USAGE)
    if mpi and devices:
        message = "a program in parts has '--mpi' or '--devices', not both"
        help = "--mpi: a process for each part, on any hosts; --devices: one process with the GPUs of its host"
        raise DiagnosticError(Diagnostic("E0736", message, help=help), exit_code=ExitCode.USAGE)
    return able[target]


def _refuse_updates(module: ir.Module, *, library: bool) -> None:
    """E0651 for libraries of programs whose graph changes."""
    for argument in module.arguments:
        if library and isinstance(argument.type, UpdatesType):
            message = f"'{argument.name}' is a list of updates, which libraries do not take"
            help = "compile a program of its own, without --library, or run it from Python"
            raise DiagnosticError(Diagnostic("E0651", message, module.source, help=help))


def _refuse_lists(module: ir.Module) -> None:
    """E0651 for libraries that would take or return a list: C has no type for one."""
    for argument in module.arguments:
        if isinstance(argument.type, ListType):
            message = f"'{argument.name}' is a list, which a library for C cannot take yet"
            help = "leave out '--library', or give its elements as a property"
            raise DiagnosticError(Diagnostic("E0651", message, module.source, help=help))
    if any(isinstance(kind, ListType) for kind in module.result_types):
        message = f"'{module.entry}' returns a list, which a library for C cannot do yet"
        help = "leave out '--library': a program prints the list and writes it to a file"
        span = module.function(module.entry).span
        raise DiagnosticError(Diagnostic("E0651", message, module.source, Label(span, "returns a list"), help=help))


def kernels_text(
    module: ir.Module, target: str, schedule: Schedule | str | None = None, capabilities: Capabilities | None = None
) -> str:
    """The kernels as the target's compiler gets them, byte for byte; `capabilities` are those for `scheduled`."""
    return _backend(target).kernels_text(scheduled(module, target, schedule, capabilities))


def schedule_beside(program: Path) -> Schedule | None:
    """What the file beside a program says: the table `[schedule]` of `sssp.toml` for `sssp.sp`. Raises E0660 to E0664:
    the table is wrong."""
    from starplat.schedule.parse import file_beside, read_schedule

    path = file_beside(program)
    return None if path is None else read_schedule(path)


def require_target(target: str) -> None:
    """Lets targets pass that programs can be scheduled for. Raises E0796: it is none."""
    from starplat.backends.scheduled import REFERENCE

    if target != REFERENCE:
        _backend(target)


def _backend(target: str) -> Backend:
    from starplat.backends import BACKENDS

    if target not in BACKENDS:
        known = ", ".join(BACKENDS)
        help = did_you_mean(target, BACKENDS) or f"code can be written for: {known}"
        raise DiagnosticError(
            Diagnostic("E0796", f"no code can be written for target '{target}'", help=help), exit_code=ExitCode.USAGE
        )
    return BACKENDS[target]
