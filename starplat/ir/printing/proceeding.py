"""The host's steps in a module: loops, launches with their domains, transfers.

`steps` gives it as data, `proceeding` as text. Today every loop of a host program runs on the host and every kernel
gives one work-item to each member of its domain; there is no other choice to show.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from starplat.ir import nodes as ir
from starplat.ir.launches import changed_by
from starplat.source import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that the host does; `span` is the innermost statement it stems from, `kernel` what it launches."""

    depth: int
    text: str
    span: Span = NOWHERE
    kernel: str | None = None


def proceeding(module: ir.Module) -> str:
    """The functions of the host program, one line an operation that a device sees, loops indented."""
    return "\n".join("  " * step.depth + step.text for step in steps(module))


def steps(module: ir.Module) -> tuple[Step, ...]:
    """The same as data."""
    return tuple(step for function in module.functions for step in _function(module, function))


def _function(module: ir.Module, function: ir.HostFunction) -> Iterator[Step]:
    role = " (entry)" if function.name == module.entry else ""
    yield Step(0, f"{function.name}{role}", function.span)
    if function.arrays:
        yield Step(1, f"on the device while it runs: {_names(function.arrays)}", function.span)
    yield from _block(module, function.body, 1)


def _block(module: ir.Module, ops: Iterable[ir.HostOp], depth: int) -> Iterator[Step]:
    for op in ops:
        if isinstance(op, ir.HostBlock):
            for step in _block(module, op.body, depth):
                yield step if step.span != NOWHERE else replace(step, span=op.span)
        else:
            yield from _op(module, op, depth)


def _op(module: ir.Module, op: ir.HostOp, depth: int) -> Iterator[Step]:
    match op:
        case ir.HostBlock():
            yield from _block(module, (op,), depth)
        case ir.OnDevice():
            yield Step(depth, f"launch {op.name}, in which {_together(op)}", op.span, op.name)
            yield from map(_in_one_launch, _block(module, op.body, depth + 1))
        case ir.Launch():
            kernel = module.kernel(op.kernel)
            if op.members is not None:
                yield Step(depth, f"where {op.members.name} has many")
                yield from _block(module, op.pull, depth + 1)
                yield Step(depth, f"where {op.members.name} has few")
                depth += 1
            yield Step(depth, _kernel(module, kernel), kernel.span, kernel.name)
        case ir.HostIf():
            yield from _branch(module, op, depth)
        case ir.Loop():
            yield Step(depth, _driven(op))
            yield from _block(module, op.body, depth + 1)
            yield from _block(module, op.before, depth + 1)
        case ir.HostForRange() | ir.HostForNeighbors() | ir.HostForMembers() | ir.HostForItems():
            iterator = op.neighbor if isinstance(op, ir.HostForNeighbors) else op.variable
            yield Step(depth, f"loop on the host over {iterator.name}")
            yield from _block(module, op.body, depth + 1)
        case ir.ChangeGraph():
            words = {0: "delete arcs of the graph", 1: "add arcs to the graph"}
            yield Step(depth, ", ".join(words[kind] for kind in op.kinds))
        case _ if isinstance(op, _Untold):
            return
        case ir.CombineParts() | ir.CombineChanged() | ir.ShareParts() | ir.ExchangeCells():
            yield Step(depth, f"exchange {_names(changed_by(op))} between parts")
        case _:
            yield Step(depth, _TEXTS[type(op)].format(op))


_TEXTS: Mapping[type, str] = {
    ir.Fill: "fill {0.array.name}",
    ir.CopyArray: "copy {0.source.name} to {0.destination.name}",
    ir.Swap: "swap {0.first.name} and {0.second.name}",
    ir.ReadCell: "read a word of {0.array.name} back",
    ir.WriteCell: "write a word of {0.array.name}",
    ir.HostCall: "call {0.function}",
    ir.ListMembers: "list {0.flags.name} in {0.array.name}",
    ir.PutItems: "copy the list {0.items.name} to {0.array.name}",
    ir.Together: "exchange {0.variable.name} between parts",
    ir.TakeFirst: "exchange {0.variable.name} between parts",
}
"""The steps of operations that have nothing inside."""

_Untold = (
    ir.DeclareVariable | ir.SetVariable | ir.CheckCell | ir.ReadEmpty | ir.ReadSize | ir.HostBreak | ir.HostContinue
    | ir.HostReturn | ir.Tell | ir.TellRecorded | ir.DeclareList | ir.ChangeList | ir.CopyList | ir.ReadItem
    | ir.ReadLength | ir.MakeRoom | ir.TakeBatch | ir.EndBatch | ir.TakePart | ir.TakeNumber | ir.TakeMembers
    | ir.KeepOwn
)  # fmt: skip
"""Operations that no device sees, or that are part of another step."""


def _together(op: ir.OnDevice) -> str:
    """How the threads of one launch go through its rounds."""
    if not (op.one_group or op.cluster):
        return "the threads wait for each other"
    return "one cluster of groups runs rounds of few nodes" if op.cluster else "one group of threads runs all rounds"


def _driven(op: ir.Loop) -> str:
    """How a loop goes on."""
    match op.driver:
        case None:
            return "loop on the host"
        case ir.Ahead(goes_on, most):
            return f"loop, up to {most} rounds launched ahead; reads {goes_on.name} back"
        case ir.NearestFirst(later, values):
            return f"loop on the host, nodes with low {values.name} first; others wait in {later.name}"
        case _:
            assert_never(op.driver)


def _in_one_launch(step: Step) -> Step:
    """The step inside a persistent kernel."""
    text = step.text
    for on_the_host, inside in (("loop on the host", "loop"), ("launch ", "run "), ("; brings back ", "; finds ")):
        text = text.replace(on_the_host, inside, 1)
    return replace(step, text=text)


def _branch(module: ir.Module, op: ir.HostIf, depth: int) -> Iterator[Step]:
    branches = (("if", op.then), ("else", op.otherwise))
    for word, ops in branches:
        if inside := list(_block(module, ops, depth + 1)):
            yield Step(depth, word)
            yield from inside


def _kernel(module: ir.Module, kernel: ir.Kernel) -> str:
    file, start = module.source.file_at(kernel.span.start)
    line = f", {file.name}:{file.position(start)[0]}" if kernel.span.end else ""
    filtered = " that passes its filter" if kernel.filter is not None else ""
    back = kernel.brought_back
    brought = f"; brings back {_names(r.variable for r in back)}" if back else ""
    return f"launch {kernel.name}: {_DOMAINS[type(kernel.domain)].format(kernel.domain)}{filtered}{brought}{line}"


_DOMAINS: Mapping[type, str] = {
    ir.AllNodes: "a work-item for every node",
    ir.AllArcs: "a work-item for every arc",
    ir.NodeNeighbors: "a work-item for every neighbor of a node",
    ir.Listed: "a work-item for every node that is listed in {0.array.name}",
    ir.InWords: "a work-item for every bit of the words that are listed in {0.array.name}",
    ir.Numbers: "a work-item for every number below a limit",
    ir.WordsOfNodes: "a work-item for every word of bits, or a few, of every node",
    ir.Triangles: "work-items for the triangles among the arcs that nodes keep",
    ir.Workers: "a work-item for each of a few shares of the work",
    ir.Once: "one work-item",
}


def _names(things: Iterable[ir.Array | ir.Variable]) -> str:
    return ", ".join(thing.name for thing in things)
