"""How Python text changes memory: stores, updates, the extremes that carry values along, what fetches, reductions.

One iteration runs after the other, so nothing here has to be atomic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from starplat.ir.nodes import (
    Array,
    Carry,
    Combine,
    CompareSwap,
    Contribute,
    Element,
    Expression,
    ExtremeCell,
    FetchAdd,
    FetchOr,
    KernelOp,
    Load,
    Reduction,
    UpdateCell,
    Variable,
)
from starplat.ir.python.function import FunctionWriter
from starplat.ir.python.text import BIT_OR, PRODUCT, SUM, Text, mangled, width
from starplat.ir.visitor import walk_expression

_SIGNS = {
    Combine.ADD: ("+", SUM),
    Combine.MULTIPLY: ("*", PRODUCT),
    Combine.BIT_AND: ("&", BIT_OR + 2),
    Combine.BIT_OR: ("|", BIT_OR),
    Combine.BIT_XOR: ("^", BIT_OR + 1),
}


class CellWriter(FunctionWriter):
    """Writes what changes cells, and what is contributed to reductions."""

    def __init__(
        self,
        body: tuple[KernelOp, ...],
        arrays: Iterable[Array],
        variables: Iterable[Variable],
        functions: Mapping[str, str],
    ) -> None:
        super().__init__(body, arrays, variables, functions)
        self._accumulators: dict[str, tuple[str, Reduction]] = {}

    # --- cells ---

    def cell(self, array: Array, index: Expression) -> str:
        """The cell as text that may stand twice; an index outside the array is refused before."""
        text = self.expressions.exact(index)
        name = text.text if text.is_atom else self.assigned(text.text)
        if not self.bounds.inside(index, array.extent):
            self.line(
                f"if not ({self.expressions.inside(array.extent, name)}): {self.expressions.refusal(array, name)}"
            )
        return f"{self.names.arrays[array.name]}[{name}]"

    def stored(self, array: Array, value: Expression) -> str:
        """A value as cells of the array can hold it: those of an ARC array may be narrower than what is computed."""
        text = self.expressions.exact(value).text
        if array.element is not Element.ARC or self.bounds.domain(value) is not None:
            return text
        return f"fit_arc({self.names.arrays[array.name]}, {text})"

    def update(self, op: UpdateCell) -> None:
        cell = self.cell(op.array, op.index)
        value = self.expressions.exact(op.value)
        match op.combine:
            case Combine.AND:
                self.line(f"if not {value.at(BIT_OR)}: {cell} = False")
            case Combine.OR:
                self.line(f"if {value.text}: {cell} = True")
            case Combine.MIN | Combine.MAX:
                sign = "<" if op.combine is Combine.MIN else ">"
                name = value.text if value.is_atom else self.assigned(self.expressions.rounded(op.value).text)
                self.line(f"if {name} {sign} {cell}: {cell} = {name}")
            case _:
                sign, level = _SIGNS[op.combine]
                in_range = not width(op.array.element)
                total = Text(f"{cell} {sign} {value.at(level + 1)}", level, in_range)
                self.line(f"{cell} = {self.expressions.into_range(total, op.array.element).text}")

    def extreme(self, op: ExtremeCell) -> None:
        """INF needs no test for MIN: nothing is greater, so it never wins."""
        early = [self.carried_early(carry) for carry in op.carried]
        candidate = self.expressions.rounded(op.candidate)
        name = candidate.text if candidate.is_atom else self.assigned(candidate.text)
        cell = self.cell(op.array, op.index)
        with self.indented(f"if {name} {'<' if op.extreme is Combine.MIN else '>'} {cell}:"):
            values = [
                text or self.carried_late(carry, len(op.carried)) for carry, text in zip(op.carried, early, strict=True)
            ]
            cells = [self.cell(carry.array, carry.index) for carry in op.carried]
            self.line(f"{cell} = {name}")
            for target, value in zip(cells, values, strict=True):
                self.line(f"{target} = {value}")
            self.block(op.also)

    def fetch_add(self, op: FetchAdd) -> None:
        cell, old = self.fetched(op.array, op.index)
        value = self.expressions.exact(op.value)
        total = Text(f"{old} + {value.at(SUM + 1)}", SUM, not width(op.array.element))
        self.line(f"{cell} = {self.expressions.into_range(total, op.array.element).text}")
        self.line(f"{self.names.variables[op.variable.name]} = {old}")

    def fetch_or(self, op: FetchOr) -> None:
        cell, old = self.fetched(op.array, op.index)
        self.line(f"{cell} = {old} | {self.expressions.exact(op.value).at(BIT_OR + 1)}")
        self.line(f"{self.names.variables[op.variable.name]} = {old}")

    def compare_swap(self, op: CompareSwap) -> None:
        cell, old = self.fetched(op.array, op.index)
        expected = self.expressions.exact(op.expected)
        self.line(f"if {old} == {expected.at(BIT_OR)}: {cell} = {self.stored(op.array, op.value)}")
        self.line(f"{self.names.variables[op.variable.name]} = {old}")

    def fetched(self, array: Array, index: Expression) -> tuple[str, str]:
        """The cell, and a name for what it holds now."""
        cell = self.cell(array, index)
        return cell, self.assigned(cell)

    def carried_early(self, carry: Carry) -> str | None:
        """What may fail is computed before the test, as the operation says; what may not, only if it is needed."""
        return None if self.total(carry.value) else self.assigned(self.stored(carry.array, carry.value))

    def carried_late(self, carry: Carry, count: int) -> str:
        text = self.stored(carry.array, carry.value)
        reads = any(isinstance(inner, Load) for inner in walk_expression(carry.value))
        return self.assigned(text) if reads and count else text

    # --- reductions ---

    def accumulate(self, reduction: Reduction, number: int) -> str:
        name = mangled("r", number, reduction.variable.name)
        self._accumulators[reduction.variable.name] = (name, reduction)
        return name

    def contributed(self, reduction: Reduction) -> str:
        """The value of a reduction at the end; sums may have left their range on the way."""
        name, element = self._accumulators[reduction.variable.name][0], reduction.variable.element
        if element is Element.BOOL:
            return f"bool({name})"
        if element is Element.FLOAT:
            return f"round32({name})"
        return f"wrap{width(element)}({name})" if width(element) else name

    def contribute(self, op: Contribute) -> None:
        name, reduction = self._accumulators[op.reduction.name]
        match reduction.combine:
            case Combine.AND:
                self.line(f"if not {self.expressions.raw(op.value).at(BIT_OR)}: {name} = False")
            case Combine.OR:
                self.line(f"if {self.expressions.raw(op.value).text}: {name} = True")
            case Combine.MIN | Combine.MAX:
                value = self.expressions.exact(op.value)
                known = value.text if value.is_atom else self.assigned(value.text)
                self.line(f"if {known} {'<' if reduction.combine is Combine.MIN else '>'} {name}: {name} = {known}")
            case Combine.MULTIPLY:
                value = self.expressions.exact(op.value)
                product = Text(f"{name} * {value.at(PRODUCT + 1)}", PRODUCT, not width(reduction.variable.element))
                self.line(f"{name} = {self.expressions.into_range(product, reduction.variable.element).text}")
            case _:
                sign = _SIGNS[reduction.combine][0]
                self.line(f"{name} {sign}= {self.expressions.exact(op.value).text}")
