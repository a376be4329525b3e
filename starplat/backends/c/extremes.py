"""Prints Min and Max updates of a cell with their carried values, atomically or under a lock."""

from collections.abc import Iterator

from starplat.backends import statements as st
from starplat.backends.c import lines, precedence
from starplat.backends.c.atomics import AtomicPrinter
from starplat.ir import nodes as ir


def if_beyond(printer: lines.Printer, beyond: st.IfBeyond) -> Iterator[str]:
    """The lines of a test, and of the statements for a candidate that passes it."""
    expressions, atomics = printer.expressions, AtomicPrinter(printer.expressions)
    if beyond.partner is not None:
        call = atomics.change_pair(beyond.extreme, beyond.array, beyond.index, beyond.candidate, beyond.partner)
        yield f"if ({call}) {{" if beyond.body else f"{call};"
        if beyond.body:
            yield from printer.lines(beyond.body)
            yield "}"
        return
    candidate = expressions.at(precedence.ORDER + 1, beyond.candidate)
    operator = "<" if beyond.extreme is ir.Combine.MIN else ">"
    test = f"{candidate} {operator} {expressions.read(beyond.array, beyond.index)[0]}"
    if beyond.method is None:
        yield f"if ({test}) {{"
        yield from printer.lines(beyond.body)
    else:
        update = atomics.call(beyond.extreme, beyond.array, beyond.index, beyond.candidate, beyond.method)
        if beyond.body:
            yield f"if ({test} && {candidate} {operator} {update}) {{"
            yield from printer.lines(beyond.body)
        else:
            yield f"if ({test}) {{"
            yield f"{lines.INDENT}{update};"
    yield "}"


def while_beyond_locked(printer: lines.Printer, locked: st.WhileBeyondLocked) -> Iterator[str]:
    """The lines of the same under the lock of the cell."""
    expressions, spelling = printer.expressions, printer.expressions.spelling
    operator = "<" if locked.extreme is ir.Combine.MIN else ">"
    candidate = expressions.at(precedence.ORDER + 1, locked.candidate)
    test = f"{candidate} {operator} {expressions.cell(locked.array, locked.index)}"
    done, lock = expressions.local(locked.done), AtomicPrinter(expressions).address(locked.lock, locked.index)
    words = {"cell": lock, "place": expressions.cell(locked.lock, locked.index)}
    if spelling.fence_helper is not None:
        expressions.helpers.need(spelling.fence_helper)
    yield f"for ({spelling.lock_flag} {done} = false; !{done} && {test};) {{"
    yield f"{lines.INDENT}if ({spelling.try_lock.format(**words)}) {{"
    yield f"{lines.INDENT * 2}{spelling.fence}"
    yield f"{lines.INDENT * 2}if ({test}) {{"
    yield from printer.lines(locked.body, 3)
    yield f"{lines.INDENT * 2}}}"
    yield f"{lines.INDENT * 2}{spelling.fence}"
    yield f"{lines.INDENT * 2}{spelling.unlock.format(**words)}"
    yield f"{lines.INDENT * 2}{done} = true;"
    yield f"{lines.INDENT}}}"
    yield "}"
