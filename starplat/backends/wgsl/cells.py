"""Prints statements on cells in WGSL: plain ones, atomic ones, and what comes of a group's threads."""

from collections.abc import Iterator

from starplat.backends import statements as st
from starplat.backends.c import lines, precedence
from starplat.backends.c.expressions import combination_text
from starplat.backends.spelling import ATOMIC_WORDS
from starplat.backends.wgsl.expressions import WgslExpressions
from starplat.ir import nodes as ir


def store(expressions: WgslExpressions, array: ir.Array, index: ir.Expression, value: str) -> str:
    """The statement by which a cell takes a value, given as the cell holds it."""
    cell = expressions.cell(array, index)
    return f"atomicStore(&{cell}, {value});" if expressions.is_atomic(array) else f"{cell} = {value};"


def combine(expressions: WgslExpressions, change: st.CombineCell) -> str:
    """The statement for a cell that no other thread touches."""
    array, cell = change.array, expressions.cell(change.array, change.index)
    if not expressions.is_atomic(array) and array.element is not ir.Element.BOOL:
        return f"{combination_text(expressions, change.combine, array, cell, change.value)};"
    held, _ = expressions.read(array, change.index)
    old = f"({held})" if array.element is ir.Element.BOOL else held
    new = expressions.combined(change.combine, old, f"({expressions.expression(change.value)})", array.element)
    return store(expressions, array, change.index, expressions.as_stored(array, new))


def atomic(expressions: WgslExpressions, change: st.AtomicCell) -> str:
    """The statement that changes a shared cell."""
    return f"{call(expressions, change.combine, change.array, change.index, change.value, change.method)};"


def fetch(expressions: WgslExpressions, change: st.FetchCell) -> str:
    """The statement that reads and changes one."""
    text = call(expressions, change.combine, change.array, change.index, change.value, st.Method.NATIVE)
    name = expressions.local(change.variable)
    if not change.declares:
        return f"{name} = {text};"
    return f"{'let' if change.constant else 'var'} {name} = {text};"


def swap(expressions: WgslExpressions, change: st.SwapCell) -> str:
    """The statement that replaces a cell that holds what is expected. WGSL's own may fail for no reason."""
    buffer = expressions.local(change.array)
    name = f"swap_{buffer}"
    expressions.helpers.need("swap", name=name, buffer=buffer)
    given = ", ".join(map(expressions.expression, (change.index, change.expected, change.value)))
    return f"{expressions.local(change.variable)} = {name}({given});"


def call(
    expressions: WgslExpressions,
    combine: ir.Combine,
    array: ir.Array,
    index: ir.Expression,
    value: ir.Expression,
    method: st.Method,
) -> str:
    """The call that changes a shared cell; its value is what the cell held before."""
    if method is not st.Method.SWAP_LOOP:
        word = "Xor" if method is st.Method.FLIP_BYTE else ATOMIC_WORDS[combine].capitalize()
        given = expressions.stored(array, value)
        return f"atomic{word}(&{expressions.cell(array, index)}, {given})"
    buffer, real = expressions.local(array), array.element is ir.Element.FLOAT
    name = f"{ATOMIC_WORDS[combine]}_{buffer}"
    combined = expressions.combined(combine, "held", "value", array.element)
    expressions.helpers.need(
        "swap_loop",
        name=name,
        buffer=buffer,
        type=expressions.kind(array.element),
        held="bitcast<f32>(old)" if real else "old",
        changed=f"bitcast<i32>({combined})" if real else combined,
    )
    return f"{name}({expressions.expression(index)}, {expressions.expression(value)})"


def if_beyond(printer: lines.Printer, beyond: st.IfBeyond) -> Iterator[str]:
    """The lines of a test, and of the statements for a candidate that passes it."""
    expressions = printer.expressions
    assert isinstance(expressions, WgslExpressions)
    assert beyond.partner is None, "pairs are cells of 64 bits"
    candidate = expressions.at(precedence.ORDER + 1, beyond.candidate)
    operator = "<" if beyond.extreme is ir.Combine.MIN else ">"
    test = f"{candidate} {operator} {expressions.read(beyond.array, beyond.index)[0]}"
    body = printer.lines(beyond.body)
    if beyond.method is not None:
        change = call(expressions, beyond.extreme, beyond.array, beyond.index, beyond.candidate, beyond.method)
        if body:
            test = f"{test} && {candidate} {operator} {change}"
        else:
            body = [f"{lines.INDENT}{change};"]
    yield f"if ({test}) {{"
    yield from body
    yield "}"


def combined_by_group(expressions: WgslExpressions, group: st.CombineGroup, lane: str) -> Iterator[str]:
    """The lines by which one thread of a group hands on what all of its threads have."""
    element = group.result.element
    kind, word = expressions.kind(element), ATOMIC_WORDS[group.combine]
    name = f"{word}_of_group_{kind}"
    combined = expressions.combined(group.combine, "own", "other", element)
    expressions.helpers.need("group_combine", name=name, type=kind, combined=combined)
    part = expressions.local(group.part)
    if group.part.element is element:
        joined = group.part
        yield f"{part} = {name}({part}, {lane});"
    else:
        assert group.part.element is ir.Element.BOOL
        joined = ir.Variable(group.scratch.name, element)
        yield f"let {expressions.local(joined)} = {name}(i32({part}), {lane});"
    change = call(expressions, group.combine, group.result, group.index, ir.Ref(joined), group.method)
    yield f"if ({lane} == 0u) {{ {change}; }}"
