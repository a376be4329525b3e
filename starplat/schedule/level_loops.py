"""Finds loops over breadth-first levels, and loops that go back over the same levels, by what they do.

A loop whose kernels ask for `level[v] == depth`, and lower `level[w]` to `depth + 1`, visits in each round the nodes
that the round before has lowered: all cells are INF or at most `depth` when a round begins, so a cell that is lowered
to `depth + 1` was INF, is lowered once, and is never lower again. Later, while nobody changes the cells, the nodes of
any level that was visited are those that had this number when it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from starplat.ir.launches import is_launched_once, touched
from starplat.ir.nodes import (
    Array,
    Binary,
    BinaryOperator,
    Const,
    DeclareVariable,
    Element,
    Expression,
    Fill,
    HostCall,
    HostContinue,
    HostFor,
    HostFunction,
    HostOp,
    HostWhile,
    Launch,
    Module,
    OnDevice,
    ReadCell,
    ReadEmpty,
    Ref,
    SetVariable,
    Variable,
    WriteCell,
    infinity,
)
from starplat.ir.uses import stream
from starplat.ir.visitor import changed_by, walk_host, written_arrays
from starplat.schedule.level_kernels import asked_level, finds_next_level

_HIGHEST_BASE = 2**20
"""The highest number of a first level: those of all levels must stay below INF."""


@dataclass(frozen=True, slots=True)
class WayBack:
    """A loop after the one over levels whose kernels ask for `cells[v] == number`.

    The number goes down by one in each round, beginning with that of the level visited last: by `lowers`, first of all,
    or else at the end of a round.
    """

    loop: HostWhile | HostFor
    number: Variable
    visitors: tuple[str, ...]
    lowers: SetVariable | None


@dataclass(frozen=True, slots=True)
class Levels:
    """A loop over levels: the cells, the number of the level in hand, the kernel that finds the next level, those that
    visit this one, and what begins it all: the fill, the first cell, and the number of the first level. `returns` are
    the loops that go back. `in_one_launch` tells that all this is one launch."""

    cells: Array
    depth: Variable
    finder: str
    visitors: tuple[str, ...]
    fill: Fill
    first: WriteCell
    base: int
    loop: HostWhile
    returns: tuple[WayBack, ...]
    in_one_launch: bool


def levels_in(function: HostFunction, module: Module) -> list[Levels]:
    """The loops over levels of one function."""
    together = [op for op in walk_host(function.body) if isinstance(op, OnDevice)]
    found = []
    for block in _blocks(function.body):
        for place, op in enumerate(block):
            if isinstance(op, HostWhile):
                inside = any(op is inner for whole in together for inner in walk_host(whole.body))
                levels = _Finder(function, module, inside).levels(op, block[:place], block[place + 1 :])
                if levels is not None:
                    found.append(levels)
    return found


def _blocks(ops: Sequence[HostOp]) -> Iterable[list[HostOp]]:
    """Every row of operations, blocks that only group opened."""
    row = list(stream(ops))
    yield row
    for op in row:
        for name in ("then", "otherwise", "before", "body", "step"):
            inner = getattr(op, name, ())
            if inner:
                yield from _blocks(inner)


class _Finder:
    """Looks at one loop, with what stands before and after it."""

    def __init__(self, function: HostFunction, module: Module, in_one_launch: bool) -> None:
        self.function = function
        self.module = module
        self.in_one_launch = in_one_launch

    def levels(self, loop: HostWhile, before: list[HostOp], after: list[HostOp]) -> Levels | None:
        if loop.before or not loop.test_last:
            return None
        row = list(stream(loop.body))
        launches = [op for op in row if isinstance(op, Launch)]
        finders = [(op, f) for op in launches if (f := finds_next_level(self.module.kernel(op.kernel))) is not None]
        if len(finders) != 1:
            return None
        finder, (cells, depth) = finders[0]
        others = [op for op in walk_host((loop,)) if op is not finder]
        if any(self.changes(op, cells) or isinstance(op, HostContinue) for op in others):
            return None
        if not self.counts_up(row, depth):
            return None
        visitors = self.asking(loop, cells, depth, finder)
        begins = self.beginning(before, cells, depth)
        if begins is None or visitors is None or cells not in self.own:
            return None
        if not is_launched_once(finder.kernel, self.module):
            return None
        returns = tuple(self.returns(after, cells, depth, begins[2]))
        return Levels(cells, depth, finder.kernel, visitors, *begins, loop, returns, self.in_one_launch)

    @property
    def own(self) -> tuple[Array, ...]:
        return self.function.arrays

    def changes(self, op: HostOp, cells: Array) -> bool:
        """Whether an operation changes cells, that of blocks inside it left out."""
        if isinstance(op, Launch):
            return cells in written_arrays(self.module.kernel(op.kernel).body)
        return cells in changed_by(op) or (isinstance(op, HostCall) and cells in op.arguments)

    def assigns(self, op: HostOp, variable: Variable) -> bool:
        """Whether an operation gives a variable a value, those of blocks inside it left out."""
        match op:
            case SetVariable() | DeclareVariable() | ReadCell() | ReadEmpty():
                return op.variable == variable
            case Launch(kernel):
                return any(r.variable == variable for r in self.module.kernel(kernel).reductions)
            case HostCall():
                return variable == op.result or variable in op.arguments
            case _:
                return False

    def asking(self, loop: HostOp, cells: Array, number: Variable, finder: Launch | None) -> tuple[str, ...] | None:
        """The kernels of a loop that ask for a level by its number, besides the one that finds the next; None if one
        of them runs elsewhere too."""
        launches = (op for op in walk_host((loop,)) if isinstance(op, Launch) and op is not finder)
        asking = (op.kernel for op in launches if asked_level(self.module.kernel(op.kernel), cells, number) is not None)
        names = tuple(dict.fromkeys(asking))
        return names if all(is_launched_once(name, self.module) for name in names) else None

    def counts_up(self, row: list[HostOp], depth: Variable) -> bool:
        """Whether a round ends with the next number, and changes it nowhere else."""
        sets = [op for op in walk_host(row) if self.assigns(op, depth)]
        return len(sets) == 1 and row[-1] is sets[0] and sets[0] == SetVariable(depth, _plus(depth, 1))

    def beginning(self, before: list[HostOp], cells: Array, depth: Variable) -> tuple[Fill, WriteCell, int] | None:
        """The fill with INF and the one cell that is given the number of the first level, right before the loop."""
        about = [op for op in before if self.mentions(op, cells)]
        starts = [op for op in before if any(self.assigns(inner, depth) for inner in walk_host((op,)))]
        match about[-2:], starts[-1:]:
            case [Fill(_, value) as fill, WriteCell(_, _, Const(int() as first)) as cell], [
                DeclareVariable(_, Const(start)) | SetVariable(_, Const(start))
            ]:
                fits = value == infinity(Element.INT) and first == start and 0 <= first <= _HIGHEST_BASE
                return (fill, cell, first) if fits else None
            case _:
                return None

    def mentions(self, op: HostOp, cells: Array) -> bool:
        """Whether an operation, or one inside it, has anything to do with the cells."""
        return any(cells in touched(inner, self.module) for inner in walk_host((op,)))

    # --- the way back ------------------------------------------------------------------------------------------------

    def returns(self, after: list[HostOp], cells: Array, depth: Variable, base: int) -> Iterable[WayBack]:
        """The loops that go back, as long as cells and `depth` are what they were; `highest` are the variables whose
        value is the number of the level visited last, plus so much."""
        highest = {depth: 1}
        for op in after:
            inside = list(walk_host((op,)))
            if any(self.changes(inner, cells) for inner in inside):
                return
            found = self.way_back(op, cells, highest, base) if isinstance(op, HostWhile | HostFor) else None
            if found is not None:
                yield found
            gone = {v for v in highest if any(self.assigns(inner, v) for inner in inside)}
            new = _known_highest(op, highest)
            highest = {v: more for v, more in highest.items() if v not in gone} | new

    def way_back(
        self, loop: HostWhile | HostFor, cells: Array, highest: dict[Variable, int], base: int
    ) -> WayBack | None:
        if loop.before or (isinstance(loop, HostWhile) and loop.test_last):
            return None
        if any(isinstance(op, HostContinue) for op in walk_host((loop,))):
            return None
        row, steps = list(stream(loop.body)), list(stream(loop.step)) if isinstance(loop, HostFor) else []
        for number, most in highest.items():
            down = SetVariable(number, _plus(number, -1))
            sets = [op for op in walk_host((*row, *steps)) if self.assigns(op, number)]
            least = _least(loop.condition, number)
            if len(sets) != 1 or sets[0] not in (down, _minus_one(number)) or least is None:
                continue
            lowers = sets[0] if row and row[0] is sets[0] else None
            last = steps[-1] if steps else row[-1]
            fits = least > base and most == 1 if lowers is not None else least >= base and most == 0
            visitors = self.asking(loop, cells, number, None)
            if visitors and fits and (lowers is not None or last is sets[0]):
                return WayBack(loop, number, visitors, lowers if isinstance(lowers, SetVariable) else None)
        return None


def _known_highest(op: HostOp, highest: dict[Variable, int]) -> dict[Variable, int]:
    """The variable that an operation gives the value of one in `highest`, or one less."""
    match op:
        case DeclareVariable(variable, Ref(known)) | SetVariable(variable, Ref(known)) if known in highest:
            return {variable: highest[known]}
        case DeclareVariable(variable, value) | SetVariable(variable, value):
            less = [more - 1 for known, more in highest.items() if value in (_plus(known, -1), _less(known))]
            return {variable: less[0]} if less else {}
        case _:
            return {}


def _plus(variable: Variable, number: int) -> Expression:
    return Binary(BinaryOperator.ADD, Ref(variable), Const(number, Element.INT), Element.INT)


def _less(variable: Variable) -> Expression:
    return Binary(BinaryOperator.SUBTRACT, Ref(variable), Const(1, Element.INT), Element.INT)


def _minus_one(variable: Variable) -> SetVariable:
    return SetVariable(variable, _less(variable))


def _least(condition: Expression, number: Variable) -> int | None:
    """The least that a number can be where the condition holds."""
    match condition:
        case Binary(BinaryOperator.AND, left, right):
            known = [least for part in (left, right) if (least := _least(part, number)) is not None]
            return max(known, default=None)
        case Binary(BinaryOperator.GREATER, Ref(variable), Const(int() as limit)) if variable == number:
            return limit + 1
        case Binary(BinaryOperator.GREATER_EQUAL, Ref(variable), Const(int() as limit)) if variable == number:
            return limit
        case Binary(BinaryOperator.LESS, Const(int() as limit), Ref(variable)) if variable == number:
            return limit + 1
        case Binary(BinaryOperator.LESS_EQUAL, Const(int() as limit), Ref(variable)) if variable == number:
            return limit
        case _:
            return None
