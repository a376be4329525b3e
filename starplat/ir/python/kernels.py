"""Kernels and helpers as Python functions, for the interpreter.

A kernel becomes `def kernel(n, m, items, <arrays>, <scalars>)`, which runs its body for every item and returns a tuple
of what was contributed to its reductions; a helper a function that returns a tuple of its result and its parameters
by reference. Arrays are memoryviews. Every iteration is a turn of a Python loop, so `continue` ends it.
"""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import assert_never

from starplat.ir import nodes as ir, visitor
from starplat.ir.python import arithmetic, cells, loops
from starplat.ir.python.text import literal


def kernel_text(kernel: ir.Kernel, functions: Mapping[str, str], condition: ir.Expression | None) -> str:
    """`def kernel`; `condition` is what must be tested of each item (the rest of the filter has been before)."""
    own = visitor.thread_arrays(kernel.body)
    writer = _BodyWriter(kernel.body, (*kernel.arrays, *own), _variables(kernel), functions)
    parameters = ["n", "m", "items", *writer.arrays(kernel.arrays), *writer.variables(kernel.scalars)]
    with writer.indented(f"def kernel({', '.join(parameters)}):"):
        for number, reduction in enumerate(kernel.reductions):
            start = arithmetic.identity(reduction.combine, reduction.variable.element)
            writer.line(f"{writer.accumulate(reduction, number)} = {literal(start).text}")
        for array, name in zip(own, writer.arrays(own), strict=True):
            writer.line(f"{name} = [{0.0 if array.element.is_real else 0}] * n")
        writer.iterations(kernel, condition)
        results = (writer.contributed(reduction) for reduction in kernel.reductions)
        writer.line(f"return ({''.join(f'{result}, ' for result in results)})")
    return writer.text


def helper_text(helper: ir.Function, functions: Mapping[str, str]) -> str:
    variables = (*helper.given_scalars, *_declared(helper.body))
    writer = _BodyWriter(helper.body, helper.given_arrays, variables, functions)
    writer.references = writer.variables(helper.references)
    parameters = [
        writer.arrays([p.what])[0] if isinstance(p.what, ir.Array) else writer.variables([p.what])[0]
        for p in helper.parameters
    ]
    with writer.indented(f"def {functions[helper.name]}({', '.join(['n', 'm', *parameters])}):"):
        writer.ops(helper.body)
        fallen = "None" if helper.result is None else literal(arithmetic.identity(ir.Combine.ADD, helper.result)).text
        writer.line(writer.result(fallen))
    return writer.text


def _variables(kernel: ir.Kernel) -> list[ir.Variable]:
    iterator = () if kernel.iterator is None else (kernel.iterator,)
    return [*kernel.scalars, *_declared(kernel.body), *iterator, *visitor.declared_by(kernel.domain)]


def _declared(body: Iterable[ir.KernelOp]) -> list[ir.Variable]:
    return [variable for op in visitor.walk_kernel(body) for variable in visitor.declared_by(op)]


class _BodyWriter(cells.CellWriter, loops.LoopWriter):
    """Writes a kernel's or a helper's body. A helper returns its parameters by reference, the `references`, too."""

    # --- the kernel around its body ---

    def iterations(self, kernel: ir.Kernel, condition: ir.Expression | None) -> None:
        with self.domain(kernel):
            if condition is None:
                self.block(kernel.body)
                return
            with self.indented(f"if {self.expressions.raw(condition).text}:"):
                self.block(kernel.body)

    def domain(self, kernel: ir.Kernel) -> AbstractContextManager[None]:
        """The loop over the iterations."""
        iterator = kernel.iterator
        if iterator is None:
            return self.indented(f"for {self.expressions.temporary()} in items:")
        name = self.names.variables[iterator.name]
        match kernel.domain:
            case ir.AllNodes() | ir.AllArcs():
                extent = ir.Extent.NODES if isinstance(kernel.domain, ir.AllNodes) else ir.Extent.ARCS
                self.bounds.learn(iterator, extent)
                return self.indented(f"for {name} in items:")
            case ir.NodeNeighbors(direction, node, position):
                return self.neighbors(direction.layout, node, position, iterator)
            case ir.Listed():
                return self.listed(kernel.domain, iterator)
            case ir.InWords():
                return self.in_words(kernel.domain, iterator)
            case ir.Numbers(count):
                return self.indented(f"for {name} in range({self.expressions.exact(count).text}):")
            case ir.Triangles():
                return self.triangles(kernel.domain, iterator)
            case ir.Workers():
                return self.indented(f"for {name} in range({ir.WORKERS}):")
            case ir.Once():
                raise AssertionError("it has no iterator")
        assert_never(kernel.domain)

    # --- operations ---

    def block(self, ops: Iterable[ir.KernelOp]) -> None:
        before = len(self._lines)
        self.ops(ops)
        if len(self._lines) == before:
            self.line("pass")

    def ops(self, ops: Iterable[ir.KernelOp]) -> None:
        for op in ops:
            self.op(op)

    def op(self, op: ir.KernelOp) -> None:
        match op:
            case ir.Let(variable, value) | ir.SetLocal(variable, value):
                self.bounds.learn_value(variable, value)
                self.line(f"{self.names.variables[variable.name]} = {self.expressions.rounded(value).text}")
            case ir.Store(array, index, value):
                text = self.stored(array, value)
                if not self.total(value):
                    text = self.assigned(text)
                self.line(f"{self.cell(array, index)} = {text}")
            case ir.UpdateCell():
                self.update(op)
            case ir.ExtremeCell():
                self.extreme(op)
            case ir.FetchAdd() | ir.FetchOr() | ir.CompareSwap():
                self.fetch(op)
            case ir.Contribute():
                self.contribute(op)
            case ir.KernelIf(condition, then, otherwise):
                with self.indented(f"if {self.expressions.raw(condition).text}:"):
                    self.block(then)
                if otherwise:
                    with self.indented("else:"):
                        self.block(otherwise)
            case ir.KernelWhile() | ir.KernelFor():
                self.loop(op)
            case ir.ForRange():
                self.for_range(op)
            case ir.ForNeighbors(_, node, neighbor, position, body):
                used = any(isinstance(e, ir.Ref) and e.variable == position for e in visitor.all_expressions(body))
                with self.neighbors(op.layout, node, position, neighbor, positions=used):
                    self.block(body)
            case ir.KernelBreak():
                self.line("break")
            case ir.KernelContinue():
                self.line("continue")
            case ir.KernelReturn(value):
                self.line(self.result("None" if value is None else self.expressions.exact(value).text))
            case ir.KernelCall(call):
                self.call(call)
            case _:
                assert_never(op)

    def result(self, value: str) -> str:
        return f"return ({', '.join([value, *self.references])},)"

    def call(self, call: ir.CallFunction) -> None:
        references = self.expressions.references(call)
        targets = ", ".join([self.expressions.temporary(), *references])
        self.line(f"{targets}, = {self.expressions.call(call)}")
