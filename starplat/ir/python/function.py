"""One Python function under construction: its lines, its names, known facts about its values."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from starplat.ir import nodes as ir, visitor
from starplat.ir.python.expressions import Expressions
from starplat.ir.python.text import Names, mangled
from starplat.ir.verifying.bounds import Bounds


class FunctionWriter(ABC):
    """Writes the lines of one Python function."""

    def __init__(
        self,
        body: tuple[ir.KernelOp, ...],
        arrays: Iterable[ir.Array],
        variables: Iterable[ir.Variable],
        functions: Mapping[str, str],
    ) -> None:
        self._lines: list[str] = []
        self._depth = 0
        self.accumulators: dict[str, tuple[str, ir.Reduction]] = {}
        self.references: list[str] = []
        self.names = Names(
            {v.name: mangled("v", i, v.name) for i, v in enumerate(dict.fromkeys(variables))},
            {a.name: mangled("a", i, a.name) for i, a in enumerate(dict.fromkeys(arrays))},
            dict(functions),
        )
        self.bounds = Bounds(visitor.assigned_variables(body))
        self.expressions = Expressions(self.names, self.bounds)

    @property
    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def line(self, text: str) -> None:
        self._lines.append("    " * self._depth + text)

    @contextmanager
    def indented(self, head: str) -> Iterator[None]:
        self.line(head)
        self._depth += 1
        yield
        self._depth -= 1

    def variables(self, variables: Iterable[ir.Variable]) -> list[str]:
        return [self.names.variables[variable.name] for variable in variables]

    def arrays(self, arrays: Iterable[ir.Array]) -> list[str]:
        return [self.names.arrays[array.name] for array in arrays]

    def assigned(self, text: str) -> str:
        """A name that has the value from here on."""
        name = self.expressions.temporary()
        self.line(f"{name} = {text}")
        return name

    @abstractmethod
    def block(self, ops: Iterable[ir.KernelOp]) -> None:
        """Writes operations, or `pass` where there are none."""

    def total(self, expression: ir.Expression) -> bool:
        """Whether computing the value surely neither fails nor changes anything."""
        return not any(map(self.acts, visitor.walk_expression(expression)))

    def acts(self, part: ir.Expression) -> bool:
        """Whether computing this part of an expression may fail or change something."""
        match part:
            case ir.Load(array, index):
                return not self.bounds.inside(index, array.extent)
            case ir.Binary(operator, left):
                return operator.divides and not left.element.is_real
        return isinstance(part, ir.FindArc | ir.CallFunction)
