"""Kernels and helpers as Python functions: what the interpreter compiles.

A kernel becomes `def kernel(n, m, items, <arrays>, <scalars>)`, which runs its body for every item and returns a tuple
of what was contributed to its reductions; a helper a function that returns a tuple of its result and its parameters
by reference. Arrays are memoryviews. Every iteration is a turn of a Python loop, so `continue` ends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from starplat.ir.arithmetic import identity
from starplat.ir.nodes import (
    WORKERS,
    AllArcs,
    AllNodes,
    Array,
    CallFunction,
    Combine,
    CompareSwap,
    Contribute,
    Expression,
    Extent,
    ExtremeCell,
    FetchAdd,
    FetchOr,
    ForNeighbors,
    ForRange,
    Function,
    InWords,
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
    NodeNeighbors,
    Numbers,
    Once,
    Ref,
    SetLocal,
    Store,
    UpdateCell,
    Variable,
    Workers,
)
from starplat.ir.python.cells import CellWriter
from starplat.ir.python.loops import LoopWriter
from starplat.ir.python.text import literal
from starplat.ir.visitor import all_expressions, declared_by, walk_kernel


def kernel_text(kernel: Kernel, functions: Mapping[str, str], condition: Expression | None) -> str:
    """`def kernel`; `condition` is what must be tested of each item (the rest of the filter has been before)."""
    writer = _BodyWriter(kernel.body, kernel.arrays, _variables(kernel), functions)
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
    writer = _BodyWriter(helper.body, arrays, [*variables, *_declared(helper.body)], functions)
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


class _BodyWriter(CellWriter, LoopWriter):
    """Writes a kernel's or a helper's body. A helper returns its parameters by reference, the `references`, too."""

    def __init__(
        self,
        body: tuple[KernelOp, ...],
        arrays: Iterable[Array],
        variables: Iterable[Variable],
        functions: Mapping[str, str],
    ) -> None:
        super().__init__(body, arrays, variables, functions)
        self.references: list[str] = []

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
            case InWords():
                assert kernel.iterator is not None
                with self.in_words(kernel.domain, kernel.iterator):
                    self.iteration(kernel, condition)
            case Numbers(count):
                assert kernel.iterator is not None
                end = self.expressions.exact(count).text
                with self.indented(f"for {self.names.variables[kernel.iterator.name]} in range({end}):"):
                    self.iteration(kernel, condition)
            case Workers():
                assert kernel.iterator is not None
                with self.indented(f"for {self.names.variables[kernel.iterator.name]} in range({WORKERS}):"):
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
