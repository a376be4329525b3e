"""Prints legal statements as finished, indented lines of a C-like language.

Takes statements and an expression printer; returns lines. What a target lacks has been rewritten before; what a target
spells in its own way is in its `Spelling`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from starplat.backends.cdirectives import structured
from starplat.backends.cexpr import ORDER, POSTFIX, SUM, ExpressionPrinter, without_widening
from starplat.backends.crecords import recorded
from starplat.backends.csets import with_sets
from starplat.backends.launch import GROUP_SIZE
from starplat.backends.spelling import ATOMIC_WORDS
from starplat.backends.statements import (
    Accumulate,
    Advance,
    Alone,
    AskEmpty,
    AskSize,
    Assign,
    AtomicCell,
    Break,
    Call,
    Clear,
    CombineCell,
    CombineGroup,
    Continue,
    Count,
    Declare,
    EachMember,
    FetchCell,
    For,
    Gather,
    GridBarrier,
    If,
    IfBeyond,
    IfEmpty,
    IfMany,
    Insert,
    Inserted,
    Leave,
    Method,
    NoteMembers,
    OnFirst,
    Record,
    Scope,
    Search,
    SharedLoop,
    Statement,
    StoreCell,
    Stride,
    SwapCell,
    SwapPointers,
    While,
    WhileBeyondLocked,
)
from starplat.ir.capabilities import BITS, machine_elements
from starplat.ir.nodes import (
    Array,
    Binary,
    BinaryOperator,
    Combine,
    Const,
    Element,
    Expression,
    Ref,
    Unary,
    UnaryOperator,
    Variable,
    limits,
)

INDENT = "    "
_WITH_OWN_ASSIGNMENT = (Combine.ADD, Combine.MULTIPLY, Combine.BIT_AND, Combine.BIT_OR, Combine.BIT_XOR)
_ASSIGNED = (
    BinaryOperator.ADD,
    BinaryOperator.SUBTRACT,
    BinaryOperator.MULTIPLY,
    BinaryOperator.DIVIDE,
    BinaryOperator.REMAINDER,
    BinaryOperator.BIT_AND,
    BinaryOperator.BIT_OR,
    BinaryOperator.BIT_XOR,
)


@dataclass(frozen=True)
class StatementPrinter:
    """Prints statements with the expressions' printer, which knows names, spelling and helpers."""

    expressions: ExpressionPrinter

    def lines(self, body: tuple[Statement, ...], depth: int = 1) -> list[str]:
        """The statements, `depth` steps from the margin."""
        return [f"{INDENT * depth}{line}" for statement in body for line in self.statement(statement)]

    def inside(self, body: tuple[Statement, ...]) -> Iterator[str]:
        yield from self.lines(body, 1)

    def statement(self, statement: Statement) -> Iterator[str]:
        """The lines of one statement, from the margin."""
        match statement:
            case Declare():
                yield f"{self.declaration(statement)};"
            case Assign():
                yield f"{self.assignment(statement)};"
            case Accumulate(variable, combine, value):
                yield f"{self.combination(combine, Ref(variable), self.text(Ref(variable)), value)};"
            case StoreCell(array, index, value):
                yield f"{self.cell(array, index)} = {self.text(value)};"
            case CombineCell(combine, array, index, value):
                yield f"{self.combination(combine, array, self.cell(array, index), value)};"
            case AtomicCell():
                yield from self.update_in_one(statement)
            case FetchCell():
                yield from self.fetch(statement)
            case SwapCell():
                yield from self.swap(statement)
            case IfBeyond():
                yield from self.if_beyond(statement)
            case WhileBeyondLocked():
                yield from self.while_beyond_locked(statement)
            case If():
                yield from self.branch(statement)
            case While() | For() | Count():
                yield from self.loop(statement)
            case Break():
                yield "break;"
            case Continue():
                yield "continue;"
            case Leave(value):
                yield "return;" if value is None else f"return {self.text(value)};"
            case Call(call):
                yield f"{self.expressions.call(call)};"
            case CombineGroup():
                yield from self.combine_group(statement)
            case Scope() | GridBarrier() | SwapPointers() | OnFirst():
                yield from self.together(statement)
            case (
                Advance()
                | AskEmpty()
                | AskSize()
                | Clear()
                | EachMember()
                | Gather()
                | IfEmpty()
                | IfMany()
                | Insert()
                | Inserted()
                | NoteMembers()
                | Search()
            ):
                yield from with_sets(self, statement)
            case SharedLoop() | Alone():
                yield from structured(self, statement)
            case Record():
                yield from recorded(self, statement)
            case _:
                assert_never(statement)

    # --- expressions and places ------------------------------------------------------------------------------------

    def text(self, expression: Expression) -> str:
        return self.expressions.expression(expression)

    def cell(self, array: Array, index: Expression) -> str:
        return self.expressions.cell(array, index)

    def address(self, array: Array, index: Expression) -> str:
        return f"&{self.cell(array, index)}".removeprefix("&*")

    def declaration(self, declare: Declare) -> str:
        kind, name = (
            self.expressions.spelling.values[declare.variable.element],
            self.expressions.local(declare.variable),
        )
        return f"{'const ' * declare.constant}{kind} {name} = {self.text(declare.value)}"

    def assignment(self, assignment: Assign) -> str:
        return assignment_text(self.expressions, assignment.variable, assignment.value)

    def combination(self, combine: Combine, cell: Array | Ref, place: str, value: Expression) -> str:
        """`place = place combine value`, shorter where there is an operator for it."""
        taken = _taken_away(combine, value)
        if taken is not None:
            return f"{place} -= {self.text(taken)}"
        if combine in _WITH_OWN_ASSIGNMENT:
            return f"{place} {combine.value}= {self.text(value)}"
        if combine in (Combine.MIN, Combine.MAX):
            right = self.expressions.typed(value, cell.element)
        else:
            right = self.expressions.at(SUM, value)
        return f"{place} = {self.expressions.combined(combine, place, right, cell.element)}"

    def update_in_one(self, update: AtomicCell) -> Iterator[str]:
        """An update of a shared cell whose old value nobody wants: a plain one under a directive, or a call."""
        combine, array, value, method = update.combine, update.array, update.value, update.method
        directives = self.expressions.spelling.directives
        if directives is not None and method is Method.NATIVE:
            yield directives.atomic
            yield f"{self.combination(combine, array, self.cell(array, update.index), value)};"
        else:
            yield f"{self.atomic(combine, array, update.index, value, method)};"

    def together(self, statement: Scope | GridBarrier | SwapPointers | OnFirst) -> Iterator[str]:
        """What only a launch has whose threads wait for each other."""
        match statement:
            case Scope(comments, body):
                yield "{"
                yield from (f"{INDENT}{line}" for line in comments)
                yield from self.inside(body)
                yield "}"
            case GridBarrier():
                self.expressions.helpers.need("grid_barrier")
                yield "grid_barrier(arrived);"
            case SwapPointers(first, second):
                yield from self.swap_pointers(first, second)
            case OnFirst(body):
                yield f"if ({self.expressions.spelling.thread} == 0) {{"
                yield from self.inside(body)
                yield "}"
            case _:
                assert_never(statement)

    def swap_pointers(self, first: Array, second: Array) -> Iterator[str]:
        names = [self.expressions.local(array) for array in (first, second)]
        kind = "auto" if first.packed else "auto *"
        yield f"{{ {kind} other = {names[0]}; {names[0]} = {names[1]}; {names[1]} = other; }}".replace("* ", "*")

    def fetch(self, fetch: FetchCell) -> Iterator[str]:
        """Reads a cell and changes it: under a directive, or by a call."""
        name, spelling = self.expressions.local(fetch.variable), self.expressions.spelling
        kind = f"{spelling.values[fetch.variable.element]} " * fetch.declares
        if spelling.directives is None:
            old = self.atomic(fetch.combine, fetch.array, fetch.index, fetch.value, Method.NATIVE)
            yield f"{'const ' * fetch.constant}{kind}{name} = {old};"
            return
        if fetch.declares:
            yield f"{kind}{name};"
        place = self.cell(fetch.array, fetch.index)
        yield spelling.directives.capture
        yield f"{{ {name} = {place}; {self.combination(fetch.combine, fetch.array, place, fetch.value)}; }}"

    def swap(self, swap: SwapCell) -> Iterator[str]:
        words = {
            "variable": self.expressions.local(swap.variable),
            "function": self.swap_function(swap.array.element),
            "address": self.address(swap.array, swap.index),
            "place": self.cell(swap.array, swap.index),
            "expected": self.text(swap.expected),
            "value": self.text(swap.value),
        }
        for line in self.expressions.spelling.compare_swap:
            yield line.format(**words)

    def swap_function(self, element: Element) -> str:
        """The function's name; empty for targets where it has none of its own."""
        swaps = self.expressions.spelling.swaps
        if not swaps:
            return ""
        if element is Element.ARC:
            narrow, wide = (swaps[machine] for machine in machine_elements(element))
            self.expressions.helpers.need("atomic_arc", word="swap", narrow=narrow, wide=wide)
            return "atomic_swap_arc"
        return swaps[machine_elements(element)[0]]

    def atomic(self, combine: Combine, array: Array, index: Expression, value: Expression, method: Method) -> str:
        """The call that updates a shared cell; where asked for, its value is what the cell held before."""
        function = self.atomic_function(combine, array.element, method)
        address, place, given = self.address(array, index), self.cell(array, index), self.text(value)
        if method is Method.NATIVE:
            pattern = self.expressions.spelling.atomic_call
            return pattern.format(function=function, address=address, place=place, value=given)
        return f"{function}({address}, {given})"

    def atomic_function(self, combine: Combine, element: Element, method: Method) -> str:
        helpers, spelling = self.expressions.helpers, self.expressions.spelling
        match method:
            case Method.NATIVE if element is Element.ARC:
                narrow, wide = (spelling.atomics[combine, machine] for machine in machine_elements(element))
                if narrow == wide:
                    return narrow
                helpers.need("atomic_arc", word=ATOMIC_WORDS[combine], narrow=narrow, wide=wide)
                return f"atomic_{ATOMIC_WORDS[combine]}_arc"
            case Method.NATIVE:
                return spelling.atomics[combine, machine_elements(element)[0]]
            case Method.FLIP_BYTE:
                helpers.need("flip_byte")
                return "flip_byte"
            case Method.SWAP_LOOP:
                return self.swap_loop(combine, machine_elements(element)[0] if element is Element.NODE else element)
        assert_never(method)

    def swap_loop(self, combine: Combine, element: Element) -> str:
        name = f"atomic_{ATOMIC_WORDS[combine]}_{element.value}"
        if combine in (Combine.AND, Combine.OR):
            name = f"atomic_logical_{ATOMIC_WORDS[combine]}_{element.value}"
        kind = self.expressions.spelling.values[element]
        bits = str(BITS[element])
        word = Element.INT if bits == "32" else Element.LONG
        if word in self.expressions.spelling.latest:
            self.expressions.latest(word)
        if combine in (Combine.MIN, Combine.MAX):
            beyond = "<" if combine is Combine.MIN else ">"
            self.expressions.helpers.need("swap_extreme", name=name, type=kind, bits=bits, beyond=beyond)
        else:
            self.expressions.helpers.need("swap_loop", name=name, type=kind, bits=bits, operator=combine.value)
        return name

    # --- structure -------------------------------------------------------------------------------------------------

    def branch(self, branch: If) -> Iterator[str]:
        condition = self.text(branch.condition)
        if branch.then == (Continue(),) and not branch.otherwise:
            yield f"if ({condition}) continue;"
            return
        yield f"if ({condition}) {{"
        yield from self.inside(branch.then)
        yield from self.otherwise(branch.otherwise)

    def loop(self, statement: While | For | Count) -> Iterator[str]:
        match statement:
            case While(condition, body, test_last):
                yield "do {" if test_last else f"while ({self.text(condition)}) {{"
                yield from self.inside(body)
                yield f"}} while ({self.text(condition)});" if test_last else "}"
            case For(condition, step, body, first):
                begin = "" if first is None else self.declaration(first)
                steps = ", ".join(step_text(self.expressions, one.variable, one.value) for one in step)
                yield f"for ({begin}; {self.text(condition)}; {steps}) {{"
                yield from self.inside(body)
                yield "}"
            case Count():
                yield from self.count(statement)
            case _:
                assert_never(statement)

    def otherwise(self, body: tuple[Statement, ...]) -> Iterator[str]:
        match body:
            case ():
                yield "}"
            case (If() as nested,):
                first, *rest = self.branch(If(nested.condition, nested.then or (), nested.otherwise))
                yield f"}} else {first}"
                yield from rest
            case _:
                yield "} else {"
                yield from self.inside(body)
                yield "}"

    def if_beyond(self, beyond: IfBeyond) -> Iterator[str]:
        candidate = self.expressions.at(ORDER + 1, beyond.candidate)
        operator = "<" if beyond.extreme is Combine.MIN else ">"
        test = f"{candidate} {operator} {self.expressions.read(beyond.array, beyond.index)[0]}"
        if beyond.method is None:
            yield f"if ({test}) {{"
            yield from self.inside(beyond.body)
        else:
            update = self.atomic(beyond.extreme, beyond.array, beyond.index, beyond.candidate, beyond.method)
            if beyond.body:
                yield f"if ({test} && {candidate} {operator} {update}) {{"
                yield from self.inside(beyond.body)
            else:
                yield f"if ({test}) {{"
                yield f"{INDENT}{update};"
        yield "}"

    def while_beyond_locked(self, locked: WhileBeyondLocked) -> Iterator[str]:
        spelling = self.expressions.spelling
        operator = "<" if locked.extreme is Combine.MIN else ">"
        candidate = self.expressions.at(ORDER + 1, locked.candidate)
        test = f"{candidate} {operator} {self.cell(locked.array, locked.index)}"
        done, lock = self.expressions.local(locked.done), self.address(locked.lock, locked.index)
        words = {"cell": lock, "place": self.cell(locked.lock, locked.index)}
        if spelling.fence_helper is not None:
            self.expressions.helpers.need(spelling.fence_helper)
        yield f"for ({spelling.lock_flag} {done} = false; !{done} && {test};) {{"
        yield f"{INDENT}if ({spelling.try_lock.format(**words)}) {{"
        yield f"{INDENT * 2}{spelling.fence}"
        yield f"{INDENT * 2}if ({test}) {{"
        yield from self.lines(locked.body, 3)
        yield f"{INDENT * 2}}}"
        yield f"{INDENT * 2}{spelling.fence}"
        yield f"{INDENT * 2}{spelling.unlock.format(**words)}"
        yield f"{INDENT * 2}{done} = true;"
        yield f"{INDENT}}}"
        yield "}"

    def count(self, count: Count) -> Iterator[str]:
        variable = self.expressions.local(count.variable)
        kind = self.expressions.spelling.values[count.variable.element]
        end = f"{variable} < {self.expressions.at(ORDER + 1, count.end)}"
        yield f"for ({kind} {variable} = {self.first(count)}; {end}; {self.step(count)}) {{"
        yield from self.inside(count.body)
        yield "}"

    def first(self, count: Count) -> str:
        thread = self.expressions.spelling.thread
        match count.stride, count.first:
            case Stride.ONE, first:
                return self.text(first)
            case Stride.GRID, Const(0):
                return thread
            case Stride.GRID, first:
                return f"{self.expressions.at(SUM, first)} + {thread}"
        assert_never(count.stride)

    def step(self, count: Count) -> str:
        variable = self.expressions.local(count.variable)
        return f"{variable}++" if count.stride is Stride.ONE else f"{variable} += {self.expressions.spelling.threads}"

    # --- reductions ------------------------------------------------------------------------------------------------

    def combine_group(self, group: CombineGroup) -> Iterator[str]:
        element = group.result.element
        kind, spelling = self.expressions.spelling.values[element], self.expressions.spelling
        part, scratch = self.expressions.local(group.part), self.expressions.local(group.scratch)
        if group.combine in spelling.group_reductions:
            given = part if group.part.element is element else f"({kind}){part}"
            yield f"{part} = {spelling.group_reductions[group.combine].format(part=given, type=kind)};"
        else:
            cells = spelling.scratch_cells * group.threads // GROUP_SIZE
            yield f"{spelling.local_memory}{kind} {scratch}[{cells}];"
            yield f"{part} = {self.group_function(group.combine, element)}({part}, {scratch});"
        yield f"if ({spelling.lane} == 0) {{"
        value = Ref(Variable(group.part.name, element))
        yield f"{INDENT}{self.atomic(group.combine, group.result, group.index, value, group.method)};"
        yield "}"

    def group_function(self, combine: Combine, element: Element) -> str:
        machine = Element.INT if element is Element.NODE else element
        name = f"group_{ATOMIC_WORDS[combine]}_{machine.value}"
        combined = self.expressions.combined(combine, "value", "other", machine)
        kind = self.expressions.spelling.values[machine]
        self.expressions.helpers.need(
            "group_combine", name=name, type=kind, combined=combined, size=str(GROUP_SIZE), operator=combine.value
        )
        return name


def _taken_away(combine: Combine, value: Expression) -> Expression | None:
    """What a sum with `value` subtracts, if it does."""
    match combine, without_widening(value):
        case Combine.ADD, Unary(UnaryOperator.NEGATE, operand):
            return operand
        case Combine.ADD, Const(int() as number, element) if element.is_integer and limits(element)[0] < number < 0:
            return Const(-number, element)
        case _:
            return None


def assignment_text(expressions: ExpressionPrinter, variable: Variable, value: Expression) -> str:
    """`x = value`, or `x += …` where the value begins with what the variable was."""
    place, _ = expressions.place(variable)
    if isinstance(value, Binary) and value.left == Ref(variable) and value.operator in _ASSIGNED:
        wraps = value.operator is BinaryOperator.MULTIPLY and not value.element.is_real
        taken = _taken_away(Combine.ADD, value.right) if value.operator is BinaryOperator.ADD else None
        if taken is not None:
            return f"{place} -= {expressions.expression(taken)}"
        if not wraps:
            return f"{place} {value.operator.value}= {expressions.expression(value.right)}"
    return f"{place} = {expressions.expression(value)}"


def step_text(expressions: ExpressionPrinter, variable: Variable, value: Expression) -> str:
    """As `assignment_text`, with `x++` and `x--` where they do."""
    place, strength = expressions.place(variable)
    text = assignment_text(expressions, variable, value)
    short = {f"{place} += 1": f"{place}++", f"{place} -= 1": f"{place}--"}
    return short.get(text, text) if strength == POSTFIX else text
