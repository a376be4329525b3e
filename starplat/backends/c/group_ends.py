"""Prints reductions over a group, so that one thread hands the result on."""

from collections.abc import Iterator
from dataclasses import dataclass

from starplat.backends import statements as st
from starplat.backends.c import atomics, lines
from starplat.backends.c.expressions import ExpressionPrinter
from starplat.backends.launch import GROUP_SIZE
from starplat.backends.spelling import ATOMIC_WORDS
from starplat.ir import nodes as ir


def combined_by_group(expressions: ExpressionPrinter, group: st.CombineGroup) -> Iterator[str]:
    """The lines of the statement, from the margin."""
    element, spelling = group.result.element, expressions.spelling
    part, scratch = expressions.local(group.part), expressions.local(group.scratch)
    given = part
    if group.combine not in spelling.group_reductions:
        cells = spelling.scratch_cells * group.threads // GROUP_SIZE
        assert spelling.groups is not None
        assert spelling.groups.scratch is not None
        yield spelling.groups.scratch.format(kind=spelling.values[element], name=scratch, cells=f"[{cells}]")
    elif group.part.element is not element:
        given = f"({spelling.values[element]}){part}"
    yield f"{part} = {joined_by_group(expressions, group.combine, element, given, scratch)};"
    value = ir.Ref(ir.Variable(group.part.name, element))
    call = atomics.AtomicPrinter(expressions).call(group.combine, group.result, group.index, value, group.method)
    yield from lines.guarded(f"{spelling.lane} == 0", [f"{call};"])


@dataclass(frozen=True, slots=True)
class GroupMemory:
    """Memory that a group shares, as text: `cells` of a kind, or one object of it."""

    kind: str
    name: str
    cells: int | None = None

    def declared(self, expressions: ExpressionPrinter) -> Iterator[str]:
        """The line that declares it; none where it is a parameter of the kernel."""
        words = expressions.spelling.groups
        assert words is not None
        if words.memory is None:
            return
        if words.memory_helper is not None:
            expressions.helpers.need(words.memory_helper)
        yield words.memory.format(kind=self.kind, name=self.name, cells="" if self.cells is None else f"[{self.cells}]")

    @property
    def parameter(self) -> str:
        """As a parameter of the kernel."""
        return f"{self.kind} &{self.name}" if self.cells is None else f"{self.kind} *{self.name}"


def joined_by_group(
    expressions: ExpressionPrinter, combine: ir.Combine, element: ir.Element, part: str, scratch: str
) -> str:
    """The combined parts of a group's threads: for all of them if the target has it, else for the first alone."""
    spelling = expressions.spelling
    if combine in spelling.group_reductions:
        return spelling.group_reductions[combine].format(part=part, type=spelling.values[element])
    return f"{group_function(expressions, combine, element)}({part}, {scratch})"


def group_function(expressions: ExpressionPrinter, combine: ir.Combine, element: ir.Element) -> str:
    """The function by which a group combines values; noted as used."""
    machine = ir.Element.INT if element is ir.Element.NODE else element
    name = f"group_{ATOMIC_WORDS[combine]}_{machine.value}"
    combined = expressions.combined(combine, "value", "other", machine)
    kind = expressions.spelling.values[machine]
    expressions.helpers.need("group_combine", name=name, type=kind, combined=combined)
    return name
