"""Finds loops over breadth-first levels, and loops that go back over the same levels, by what they do.

A loop whose kernels test `level[v] == depth`, and lower `level[w]` to `depth + 1`, visits in each round the nodes that
the previous round has lowered: all cells are INF or at most `depth` when a round begins, so a cell that is lowered to
`depth + 1` was INF, is lowered once, and is never lower again. Later, while the cells are unchanged, a level's nodes
are still those with its number.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from starplat.ir import build, nodes as ir, uses, visitor
from starplat.ir.launches import assigns, changed, given_by, is_launched_once, touched
from starplat.passes.memory import has_two_names
from starplat.schedule.levels.kernels import asked_level, finds_next_level

_HIGHEST_BASE = 2**20
"""The highest number of a first level: those of all levels must stay below INF."""


@dataclass(frozen=True, slots=True)
class WayBack:
    """A loop after the one over levels whose kernels test `cells[v] == number`.

    The number goes down by one in each round, beginning with that of the level visited last: by `lowers`, first of all,
    or else at the end of a round.
    """

    loop: ir.Loop
    number: ir.Variable
    visitors: tuple[str, ...]
    lowers: ir.SetVariable | None


@dataclass(frozen=True, slots=True)
class Levels:
    """A loop over levels: the cells, the current level's number, the kernel that finds the next level, those that visit
    this one, and the beginning: the fill, the first cell, and the number of the first level. `returns` are the loops
    that go back. `in_one_launch` says that all this is one persistent kernel."""

    cells: ir.Array
    depth: ir.Variable
    finder: str
    visitors: tuple[str, ...]
    fill: ir.Fill
    first: ir.WriteCell
    base: int
    loop: ir.Loop
    returns: tuple[WayBack, ...]
    in_one_launch: bool


def levels_in(function: ir.HostFunction, module: ir.Module) -> list[Levels]:
    """The loops over levels of one function."""
    together = [op for op in visitor.walk_host(function.body) if isinstance(op, ir.OnDevice)]
    found = []
    for block in uses.rows(function.body):
        for place, op in enumerate(block):
            if isinstance(op, ir.Loop):
                inside = any(op is inner for whole in together for inner in visitor.walk_host(whole.body))
                levels = _Finder(function, module, inside).levels(op, block[:place], block[place + 1 :])
                if levels is not None:
                    found.append(levels)
    return found


class _Finder:
    """Examines one loop, with the operations before and after it."""

    def __init__(self, function: ir.HostFunction, module: ir.Module, in_one_launch: bool) -> None:
        self.function, self.module, self.in_one_launch = function, module, in_one_launch

    def levels(self, loop: ir.Loop, before: Sequence[ir.HostOp], after: Sequence[ir.HostOp]) -> Levels | None:
        if loop.before or not loop.test_last:
            return None
        row = list(uses.stream(loop.body))
        launches = [op for op in row if isinstance(op, ir.Launch)]
        finders = [(op, f) for op in launches if (f := finds_next_level(self.module.kernel(op.kernel))) is not None]
        if len(finders) != 1:
            return None
        finder, (cells, depth) = finders[0]
        others = [op for op in visitor.walk_host((loop,)) if op is not finder]
        if any(cells in changed(op, self.module) or isinstance(op, ir.HostContinue) for op in others):
            return None
        if not self.counts_up(row, depth):
            return None
        visitors = self.asking(loop, cells, depth, finder)
        begins = self.beginning(before, cells, depth)
        if begins is None or visitors is None or not self.is_own(cells):
            return None
        if not is_launched_once(finder.kernel, self.module):
            return None
        returns = tuple(self.returns(after, cells, depth, begins[2]))
        return Levels(cells, depth, finder.kernel, visitors, *begins, loop, returns, self.in_one_launch)

    def is_own(self, cells: ir.Array) -> bool:
        """Whether no other name of the function may be the same cells."""
        parameters = [parameter.what for parameter in self.function.parameters]
        return cells in self.function.arrays or (cells in parameters and not has_two_names(self.module))

    def asking(
        self, loop: ir.HostOp, cells: ir.Array, number: ir.Variable, finder: ir.Launch | None
    ) -> tuple[str, ...] | None:
        """The kernels of a loop that test for a level's number, besides the one that finds the next; None if one of
        them runs elsewhere too."""
        launches = (op for op in visitor.walk_host((loop,)) if isinstance(op, ir.Launch) and op is not finder)
        asking = (op.kernel for op in launches if asked_level(self.module.kernel(op.kernel), cells, number) is not None)
        names = tuple(dict.fromkeys(asking))
        return names if all(is_launched_once(name, self.module) for name in names) else None

    def counts_up(self, row: list[ir.HostOp], depth: ir.Variable) -> bool:
        """Whether a round ends with the next number, and changes it nowhere else."""
        sets = [op for op in visitor.walk_host(row) if depth in given_by(op, self.module)]
        return len(sets) == 1 and row[-1] is sets[0] and sets[0] == ir.SetVariable(depth, _plus(depth, 1))

    def beginning(
        self, before: Sequence[ir.HostOp], cells: ir.Array, depth: ir.Variable
    ) -> tuple[ir.Fill, ir.WriteCell, int] | None:
        """The fill with INF and the one cell that gets the number of the first level, right before the loop."""
        about = [op for op in before if self.mentions(op, cells)]
        starts = [op for op in before if assigns(op, depth, self.module)]
        match about[-2:], starts[-1:]:
            case [ir.Fill(_, value) as fill, ir.WriteCell(_, _, ir.Const(int() as first)) as cell], [
                ir.DeclareVariable(_, ir.Const(start)) | ir.SetVariable(_, ir.Const(start))
            ]:
                fits = value == ir.infinity(ir.Element.INT) and first == start and 0 <= first <= _HIGHEST_BASE
                return (fill, cell, first) if fits else None
        return None

    def mentions(self, op: ir.HostOp, cells: ir.Array) -> bool:
        """Whether an operation, or one inside it, uses the cells."""
        return any(cells in touched(inner, self.module) for inner in visitor.walk_host((op,)))

    # --- the way back ------------------------------------------------------------------------------------------------

    def returns(self, after: Sequence[ir.HostOp], cells: ir.Array, depth: ir.Variable, base: int) -> Iterable[WayBack]:
        """The loops that go back, while cells and `depth` are unchanged; `highest` are the variables whose value is the
        number of the last visited level, plus an offset."""
        highest = {depth: 1}
        for op in after:
            inside = list(visitor.walk_host((op,)))
            if any(cells in changed(inner, self.module) for inner in inside):
                return
            found = self.way_back(op, cells, highest, base) if isinstance(op, ir.Loop) else None
            if found is not None:
                yield found
            gone = {v for v in highest if assigns(op, v, self.module)}
            new = _known_highest(op, highest)
            highest = {v: more for v, more in highest.items() if v not in gone} | new

    def way_back(self, loop: ir.Loop, cells: ir.Array, highest: dict[ir.Variable, int], base: int) -> WayBack | None:
        if loop.before or loop.test_last:
            return None
        if any(isinstance(op, ir.HostContinue) for op in visitor.walk_host((loop,))):
            return None
        row, steps = list(uses.stream(loop.body)), list(uses.stream(loop.step))
        for number, most in highest.items():
            down = ir.SetVariable(number, _plus(number, -1))
            sets = [op for op in visitor.walk_host((*row, *steps)) if number in given_by(op, self.module)]
            least = _least(loop.condition, number)
            if len(sets) != 1 or sets[0] not in (down, _minus_one(number)) or least is None:
                continue
            lowers = sets[0] if row and row[0] is sets[0] else None
            last = steps[-1] if steps else row[-1]
            fits = least > base and most == 1 if lowers is not None else least >= base and most == 0
            visitors = self.asking(loop, cells, number, None)
            if visitors and fits and (lowers is not None or last is sets[0]):
                return WayBack(loop, number, visitors, lowers if isinstance(lowers, ir.SetVariable) else None)
        return None


def _known_highest(op: ir.HostOp, highest: dict[ir.Variable, int]) -> dict[ir.Variable, int]:
    """The variable that an operation gives the value of one in `highest`, or one less."""
    match op:
        case ir.DeclareVariable(variable, ir.Ref(known)) | ir.SetVariable(variable, ir.Ref(known)) if known in highest:
            return {variable: highest[known]}
        case ir.DeclareVariable(variable, value) | ir.SetVariable(variable, value):
            less = [
                more - 1
                for known, more in highest.items()
                if value in (_plus(known, -1), build.minus(ir.Ref(known), build.ONE))
            ]
            return {variable: less[0]} if less else {}
    return {}


def _plus(variable: ir.Variable, number: int) -> ir.Expression:
    return build.plus(ir.Ref(variable), build.number(number), ir.Element.INT)


def _minus_one(variable: ir.Variable) -> ir.SetVariable:
    return ir.SetVariable(variable, build.minus(ir.Ref(variable), build.ONE))


def _least(condition: ir.Expression, number: ir.Variable) -> int | None:
    """The least that a number can be where the condition holds."""
    match condition:
        case ir.Binary(ir.BinaryOperator.AND, left, right):
            known = [least for part in (left, right) if (least := _least(part, number)) is not None]
            return max(known, default=None)
        case ir.Binary(ir.BinaryOperator.GREATER, ir.Ref(variable), ir.Const(int() as limit)) if variable == number:
            return limit + 1
        case ir.Binary(ir.BinaryOperator.GREATER_EQUAL, ir.Ref(variable), ir.Const(int() as limit)) if (
            variable == number
        ):
            return limit
        case ir.Binary(ir.BinaryOperator.LESS, ir.Const(int() as limit), ir.Ref(variable)) if variable == number:
            return limit + 1
        case ir.Binary(ir.BinaryOperator.LESS_EQUAL, ir.Const(int() as limit), ir.Ref(variable)) if variable == number:
            return limit
    return None
