"""Checks that a module keeps the rules that `nodes` states, so that a mistake of a pass is found where it was made.

Takes a module, returns nothing, raises `InvalidModule`. It is run after lowering and, in tests, after every pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from starplat.ir.capabilities import machine_elements
from starplat.ir.nodes import (
    GRAPH_ARRAYS,
    AllArcs,
    AllNodes,
    Array,
    CallFunction,
    Combine,
    CompareSwap,
    Const,
    Contribute,
    Element,
    Expression,
    Extent,
    ExtremeCell,
    FetchAdd,
    FetchOr,
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
    Module,
    NodeNeighbors,
    Once,
    Origin,
    Parameter,
    SetLocal,
    Store,
    UpdateCell,
    Variable,
)
from starplat.ir.verify_host import verify_host
from starplat.ir.visitor import all_expressions, arrays_in, used_arrays, used_scalars, walk_expression, written_arrays
from starplat.ir.wellformed import InvalidModule, Scope

__all__ = ["InvalidModule", "verify"]

_ON_BITS = (Combine.BIT_AND, Combine.BIT_OR, Combine.BIT_XOR)


def verify(module: Module) -> None:
    """Passes if the module is well formed.

    Raises:
        InvalidModule: it is not; the message says where and what.
    """
    helpers = {helper.name: helper for helper in module.helpers}
    whole = Scope("module", helpers, on_host=True)
    for group in (module.kernels, module.helpers, module.functions):
        names = [item.name for item in group]
        whole.require(len(set(names)) == len(names), f"of {sorted(names)} two have one name")
    whole.require(module.entry in {f.name for f in module.functions}, f"the entry '{module.entry}' is missing")
    for kernel in module.kernels:
        _verify_kernel(kernel, helpers)
    for helper in module.helpers:
        _verify_helper(helper, helpers)
    verify_host(module)
    _verify_interface(module, whole)


def _verify_interface(module: Module, whole: Scope) -> None:
    used = {array for kernel in module.kernels for array in kernel.arrays if array.origin is Origin.GRAPH}
    whole.require(set(module.graph_arrays) == used, "graph_arrays are not what the kernels use")
    parameters = {parameter.what for parameter in module.function(module.entry).parameters}
    for array in (*module.inputs, *module.results):
        whole.require(array in parameters, f"'{array.name}' is no parameter of the entry")


def _verify_kernel(kernel: Kernel, helpers: dict[str, Function]) -> None:
    scope = Scope(f"kernel '{kernel.name}'", helpers, on_host=False)
    for array in kernel.arrays:
        scope.add_array(array)
    for scalar in kernel.scalars:
        scope.declare(scalar)
    _verify_domain(kernel, scope)
    if kernel.filter is not None:
        scope.condition(kernel.filter)
    for reduction in kernel.reductions:
        combines = _combines(reduction.combine, reduction.variable.element)
        scope.require(combines, f"'{reduction.variable.name}' cannot be combined by '{reduction.combine.value}'")
    reductions = {reduction.variable for reduction in kernel.reductions}
    scope.require(len(reductions) == len(kernel.reductions), "two reductions have one variable")
    _Body(scope, reductions, result=None, in_helper=False, alone=isinstance(kernel.domain, Once)).block(kernel.body)
    _verify_signature(kernel, scope)


def _verify_domain(kernel: Kernel, scope: Scope) -> None:
    match kernel.domain:
        case AllNodes():
            expected = Element.NODE
        case AllArcs():
            expected = Element.ARC
        case NodeNeighbors(_, node, position):
            expected = Element.NODE
            scope.index(node)
            scope.require(not any(True for e in walk_expression(node) if isinstance(e, Load)), "its node is not known")
            scope.require(position.element is Element.ARC, "its position is no arc")
            scope.declare(position)
        case Listed():
            expected = Element.NODE
            _verify_list(kernel, kernel.domain, scope)
        case Once():
            scope.require(kernel.iterator is None, "runs once but has an iterator")
            return
        case _:
            assert_never(kernel.domain)
    scope.require(
        kernel.iterator is not None and kernel.iterator.element is expected, "its iterator is of a wrong type"
    )
    assert kernel.iterator is not None
    scope.declare(kernel.iterator)


def _verify_list(kernel: Kernel, listed: Listed, scope: Scope) -> None:
    array, written = listed.array, written_arrays(kernel.body)
    scope.require(array.element is Element.NODE and array.extent is Extent.NODES, f"'{array.name}' lists no nodes")
    for end in (listed.first, listed.last):
        scope.index(end)
        is_cell = isinstance(end, Load) and end.array.extent is Extent.ONE and isinstance(end.index, Const)
        loads = any(isinstance(part, Load) for part in walk_expression(end))
        scope.require(is_cell or not loads, "an end of its list is not known")
        scope.require(not is_cell or not written & set(arrays_in(end)), "it changes an end of its list")


def _verify_signature(kernel: Kernel, scope: Scope) -> None:
    arrays = used_arrays(kernel.body, kernel.domain, kernel.filter)
    scope.require(set(arrays) == set(kernel.arrays), f"arrays must be {sorted(a.name for a in arrays)}")
    scope.require(all(array.origin is not Origin.HOST for array in kernel.arrays), "it uses what the host has alone")
    graph = [array.origin is Origin.GRAPH for array in kernel.arrays]
    scope.require(graph == sorted(graph, reverse=True), "the graph's arrays must come first")
    scope.require(all(a in GRAPH_ARRAYS for a in kernel.arrays if a.origin is Origin.GRAPH), "an unknown graph array")
    scalars = used_scalars(kernel.body, kernel.domain, kernel.filter, kernel.iterator)
    scope.require(set(scalars) == set(kernel.scalars), f"scalars must be {sorted(s.name for s in scalars)}")


def _verify_helper(helper: Function, helpers: dict[str, Function]) -> None:
    scope = Scope(f"helper '{helper.name}'", helpers, on_host=False)
    _declare_parameters(helper.parameters, scope)
    body = _Body(scope, set(), result=helper.result, in_helper=True, alone=False)
    body.locals.update(p.what for p in helper.parameters if isinstance(p.what, Variable))
    body.block(helper.body)
    scope.require(not _reaches(helper.name, helper, helpers, set()), "it calls itself")


def _declare_parameters(parameters: Iterable[Parameter], scope: Scope) -> None:
    for parameter in parameters:
        if isinstance(parameter.what, Array):
            scope.add_array(parameter.what)
        else:
            scope.declare(parameter.what)


def _reaches(name: str, helper: Function, helpers: dict[str, Function], seen: set[str]) -> bool:
    for expression in all_expressions(helper.body):
        if isinstance(expression, CallFunction) and expression.function not in seen:
            seen.add(expression.function)
            if expression.function == name or _reaches(name, helpers[expression.function], helpers, seen):
                return True
    return False


def _combines(combine: Combine, element: Element) -> bool:
    if combine in (Combine.AND, Combine.OR):
        return element is Element.BOOL
    if combine in _ON_BITS:
        return not element.is_real
    return element is not Element.BOOL


class _Body:
    """The operations of one kernel or helper."""

    def __init__(
        self, scope: Scope, reductions: set[Variable], *, result: Element | None, in_helper: bool, alone: bool
    ) -> None:
        self.scope = scope
        self.reductions = reductions
        self.result = result
        self.in_helper = in_helper
        self.alone = alone
        self.locals: set[Variable] = set()
        self.loops = 0

    def block(self, ops: Iterable[KernelOp]) -> None:
        with self.scope.block():
            for op in ops:
                self.op(op)

    def loop(self, *blocks: Iterable[KernelOp]) -> None:
        self.loops += 1
        for block in blocks:
            self.block(block)
        self.loops -= 1

    def op(self, op: KernelOp) -> None:
        scope = self.scope
        match op:
            case Let(variable, value):
                scope.value(value, variable.element)
                scope.declare(variable)
                self.locals.add(variable)
            case SetLocal(variable, value):
                self.local(variable)
                scope.value(value, variable.element)
            case Store(array, index, value, shared):
                self.cell(array, index, value, shared)
            case UpdateCell(combine, array, index, value, shared):
                self.cell(array, index, value, shared)
                scope.require(_combines(combine, array.element), f"'{array.name}' cannot be updated by {combine.value}")
            case ExtremeCell():
                self.extreme(op)
            case FetchAdd() | FetchOr() | CompareSwap():
                self.fetched(op)
            case Contribute(reduction, value):
                scope.require(reduction in self.reductions, f"'{reduction.name}' is none of the reductions")
                scope.value(value, reduction.element)
            case KernelIf(condition, then, otherwise):
                scope.condition(condition)
                self.block(then)
                self.block(otherwise)
            case KernelWhile(condition, body):
                scope.condition(condition)
                self.loop(body)
            case KernelFor(condition, step, body):
                scope.condition(condition)
                self.loop(body)
                self.block(step)
            case ForRange(variable, first, end, body):
                scope.value(first, variable.element)
                scope.value(end, variable.element)
                with scope.block():
                    scope.declare(variable)
                    self.loop(body)
            case ForNeighbors():
                self.neighbors(op)
            case KernelBreak():
                scope.require(self.loops > 0, "break outside a loop")
            case KernelContinue():
                scope.require(self.loops > 0 or not self.in_helper, "continue outside a loop")
            case KernelReturn(value):
                self.returned(value)
            case KernelCall(call):
                scope.call(call, for_effect=True)
            case _:
                assert_never(op)

    def cell(self, array: Array, index: Expression, value: Expression, shared: bool) -> None:
        self.scope.written(array)
        self.scope.index(index)
        self.scope.value(value, array.element)
        self.scope.require(not (shared and self.alone), f"'{array.name}' is shared, but there is one iteration")

    def local(self, variable: Variable) -> None:
        self.scope.variable(variable)
        self.scope.require(variable in self.locals, f"'{variable.name}' is set but no local")

    def fetched(self, op: FetchAdd | FetchOr | CompareSwap) -> None:
        """A local receives what a cell held before."""
        variable, array = op.variable, op.array
        self.cell(array, op.index, op.value, shared=False)
        if isinstance(op, CompareSwap):
            self.scope.value(op.expected, array.element)
        self.local(variable)
        alike = machine_elements(variable.element) == machine_elements(array.element)
        self.scope.require(alike and array.element.is_integer, f"'{variable.name}' cannot hold '{array.name}'")

    def extreme(self, op: ExtremeCell) -> None:
        self.cell(op.array, op.index, op.candidate, op.shared)
        self.scope.require(op.extreme in (Combine.MIN, Combine.MAX), f"'{op.extreme.value}' is no extreme")
        for carry in op.carried:
            self.cell(carry.array, carry.index, carry.value, op.shared)
        if op.lock is not None:
            fits = (op.lock.element, op.lock.extent) == (Element.INT, op.array.extent)
            self.scope.array(op.lock)
            self.scope.require(fits, f"'{op.lock.name}' is no lock for '{op.array.name}'")
            self.scope.require(op.shared and bool(op.carried), f"the lock '{op.lock.name}' is for nothing")
        self.block(op.also)

    def neighbors(self, op: ForNeighbors) -> None:
        self.scope.index(op.node)
        self.scope.require(op.neighbor.element is Element.NODE, f"'{op.neighbor.name}' is no node")
        self.scope.require(op.position.element is Element.ARC, f"'{op.position.name}' is no arc")
        for array in arrays_in(op):
            self.scope.array(array)
        with self.scope.block():
            self.scope.declare(op.position)
            self.scope.declare(op.neighbor)
            self.loop(op.body)

    def returned(self, value: Expression | None) -> None:
        self.scope.require(self.in_helper, "return outside a helper")
        self.scope.require((value is None) == (self.result is None), "return does not suit the result")
        if value is not None and self.result is not None:
            self.scope.value(value, self.result)
