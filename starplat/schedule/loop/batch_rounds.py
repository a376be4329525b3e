"""Rewrites a host-driven round as one that can be launched ahead: the device computes the host's scalars.

Every changing scalar has a cell on the device. Inside a round its value is an expression over the cells at the round's
start and over later results of kernels, which kernels that need it evaluate themselves; at the end of the round one
thread stores the new values, and whether there is another round.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice

from starplat.ir import build, fresh_names, nodes as ir, rewriter, uses, visitor
from starplat.ir.python.arithmetic import identity
from starplat.ir.visitor import all_expressions, arrays_in, expressions_of, walk_expression, with_signature
from starplat.source import Span

MOST_PARTS = 8
"""A value of more parts is stored before a kernel reads it, instead of evaluated by each of its threads."""

MOST_KEPT = 64
"""A value of more parts is stored at once: values computed from it would repeat it."""


class Round:
    """One round: `row` makes the operations that are left to the host, and collects kernels and cells for them.

    Attributes:
        cells: where the scalars are that live longer than a kernel.
        words: where reductions end, each with what it begins with.
        turns: for every swap, whether it has happened an odd number of times: by the host, and on the device.
    """

    def __init__(
        self, module: ir.Module, taken: fresh_names.FreshNames, prefix: str, span: Span, names: dict[str, str]
    ) -> None:
        self.module, self.taken, self.prefix, self.span = module, taken, prefix, span
        self.names = names
        self.goes_on = self.cell("goes_on", ir.Element.BOOL)
        self.cells: dict[ir.Variable, ir.Array] = {}
        self.words: dict[ir.Array, ir.Const] = {}
        self.turns: list[tuple[ir.Swap, ir.Variable, ir.Variable]] = []
        self.kernels: list[ir.Kernel] = []
        self.values: Values = {}
        self.made: list[ir.HostOp] = []
        self._used: list[ir.Array] = []

    def cell(self, name: str, element: ir.Element) -> ir.Array:
        """A new cell on the device."""
        return self.taken.array(name, element, ir.Extent.ONE)

    def row(
        self, row: Iterable[ir.HostOp], condition: ir.Expression, varying: tuple[ir.Variable, ...]
    ) -> tuple[ir.HostOp, ...]:
        """The round's operations, the last of which decides whether there is another."""
        for variable in varying:
            self.values[variable] = self.stored(variable)
        self.block(row)
        last = self.value(condition)
        lasting = {*varying, *(on_device for _, _, on_device in self.turns)}
        self.values = {v: value for v, value in self.values.items() if v in lasting}
        self.store(goes_on=last)
        return tuple(self.made)

    def forget_unread(self, late: Iterable[ir.Variable]) -> None:
        """Removes the cells that no kernel reads, except those that the host reads afterwards."""
        wanted = {*late, *(on_device for _, _, on_device in self.turns)}
        read = {array for kernel in self.kernels for array in loaded_in(kernel)}
        unread = {v: cell for v, cell in self.cells.items() if v not in wanted and cell not in read}
        cells = set(unread.values())
        self.cells = {variable: cell for variable, cell in self.cells.items() if variable not in unread}
        self.kernels = [without_stores(kernel, cells) for kernel in self.kernels]

    def stored(self, variable: ir.Variable) -> ir.Expression:
        """The scalar as its cell has it."""
        if variable not in self.cells:
            self.cells[variable] = self.cell(f"{variable.name}_cell", variable.element)
        return ir.Load(self.cells[variable], build.ZERO)

    def value(self, expression: ir.Expression) -> ir.Expression:
        """The host's value here, as the device computes it."""
        values: dict[ir.Expression, ir.Expression] = {ir.Ref(variable): v for variable, v in self.values.items()}
        return rewriter.Replacer(values).expression(expression)

    def set(self, variable: ir.Variable, value: ir.Expression) -> None:
        self.values[variable] = build.converted(value, variable.element)

    # --- operations --------------------------------------------------------------------------------------------------

    def block(self, ops: Iterable[ir.HostOp]) -> None:
        for op in ops:
            if isinstance(op, ir.HostBlock):
                outer, self.made = self.made, []
                self.block(op.body)
                inner, self.made = self.made, outer
                self.made += [replace(op, body=tuple(inner))] if inner else []
            else:
                self.operation(op)

    def operation(self, op: ir.HostOp) -> None:
        match op:
            case ir.Launch(kernel):
                self.launch(self.module.kernel(kernel))
            case ir.Fill(array, value) | ir.WriteCell(array, _, value) if array.extent is ir.Extent.ONE:
                self.store(into=(array, self.value(value)))
            case ir.Fill(array, value):
                self.whole(array, "fill", lambda _: self.value(value))
            case ir.CopyArray(destination, source):
                self.whole(destination, "copy_to", lambda index: ir.Load(source, index))
            case ir.Swap():
                self.swap(op)
            case _:
                self.scalar(op)
                if any(_is_long(value, MOST_KEPT) for value in self.values.values()):
                    self.store()

    def scalar(self, op: ir.HostOp) -> None:
        match op:
            case ir.DeclareVariable(variable, value) | ir.SetVariable(variable, value):
                self.set(variable, self.value(value))
            case ir.ReadCell(variable, array, index):
                self.set(variable, ir.Load(array, index))
            case ir.HostIf():
                self.choice(op)
            case _:
                raise AssertionError(f"{type(op).__name__} is for the host alone")

    def choice(self, op: ir.HostIf) -> None:
        """Both ways are computed, and one is taken; where it leaves the loop, no later kernel of the round does
        anything."""
        condition, before = self.value(op.condition), dict(self.values)
        then, otherwise = tuple(uses.stream(op.then)), tuple(uses.stream(op.otherwise))
        leaves = bool(then) and isinstance(then[-1], ir.HostBreak)
        first = self.branch(then[:-1] if leaves else then, before)
        second = self.branch(otherwise, before)
        for variable in before:
            one, other = first[variable], second[variable]
            self.values[variable] = one if one == other else ir.Select(condition, one, other)
        if leaves:
            self.store(goes_on=build.denied(condition))

    def branch(self, ops: Iterable[ir.HostOp], before: "Values") -> "Values":
        """The values after some operations on scalars."""
        self.values = dict(before)
        for op in ops:
            self.scalar(op)
        after, self.values = self.values, dict(before)
        return after

    def swap(self, op: ir.Swap) -> None:
        """The host swaps in rounds after the last one, too; the device knows whether it should have."""
        self.settle({op.first, op.second})
        names = ("turned", "turned_on_device")
        by_host, on_device = (self.taken.variable(name, ir.Element.BOOL) for name in names)
        self.turns.append((op, by_host, on_device))
        self.values[on_device] = build.denied(self.stored(on_device))
        self.made += (op, ir.SetVariable(by_host, build.denied(ir.Ref(by_host))))

    # --- kernels -----------------------------------------------------------------------------------------------------

    def launch(self, kernel: ir.Kernel) -> None:
        """The kernel, which reads its parameters from cells and leaves its results there."""
        varying = [scalar for scalar in kernel.scalars if scalar in self.values]
        self.settle(visitor.written_arrays(kernel.body))
        if any(self._is_heavy(self.values[scalar], kernel) for scalar in varying):
            self.store()
        words = {r: self.word(r) for r in kernel.reductions}
        made = rewriter.Replacer({ir.Ref(scalar): self.values[scalar] for scalar in varying}).kernel(kernel)
        reductions = tuple(replace(reduction, into=word) for reduction, word in words.items())
        self.add(
            replace(made, name=self.names.get(kernel.name) or self.taken.fresh(f"{kernel.name}_ahead")), reductions
        )
        for reduction, word in words.items():
            old = self.values[reduction.variable]
            self.values[reduction.variable] = combined_with(reduction.combine, old, found_in(word, old.element))

    def word(self, reduction: ir.Reduction) -> ir.Array:
        """The cell of a reduction; whatever stores its result resets it for the next round."""
        element = reduction.variable.element
        start = identity(reduction.combine, element)
        word = self.cell(f"{reduction.variable.name}_found", ir.Element.INT if element is ir.Element.BOOL else element)
        self.words[word] = build.number(int(start.value)) if element is ir.Element.BOOL else start
        self._used.append(word)
        return word

    def whole(self, array: ir.Array, what: str, value: Callable[[ir.Expression], ir.Expression]) -> None:
        """A kernel that gives every cell of an array a value."""
        self.settle({array})
        domain, element, short = _cells(array)
        first = value(ir.Const(0, element))
        used = {array.name, *(found.name for found in loaded_by(first))}
        used |= {part.variable.name for part in visitor.walk_expression(first) if isinstance(part, ir.Ref)}
        index = ir.Variable(self.taken.fresh(short) if short in used else short, element)
        body = (ir.Store(array, ir.Ref(index), value(ir.Ref(index))),)
        name, comment = self.taken.fresh(f"{self.prefix}_{what}_{array.name}"), f"{what.replace('_', ' ')} {array.name}"
        self.add(ir.Kernel(name, domain, index, body, span=self.span, comment=comment))

    def add(self, kernel: ir.Kernel, reductions: tuple[ir.Reduction, ...] = ()) -> None:
        self.kernels.append(visitor.with_signature(replace(kernel, reductions=reductions, guard=self.goes_on)))
        self.made.append(ir.Launch(kernel.name))

    def settle(self, arrays: Iterable[ir.Array]) -> None:
        """Stores the values that depend on arrays about to change."""
        about = set(arrays)
        if any(about.intersection(loaded_by(value)) for value in self.values.values()):
            self.store()

    def _is_heavy(self, value: ir.Expression, kernel: ir.Kernel) -> bool:
        """Whether a kernel should not evaluate a value itself, or cannot, because it uses the names for something
        else."""
        parts = tuple(visitor.walk_expression(value))
        own = {variable.name for op in visitor.walk_kernel(kernel.body) for variable in visitor.declared_by(op)}
        own |= set() if kernel.iterator is None else {kernel.iterator.name}
        own |= {kernel.domain.position.name} if isinstance(kernel.domain, ir.NodeNeighbors) else set()
        return _is_long(value, MOST_PARTS) or any(isinstance(p, ir.Ref) and p.variable.name in own for p in parts)

    def store(
        self, *, goes_on: ir.Expression | None = None, into: tuple[ir.Array, ir.Expression] | None = None
    ) -> None:
        """One thread stores all changed values, another value besides, and whether there is another round."""
        found = [(v, value) for v, value in self.values.items() if v not in self.cells or value != self.stored(v)]
        kept = [(self.stored_in(variable), variable.name, value) for variable, value in found]
        kept += [] if into is None else [(into[0], self.taken.fresh(f"{into[0].name}_kept"), into[1])]
        kept += [] if goes_on is None else [(self.goes_on, self.taken.fresh("again"), goes_on)]
        if not kept:
            return
        ready = tuple(ir.Store(word, build.ZERO, self.words[word]) for word in self._used)
        ends = goes_on is not None
        what = ", ".join(variable.name for variable, _ in found)
        comment = f"works out what the host does not wait for{f': {what}' if what else ''}"
        name = self.taken.fresh(f"{self.prefix}_{'end_round' if ends else 'keep'}")
        self.add(ir.Kernel(name, ir.Once(), None, (*stores_of(kept), *ready), span=self.span, comment=comment))
        self.values = {variable: self.stored(variable) for variable in self.values}
        self._used = []

    def stored_in(self, variable: ir.Variable) -> ir.Array:
        """The scalar's cell."""
        self.stored(variable)
        return self.cells[variable]


def _cells(array: ir.Array) -> tuple[ir.Domain, ir.Element, str]:
    """What goes over the cells of an array, the type of its index, and a short name for that."""
    if array.extent is ir.Extent.NODES:
        return ir.AllNodes(), ir.Element.NODE, "v"
    if array.extent in (ir.Extent.ARCS, ir.Extent.SLOTS):
        return ir.AllArcs(), ir.Element.ARC, "e"
    return ir.Numbers(build.size(array.extent)), ir.Element.INT, "i"


def _is_long(value: ir.Expression, most: int) -> bool:
    """Whether a value has more parts than that."""
    return next(islice(visitor.walk_expression(value), most, None), None) is not None


"""The index of the only cell of an array."""

Values = dict[ir.Variable, ir.Expression]
"""The values of scalars at a point of a round."""


def stores_of(kept: Iterable[tuple[ir.Array, str, ir.Expression]]) -> Iterator[ir.KernelOp]:
    """Computes all values before any cell changes, none of them twice."""
    known: dict[ir.Expression, ir.Expression] = {}
    stores: list[ir.Store] = []
    for array, name, new in kept:
        value = rewriter.map_expression(lambda part: known.get(part, part), new)
        if not isinstance(value, ir.Const | ir.Ref):
            local = ir.Variable(name, value.element)
            yield ir.Let(local, value)
            known[value] = ir.Ref(local)
        stores.append(ir.Store(array, build.ZERO, known.get(value, value)))
    yield from stores


def loaded_by(value: ir.Expression) -> set[ir.Array]:
    return set(arrays_in(value))


def loaded_in(kernel: ir.Kernel) -> Iterator[ir.Array]:
    heads = (*expressions_of(kernel.domain), *(() if kernel.filter is None else (kernel.filter,)))
    inside = (*(part for head in heads for part in walk_expression(head)), *all_expressions(kernel.body))
    return (part.array for part in inside if isinstance(part, ir.Load))


def without_stores(kernel: ir.Kernel, cells: set[ir.Array]) -> ir.Kernel:
    """The kernel of one thread, without stores that are never read; others never store into cells."""
    if not isinstance(kernel.domain, ir.Once):
        return kernel
    body = tuple(op for op in kernel.body if not (isinstance(op, ir.Store) and op.array in cells))
    return with_signature(replace(kernel, body=body))


def found_in(word: ir.Array, element: ir.Element) -> ir.Expression:
    """The result of a reduction."""
    found = ir.Load(word, build.ZERO)
    return build.differs(found, build.ZERO) if element is ir.Element.BOOL else found


_OPERATORS = {
    ir.Combine.ADD: ir.BinaryOperator.ADD,
    ir.Combine.MULTIPLY: ir.BinaryOperator.MULTIPLY,
    ir.Combine.BIT_AND: ir.BinaryOperator.BIT_AND,
    ir.Combine.BIT_OR: ir.BinaryOperator.BIT_OR,
    ir.Combine.BIT_XOR: ir.BinaryOperator.BIT_XOR,
}


def combined_with(combine: ir.Combine, old: ir.Expression, found: ir.Expression) -> ir.Expression:
    """`old combine found`, as the host would compute it."""
    element = old.element
    if element is ir.Element.BOOL and combine is not ir.Combine.BIT_XOR:
        if old == ir.Const(not combine.is_any, ir.Element.BOOL):
            return found
        return build.either(old, found) if combine.is_any else build.both(old, found)
    if combine in (ir.Combine.MIN, ir.Combine.MAX):
        order = ir.BinaryOperator.LESS if combine is ir.Combine.MIN else ir.BinaryOperator.GREATER
        return ir.Select(build.compared(order, found, old), found, old)
    return ir.Binary(_OPERATORS[combine], old, found, element)
