"""Compares a run's answers with the interpreter's.

Whole numbers and bools must be equal; reals may differ by 1e-4 of their size (`float`) or 1e-9 (`double`). Sums in
another order can cancel to another small remainder, so a difference of up to sixteen roundings of the property's
largest value passes too. INF equals INF only, and what is not a number equals itself.

What a Min or Max carries on ties may be any winner's. So where answers differ, the interpreter runs the program once
more with the other answer at hand: where a candidate ties with the winner and would carry what that answer holds, it
takes this one's. Values that belong to some winner come out as they were found, and all that follows from them; others
do not.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.graph.graph import Graph
from starplat.ir import build, nodes as ir, visitor
from starplat.ir.rewriter import Rewriter
from starplat.runtime import elements, launch
from starplat.runtime.arguments.bind import Bound, bind, names_in
from starplat.runtime.arguments.properties import property_cells
from starplat.runtime.arguments.scalars import scalar
from starplat.runtime.attending.progress import UNLIMITED, Limits
from starplat.runtime.elements import Cells, Value
from starplat.runtime.results.result import Result
from starplat.runtime.session import Session
from starplat.schedule import PLAIN

TOLERANCE = {Scalar.FLOAT: 1e-4, Scalar.DOUBLE: 1e-9}
"""What the language allows, relative."""

EPSILON = {Scalar.FLOAT: 2.0**-23, Scalar.DOUBLE: 2.0**-52}


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where answers differ: `name` of a property, or "returned"; `node` is an original id, or None."""

    name: str
    where: str
    got: Any
    expected: Any
    count: int

    def __str__(self) -> str:
        return f"{self.name}{self.where} is {self.got}, the interpreter says {self.expected}{self.more}"

    @property
    def more(self) -> str:
        """How many values differ, if there are several."""
        return f" ({self.count:,} values differ)" if self.count > 1 else ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`valid` is None where the comparison means nothing: a program with a race has several right answers."""

    valid: bool | None
    difference: Difference | None = None
    reason: str = ""

    def __str__(self) -> str:
        if self.valid is None:
            return f"not compared: {self.reason}"
        return "agrees with the interpreter" if self.valid else f"differs: {self.difference}"


def validate(
    result: Result,
    module: ir.Module,
    arguments: Mapping[str, object] | Bound,
    *,
    racy: bool = False,
    limits: Limits = UNLIMITED,
    session: Session | None = None,
) -> tuple[Result, Verdict]:
    """The result with `validated` set, and the verdict. `racy` says that the program has a race, class (f). Of the
    `limits` the time is the interpreter's too; its rounds are others. It runs in the `session`.
    """
    if racy:
        reason = "the program has a race, so its answers may differ from run to run"
        return result, Verdict(None, reason=reason)
    expected = _interpreted(result, module, arguments, limits, session)
    verdict = judged(result, expected, module, arguments, limits, session)
    return replace(result, validated=verdict.valid), verdict


def judged(
    result: Result,
    expected: Result,
    module: ir.Module,
    arguments: Mapping[str, object] | Bound,
    limits: Limits,
    session: Session | None = None,
) -> Verdict:
    """The verdict on an answer that should be `expected`.

    Where the program lets several winners of a Min or Max carry different data, every winner's is right: the
    interpreter is asked once more and takes the answer's side on ties, if it was the interpreter that was asked before.
    """
    if (difference := first_difference(result, expected)) is None or not has_ties(module):
        return Verdict(difference is None, difference)
    if expected.target != "reference":
        return Verdict(None, reason=_SEVERAL)
    bound = arguments if isinstance(arguments, Bound) else bind(module, result.graph, arguments)
    follower = following(module, bound, result)
    again = _interpreted(result, follower.module, follower.bound, limits, session)
    if (difference := first_difference(result, again)) is not None and not follower.complete:
        return Verdict(None, reason=_SEVERAL)
    return Verdict(difference is None, difference)


def _interpreted(
    result: Result, module: ir.Module, arguments: Mapping[str, object] | Bound, limits: Limits, session: Session | None
) -> Result:
    """What the interpreter finds where something else found `result`; limits of rounds and of a device are not its."""
    return launch.run_module(
        module,
        result.graph,
        target="reference",
        arguments=arguments,
        results=list(result.properties),
        schedule=PLAIN,
        limits=replace(limits, max_rounds=None, device_memory=None, host_memory=None),
        session=session,
    )


_SEVERAL = "several winners of a Min or Max may carry different values on ties, so that several answers are right"


def first_difference(result: Result, expected: Result) -> Difference | None:
    """Where two results of one program differ first: what was returned, then property by property."""
    if not _same_value(result.returned, expected.returned):
        return Difference("returned", "", result.returned, expected.returned, 1)
    for name in result.properties:
        cells, kind = result.on_host(name), result.types[name]
        wrong = np.flatnonzero(~agreeing(cells, expected.properties[name], kind.element))
        if len(wrong):
            first = int(wrong[0])
            where = f"[{_place(first, kind, result.graph)}]"
            return Difference(name, where, _item(cells, first), _item(expected[name], first), len(wrong))
    return None


def _item(cells: elements.Cells, index: int) -> Any:
    """A cell as a Python value."""
    return cells[index : index + 1].tolist()[0]


def agreeing(got: elements.Cells, expected: elements.Cells, kind: Scalar) -> elements.Cells:
    """Which values are as near to each other as their type asks."""
    if (tolerance := TOLERANCE.get(kind)) is None:
        return np.asarray(got == expected)
    wide, right = got.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(right)
    floor = 16 * EPSILON[kind] * float(np.abs(right[finite]).max(initial=0.0))
    with np.errstate(invalid="ignore"):
        near = np.abs(wide - right) <= np.maximum(tolerance * np.abs(right), floor)
    same = (wide == right) | (np.isnan(wide) & np.isnan(right))
    return np.asarray(same | (near & finite & np.isfinite(wide)))


def _same_value(got: Any, expected: Any) -> bool:
    if isinstance(expected, tuple | list):
        return len(got) == len(expected) and all(map(_same_value, got, expected))
    if isinstance(expected, float):
        cells = (np.array([got], np.float64), np.array([expected], np.float64))
        return bool(agreeing(*cells, Scalar.FLOAT)[0])
    return bool(got == expected)


def _place(index: int, kind: PropertyType, graph: Graph) -> str:
    """The user's name of the node or the arc."""
    if kind.carrier is Carrier.NODE:
        return f"node {graph.original_id(index)}"
    source, destination = int(graph.sources[index]), int(graph.columns[index])
    return f"arc {index}, {graph.original_id(source)} -> {graph.original_id(destination)}"


@dataclass(frozen=True, slots=True)
class Following:
    """A module that follows an answer where candidates tie, and its arguments. It is not `complete` if the answer does
    not show all that was carried."""

    module: ir.Module
    bound: Bound
    complete: bool


def has_ties(module: ir.Module) -> bool:
    """Whether any Min or Max carries what one winner has and another has not."""
    return any(_data(op) for kernel in module.kernels for op in visitor.walk_kernel(kernel.body))


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
        return super().kernel(kernel) if any(map(_data, visitor.walk_kernel(kernel.body))) else kernel

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
