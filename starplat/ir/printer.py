"""The intermediate form as text for readers: one operation a line, expressions as in C.

For `starplat inspect --stage ir` and for tests that show a pass before and after. It is not parsed back, and it is no
target's text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from starplat.ir.nodes import (
    AllArcs,
    AllNodes,
    Array,
    CheckCell,
    Combine,
    CompareSwap,
    Contribute,
    CopyArray,
    DeclareVariable,
    Direction,
    Domain,
    Element,
    Expression,
    ExtremeCell,
    FetchAdd,
    FetchOr,
    Fill,
    ForNeighbors,
    ForRange,
    Function,
    HostBlock,
    HostBreak,
    HostCall,
    HostContinue,
    HostFor,
    HostForMembers,
    HostForNeighbors,
    HostForRange,
    HostFunction,
    HostIf,
    HostOp,
    HostReturn,
    HostWhile,
    Kernel,
    KernelBreak,
    KernelCall,
    KernelContinue,
    KernelFor,
    KernelIf,
    KernelOp,
    KernelReturn,
    KernelWhile,
    Launch,
    Let,
    Listed,
    ListMembers,
    Module,
    NearestFirst,
    NodeNeighbors,
    Once,
    OnDevice,
    Parameter,
    PushOrPull,
    ReadCell,
    ReadEmpty,
    ReadSize,
    SetLocal,
    SetVariable,
    Store,
    Swap,
    UpdateCell,
    Variable,
    WriteCell,
)
from starplat.ir.print_expression import print_arguments, print_expression


def print_module(module: Module) -> str:
    """The whole module."""
    head = [f"module {module.entry}"]
    for title, arrays in (("graph", module.graph_arrays), ("inputs", module.inputs), ("results", module.results)):
        if arrays:
            head.append(f"  {title}: {', '.join(array.name for array in arrays)}")
    parts = ["\n".join(head)]
    parts += [print_function(function) for function in module.functions]
    parts += [print_kernel(kernel) for kernel in module.kernels]
    parts += [print_helper(helper) for helper in module.helpers]
    return "\n\n".join(parts) + "\n"


def print_function(function: HostFunction) -> str:
    """A host function."""
    head = f"host {function.name}({_parameters(function.parameters)}){_result(function.result)}"
    arrays = [f"  array {_array(array)}" for array in function.arrays]
    return "\n".join([head, *arrays, *_indent(_host_lines(function.body))])


def print_kernel(kernel: Kernel) -> str:
    """A kernel with what it uses."""
    lines = [f"kernel {kernel.name} {_domain(kernel.domain, kernel.iterator)}"]
    if kernel.comment:
        lines.append(f"  # {kernel.comment}")
    for array in kernel.arrays:
        lines.append(f"  array {_array(array)}")
    for scalar in kernel.scalars:
        lines.append(f"  scalar {_variable(scalar)}")
    for reduction in kernel.reductions:
        lines.append(f"  reduction {_variable(reduction.variable)} by {reduction.combine.value}")
    if kernel.filter is not None:
        lines.append(f"  where {print_expression(kernel.filter)}")
    return "\n".join([*lines, *_indent(print_ops(kernel.body))])


def print_helper(helper: Function) -> str:
    """A function that kernels call."""
    head = f"helper {helper.name}({_parameters(helper.parameters)}){_result(helper.result)}"
    return "\n".join([head, *_indent(print_ops(helper.body))])


HostLoop = HostWhile | HostFor | HostForRange | HostForNeighbors | HostForMembers

# --- declarations --------------------------------------------------------------------------------------------------


def _variable(variable: Variable) -> str:
    return f"{variable.name}: {variable.element.value}"


def _array(array: Array) -> str:
    kind = " set" if array.is_set else ""
    return f"{array.name}: {array.element.value}[{array.extent.value}] {array.origin.value}{kind}"


def _parameters(parameters: Iterable[Parameter]) -> str:
    return ", ".join(
        _array(p.what) if isinstance(p.what, Array) else ("&" if p.by_reference else "") + _variable(p.what)
        for p in parameters
    )


def _result(element: Element | None) -> str:
    return "" if element is None else f" -> {element.value}"


def _domain(domain: Domain, iterator: Variable | None) -> str:
    name = "" if iterator is None else iterator.name
    match domain:
        case AllNodes():
            return f"for {name} in nodes"
        case AllArcs():
            return f"for {name} in arcs"
        case NodeNeighbors(direction, node, position):
            return f"for {name} in {_row(direction, node)} at {position.name}"
        case Listed(array, first, last):
            return f"for {name} in {array.name}[{print_expression(first)} .. {print_expression(last)}]"
        case Once():
            return "once"
        case _:
            assert_never(domain)


def _row(direction: Direction, node: Expression) -> str:
    return f"{direction.value}_neighbors({print_expression(node)})"


# --- operations ----------------------------------------------------------------------------------------------------


def _indent(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def print_ops(ops: Iterable[KernelOp]) -> list[str]:
    """The lines of operations of a kernel."""
    return [line for op in ops for line in _kernel_lines(op)]


def _kernel_lines(op: KernelOp) -> Iterator[str]:
    show = print_expression
    match op:
        case Let(variable, value):
            yield f"let {_variable(variable)} = {show(value)}"
        case SetLocal(variable, value):
            yield f"{variable.name} = {show(value)}"
        case Store(array, index, value, shared):
            yield f"{array.name}[{show(index)}] = {show(value)}{_shared(shared)}"
        case UpdateCell(combine, array, index, value, shared):
            yield f"{array.name}[{show(index)}] {_assignment(combine)} {show(value)}{_shared(shared)}"
        case ExtremeCell():
            yield from (_extreme(op), *_indent(print_ops(op.also)))
        case FetchAdd(variable, array, index, value) | FetchOr(variable, array, index, value):
            sign = "+=" if isinstance(op, FetchAdd) else "|="
            yield f"{variable.name} = fetch {array.name}[{show(index)}] {sign} {show(value)}"
        case CompareSwap(variable, array, index, expected, value):
            yield f"{variable.name} = swap {array.name}[{show(index)}] from {show(expected)} to {show(value)}"
        case Contribute(reduction, value):
            yield f"contribute {reduction.name} {show(value)}"
        case KernelIf(condition, then, otherwise):
            yield f"if {show(condition)}"
            yield from _indent(print_ops(then))
            if otherwise:
                yield "else"
                yield from _indent(print_ops(otherwise))
        case KernelWhile(condition, body, test_last):
            yield f"do while {show(condition)}" if test_last else f"while {show(condition)}"
            yield from _indent(print_ops(body))
        case KernelFor(condition, step, body):
            yield f"for {show(condition)}"
            yield from _indent(print_ops(body))
            yield "step"
            yield from _indent(print_ops(step))
        case ForRange(variable, first, end, body):
            yield f"for {_variable(variable)} in {show(first)} .. {show(end)}"
            yield from _indent(print_ops(body))
        case ForNeighbors(direction, node, neighbor, position, body, parallel):
            word = "forall" if parallel else "for"
            yield f"{word} {neighbor.name} in {_row(direction, node)} at {position.name}"
            yield from _indent(print_ops(body))
        case KernelBreak():
            yield "break"
        case KernelContinue():
            yield "continue"
        case KernelReturn(value):
            yield "return" if value is None else f"return {show(value)}"
        case KernelCall(call):
            yield show(call)
        case _:
            assert_never(op)


def _assignment(combine: Combine) -> str:
    return f"{combine.value}="


def _shared(shared: bool) -> str:
    return " shared" if shared else ""


def _extreme(op: ExtremeCell) -> str:
    carried = "".join(
        f", {carry.array.name}[{print_expression(carry.index)}] = {print_expression(carry.value)}"
        for carry in op.carried
    )
    cell = f"{op.array.name}[{print_expression(op.index)}]"
    lock = "" if op.lock is None else f" lock {op.lock.name}"
    return f"{cell} {_assignment(op.extreme)} {print_expression(op.candidate)}{carried}{_shared(op.shared)}{lock}"


def _host_lines(ops: Iterable[HostOp]) -> list[str]:
    return [line for op in ops for line in _host_op(op)]


def _host_op(op: HostOp) -> Iterator[str]:
    show = print_expression
    match op:
        case DeclareVariable(variable, value):
            yield f"let {_variable(variable)} = {show(value)}"
        case SetVariable(variable, value):
            yield f"{variable.name} = {show(value)}"
        case Fill(array, value):
            yield f"fill {array.name} with {show(value)}"
        case CopyArray(destination, source):
            yield f"copy {source.name} to {destination.name}"
        case Swap(first, second):
            yield f"swap {first.name}, {second.name}"
        case Launch(kernel):
            yield f"launch {kernel}"
        case ReadCell(variable, array, index):
            yield f"read {variable.name} = {array.name}[{show(index)}]"
        case WriteCell(array, index, value):
            yield f"write {array.name}[{show(index)}] = {show(value)}"
        case ReadSize(variable, flags):
            yield f"{variable.name} = size of {flags.name}"
        case ListMembers(flags, array, first):
            yield f"list {flags.name} in {array.name}[{print_expression(first)} ..]"
        case ReadEmpty(variable, flags, when_empty):
            yield f"{variable.name} = {flags.name} is {'empty' if when_empty else 'not empty'}"
        case CheckCell(array, index):
            yield f"check {array.name}[{show(index)}]"
        case HostIf(condition, then, otherwise):
            yield f"if {show(condition)}"
            yield from _indent(_host_lines(then))
            if otherwise:
                yield "else"
                yield from _indent(_host_lines(otherwise))
        case HostWhile() | HostFor() | HostForRange() | HostForNeighbors() | HostForMembers():
            yield from _host_loop(op)
        case HostBreak():
            yield "break"
        case HostContinue():
            yield "continue"
        case HostReturn(value):
            yield "return" if value is None else f"return {show(value)}"
        case HostCall(function, arguments, result):
            target = "" if result is None else f"{result.name} = "
            yield f"{target}call {function}({print_arguments(arguments)})"
        case HostBlock(body):
            yield from _host_lines(body)
        case NearestFirst() | PushOrPull() | OnDevice():
            yield from _scheduled(op)
        case _:
            assert_never(op)


def _scheduled(op: NearestFirst | PushOrPull | OnDevice) -> Iterator[str]:
    """What a schedule has made."""
    match op:
        case NearestFirst(body, _, now, _, later, values, step):
            yield f"nearest first: {now.name} by {values.name} in steps of {step.name}, others in {later.name}"
            yield from _indent(_host_lines(body))
        case PushOrPull(members, push, pull):
            yield f"push, or pull if {members.name} has many"
            yield from _parts((("push", push), ("pull", pull)))
        case OnDevice(name, body):
            yield f"on device {name}{', one group' * op.one_group}{', traced' * op.traced}"
            yield from _indent(_host_lines(body))
        case _:
            assert_never(op)


def _host_loop(op: HostLoop) -> Iterator[str]:
    show = print_expression
    match op:
        case HostWhile(before, condition, body, test_last):
            yield f"do while {show(condition)}" if test_last else f"while {show(condition)}"
            yield from _parts((("before", before), ("body", body)))
        case HostFor(before, condition, step, body):
            yield f"for {show(condition)}"
            yield from _parts((("before", before), ("body", body), ("step", step)))
        case HostForRange(variable, first, end, body):
            yield f"for {_variable(variable)} in {show(first)} .. {show(end)}"
            yield from _indent(_host_lines(body))
        case HostForNeighbors(direction, node, neighbor, position, body):
            yield f"for {neighbor.name} in {_row(direction, node)} at {position.name}"
            yield from _indent(_host_lines(body))
        case HostForMembers(variable, members, body):
            yield f"for {_variable(variable)} in {members.name}"
            yield from _indent(_host_lines(body))
        case _:
            assert_never(op)


def _parts(parts: Iterable[tuple[str, tuple[HostOp, ...]]]) -> Iterator[str]:
    """The named blocks of a loop, those that hold anything."""
    for name, body in parts:
        if body:
            yield f"  {name}"
            yield from _indent(_indent(_host_lines(body)))
