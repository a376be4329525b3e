"""How the threads of a group combine what they found, so that one of them hands it on."""

from __future__ import annotations

from collections.abc import Iterator

from starplat.backends.catomics import AtomicPrinter
from starplat.backends.cexpr import ExpressionPrinter
from starplat.backends.launch import GROUP_SIZE
from starplat.backends.lines import INDENT
from starplat.backends.spelling import ATOMIC_WORDS
from starplat.backends.statements import CombineGroup
from starplat.ir.nodes import Combine, Element, Ref, Variable


def combined_by_group(expressions: ExpressionPrinter, group: CombineGroup) -> Iterator[str]:
    """The lines of the statement, from the margin."""
    element = group.result.element
    kind, spelling = expressions.spelling.values[element], expressions.spelling
    part, scratch = expressions.local(group.part), expressions.local(group.scratch)
    if group.combine in spelling.group_reductions:
        given = part if group.part.element is element else f"({kind}){part}"
        yield f"{part} = {spelling.group_reductions[group.combine].format(part=given, type=kind)};"
    else:
        cells = spelling.scratch_cells * group.threads // GROUP_SIZE
        yield f"{spelling.local_memory}{kind} {scratch}[{cells}];"
        yield f"{part} = {_group_function(expressions, group.combine, element)}({part}, {scratch});"
    yield f"if ({spelling.lane} == 0) {{"
    value = Ref(Variable(group.part.name, element))
    yield f"{INDENT}{AtomicPrinter(expressions).call(group.combine, group.result, group.index, value, group.method)};"
    yield "}"


def _group_function(expressions: ExpressionPrinter, combine: Combine, element: Element) -> str:
    machine = Element.INT if element is Element.NODE else element
    name = f"group_{ATOMIC_WORDS[combine]}_{machine.value}"
    combined = expressions.combined(combine, "value", "other", machine)
    kind = expressions.spelling.values[machine]
    expressions.helpers.need(
        "group_combine", name=name, type=kind, combined=combined, size=str(GROUP_SIZE), operator=combine.value
    )
    return name
