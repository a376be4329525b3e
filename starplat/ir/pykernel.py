"""Kernels and helpers as Python functions: what the interpreter compiles.

A kernel becomes `def kernel(n, m, items, <arrays>, <scalars>)`, which runs its body for every item and returns a tuple
of what was contributed to its reductions; a helper a function that returns a tuple of its result and its parameters
by reference. Arrays are memoryviews. Every iteration is a turn of a Python loop, so `continue` ends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from re import sub
from typing import assert_never

from starplat.ir.arithmetic import identity
from starplat.ir.bounds import Bounds
from starplat.ir.nodes import (
    COLUMNS,
    IN_COLUMNS,
    IN_ROW_OFFSETS,
    ROW_OFFSETS,
    AllArcs,
    AllNodes,
    Apply,
    Array,
    Binary,
    BinaryOperator,
    CallFunction,
    Carry,
    Cast,
    Combine,
    CompareSwap,
    Contribute,
    Direction,
    Element,
    Expression,
    Extent,
    ExtremeCell,
    FetchAdd,
    FetchOr,
    FindArc,
    ForNeighbors,
    ForRange,
    Function,
    Kernel,
    KernelBreak,
    KernelCall,
    KernelContinue,
    KernelFor,
    KernelIf,
    KernelOp,
    KernelReturn,
    KernelWhile,
    Let,
    Listed,
    Load,
    NodeNeighbors,
    Once,
    Reduction,
    Ref,
    Select,
    SetLocal,
    Store,
    Unary,
    UpdateCell,
    Variable,
)
from starplat.ir.pyexpr import BIT_OR, CHOICE, PRODUCT, SUM, Expressions, Names, Text, literal, width
from starplat.ir.visitor import (
    all_expressions,
    assigned_variables,
    continues,
    declared_by,
    walk_expression,
    walk_kernel,
    written_arrays,
)

_SIGNS = {
    Combine.ADD: ("+", SUM),
    Combine.MULTIPLY: ("*", PRODUCT),
    Combine.BIT_AND: ("&", BIT_OR + 2),
    Combine.BIT_OR: ("|", BIT_OR),
    Combine.BIT_XOR: ("^", BIT_OR + 1),
}


def mangled(kind: str, number: int, name: str) -> str:
    """A Python name of our own that still reminds of the program's."""
    return f"{kind}{number}_{sub('[^A-Za-z0-9_]', '_', name)}"


def helper_names(helpers: Iterable[Function]) -> dict[str, str]:
    """The Python names of the helpers."""
    return {helper.name: mangled("f", number, helper.name) for number, helper in enumerate(helpers)}


def kernel_text(kernel: Kernel, functions: Mapping[str, str], condition: Expression | None) -> str:
    """`def kernel`; `condition` is what must be tested of each item (the rest of the filter has been before)."""
    writer = _Writer(kernel.body, kernel.arrays, _variables(kernel), functions)
    parameters = ["n", "m", "items", *writer.arrays(kernel.arrays), *writer.variables(kernel.scalars)]
    with writer.indented(f"def kernel({', '.join(parameters)}):"):
        for number, reduction in enumerate(kernel.reductions):
            start = identity(reduction.combine, reduction.variable.element)
            writer.line(f"{writer.accumulate(reduction, number)} = {literal(start).text}")
        writer.iterations(kernel, condition)
        results = (writer.contributed(reduction) for reduction in kernel.reductions)
        writer.line(f"return ({''.join(f'{result}, ' for result in results)})")
    return writer.text


def helper_text(helper: Function, functions: Mapping[str, str]) -> str:
    """The helper as a Python function."""
    variables = [p.what for p in helper.parameters if isinstance(p.what, Variable)]
    arrays = [p.what for p in helper.parameters if isinstance(p.what, Array)]
    writer = _Writer(helper.body, arrays, [*variables, *_declared(helper.body)], functions)
    writer.references = writer.variables(
        [p.what for p in helper.parameters if p.by_reference and isinstance(p.what, Variable)]
    )
    parameters = [
        writer.arrays([p.what])[0] if isinstance(p.what, Array) else writer.variables([p.what])[0]
        for p in helper.parameters
    ]
    with writer.indented(f"def {functions[helper.name]}({', '.join(['n', 'm', *parameters])}):"):
        writer.ops(helper.body)
        fallen = "None" if helper.result is None else literal(identity(Combine.ADD, helper.result)).text
        writer.line(writer.result(fallen))
    return writer.text


def _variables(kernel: Kernel) -> list[Variable]:
    variables = [*kernel.scalars, *_declared(kernel.body)]
    if kernel.iterator is not None:
        variables.append(kernel.iterator)
    if isinstance(kernel.domain, NodeNeighbors):
        variables.append(kernel.domain.position)
    return variables


def _declared(body: Iterable[KernelOp]) -> list[Variable]:
    return [variable for op in walk_kernel(body) for variable in declared_by(op)]


class _Writer:
    """Writes the lines of one Python function."""

    def __init__(
        self,
        body: tuple[KernelOp, ...],
        arrays: Iterable[Array],
        variables: Iterable[Variable],
        functions: Mapping[str, str],
    ) -> None:
        self._lines: list[str] = []
        self._depth = 0
        self.names = Names(
            {v.name: mangled("v", i, v.name) for i, v in enumerate(dict.fromkeys(variables))},
            {a.name: mangled("a", i, a.name) for i, a in enumerate(dict.fromkeys(arrays))},
            dict(functions),
        )
        self.bounds = Bounds(assigned_variables(body))
        self.expressions = Expressions(self.names, self.bounds)
        self.references: list[str] = []
        self._accumulators: dict[str, tuple[str, Reduction]] = {}

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

    def variables(self, variables: Iterable[Variable]) -> list[str]:
        return [self.names.variables[variable.name] for variable in variables]

    def arrays(self, arrays: Iterable[Array]) -> list[str]:
        return [self.names.arrays[array.name] for array in arrays]

    # --- the kernel around its body ---

    def iterations(self, kernel: Kernel, condition: Expression | None) -> None:
        match kernel.domain:
            case AllNodes() | AllArcs():
                assert kernel.iterator is not None
                extent = Extent.NODES if isinstance(kernel.domain, AllNodes) else Extent.ARCS
                self.bounds.learn(kernel.iterator, extent)
                head = f"for {self.names.variables[kernel.iterator.name]} in items:"
                with self.indented(head):
                    self.iteration(kernel, condition)
            case NodeNeighbors(direction, node, position):
                assert kernel.iterator is not None
                with self.neighbors(direction, node, position, kernel.iterator):
                    self.iteration(kernel, condition)
            case Listed():
                assert kernel.iterator is not None
                with self.listed(kernel.domain, kernel.iterator):
                    self.iteration(kernel, condition)
            case Once():
                with self.indented(f"for {self.expressions.temporary()} in items:"):
                    self.iteration(kernel, condition)
            case _:
                assert_never(kernel.domain)

    def iteration(self, kernel: Kernel, condition: Expression | None) -> None:
        if condition is None:
            self.block(kernel.body)
            return
        with self.indented(f"if {self.expressions.raw(condition).text}:"):
            self.block(kernel.body)

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

    # --- operations ---

    def block(self, ops: Iterable[KernelOp]) -> None:
        before = len(self._lines)
        self.ops(ops)
        if len(self._lines) == before:
            self.line("pass")

    def ops(self, ops: Iterable[KernelOp]) -> None:
        for op in ops:
            self.op(op)

    def op(self, op: KernelOp) -> None:
        match op:
            case Let(variable, value) | SetLocal(variable, value):
                self.bounds.learn_value(variable, value)
                self.line(f"{self.names.variables[variable.name]} = {self.expressions.rounded(value).text}")
            case Store(array, index, value):
                text = self.stored(array, value)
                if not self.total(value):
                    text = self.assigned(text)
                self.line(f"{self.cell(array, index)} = {text}")
            case UpdateCell():
                self.update(op)
            case ExtremeCell():
                self.extreme(op)
            case FetchAdd():
                self.fetch_add(op)
            case FetchOr():
                self.fetch_or(op)
            case CompareSwap():
                self.compare_swap(op)
            case Contribute():
                self.contribute(op)
            case KernelIf(condition, then, otherwise):
                with self.indented(f"if {self.expressions.raw(condition).text}:"):
                    self.block(then)
                if otherwise:
                    with self.indented("else:"):
                        self.block(otherwise)
            case KernelWhile() | KernelFor():
                self.loop(op)
            case ForRange():
                self.for_range(op)
            case ForNeighbors(direction, node, neighbor, position, body):
                used = any(isinstance(e, Ref) and e.variable == position for e in all_expressions(body))
                with self.neighbors(direction, node, position, neighbor, positions=used):
                    self.block(body)
            case KernelBreak():
                self.line("break")
            case KernelContinue():
                self.line("continue")
            case KernelReturn(value):
                self.line(self.result("None" if value is None else self.expressions.exact(value).text))
            case KernelCall(call):
                self.call(call)
            case _:
                assert_never(op)

    def result(self, value: str) -> str:
        return f"return ({', '.join([value, *self.references])},)"

    def call(self, call: CallFunction) -> None:
        references = self.expressions.references(call)
        targets = ", ".join([self.expressions.temporary(), *references])
        self.line(f"{targets}, = {self.expressions.call(call)}")

    def assigned(self, text: str) -> str:
        """A name that has the value from here on."""
        name = self.expressions.temporary()
        self.line(f"{name} = {text}")
        return name

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

    def total(self, expression: Expression) -> bool:
        """Whether computing the value surely neither fails nor changes anything."""
        match expression:
            case Load(array, index):
                return self.bounds.inside(index, array.extent) and self.total(index)
            case Binary(operator, left, right):
                fails = operator in (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER) and not left.element.is_real
                return not fails and self.total(left) and self.total(right)
            case Unary(_, operand) | Cast(operand):
                return self.total(operand)
            case Select(condition, then, otherwise):
                return self.total(condition) and self.total(then) and self.total(otherwise)
            case Apply(_, arguments):
                return all(self.total(argument) for argument in arguments)
            case _:
                return not isinstance(expression, FindArc | CallFunction)

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

    # --- loops ---

    def loop(self, op: KernelWhile | KernelFor) -> None:
        """A `continue` must still reach the step and the condition, so both may have to stand at the loop's start."""
        condition = self.expressions.raw(op.condition)
        if isinstance(op, KernelWhile) and not op.test_last:
            with self.indented(f"while {condition.text}:"):
                self.block(op.body)
            return
        if isinstance(op, KernelFor) and not continues(op.body):
            with self.indented(f"while {condition.text}:"):
                self.block((*op.body, *op.step))
            return
        first = self.assigned("True")
        if isinstance(op, KernelWhile):
            with self.indented(f"while {first} or {condition.at(CHOICE + 1)}:"):
                self.line(f"{first} = False")
                self.block(op.body)
            return
        with self.indented("while True:"):
            self.line(f"if {first}: {first} = False")
            with self.indented("else:"):
                self.block(op.step)
            self.line(f"if not ({condition.text}): break")
            self.block(op.body)

    def for_range(self, op: ForRange) -> None:
        name = self.names.variables[op.variable.name]
        first, end = self.expressions.exact(op.first).text, self.expressions.exact(op.end)
        self.bounds.learn_range(op)
        if self.settled(op.end, op.body):
            with self.indented(f"for {name} in range({first}, {end.text}):"):
                self.block(op.body)
            return
        following = self.assigned(first)
        with self.indented(f"while {following} < {end.at(BIT_OR)}:"):
            self.line(f"{name} = {following}")
            self.line(f"{following} += 1")
            self.block(op.body)

    def settled(self, end: Expression, body: tuple[KernelOp, ...]) -> bool:
        """Whether the body does not change what the end of a loop is."""
        arrays, variables = written_arrays(body), assigned_variables(body)
        inner = list(walk_expression(end))
        return not any(
            (isinstance(e, Load) and e.array in arrays)
            or (isinstance(e, Ref) and e.variable in variables)
            or isinstance(e, CallFunction)
            for e in inner
        )

    @contextmanager
    def neighbors(
        self, direction: Direction, node: Expression, position: Variable, neighbor: Variable, *, positions: bool = True
    ) -> Iterator[None]:
        """The loop over a row; where nobody asks for `positions`, the row is read in one piece."""
        out = direction is Direction.OUT
        offsets, columns = (ROW_OFFSETS, COLUMNS) if out else (IN_ROW_OFFSETS, IN_COLUMNS)
        text = self.expressions.exact(node)
        name = text.text if text.is_atom else self.assigned(text.text)
        if self.bounds.domain(node) is not Extent.NODES:
            self.line(f"if not (0 <= {name} < n): out_of_range({offsets.name!r}, {name}, f'{{n}} nodes')")
        self.bounds.learn(position, Extent.ARCS)
        self.bounds.learn(neighbor, Extent.NODES)
        rows, ends = self.arrays([offsets, columns])
        place, other = self.variables([position, neighbor])
        if not positions:
            with self.indented(f"for {other} in {ends}[{rows}[{name}]:{rows}[{name} + 1]].tolist():"):
                yield
            return
        with self.indented(f"for {place} in range({rows}[{name}], {rows}[{name} + 1]):"):
            self.line(f"{other} = {ends}[{place}]")
            yield

    @contextmanager
    def listed(self, domain: Listed, iterator: Variable) -> Iterator[None]:
        """The loop over the nodes of a list, which are nodes indeed."""
        first, last = (self.expressions.exact(end).text for end in (domain.first, domain.last))
        place, node = self.expressions.temporary(), self.names.variables[iterator.name]
        with self.indented(f"for {place} in range({first}, {last}):"):
            inside = self.expressions.inside(Extent.NODES, place)
            self.line(f"if not ({inside}): {self.expressions.refusal(domain.array, place)}")
            self.line(f"{node} = {self.names.arrays[domain.array.name]}[{place}]")
            self.line(f"if not (0 <= {node} < n): out_of_range('the nodes', {node}, f'{{n}} nodes')")
            self.bounds.learn(iterator, Extent.NODES)
            yield
