"""Makes one kernel of operations that go over all nodes (or arcs) one after the other.

Two kernels; a fill or a copy and the kernel after it; a kernel and the copy after it. They are joined where no
iteration of the later one waits for another iteration of the earlier one (see `joining`), and where what stands between
them may as well come before or after both. Cells are then touched once, and a launch is saved. A kernel that goes from
chosen nodes to their neighbors stays alone: which threads are to do that is a question of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir.lowering.names import Names
from starplat.ir.nodes import (
    AllArcs,
    AllNodes,
    Array,
    Const,
    CopyArray,
    Domain,
    Element,
    Expression,
    Extent,
    Fill,
    HostFunction,
    HostOp,
    Kernel,
    Launch,
    Load,
    Module,
    Ref,
    Store,
    Variable,
)
from starplat.ir.print_expression import print_expression
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import walk_host, with_signature
from starplat.passes.forwarding import forwarded
from starplat.passes.host_effects import Effects, commute, effects
from starplat.passes.joining import has_loop, joined
from starplat.passes.memory import Memory
from starplat.passes.rows import Begin, End, Row, closed, opened
from starplat.source import NOWHERE

_OVER: dict[Extent, Domain] = {Extent.NODES: AllNodes(), Extent.ARCS: AllArcs()}


def fuse_kernels(module: Module) -> Module:
    """The same program with fewer launches, fills and copies."""
    fuser = _Fuser(module)
    functions = []
    for function in module.functions:
        fuser.function = function
        functions.append(replace(function, body=fuser.host_block(function.body)))
    return fuser.result(tuple(functions))


class _Fuser(Rewriter):
    """Goes through the rows of host operations, innermost first; `module` grows by the kernels that are made."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.memory = Memory(module)
        self.function = module.functions[0]
        self.wanted: dict[str, str] = {}

    def result(self, functions: tuple[HostFunction, ...]) -> Module:
        """The module with what was made under its final names, without the kernels that nobody launches any more."""
        launched = {op.kernel for f in functions for op in walk_host(f.body) if isinstance(op, Launch)}
        kernels = [kernel for kernel in self.module.kernels if kernel.name in launched]
        names = Names(kernel.name for kernel in kernels if kernel.name not in self.wanted)
        final = {k.name: names.fresh(self.wanted[k.name]) for k in kernels if k.name in self.wanted}
        renamer = _Renamer(final)
        used = {array for kernel in kernels for array in kernel.arrays}
        return replace(
            self.module,
            functions=tuple(replace(f, body=renamer.host_block(f.body)) for f in functions),
            kernels=tuple(replace(kernel, name=final.get(kernel.name, kernel.name)) for kernel in kernels),
            graph_arrays=tuple(array for array in self.module.graph_arrays if array in used),
        )

    # --- rows ------------------------------------------------------------------------------------------------------

    def host_block(self, ops: Iterable[HostOp]) -> tuple[HostOp, ...]:
        row: Row | None = opened(super().host_block(ops))
        while row is not None:
            done, row = row, self._fused_once(row)
        return closed(done)

    def _fused_once(self, row: Row) -> Row | None:
        """The row with the first two operations joined that can be; None if there are none."""
        for place, first in enumerate(row):
            if isinstance(first, Launch | Fill | CopyArray):
                found = self._partner(row, place, first)
                if found is not None:
                    return found
        return None

    def _partner(self, row: Row, place: int, first: Launch | Fill | CopyArray) -> Row | None:
        """The row with `first` joined to the first operation after it that takes it."""
        between: list[Effects] = []
        for later in range(place + 1, len(row)):
            second = row[later]
            if isinstance(second, Begin | End):
                continue
            done = effects(second, self.module)
            if done is None:
                return None
            at = self._meeting(place, effects(first, self.module), later, done, between)
            kernel = None if at is None else self._joined(first, second)
            if kernel is not None:
                beside = second if isinstance(second, Launch) else first
                assert isinstance(beside, Launch)
                launch = Launch(self._keep(kernel, beside))
                return [launch if n == at else item for n, item in enumerate(row) if n == at or n not in (place, later)]
            between.append(done)
        return None

    def _meeting(
        self, place: int, first: Effects | None, later: int, second: Effects, between: list[Effects]
    ) -> int | None:
        """Where both may take place: at the later one's place, or else at the earlier one's."""
        if first is not None and all(commute(first, other, self.memory) for other in between):
            return later
        return place if all(commute(second, other, self.memory) for other in between) else None

    def _keep(self, kernel: Kernel, beside: Launch) -> str:
        """Puts a kernel into the module, after another; gives the name that it has for now."""
        name = f"{kernel.name} {len(self.wanted)}"
        self.wanted[name] = kernel.name
        kernels = list(self.module.kernels)
        kernels.insert(kernels.index(self.module.kernel(beside.kernel)) + 1, replace(kernel, name=name))
        self.module = replace(self.module, kernels=tuple(kernels))
        return name

    # --- pairs -----------------------------------------------------------------------------------------------------

    def _joined(self, first: Launch | Fill | CopyArray, second: HostOp) -> Kernel | None:
        """One kernel for both operations, if there may be one."""
        match first, second:
            case Launch(one), Launch(other):
                return self._of_two(self.module.kernel(one), self.module.kernel(other))
            case (Fill() | CopyArray()) as cells, Launch(name):
                kernel = self.module.kernel(name)
                before = _per_cell(cells, kernel)
                both = None if before is None else joined(before, kernel, self.memory)
                return self._told(both, kernel, f"first {_deed(cells)}")
            case Launch(name), CopyArray() as cells:
                kernel = self.module.kernel(name)
                after = _per_cell(cells, kernel)
                both = None if after is None else joined(kernel, after, self.memory)
                return self._told(both, kernel, f"then {_deed(cells)}")
            case _:
                return None

    def _of_two(self, first: Kernel, second: Kernel) -> Kernel | None:
        kernel = joined(first, second, self.memory)
        main, other = (second, first) if has_loop(second) and not has_loop(first) else (first, second)
        note = f"{'then' if main is first else 'first'} {self._purpose(other)}"
        told = self._told(kernel, main, note)
        if told is None:
            return None
        own_part = self._name(second).removeprefix(f"{self.function.name}_")
        return replace(told, name=f"{self._name(first)}_and_{own_part}")

    def _told(self, kernel: Kernel | None, main: Kernel, note: str) -> Kernel | None:
        """The kernel as `main`, which does something more."""
        if kernel is None:
            return None
        comment = "; ".join(text for text in (main.comment, note) if text)
        tidy = forwarded(kernel, self.memory)
        return replace(tidy, name=self._name(main), span=main.span, comment=comment)

    def _name(self, kernel: Kernel) -> str:
        return self.wanted.get(kernel.name, kernel.name)

    def _purpose(self, kernel: Kernel) -> str:
        """What a kernel is for: its comment, or the line of the program that it comes from."""
        if kernel.comment or kernel.span == NOWHERE:
            return kernel.comment or self._name(kernel)
        line, _ = self.module.source.position(kernel.span.start)
        return f"line {line}: {self.module.source.line(line).strip().removesuffix('{').rstrip()}"


def _per_cell(op: Fill | CopyArray, kernel: Kernel) -> Kernel | None:
    """A fill or a copy as a kernel of its own, if `kernel` touches the same cells anyway."""
    if kernel.iterator is None:
        return None
    match op:
        case Fill(array, Const() | Ref() as value) if array in kernel.arrays and array.element is not Element.ARC:
            return _storing(array, value, kernel.iterator)
        case CopyArray(array, source) if array in kernel.arrays or source in kernel.arrays:
            return _storing(array, Load(source, Ref(kernel.iterator)), kernel.iterator)
        case _:
            return None


def _storing(array: Array, value: Expression, iterator: Variable) -> Kernel | None:
    """A kernel that stores the value to every cell of the array."""
    domain = _OVER.get(array.extent)
    if domain is None:
        return None
    return with_signature(Kernel("", domain, iterator, None, (Store(array, Ref(iterator), value),), (), (), ()))


def _deed(op: Fill | CopyArray) -> str:
    """A fill or a copy, for readers."""
    match op:
        case Fill(array, value):
            return f"{array.name} = {print_expression(value)}"
        case CopyArray(destination, source):
            return f"{destination.name} = {source.name}"


class _Renamer(Rewriter):
    """Gives kernels their final names."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def host_op(self, op: HostOp) -> Iterable[HostOp]:
        if isinstance(op, Launch):
            return (Launch(self.names.get(op.kernel, op.kernel)),)
        return (self.rebuild(op),)
