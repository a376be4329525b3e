"""Aligns a program with the code of a target: which lines belong together, and why.

The program's lines are cut into sections: those of a parallel loop, beside its kernels, and those between, beside what
the host does. To each section belongs what the analyses say of it. Which lines belong together comes from the spans
that kernels and accesses carry, the same that `#line` marks are made of.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from starplat import pipeline
from starplat.analysis.races import CellSet, LoopRaces, is_shared, why_shared
from starplat.analysis.transfers import Region, Transfers
from starplat.backends.scheduled import capabilities_of
from starplat.backends.text.names import Names
from starplat.cli.views.annotation import Annotation, Atomic, Cells, KernelText, Line, Section
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.printing.proceeding import Step, steps
from starplat.ir.visitor import launched_alone, loops_of, walk_host, walk_kernel, walk_outside
from starplat.schedule import PLAIN, Schedule
from starplat.source import NOWHERE, SourceFile, Span

Row = tuple[str, tuple[str, ...]]
"""What crosses between host and device in some way, by names."""


def annotate(
    checked: pipeline.Checked,
    target: str,
    function: str | None = None,
    schedule: Schedule | None = None,
    capabilities: Capabilities | None = None,
) -> Annotation:
    """The program beside the kernels of a target; `capabilities` are those for `pipeline.scheduled`. Raises
    DiagnosticError: the program does not get as far, or there is no such target."""
    module = pipeline.scheduled(pipeline.lower(checked, function), target, schedule, capabilities)
    return _Annotator(checked, module, target, pipeline.kernels_text(module, target, PLAIN)).annotation()


@dataclass(frozen=True, slots=True)
class _Emitted:
    """One kernel in the eyes of the target's compiler: one of the module, or several in a persistent kernel, a
    `loop`."""

    name: str
    called: str
    span: Span
    kernels: tuple[ir.Kernel, ...]
    loop: ir.OnDevice | None = None


def _emitted_kernels(module: ir.Module) -> tuple[_Emitted, ...]:
    names = Names(module, (), ())
    alone = (_Emitted(k.name, names.kernel(k.name), k.span, (k,)) for k in launched_alone(module))
    together = (
        _Emitted(op.name, names.kernel(op.name), op.span, _launched_in(op, module), op) for op in loops_of(module)
    )
    return (*alone, *together)


def _launched_in(op: ir.OnDevice, module: ir.Module) -> tuple[ir.Kernel, ...]:
    launched = dict.fromkeys(inner.kernel for inner in walk_host(op.body) if isinstance(inner, ir.Launch))
    return tuple(map(module.kernel, launched))


class _Annotator:
    def __init__(self, checked: pipeline.Checked, module: ir.Module, target: str, text: str) -> None:
        self.checked = checked
        self.source = checked.source.in_one()
        self.module, self.target = module, target
        self.texts = text.splitlines()
        emitted = _emitted_kernels(module)
        self.places = {k.name: _place(self.texts, k.called) for k in emitted if k.span != NOWHERE}
        self.groups = _groups(emitted, self.source)
        self.host = self.host_steps()
        fetching = (f for f in module.helpers if any(isinstance(op, tuple(_FETCHES)) for op in walk_kernel(f.body)))
        self.helpers = {function.name: function for function in fetching}
        """The compiler's own functions with atomic operations."""

    def annotation(self) -> Annotation:
        taken = {number for place in self.places.values() for number in place}
        rest = [number for number in range(len(self.texts)) if number not in taken]
        return Annotation(
            self.source.name,
            self.module.entry,
            self.target,
            tuple(self.sections()),
            tuple(Line(number + 1, self.texts[number]) for number in rest),
            of_program(self.checked.facts.function(self.module.entry).transfers, self.module),
        )

    def sections(self) -> Iterable[Section]:
        """In the order of the program's lines."""
        owners = self.owners()
        shown: set[range] = set()
        for owner, numbers in groupby(range(1, len(owners) + 1), key=lambda number: owners[number - 1]):
            found = list(numbers)
            again = owner in shown
            kernels = () if owner is None or again else self.groups[owner]
            if owner is not None:
                shown.add(owner)
            yield self.section(found, kernels, goes_on=again)

    def owners(self) -> list[range | None]:
        """The kernels' lines that each line belongs to: the innermost."""
        count = len(self.source.text.splitlines())
        narrow = sorted(self.groups, key=len)
        return [next((lines for lines in narrow if number in lines), None) for number in range(1, count + 1)]

    def section(self, numbers: Sequence[int], kernels: Sequence[_Emitted], *, goes_on: bool) -> Section:
        races = self.races(kernels)
        cells = tuple(cell for verdict in races for cell in verdict.cells)
        touched = _touched(cells, self.source)
        lines = tuple(Line(n, self.source.line(n), tuple(sorted(touched.get(n, ())))) for n in numbers)
        emitted = tuple(self.kernel(kernel, cells) for kernel in kernels)
        explained = {atomic.name for kernel in emitted for atomic in kernel.atomics}
        return Section(
            lines,
            emitted,
            _indented([step for number in numbers for step in self.host.get(number, ())]),
            tuple(_described(cell, explained) for cell in cells),
            tuple(self.moved(races, kernels)),
            goes_on,
        )

    def races(self, kernels: Sequence[_Emitted]) -> list[LoopRaces]:
        """The verdicts of the loops that the kernels were made of."""
        starts = {kernel.span for emitted in kernels for kernel in emitted.kernels}
        loops = [loop for function in self.checked.facts.functions for loop in function.loops]
        return [loop for loop in loops if loop.loop.span in starts]

    def moved(self, verdicts: Sequence[LoopRaces], kernels: Sequence[_Emitted]) -> Iterable[Row]:
        """What the loops read and write, and what their kernels bring back."""
        regions = [region for f in self.checked.facts.functions for region in f.transfers.regions]
        for verdict in verdicts:
            yield from (row for region in regions if region.loop is verdict for row in of_region(region))
        for kernel in kernels:
            yield from of_launch(kernel.kernels, kernel.loop)

    def host_steps(self) -> dict[int, list[Step]]:
        """The host's steps, by the number of their line; launches stand beside their kernels.

        Steps that no statement of their own stands for come after what was done last.
        """
        found: dict[int, list[Step]] = {}
        after = 1
        for step in self.steps_of_the_host():
            if step.span != NOWHERE:
                lines = _lines_of(step.span, self.source)
                after = lines.start if step.kernel is None else lines.stop
            if step.kernel is None:
                found.setdefault(after, []).append(step)
        return found

    def steps_of_the_host(self) -> Iterable[Step]:
        """Without those inside a launch."""
        loops = {op.name for op in loops_of(self.module)}
        inside: int | None = None
        for step in steps(self.module):
            if inside is not None and step.depth > inside:
                continue
            inside = step.depth if step.kernel in loops else None
            yield step

    def kernel(self, kernel: _Emitted, cells: Sequence[CellSet]) -> KernelText:
        every = {a.name: a for part in kernel.kernels for a in _atomics(part, cells, self.helpers)}.values()
        atomics = () if self.is_of_one_thread(kernel) else tuple(every)
        names = {cell.symbol.name for cell in cells} | {atomic.name for atomic in atomics}
        names |= {a.name for part in kernel.kernels for a in part.arrays if a.origin is not ir.Origin.GRAPH}
        in_one_piece = {atomic.name for atomic in atomics}
        lines = [self.texts[number] for number in self.places[kernel.name]]
        first = self.places[kernel.name].start + 1
        body = next((n for n, line in enumerate(lines) if line.endswith("{")), 0)
        shown = []
        for number, text in enumerate(lines):
            mentioned = () if number <= body else tuple(sorted(n for n in names if _mentions(text, n)))
            atomic = number > body and any(_is_atomic(lines, number, name, self.helpers) for name in in_one_piece)
            shown.append(Line(first + number, text, mentioned, atomic))
        return KernelText(kernel.name, tuple(shown), atomics)

    def is_of_one_thread(self, kernel: _Emitted) -> bool:
        """Whether one thread does all of it, and so without anything atomic."""
        in_one_group = kernel.loop is not None and kernel.loop.one_group
        return in_one_group and capabilities_of(self.target).structured_loops


def _indented(found: Sequence[Step]) -> tuple[tuple[int, str], ...]:
    least = min((step.depth for step in found), default=0)
    return tuple((step.depth - least, step.text) for step in found)


def _groups(kernels: Iterable[_Emitted], source: SourceFile) -> dict[range, list[_Emitted]]:
    """The kernels by the lines of their loops; those that begin on one line belong together."""
    groups: dict[range, list[_Emitted]] = {}
    for kernel in kernels:
        if kernel.span == NOWHERE:
            continue
        lines = _lines_of(kernel.span, source)
        same = next((other for other in groups if other.start == lines.start), None)
        members = [*groups.pop(same), kernel] if same is not None else [kernel]
        longest = lines if same is None or lines.stop > same.stop else same
        groups[longest] = members
    return groups


def _lines_of(span: Span, source: SourceFile) -> range:
    first, last = source.position(span.start)[0], source.position(max(span.start, span.end - 1))[0]
    return range(first, last + 1)


def _place(texts: Sequence[str], name: str) -> range:
    """The place of a kernel in the text, its comments included: from what names it at the margin to the next `}`
    there."""
    starts = re.compile(rf"^[^\s/#].*\b{re.escape(name)}\(")
    head = next(number for number, line in enumerate(texts) if starts.match(line))
    end = next(number for number in range(head, len(texts)) if texts[number].startswith("}"))
    while head > 0 and texts[head - 1].strip():
        head -= 1
    return range(head, end + 1)


# --- atomics -------------------------------------------------------------------------------------------------------

_IN_ONE_PIECE = re.compile(r"atom(?:ic)?|fetch_|exchange|CAS|(?<![a-z])lock|^ *Additions ", re.IGNORECASE)


def _is_atomic(lines: Sequence[str], number: int, name: str, helpers: Iterable[str]) -> bool:
    """Whether a line is part of an atomic operation on the array: it names both, or a directive before it does, or it
    calls a function that adds a node to a set; or it says that threads gather what they add to the array."""
    line, before = lines[number], lines[number - 1]
    directive = before.lstrip().startswith("#pragma") and _IN_ONE_PIECE.search(before) is not None
    in_one_piece = directive or _IN_ONE_PIECE.search(line) is not None
    calls = any(re.search(rf"\b{re.escape(helper)}(?:_\d+)?\(", line) for helper in ("insert", *helpers))
    return (_mentions(line, name) and in_one_piece) or calls


def _mentions(line: str, name: str) -> bool:
    """Whether a line names the array, or the second copy of it that the compiler keeps."""
    return re.search(rf"\b{re.escape(name)}(?:_next|_part|_result|_lock|_scratch)?_?\b", line) is not None


def _atomics(kernel: ir.Kernel, cells: Sequence[CellSet], helpers: Mapping[str, ir.Function]) -> Iterable[Atomic]:
    """The atomic operations of a kernel, each array once; those of `helpers` at their calls."""
    shared = {cell.symbol.name: cell for cell in cells if is_shared(cell)}
    found: dict[str, Atomic] = {}
    alone = isinstance(kernel.domain, ir.Once)
    for op in walk_kernel(kernel.body):
        match op:
            case ir.ExtremeCell(shared=True):
                carried = ", ".join(carry.array.name for carry in op.carried)
                what = f"{op.extreme.value} of {op.array.name}"
                if op.partner is not None:
                    what = f"{op.extreme.value} of the first of each {op.array.name}"
                whole = f"{what}, and {carried} with it" if op.lock is not None and carried else what
                found.setdefault(op.array.name, Atomic(op.array.name, whole, _reason(op.array.name, shared)))
                for name in (carry.array.name for carry in op.carried if carry.array.packed):
                    found.setdefault(name, Atomic(name, f"members of {name}", _SETS))
            case ir.UpdateCell(shared=True) if op.array.element is not ir.Element.BOOL:
                what = f"{op.combine.value}= on {op.array.name}"
                found.setdefault(op.array.name, Atomic(op.array.name, what, _reason(op.array.name, shared)))
            case ir.Store(array=array) | ir.UpdateCell(array=array) if array.packed and not alone:
                found.setdefault(array.name, Atomic(array.name, f"members of {array.name}", _SETS))
            case ir.FetchAdd() | ir.FetchOr() | ir.CompareSwap():
                name = op.array.name
                found.setdefault(name, Atomic(name, f"{_FETCHES[type(op)]} {name}", _reason(name, shared)))
            case ir.KernelCall(ir.CallFunction(called, given)) if called in helpers:
                name = next(one.name for one in given if isinstance(one, ir.Array))
                found.setdefault(name, Atomic(name, f"{called} into {name}", _SETS))
    yield from found.values()
    for reduction in kernel.reductions:
        if reduction.variable.element is not ir.Element.BOOL and not alone:
            name = reduction.variable.name
            reason = "all iterations contribute to it; what threads have is combined before anything is written"
            yield Atomic(name, f"reduction by {reduction.combine.value} into {name}", reason)


_FETCHES = {ir.FetchAdd: "fetch and add on", ir.FetchOr: "fetch and or on", ir.CompareSwap: "compare and swap on"}
_SETS = "iterations may bring a node that another brings too; the one that sets its bit lists it"


def _reason(name: str, shared: dict[str, CellSet]) -> str:
    cell = shared.get(name) or next((cell for known, cell in shared.items() if name.startswith(f"{known}_")), None)
    if cell is None:
        return "the compiler's own array, which several iterations write"
    return f"{why_shared(cell)} ({cell.race_class.value})"


# --- facts ---------------------------------------------------------------------------------------------------------


def _touched(cells: Iterable[CellSet], source: SourceFile) -> dict[int, set[str]]:
    """The names that each line of the program touches."""
    found: dict[int, set[str]] = {}
    for cell in cells:
        for access in cell.accesses:
            for number in _lines_of(access.span, source):
                found.setdefault(number, set()).add(cell.symbol.name)
    return found


def _described(cell: CellSet, explained: Container[str]) -> Cells:
    """The verdict; why a cell is shared stands beside its atomic operation already, if it has one."""
    tell = is_shared(cell) and cell.symbol.name not in explained
    reason = f"{cell.reason} ({why_shared(cell)})" if tell else cell.reason
    title = f"{cell.symbol.name} [{cell.where}]"
    return Cells(title, cell.race_class.value, cell.race_class.title, reason, cell.symbol.name)


# --- transfers -----------------------------------------------------------------------------------------------------


def of_region(region: Region) -> list[Row]:
    """What a loop's kernel reads and writes."""
    rows = (("reads", region.reads), ("writes", region.writes))
    return [(title, tuple(symbol.name for symbol in symbols)) for title, symbols in rows if symbols]


def of_launch(kernels: Sequence[ir.Kernel], loop: ir.OnDevice | None) -> list[Row]:
    """The words that a launch brings back: of its kernels, or of the whole `loop` that they are parts of."""
    found = tuple(dict.fromkeys(reduction.variable.name for kernel in kernels for reduction in kernel.brought_back))
    if loop is None:
        rows = [("one word down a launch", found)]
    else:
        down = tuple(variable.name for variable in loop.outcomes)
        stays = tuple(name for name in found if name not in down)
        rows = [("one word down when the loop is over", down), ("words that stay on the device", stays)]
    return [row for row in rows if row[1]]


def of_program(transfers: Transfers, module: ir.Module) -> tuple[Row, ...]:
    """What the entry moves."""
    touched = list(walk_outside(ir.OnDevice, module.function(module.entry).body))
    read = dict.fromkeys(op.array.name for op in touched if isinstance(op, ir.ReadCell))
    written = dict.fromkeys(op.array.name for op in touched if isinstance(op, ir.WriteCell))
    rows = (
        ("up once: of the graph", transfers.graph),
        ("up if given", tuple(symbol.name for symbol in transfers.up)),
        ("up when changed", tuple(symbol.name for symbol in transfers.lists)),
        ("down if asked for", tuple(symbol.name for symbol in transfers.down)),
        ("stays on the device", tuple(symbol.name for symbol in transfers.resident)),
        ("cells that the host reads", tuple(read)),
        ("cells that the host writes", tuple(written)),
    )
    return tuple((title, names) for title, names in rows if names)
