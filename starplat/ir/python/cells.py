"""Python text for writes to memory: stores, updates, extremes with carried values, fetches, reductions.

One iteration runs after the other, so nothing here has to be atomic.
"""

from starplat.ir import build, nodes as ir, visitor
from starplat.ir.python.function import FunctionWriter
from starplat.ir.python.text import BIT_OR, PRODUCT, SUM, Text, mangled, width

_SIGNS = {
    ir.Combine.ADD: ("+", SUM),
    ir.Combine.MULTIPLY: ("*", PRODUCT),
    ir.Combine.BIT_AND: ("&", BIT_OR + 2),
    ir.Combine.BIT_OR: ("|", BIT_OR),
    ir.Combine.BIT_XOR: ("^", BIT_OR + 1),
}


class CellWriter(FunctionWriter):
    """Writes what changes cells, and what is contributed to reductions."""

    # --- cells ---

    def cell(self, array: ir.Array, index: ir.Expression) -> str:
        """The cell as text that may stand twice; an index outside the array is refused before."""
        text = self.expressions.exact(index)
        name = text.text if text.is_atom else self.assigned(text.text)
        if not self.bounds.inside(index, array.extent):
            self.line(f"if not ({self.expressions.inside(array, name)}): {self.expressions.refusal(array, name)}")
        return f"{self.names.arrays[array.name]}[{name}]"

    def stored(self, array: ir.Array, value: ir.Expression) -> str:
        """A value as cells of the array can hold it: those of an ARC array may be narrower than what is computed."""
        text = self.expressions.exact(value).text
        if array.element is not ir.Element.ARC or self.bounds.domain(value) is not None:
            return text
        return f"fit_arc({self.names.arrays[array.name]}, {text})"

    def update(self, op: ir.UpdateCell) -> None:
        cell = self.cell(op.array, op.index)
        value = self.expressions.exact(op.value)
        match op.combine:
            case ir.Combine.AND:
                self.line(f"if not {value.at(BIT_OR)}: {cell} = False")
            case ir.Combine.OR:
                self.line(f"if {value.text}: {cell} = True")
            case ir.Combine.MIN | ir.Combine.MAX:
                sign = "<" if op.combine is ir.Combine.MIN else ">"
                name = value.text if value.is_atom else self.assigned(self.expressions.rounded(op.value).text)
                self.line(f"if {name} {sign} {cell}: {cell} = {name}")
            case _:
                sign, level = _SIGNS[op.combine]
                in_range = not width(op.array.element)
                total = Text(f"{cell} {sign} {value.at(level + 1)}", level, in_range)
                self.line(f"{cell} = {self.expressions.into_range(total, op.array.element).text}")

    def extreme(self, op: ir.ExtremeCell) -> None:
        """INF needs no test for MIN: nothing is greater, so it never wins."""
        early = [self.carried_early(carry) for carry in op.carried]
        candidate = self.expressions.rounded(op.candidate)
        name = candidate.text if candidate.is_atom else self.assigned(candidate.text)
        cell = held = self.cell(op.array, op.index)
        new = name
        if op.partner is not None:
            held = self.expressions.exact(build.cell(op.array, op.index)).at(BIT_OR)
            new = self.assigned(self.expressions.exact(build.pair(op.candidate, op.partner)).text)
        with self.indented(f"if {name} {'<' if op.extreme is ir.Combine.MIN else '>'} {held}:"):
            values = [
                text or self.carried_late(carry, len(op.carried)) for carry, text in zip(op.carried, early, strict=True)
            ]
            cells = [self.cell(carry.array, carry.index) for carry in op.carried]
            self.line(f"{cell} = {new}")
            for target, value in zip(cells, values, strict=True):
                self.line(f"{target} = {value}")
            self.block(op.also)

    def fetch(self, op: ir.FetchAdd | ir.FetchOr | ir.CompareSwap) -> None:
        """Changes a cell, and keeps what it held before."""
        cell = self.cell(op.array, op.index)
        old = self.assigned(cell)
        match op:
            case ir.FetchAdd():
                value = self.expressions.exact(op.value)
                total = Text(f"{old} + {value.at(SUM + 1)}", SUM, not width(op.array.element))
                self.line(f"{cell} = {self.expressions.into_range(total, op.array.element).text}")
            case ir.FetchOr():
                self.line(f"{cell} = {old} | {self.expressions.exact(op.value).at(BIT_OR + 1)}")
            case ir.CompareSwap():
                expected = self.expressions.exact(op.expected)
                self.line(f"if {old} == {expected.at(BIT_OR)}: {cell} = {self.stored(op.array, op.value)}")
        self.line(f"{self.names.variables[op.variable.name]} = {old}")

    def carried_early(self, carry: ir.Carry) -> str | None:
        """What may fail is computed before the test, as the operation says; what may not, only if it is needed."""
        return None if self.total(carry.value) else self.assigned(self.stored(carry.array, carry.value))

    def carried_late(self, carry: ir.Carry, count: int) -> str:
        text = self.stored(carry.array, carry.value)
        reads = any(isinstance(inner, ir.Load) for inner in visitor.walk_expression(carry.value))
        return self.assigned(text) if reads and count else text

    # --- reductions ---

    def accumulate(self, reduction: ir.Reduction, number: int) -> str:
        name = mangled("r", number, reduction.variable.name)
        self.accumulators[reduction.variable.name] = (name, reduction)
        return name

    def contributed(self, reduction: ir.Reduction) -> str:
        """The value of a reduction at the end; sums may have left their range on the way."""
        name, element = self.accumulators[reduction.variable.name][0], reduction.variable.element
        if element is ir.Element.BOOL:
            return f"bool({name})"
        if element is ir.Element.FLOAT:
            return f"round32({name})"
        return f"wrap{width(element)}({name})" if width(element) else name

    def contribute(self, op: ir.Contribute) -> None:
        name, reduction = self.accumulators[op.reduction.name]
        match reduction.combine:
            case ir.Combine.AND:
                self.line(f"if not {self.expressions.raw(op.value).at(BIT_OR)}: {name} = False")
            case ir.Combine.OR:
                self.line(f"if {self.expressions.raw(op.value).text}: {name} = True")
            case ir.Combine.MIN | ir.Combine.MAX:
                value = self.expressions.exact(op.value)
                known = value.text if value.is_atom else self.assigned(value.text)
                self.line(f"if {known} {'<' if reduction.combine is ir.Combine.MIN else '>'} {name}: {name} = {known}")
            case ir.Combine.MULTIPLY:
                value = self.expressions.exact(op.value)
                product = Text(f"{name} * {value.at(PRODUCT + 1)}", PRODUCT, not width(reduction.variable.element))
                self.line(f"{name} = {self.expressions.into_range(product, reduction.variable.element).text}")
            case _:
                sign = _SIGNS[reduction.combine][0]
                self.line(f"{name} {sign}= {self.expressions.exact(op.value).text}")
