"""Loops as Python text: over a range, a row of the graph, a list of nodes; while something holds.

A `continue` of the program is one of Python: it must still reach the step and the condition of its loop.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from starplat.ir import nodes as ir, visitor
from starplat.ir.python.function import FunctionWriter
from starplat.ir.python.text import BIT_OR, CHOICE


class LoopWriter(FunctionWriter):
    """Writes loops around blocks."""

    def loop(self, op: ir.KernelWhile | ir.KernelFor) -> None:
        """A `continue` must still reach the step and the condition, so both may have to stand at the loop's start."""
        condition = self.expressions.raw(op.condition)
        if isinstance(op, ir.KernelWhile) and not op.test_last:
            with self.indented(f"while {condition.text}:"):
                self.block(op.body)
            return
        if isinstance(op, ir.KernelFor) and not visitor.continues(op.body):
            with self.indented(f"while {condition.text}:"):
                self.block((*op.body, *op.step))
            return
        first = self.assigned("True")
        if isinstance(op, ir.KernelWhile):
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

    def for_range(self, op: ir.ForRange) -> None:
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

    def settled(self, end: ir.Expression, body: tuple[ir.KernelOp, ...]) -> bool:
        """Whether the body does not change what the end of a loop is."""
        arrays, variables = visitor.written_arrays(body), visitor.assigned_variables(body)
        inner = list(visitor.walk_expression(end))
        return not any(
            (isinstance(e, ir.Load) and e.array in arrays)
            or (isinstance(e, ir.Ref) and e.variable in variables)
            or isinstance(e, ir.CallFunction)
            for e in inner
        )

    @contextmanager
    def neighbors(
        self,
        layout: ir.Layout,
        node: ir.Expression,
        position: ir.Variable,
        neighbor: ir.Variable,
        *,
        positions: bool = True,
    ) -> Iterator[None]:
        """The loop over a row; without use of `positions`, the row is read in one piece."""
        text = self.expressions.exact(node)
        name = text.text if text.is_atom else self.assigned(text.text)
        if self.bounds.domain(node) is not ir.Extent.NODES:
            self.line(f"if not (0 <= {name} < n): out_of_range({layout.offsets.name!r}, {name}, f'{{n}} nodes')")
        self.bounds.learn(position, layout.slots)
        self.bounds.learn(neighbor, ir.Extent.NODES)
        rows, ends = self.arrays([layout.offsets, layout.neighbors])
        place, other = self.variables([position, neighbor])
        if layout.ahead is not None:
            name = self.assigned(f"{self.expressions.exact(layout.ahead).text} + {name}")
        if layout.heads is not None:
            with self.indented(f"for {place} in range({rows}[{name}], {rows}[{name} + 1]):"):
                self.line(f"{other} = {self.expressions.exact(layout.neighbor_of(node, ir.Ref(position))).text}")
                yield
            return
        if not positions:
            with self.indented(f"for {other} in {ends}[{rows}[{name}]:{rows}[{name} + 1]].tolist():"):
                yield
            return
        with self.indented(f"for {place} in range({rows}[{name}], {rows}[{name} + 1]):"):
            self.line(f"{other} = {ends}[{place}]")
            yield

    @contextmanager
    def in_words(self, domain: ir.InWords, iterator: ir.Variable) -> Iterator[None]:
        """The loop over the nodes of listed words, whose first nodes are nodes indeed."""
        count = self.expressions.exact(domain.count).text
        place, first = self.expressions.temporary(), self.expressions.temporary()
        with self.indented(f"for {place} in range({count}):"):
            inside = self.expressions.inside(domain.array, place)
            self.line(f"if not ({inside}): {self.expressions.refusal(domain.array, place)}")
            self.line(f"{first} = {self.names.arrays[domain.array.name]}[{place}]")
            self.line(f"if not (0 <= {first} < n): out_of_range('the nodes', {first}, f'{{n}} nodes')")
            node = self.names.variables[iterator.name]
            with self.indented(f"for {node} in range({first}, {first} + 32):"):
                self.line(f"if {node} >= n: break")
                self.bounds.learn(iterator, ir.Extent.NODES)
                yield

    @contextmanager
    def triangles(self, domain: ir.Triangles, iterator: ir.Variable) -> Iterator[None]:
        """The loop over triangles, one at a time."""
        (rows,), kept, sizes = self.arrays([ir.CSR.offsets]), *self.arrays([domain.kept, domain.sizes])
        v, u, w, near = (self.expressions.temporary() for _ in range(4))
        node, number = self.variables([iterator, domain.number])
        self.bounds.learn(iterator, ir.Extent.NODES)
        with self.indented(f"for {v} in range(n):"):
            self.line(f"{near} = {{*{kept}[{rows}[{v}]:{rows}[{v}] + {sizes}[{v}]]}}")
            with (
                self.indented(f"for {u} in {near}:"),
                self.indented(f"for {w} in {kept}[{rows}[{u}]:{rows}[{u}] + {sizes}[{u}]]:"),
                self.indented(f"if {w} in {near}:"),
                self.indented(f"for {node} in ({f'{v}, {u}, {w}' if domain.of_each else f'{v},'}):"),
            ):
                self.line(f"{number} = 1")
                yield

    @contextmanager
    def listed(self, domain: ir.Listed, iterator: ir.Variable) -> Iterator[None]:
        """The loop over the nodes of a list, which are nodes indeed; a list of the host may also hold others."""
        first, last = (self.expressions.exact(end).text for end in (domain.first, domain.last))
        place, node = self.expressions.temporary(), self.names.variables[iterator.name]
        with self.indented(f"for {place} in range({first}, {last}):"):
            inside = self.expressions.inside(domain.array, place)
            self.line(f"if not ({inside}): {self.expressions.refusal(domain.array, place)}")
            self.line(f"{node} = {self.names.arrays[domain.array.name]}[{place}]")
            if domain.array.extent is not ir.Extent.ITEMS:
                self.line(f"if not (0 <= {node} < n): out_of_range('the nodes', {node}, f'{{n}} nodes')")
                self.bounds.learn(iterator, ir.Extent.NODES)
            yield
