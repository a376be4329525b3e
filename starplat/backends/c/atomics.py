"""Prints updates of shared cells in a C-like language: atomic ones by the target's own words or helper functions, Min
and Max with their carried values also under a lock.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from starplat.backends import statements as st
from starplat.backends.c import lines, precedence
from starplat.backends.c.expressions import ExpressionPrinter, combination_text
from starplat.backends.c.lines import INDENT
from starplat.backends.spelling import ATOMIC_WORDS
from starplat.ir import nodes as ir
from starplat.ir.capabilities import BITS, machine_elements

CAPTURED = "captured"
"""The name of the address of a cell that is read and changed atomically."""


@dataclass(frozen=True)
class AtomicPrinter:
    """Prints updates with the expressions' printer, which knows names, spelling and helpers."""

    expressions: ExpressionPrinter

    def lines(self, statement: st.AtomicCell | st.FetchCell | st.SwapCell | st.Append) -> Iterator[str]:
        """The lines of the statement, from the margin."""
        match statement:
            case st.AtomicCell():
                return self.update(statement)
            case st.FetchCell():
                return self.fetch(statement)
            case st.SwapCell():
                return self.swap(statement)
            case st.Append(array, member):
                return iter((f"{self.expressions.local(array)}.add({self.expressions.expression(member)});",))
            case _:
                assert_never(statement)

    def update(self, update: st.AtomicCell) -> Iterator[str]:
        """An update of a shared cell whose old value is unused: a plain one under a directive, or a call."""
        combine, array, value, method = update.combine, update.array, update.value, update.method
        directives = self.expressions.spelling.directives
        if directives is not None and method is st.Method.NATIVE:
            yield directives.atomic
            place = self.expressions.cell(array, update.index)
            yield f"{combination_text(self.expressions, combine, array, place, value)};"
        else:
            yield f"{self.call(combine, array, update.index, value, method)};"

    def fetch(self, fetch: st.FetchCell) -> Iterator[str]:
        """Reads a cell and changes it: under a directive, or by a call."""
        name, spelling = self.expressions.local(fetch.variable), self.expressions.spelling
        kind = f"{spelling.values[fetch.variable.element]} " * fetch.declares
        if spelling.directives is None:
            old = self.call(fetch.combine, fetch.array, fetch.index, fetch.value, st.Method.NATIVE)
            if fetch.in_runs and spelling.atomic_next:
                old = f"{spelling.atomic_next}({self.address(fetch.array, fetch.index)})"
            yield f"{'const ' * fetch.constant}{kind}{name} = {old};"
            return
        if fetch.declares:
            yield f"{kind}{name};"
        if isinstance(fetch.index, ir.Ref | ir.Const):
            yield from self.capture(fetch, self.expressions.cell(fetch.array, fetch.index))
            return
        yield "{"
        address = self.address(fetch.array, fetch.index)
        yield f"{INDENT}{spelling.cells[fetch.array.element]} *const {CAPTURED} = {address};"
        yield from (f"{INDENT}{line}" for line in self.capture(fetch, f"*{CAPTURED}"))
        yield "}"

    def capture(self, fetch: st.FetchCell, place: str) -> Iterator[str]:
        """Both halves under a directive. They must name the cell by the same expression; a compiler takes an index that
        is evaluated twice for two cells."""
        directives = self.expressions.spelling.directives
        assert directives is not None
        change = combination_text(self.expressions, fetch.combine, fetch.array, place, fetch.value)
        yield directives.capture
        yield f"{{ {self.expressions.local(fetch.variable)} = {place}; {change}; }}"

    def swap(self, swap: st.SwapCell) -> Iterator[str]:
        """Reads a cell and replaces it if it holds what is expected."""
        words = {
            "variable": self.expressions.local(swap.variable),
            "function": self.swap_function(swap.array.element),
            "address": self.address(swap.array, swap.index),
            "place": self.expressions.cell(swap.array, swap.index),
            "expected": self.expressions.expression(swap.expected),
            "value": self.expressions.expression(swap.value),
        }
        for line in self.expressions.spelling.compare_swap:
            yield line.format(**words)

    def swap_function(self, element: ir.Element) -> str:
        """The function's name; empty for targets where it has none of its own."""
        swaps = self.expressions.spelling.swaps
        if not swaps:
            return ""
        if element is ir.Element.ARC:
            narrow, wide = (swaps[machine] for machine in machine_elements(element))
            name = "atomic_swap_arc"
            self.expressions.helpers.need("atomic_arc", name=name, narrow=narrow, wide=wide)
            return name
        return swaps[machine_elements(element)[0]]

    def call(
        self, combine: ir.Combine, array: ir.Array, index: ir.Expression, value: ir.Expression, method: st.Method
    ) -> str:
        """The call that updates a shared cell; if asked for, its value is the cell's old value."""
        function = self.function(combine, array.element, method)
        address, given = self.address(array, index), self.expressions.expression(value)
        if method is st.Method.NATIVE:
            pattern, place = self.expressions.spelling.atomic_call, self.expressions.cell(array, index)
            return pattern.format(function=function, address=address, place=place, value=given)
        return f"{function}({address}, {given})"

    def function(self, combine: ir.Combine, element: ir.Element, method: st.Method) -> str:
        """The name of the called function."""
        helpers, spelling = self.expressions.helpers, self.expressions.spelling
        match method:
            case st.Method.NATIVE if element is ir.Element.ARC:
                narrow, wide = (spelling.atomics[combine, machine] for machine in machine_elements(element))
                if narrow == wide:
                    return narrow
                name = f"atomic_{ATOMIC_WORDS[combine]}_arc"
                helpers.need("atomic_arc", name=name, narrow=narrow, wide=wide)
                return name
            case st.Method.NATIVE:
                return spelling.atomics[combine, machine_elements(element)[0]]
            case st.Method.FLIP_BYTE:
                helpers.need("flip_byte")
                return "flip_byte"
            case st.Method.SWAP_LOOP:
                return self.swap_loop(combine, machine_elements(element)[0] if element is ir.Element.NODE else element)
        assert_never(method)

    def swap_loop(self, combine: ir.Combine, element: ir.Element) -> str:
        """The name of a helper that retries until no other thread came between."""
        name = f"atomic_{ATOMIC_WORDS[combine]}_{element.value}"
        if combine in (ir.Combine.AND, ir.Combine.OR):
            name = f"atomic_logical_{ATOMIC_WORDS[combine]}_{element.value}"
        words = {"name": name, "type": self.expressions.spelling.values[element], **self.swap_words(element)}
        if combine in (ir.Combine.MIN, ir.Combine.MAX):
            self.expressions.helpers.need("swap_extreme", **words, beyond="<" if combine is ir.Combine.MIN else ">")
        else:
            if combine is ir.Combine.ADD and element in self.expressions.spelling.ptx_adds:
                words["ptx_type"], words["register"] = self.expressions.spelling.ptx_adds[element]
            self.expressions.helpers.need("swap_loop", **words, operator=combine.value)
        return name

    def change_pair(
        self, extreme: ir.Combine, array: ir.Array, index: ir.Expression, key: ir.Expression, partner: ir.Expression
    ) -> str:
        """The call that changes a pair if the key is beyond its own; its value is whether it did."""
        is_least = extreme is ir.Combine.MIN
        name = "lower_pair" if is_least else "raise_pair"
        words = {"type": self.expressions.spelling.values[ir.Element.LONG], **self.swap_words(ir.Element.LONG)}
        self.expressions.helpers.need("change_pair", name=name, beyond="<" if is_least else ">", **words)
        given = f"{self.expressions.expression(key)}, {self.expressions.expression(partner)}"
        return f"{name}({self.address(array, index)}, {given})"

    def swap_words(self, element: ir.Element) -> dict[str, str]:
        """The parts of a helper that swaps whole cells, for targets that supply them."""
        spelling, word = self.expressions.spelling, ir.Element.INT if BITS[element] == 32 else ir.Element.LONG
        words = dict(spelling.cell_words.get(word, {}))
        if word in spelling.latest:
            words["latest"] = self.expressions.latest(word)
        return words

    def address(self, array: ir.Array, index: ir.Expression) -> str:
        """A pointer to the cell."""
        return f"&{self.expressions.cell(array, index)}".removeprefix("&*")


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
            yield f"if ({'' if beyond.at_once else f'{test} && '}{candidate} {operator} {update}) {{"
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
