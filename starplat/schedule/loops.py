"""Step `loop`: puts what the host would drive, round by round, into one launch whose threads wait for each other.

In a host function it looks for operations in a row that the threads of one launch can do by themselves, with a loop of
launches among them, and makes one `OnDevice` of them. What needs the host stays outside: calls, returns, loops over a
set's members, and everything whose mistakes the host must report.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import (
    Array,
    Binary,
    BinaryOperator,
    CheckCell,
    Const,
    CopyArray,
    DeclareVariable,
    Element,
    Expression,
    Fill,
    HostBlock,
    HostBreak,
    HostContinue,
    HostFor,
    HostForMembers,
    HostForNeighbors,
    HostForRange,
    HostFunction,
    HostIf,
    HostOp,
    HostWhile,
    Launch,
    Module,
    NodeNeighbors,
    OnDevice,
    ReadCell,
    Ref,
    SetVariable,
    Swap,
    Variable,
    WriteCell,
)
from starplat.ir.visitor import (
    arrays_in,
    blocks_of,
    declared_by,
    expressions_of,
    used_host_arrays,
    walk_host,
)
from starplat.schedule.schedule import Loop, Schedule
from starplat.schedule.sinking import with_fills_in_branches
from starplat.schedule.step import Choice, Decided
from starplat.schedule.threads import is_safe, scalars_read, scalars_set, shortens, takes_locks

_LOOPS = (HostWhile, HostFor, HostForRange)


def loops_on_device(module: Module, schedule: Schedule, capabilities: Capabilities) -> Module | Decided:
    """The module with its loops of launches made single launches, where the schedule and the target let them."""
    if schedule.loop in (Loop.HOST, Loop.GROUP, Loop.BATCH) or not capabilities.grid_barrier:
        return module
    names = {kernel.name for kernel in module.kernels} | {function.name for function in module.functions}
    choices: list[Choice] = []
    functions = []
    for function in module.functions:
        ready = with_fills_in_branches(function, module)
        former = _Former(module, ready, names)
        body = former.block(ready.body, looped=False)
        functions.append(replace(ready, body=body) if former.formed else function)
        for op in former.formed:
            names.add(op.name)
            choices.append(Choice(f"{op.name}: the whole loop in one launch", "its threads can wait for each other"))
    if not choices:
        return module
    return Decided(replace(module, functions=tuple(functions)), tuple(choices))


class _Former:
    """Finds the rows of operations in one host function."""

    def __init__(self, module: Module, function: HostFunction, names: set[str]) -> None:
        self.module = module
        self.function = function
        self.names = set(names)
        self.formed: list[OnDevice] = []
        self.everything = tuple(walk_host(function.body))
        self.steady = self._steady()

    def _steady(self) -> frozenset[Variable]:
        """The scalars whose value is a node or -1 from the first to the last: parameters that nothing assigns, and
        members of sets."""
        assigned = set(scalars_set(self.everything, self.module))
        given = {p.what for p in self.function.parameters if isinstance(p.what, Variable) and not p.by_reference}
        members = {v for op in self.everything if not isinstance(op, DeclareVariable) for v in declared_by(op)}
        return frozenset(v for v in given | members if v.element is Element.NODE and v not in assigned)

    def block(self, ops: Sequence[HostOp], *, looped: bool) -> tuple[HostOp, ...]:
        """The operations with the rows among them made one; `looped` tells that all this may run again."""
        result: list[HostOp] = []
        for fits, row in groupby(ops, key=lambda op: self.fits(op, ())):
            run = tuple(row)
            if not fits:
                result += (self.inside(op, looped=looped) for op in run)
            elif not any(_drives_launches(op) for op in run):
                result += run
            else:
                result += self.one_launch(run)
        return tuple(result)

    def inside(self, op: HostOp, *, looped: bool) -> HostOp:
        """An operation that cannot be part of a launch as a whole."""
        match op:
            case HostBlock(body):
                return replace(op, body=self.block(body, looped=looped))
            case HostIf(_, then, otherwise):
                return replace(op, then=self.block(then, looped=looped), otherwise=self.block(otherwise, looped=looped))
            case HostWhile() | HostFor() | HostForRange() | HostForNeighbors() | HostForMembers():
                return replace(op, body=self.block(op.body, looped=True))
            case _:
                return op

    # --- what threads can do -----------------------------------------------------------------------------------------

    def fits(self, op: HostOp, known: tuple[Expression, ...]) -> bool:
        """Whether the threads of a launch can do it; `known` are the conditions around it inside the row."""
        if not all(is_safe(e) for e in expressions_of(op)) or shortens(op):
            return False
        match op:
            case DeclareVariable() | SetVariable() | Fill() | CopyArray() | Swap():
                return True
            case Launch(kernel):
                launched = self.module.kernel(kernel)
                return not isinstance(launched.domain, NodeNeighbors) and not takes_locks(launched, self.module)
            case ReadCell(_, _, index) | WriteCell(_, index, _):
                return self.is_a_cell(index, known)
            case HostBlock(body):
                return all(self.fits(inner, known) for inner in body)
            case HostIf(condition, then, otherwise):
                return all(self.fits(i, (*known, condition)) for i in then) and all(
                    self.fits(i, (*known, _NO)) for i in otherwise
                )
            case HostWhile() | HostFor() | HostForRange():
                return all(self.fits(i, (*known, _NO)) for block in blocks_of(op) for i in block)
            case HostBreak() | HostContinue():
                return _NO in known
            case _:
                return False

    def is_a_cell(self, index: Expression, known: tuple[Expression, ...]) -> bool:
        """Whether an index is in range for sure, or can be checked before the launch because no condition is around
        it."""
        if not isinstance(index, Ref) or index.variable not in self.steady:
            return False
        return not known or any(_says_not_negative(condition, index) for condition in known)

    # --- one launch --------------------------------------------------------------------------------------------------

    def one_launch(self, run: tuple[HostOp, ...]) -> tuple[HostOp, ...]:
        """The row as one operation, what must be checked or declared before it; the row itself where its arrays
        change places in a way that is seen outside."""
        inside = tuple(walk_host(run))
        if not all(self.may_swap(array, run, inside) for op in inside if isinstance(op, Swap) for array in _of(op)):
            return run
        before = tuple(_checks(run))
        outside = [op for op in self.everything if not any(op is inner for inner in inside)]
        mentioned = {*scalars_read(outside, self.module), *scalars_set(outside, self.module)} | {
            p.what for p in self.function.parameters if isinstance(p.what, Variable) and p.by_reference
        }
        late = tuple(v for op in _top(run) for v in declared_by(op) if v in mentioned)
        declarations = [DeclareVariable(v, Const(_zero(v.element), v.element)) for v in late]
        body = _without_declarations(run, frozenset(late))
        op = self.operation(body, mentioned)
        self.formed.append(op)
        return (*before, *declarations, op)

    def operation(self, body: tuple[HostOp, ...], mentioned: set[Variable]) -> OnDevice:
        inside = tuple(walk_host(body))
        declared = {v for op in inside for v in declared_by(op)}
        assigned = dict.fromkeys(v for v in scalars_set(inside, self.module) if v not in declared)
        read = dict.fromkeys(v for v in scalars_read(inside, self.module) if v not in declared)
        scalars = tuple(read | assigned)  # who is assigned under a condition may stay what he was
        outcomes = tuple(v for v in assigned if v in mentioned)
        span = next(
            (op.span for op in inside if isinstance(op, HostBlock) and any(map(_drives_launches, op.body))),
            self.function.span,
        )
        return OnDevice(self.name(), body, used_host_arrays(inside, self.module), scalars, outcomes, span)

    def name(self) -> str:
        number, name = 2, f"{self.function.name}_loop"
        while name in self.names:
            name, number = f"{self.function.name}_loop_{number}", number + 1
        self.names.add(name)
        return name

    def may_swap(self, array: Array, run: tuple[HostOp, ...], inside: tuple[HostOp, ...]) -> bool:
        """Whether nobody outside the row sees which memory the name stands for: the array is the function's own, is
        used in the row alone, and begins there with new contents."""
        own = array in self.function.arrays
        elsewhere = any(
            array in _touched(op, self.module) for op in self.everything if not any(op is inner for inner in inside)
        )
        first = next((op for op in inside if array in _touched(op, self.module) and not blocks_of(op)), None)
        return own and not elsewhere and isinstance(first, Fill)


_NO = Const(False, Element.BOOL)


def _touched(op: HostOp, module: Module) -> tuple[Array, ...]:
    kernel = module.kernel(op.kernel).arrays if isinstance(op, Launch) else ()
    return (*arrays_in(op), *kernel)


def _of(op: Swap) -> tuple[Array, Array]:
    return op.first, op.second


def _drives_launches(op: HostOp) -> bool:
    """Whether there is a loop of launches in it."""
    return any(
        isinstance(loop, _LOOPS) and any(isinstance(inner, Launch) for inner in walk_host((loop,)))
        for loop in walk_host((op,))
    )


def _says_not_negative(condition: Expression, index: Ref) -> bool:
    match condition:
        case Binary(BinaryOperator.GREATER_EQUAL, left, Const(0)):
            return left == index
        case Binary(BinaryOperator.AND, left, right):
            return _says_not_negative(left, index) or _says_not_negative(right, index)
        case _:
            return False


def _top(ops: Iterable[HostOp]) -> Iterator[HostOp]:
    """The operations in a row, blocks that only group opened."""
    for op in ops:
        if isinstance(op, HostBlock):
            yield from _top(op.body)
        else:
            yield op


def _cells_at_the_top(ops: Iterable[HostOp]) -> Iterator[tuple[HostBlock | CheckCell, ReadCell | WriteCell]]:
    """The cells that are touched for sure, each with the block that says where the program does it."""
    for op in ops:
        if isinstance(op, HostBlock):
            for within, cell in _cells_at_the_top(op.body):
                yield (within if isinstance(within, HostBlock) else op), cell
        elif isinstance(op, ReadCell | WriteCell):
            yield CheckCell(op.array, op.index), op


def _checks(ops: Iterable[HostOp]) -> Iterator[HostOp]:
    """What the host makes sure of before the launch, each index once."""
    seen = set()
    for op, cell in _cells_at_the_top(ops):
        if (cell.array.extent, cell.index) not in seen:
            seen.add((cell.array.extent, cell.index))
            check = CheckCell(cell.array, cell.index)
            yield check if isinstance(op, CheckCell) else replace(op, body=(check,))


def _without_declarations(ops: Iterable[HostOp], late: frozenset[Variable]) -> tuple[HostOp, ...]:
    """The row where variables that live on after it are assigned in place of declared."""
    result: list[HostOp] = []
    for op in ops:
        match op:
            case HostBlock(body):
                result.append(replace(op, body=_without_declarations(body, late)))
            case DeclareVariable(variable, value) if variable in late:
                result.append(SetVariable(variable, value))
            case _:
                result.append(op)
    return tuple(result)


def _zero(element: Element) -> int | float | bool:
    if element is Element.BOOL:
        return False
    return 0.0 if element.is_real else 0
