"""Tests whether an answer is one of several right ones: carried values are any winner's where candidates tie.

The interpreter runs the program once more with the other answer at hand: where a candidate ties with the winner and
would carry what that answer holds, it takes this one's. Values that belong to some winner come out as they were found,
and all that follows from them; others do not.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from starplat.frontend.types import Scalar
from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import walk_kernel
from starplat.runtime.arguments.bind import Bound, names_in
from starplat.runtime.arguments.properties import property_cells
from starplat.runtime.arguments.scalars import scalar
from starplat.runtime.elements import Cells, Value
from starplat.runtime.results.result import Result


@dataclass(frozen=True, slots=True)
class Following:
    """A module that follows an answer where candidates tie, and its arguments. It is not `complete` if the answer does
    not show all that was carried."""

    module: ir.Module
    bound: Bound
    complete: bool


def has_ties(module: ir.Module) -> bool:
    """Whether any Min or Max carries what one winner has and another has not."""
    return any(_data(op) for kernel in module.kernels for op in walk_kernel(kernel.body))


def following(module: ir.Module, bound: Bound, answer: Result) -> Following:
    """The module that takes the answer's side where candidates tie."""
    shown = {parameter: name for name, parameter in names_in(module).items() if name in answer.properties}
    follower = _Follower(module, shown, _returned(module, answer))
    kernels = tuple(follower.kernel(kernel) for kernel in module.kernels)
    cells = {f"{name} found": _cells(name, answer) for name in follower.asked}
    entry = module.function(module.entry)
    parameters = (*entry.parameters, *(ir.Parameter(array) for array in follower.asked.values()))
    functions = tuple(replace(f, parameters=parameters) if f is entry else f for f in module.functions)
    arguments = (*module.arguments, *(_argument(name, answer) for name in follower.asked))
    inputs = (*module.inputs, *follower.asked.values())
    changed = replace(module, kernels=kernels, functions=functions, arguments=arguments, inputs=inputs)
    return Following(changed, replace(bound, arrays={**bound.arrays, **cells}), follower.complete)


def _returned(module: ir.Module, answer: Result) -> Value | None:
    """What the answer's entry returned, nodes by their numbers here."""
    match module.result_types:
        case (Scalar() as kind,) if answer.returned is not None:
            return scalar(answer.returned, kind, answer.graph)
        case _:
            return None


def _cells(name: str, answer: Result) -> Cells:
    return property_cells(answer.on_host(name), answer.types[name], answer.graph)


def _argument(name: str, answer: Result) -> ir.Argument:
    return ir.Argument(f"{name} found", answer.types[name])


def _data(op: ir.KernelOp) -> tuple[ir.Carry, ...]:
    """The values that the winner of a Min or Max carries and that differ between candidates."""
    if not isinstance(op, ir.ExtremeCell) or not op.shared:
        return ()
    return tuple(carry for carry in op.carried if not isinstance(carry.value, ir.Const))


class _Follower(Rewriter):
    """Lets a candidate that ties bring what the answer holds. `shown` has the answer's name for each array."""

    def __init__(self, module: ir.Module, shown: Mapping[str, str], returned: Value | None) -> None:
        self.shown = shown
        self.returned = returned
        self.results = set(module.results)
        self.asked: dict[str, ir.Array] = {}
        self.complete = True
        self.count = 0

    def kernel(self, kernel: ir.Kernel) -> ir.Kernel:
        return super().kernel(kernel) if any(map(_data, walk_kernel(kernel.body))) else kernel

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        return self.followed(op) if isinstance(op, ir.ExtremeCell) and _data(op) else (self.rebuild(op),)

    def followed(self, op: ir.ExtremeCell) -> Iterable[ir.KernelOp]:
        candidate = self.local(op.candidate)
        yield ir.Let(candidate, op.candidate)
        carried = []
        also: list[tuple[ir.Carry, ir.Expression]] = []
        for carry in op.carried:
            found = self.found(carry) if carry in _data(op) else None
            if found is None:
                carried.append(carry)
                continue
            held = self.local(carry.value)
            yield ir.Let(held, carry.value)
            carried.append(replace(carry, value=ir.Ref(held)))
            also.append((carried[-1], found))
        yield replace(op, candidate=ir.Ref(candidate), carried=tuple(carried))
        ties = build.equal(ir.Ref(candidate), ir.Load(op.array, op.index))
        agrees = (build.equal(carry.value, found) for carry, found in also)
        if also:
            yield ir.KernelIf(
                build.both(ties, *agrees), tuple(ir.Store(c.array, c.index, c.value, shared=True) for c, _ in also)
            )

    def found(self, carry: ir.Carry) -> ir.Expression | None:
        """What the answer holds in the carried cell; None if it does not say."""
        name = self.shown.get(carry.array.name)
        if name is not None and carry.array in self.results:
            array = self.asked.setdefault(name, self.beside(carry.array))
            return ir.Load(array, carry.index)
        if carry.array.extent is ir.Extent.ONE and self.returned is not None:
            self.complete = False
            return ir.Const(self.returned, carry.array.element)
        self.complete = False
        return None

    def beside(self, array: ir.Array) -> ir.Array:
        return replace(array, name=f"{array.name}_found", origin=ir.Origin.PARAMETER)

    def local(self, value: ir.Expression) -> ir.Variable:
        self.count += 1
        return ir.Variable(f"tie_{self.count}", value.element)
