"""Fuses operations that go over all nodes (or arcs) one after the other into one kernel.

Two kernels; a fill or a copy and the kernel after it; a kernel and the copy after it. They are joined where no
iteration of the later one waits for another iteration of the earlier one (see `joining`), and where what stands between
them may as well come before or after both. Cells are then touched once, and a launch is saved. A kernel that goes from
chosen nodes to their neighbors stays alone: which threads are to do that is a question of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from starplat.ir import fresh_names, launches, module_rewriter, nodes as ir, rewriter, visitor
from starplat.ir.printing.expressions import print_expression
from starplat.ir.visitor import variables_read, written_arrays
from starplat.passes import forwarding, joining, memory
from starplat.passes.memory import Memory
from starplat.same import Same
from starplat.source import NOWHERE, Span

_OVER: dict[ir.Extent, ir.Domain] = {ir.Extent.NODES: ir.AllNodes(), ir.Extent.ARCS: ir.AllArcs()}


FARTHEST = 32
"""How many operations of a row are tried as partners of one."""
LARGEST = 32
"""The most operations of a fused kernel: what kernel compilers still handle well, and a bound for ours."""


def fuse_kernels(module: ir.Module) -> ir.Module:
    """The same program with fewer launches, fills and copies."""
    fuser = _Fuser(module)
    functions = []
    for function in module.functions:
        fuser.function = function
        functions.append(replace(function, body=fuser.host_block(function.body)))
    return fuser.result(tuple(functions))


class _Fuser(rewriter.Rewriter):
    """Goes through the rows of host operations, innermost first.

    `kernels` grows by those that are made, and `after` says which one follows which. An operation stays the same object
    for as long as it stands in a row: what it does, and with which others it cannot be joined, is found out once.
    """

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.memory = memory.Memory(module)
        self.kernels = {kernel.name: kernel for kernel in module.kernels}
        self.after = dict(pairwise(self.kernels))
        self.known: dict[Same, Effects | None] = {}
        self.apart: set[tuple[Same, Same]] = set()
        self.function = module.functions[0]
        self.wanted: dict[str, str] = {}

    def result(self, functions: tuple[ir.HostFunction, ...]) -> ir.Module:
        """The module with fused kernels under their final names, without kernels no longer launched."""
        launched = launches.launched_names(functions)
        kernels = [kernel for kernel in self._in_order() if kernel.name in launched]
        names = fresh_names.FreshNames(kernel.name for kernel in kernels if kernel.name not in self.wanted)
        final = {k.name: names.fresh(self.wanted[k.name]) for k in kernels if k.name in self.wanted}
        renamer = rewriter.HostRule(
            lambda op: (ir.Launch(final.get(op.kernel, op.kernel)),) if isinstance(op, ir.Launch) else None
        )
        functions = tuple(replace(f, body=renamer.host_block(f.body)) for f in functions)
        named = tuple(replace(kernel, name=final.get(kernel.name, kernel.name)) for kernel in kernels)
        return module_rewriter.with_graph_arrays(replace(self.module, functions=functions, kernels=named))

    def _in_order(self) -> Iterator[ir.Kernel]:
        name = self.module.kernels[0].name if self.module.kernels else None
        while name is not None:
            yield self.kernels[name]
            name = self.after.get(name)

    # --- rows ------------------------------------------------------------------------------------------------------

    def host_block(self, ops: Iterable[ir.HostOp]) -> tuple[ir.HostOp, ...]:
        row, place = opened(super().host_block(ops)), 0
        while place < len(row):
            if (found := self._partner(row, place)) is None:
                place += 1
            else:  # what stands before may be joined with what was made
                row, place = found, max(place - FARTHEST, 0)
        return closed(row)

    def _partner(self, row: Row, place: int) -> Row | None:
        """The row with the operation at a place joined to the first one after it, and not far from it, that takes
        it."""
        first = row[place]
        if not isinstance(first, ir.Launch | ir.Fill | ir.CopyArray):
            return None
        between: list[Effects] = []
        for later in range(place + 1, min(place + 1 + FARTHEST, len(row))):
            second = row[later]
            if isinstance(second, Begin | End):
                continue
            if (done := self._effects(second)) is None:
                return None
            if (Same(first), Same(second)) not in self.apart:
                at = self._meeting(place, self._effects(first), later, done, between)
                kernel = None if at is None else self._joined(first, second)
                if at is not None and kernel is not None:
                    beside = second if isinstance(second, ir.Launch) else first
                    assert isinstance(beside, ir.Launch)
                    both: Row = [ir.Launch(self._keep(kernel, beside))]
                    ahead, behind = (both, []) if at == place else ([], both)
                    return row[:place] + ahead + row[place + 1 : later] + behind + row[later + 1 :]
                if at is not None:
                    self.apart.add((Same(first), Same(second)))
            between.append(done)
        return None

    def _effects(self, op: ir.HostOp) -> Effects | None:
        if Same(op) not in self.known:
            self.known[Same(op)] = effects(op, self.kernels.__getitem__)
        return self.known[Same(op)]

    def _meeting(
        self, place: int, first: Effects | None, later: int, second: Effects, between: list[Effects]
    ) -> int | None:
        """The place for both: the later one's, or else the earlier one's."""
        if first is not None and all(commute(first, other, self.memory) for other in between):
            return later
        return place if all(commute(second, other, self.memory) for other in between) else None

    def _keep(self, kernel: ir.Kernel, beside: ir.Launch) -> str:
        """Puts a kernel into the module, after another; gives the name that it has for now."""
        name = f"{kernel.name} {len(self.wanted)}"
        self.wanted[name] = kernel.name
        self.kernels[name] = replace(kernel, name=name)
        if (following := self.after.get(beside.kernel)) is not None:
            self.after[name] = following
        self.after[beside.kernel] = name
        return name

    # --- pairs -----------------------------------------------------------------------------------------------------

    def _joined(self, first: ir.Launch | ir.Fill | ir.CopyArray, second: ir.HostOp) -> ir.Kernel | None:
        """One kernel for both operations, if there may be one."""
        match first, second:
            case ir.Launch(one), ir.Launch(other):
                return self._of_two(self.kernels[one], self.kernels[other])
            case (ir.Fill() | ir.CopyArray()) as cells, ir.Launch(name):
                kernel = self.kernels[name]
                before = _per_cell(cells, kernel)
                both = None if before is None else joining.joined(before, kernel, self.memory)
                return self._told(both, kernel, f"first {_deed(cells)}")
            case ir.Launch(name), ir.CopyArray() as cells:
                kernel = self.kernels[name]
                after = _per_cell(cells, kernel)
                both = None if after is None else joining.joined(kernel, after, self.memory)
                return self._told(both, kernel, f"then {_deed(cells)}")
        return None

    def _of_two(self, first: ir.Kernel, second: ir.Kernel) -> ir.Kernel | None:
        if _size(first) + _size(second) > LARGEST:
            return None
        kernel = joining.joined(first, second, self.memory)
        main, other = (second, first) if joining.has_loop(second) and not joining.has_loop(first) else (first, second)
        note = f"{'then' if main is first else 'first'} {self._purpose(other)}"
        if (told := self._told(kernel, main, note)) is None:
            return None
        own_part = self._name(second).removeprefix(f"{self.function.name}_")
        return replace(told, name=f"{self._name(first)}_and_{own_part}")

    def _told(self, kernel: ir.Kernel | None, main: ir.Kernel, note: str) -> ir.Kernel | None:
        """The kernel as `main`, with a note if it does something more: a fill may be overwritten at once."""
        if kernel is None:
            return None
        tidy = forwarding.forwarded(kernel, self.memory)
        is_more = tidy.body != forwarding.forwarded(main, self.memory).body
        comment = "; ".join(text for text in (main.comment, note * is_more) if text)
        return replace(tidy, name=self._name(main), span=main.span, comment=comment)

    def _name(self, kernel: ir.Kernel) -> str:
        return self.wanted.get(kernel.name, kernel.name)

    def _purpose(self, kernel: ir.Kernel) -> str:
        """The purpose of a kernel: its comment, or the program line that it comes from."""
        if kernel.comment or kernel.span == NOWHERE:
            return kernel.comment or self._name(kernel)
        source, start = self.module.source, kernel.span.start
        return f"{source.line_name(start)}: {source.line_at(start).strip().removesuffix('{').rstrip()}"


def _size(kernel: ir.Kernel) -> int:
    """How many operations it has."""
    return sum(1 for _ in visitor.walk_kernel(kernel.body))


def _per_cell(op: ir.Fill | ir.CopyArray, kernel: ir.Kernel) -> ir.Kernel | None:
    """A fill or a copy as a kernel of its own, if `kernel` touches the same cells anyway."""
    if kernel.iterator is None:
        return None
    match op:
        case ir.Fill(array, ir.Const() | ir.Ref() as value) if (
            array in kernel.arrays and array.element is not ir.Element.ARC
        ):
            return _storing(array, value, kernel.iterator)
        case ir.CopyArray(array, source) if array in kernel.arrays or source in kernel.arrays:
            return _storing(array, ir.Load(source, kernel.own), kernel.iterator)
    return None


def _storing(array: ir.Array, value: ir.Expression, iterator: ir.Variable) -> ir.Kernel | None:
    if (domain := _OVER.get(array.extent)) is None:
        return None
    return visitor.with_signature(ir.Kernel("", domain, iterator, (ir.Store(array, ir.Ref(iterator), value),)))


def _deed(op: ir.Fill | ir.CopyArray) -> str:
    """A fill or a copy, in words."""
    match op:
        case ir.Fill(array, value):
            return f"{array.name} = {print_expression(value)}"
        case ir.CopyArray(destination, source):
            return f"{destination.name} = {source.name}"


@dataclass(frozen=True, slots=True)
class Begin:
    """Where a block begins."""

    span: Span


@dataclass(frozen=True, slots=True)
class End:
    """Where the innermost open block ends."""


Row = list[ir.HostOp | Begin | End]


def opened(ops: Iterable[ir.HostOp]) -> Row:
    """The operations with all blocks opened."""
    row: Row = []
    for op in ops:
        row += [Begin(op.span), *opened(op.body), End()] if isinstance(op, ir.HostBlock) else [op]
    return row


def closed(row: Row) -> tuple[ir.HostOp, ...]:
    """The operations in their blocks; empty blocks vanish."""
    levels: list[tuple[Span | None, list[ir.HostOp]]] = [(None, [])]
    for item in row:
        match item:
            case Begin(span):
                levels.append((span, []))
            case End():
                span_of, body = levels.pop()
                assert span_of is not None
                levels[-1][1].extend([ir.HostBlock(tuple(body), span_of)] if body else [])
            case _:
                levels[-1][1].append(item)
    return tuple(levels[0][1])


@dataclass(frozen=True, slots=True)
class Effects:
    """The scalars and arrays that an operation reads and writes; what it updates is in both."""

    variables_read: frozenset[ir.Variable] = frozenset()
    variables_written: frozenset[ir.Variable] = frozenset()
    arrays_read: frozenset[ir.Array] = frozenset()
    arrays_written: frozenset[ir.Array] = frozenset()


def effects(op: ir.HostOp, kernel_of: Callable[[str], ir.Kernel]) -> Effects | None:
    """What the operation does; None if others must not pass it."""
    match op:
        case ir.DeclareVariable(variable, value) | ir.SetVariable(variable, value):
            return Effects(frozenset(variables_read(value)), frozenset((variable,)))
        case ir.Fill(array, value):
            return Effects(frozenset(variables_read(value)), arrays_written=frozenset((array,)))
        case ir.CopyArray(destination, source):
            return Effects(arrays_read=frozenset((source,)), arrays_written=frozenset((destination,)))
        case ir.Launch(name):
            kernel = kernel_of(name)
            results = frozenset(reduction.variable for reduction in kernel.reductions)
            read = results.union(kernel.scalars)
            return Effects(read, results, frozenset(kernel.arrays), written_arrays(kernel.body))
    return None


def commute(one: Effects, other: Effects, memory: Memory) -> bool:
    """Whether it does not matter which of the two comes first."""
    return _leaves_alone(one, other, memory) and _leaves_alone(other, one, memory)


def _leaves_alone(writer: Effects, other: Effects, memory: Memory) -> bool:
    touched = other.arrays_read | other.arrays_written
    return not writer.variables_written & (other.variables_read | other.variables_written) and not any(
        memory.may_be_one(written, array) for written in writer.arrays_written for array in touched
    )
