"""Prints kernel operations, and the parts that they share with host operations."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from starplat.ir import nodes as ir
from starplat.ir.printing.expressions import print_arguments, print_expression
from starplat.ir.visitor import EXPRESSIONS

_DECLARED = "let {variable.name}: {variable.element.value} = {value}"
_ASSIGNED = "{variable.name} = {value}"
_COUNTED = "for {variable.name}: {variable.element.value} in {first} .. {end}"
_NEIGHBORS = "{neighbor.name} in {direction.value}_neighbors({node}) at {position.name}"

LINES: Mapping[type, str] = {
    ir.Let: _DECLARED,
    ir.SetLocal: _ASSIGNED,
    ir.Store: "{array.name}[{index}] = {value}{shared}",
    ir.UpdateCell: "{array.name}[{index}] {combine.value}= {value}{shared}",
    ir.ExtremeCell: "{array.name}[{index}] {extreme.value}= {candidate}{partner}{carried}{shared}{lock}",
    ir.FetchAdd: "{variable.name} = fetch {array.name}[{index}] += {value}",
    ir.FetchOr: "{variable.name} = fetch {array.name}[{index}] |= {value}",
    ir.CompareSwap: "{variable.name} = swap {array.name}[{index}] from {expected} to {value}",
    ir.Contribute: "contribute {reduction.name} {value}",
    ir.KernelIf: "if {condition}",
    ir.KernelWhile: "{test_last}while {condition}",
    ir.KernelFor: "for {condition}",
    ir.ForRange: _COUNTED,
    ir.ForNeighbors: "for{parallel} " + _NEIGHBORS + "{by_degree}{ahead}{heads}",
    ir.KernelBreak: "break",
    ir.KernelContinue: "continue",
    ir.KernelReturn: "return {value}",
    ir.KernelCall: "{call}",
    ir.DeclareVariable: _DECLARED,
    ir.SetVariable: _ASSIGNED + "{for_many}",
    ir.Fill: "fill {array.name} with {value}",
    ir.CopyArray: "copy {source.name} to {destination.name}",
    ir.Swap: "swap {first.name}, {second.name}",
    ir.Launch: "launch {kernel}",
    ir.ReadCell: "read {variable.name} = {array.name}[{index}]",
    ir.WriteCell: "write {array.name}[{index}] = {value}",
    ir.CheckCell: "check {array.name}[{index}]",
    ir.ReadSize: "{variable.name} = size of {flags.name}",
    ir.ReadEmpty: "{variable.name} = {flags.name} is {when_empty}empty",
    ir.ListMembers: "list {flags.name} in {array.name}[{first} ..]",
    ir.Tell: "tell of place {site}",
    ir.TellRecorded: "tell of what {faults.name} has",
    ir.TakeBatch: "{variable.name} = end of {size} updates of {adds.name} from {first}, at most {limit}",
    ir.EndBatch: "batch done",
    ir.ChangeGraph: "change graph by updates of {adds_of.name} from {first} to {end} of kind {kind}, {kinds}",
    ir.TakePart: "part of the nodes: {first.name} .. {end.name}",
    ir.TakeNumber: "part {number.name} of {parts.name}",
    ir.TakeMembers: "own members of {array.name}",
    ir.KeepOwn: "keep own cells of {array.name}, others are {value}{among}",
    ir.CombineParts: "combine {array.name} of all parts by {combine.value}{carried}{among}",
    ir.CombineChanged: "combine {array.name} where parts have changed {before.name}",
    ir.ShareParts: "share {array.name}{among}",
    ir.Together: "together {variable.name} = {before.name} {combine.value} that of all parts",
    ir.ExchangeCells: "exchange {arrays}{common}{among}{by}",
    ir.TakeFirst: "take {variable.name} of the first part",
    ir.HostIf: "if {condition}",
    ir.Loop: "{test_last}while {condition}{driver}",
    ir.HostForRange: _COUNTED,
    ir.HostForNeighbors: "for " + _NEIGHBORS,
    ir.HostForMembers: "for {variable.name}: {variable.element.value} in {members.name}",
    ir.HostForItems: "for {variable.name}: {variable.element.value} in {items.name}",
    ir.DeclareList: "list {items.name}: {items.element.value}",
    ir.ChangeList: "{items.name} {change.value} {arguments}",
    ir.CopyList: "copy {source.name} to {destination.name}",
    ir.ReadItem: "{variable.name} = {items.name}[{index}]",
    ir.ReadLength: "{variable.name} = size of {items.name}",
    ir.PutItems: "put {items.name} in {array.name}",
    ir.MakeRoom: "make room in {array.name} for what goes with {items.name}",
    ir.HostBreak: "break",
    ir.HostContinue: "continue",
    ir.HostReturn: "return {value}{more}",
    ir.HostCall: "{result}call {function}({arguments}){lists}",
    ir.OnDevice: "on device {name}{one_group}{cluster}{wide}{crossing}{in_parts}{even_rows}{traced}",
}
"""The line of each operation; what stands in braces is a field."""

_FLAGS = {
    "shared": ("", " shared"),
    "test_last": ("", "do "),
    "parallel": ("", "all"),
    "by_degree": ("", " by degree"),
    "heads": ("", ", heads apart"),
    "when_empty": ("not ", ""),
    "one_group": ("", ", one group"),
    "cluster": ("", ", one cluster"),
    "wide": ("", " of many threads"),
    "for_many": ("", ", where many"),
    "common": ("", ", one value,"),
    "in_parts": ("", ", on several devices"),
    "even_rows": ("", " with even rows"),
    "traced": ("", ", traced"),
}
"""What a field says that is false, or true."""

_HEADED = ("before", "pull", "body", "step")
"""The blocks of loops of the host, each under its name, in the order of a round, and those of launches."""


def print_ops(ops: Iterable[ir.KernelOp] | Iterable[ir.HostOp]) -> list[str]:
    """The lines of operations."""
    return [line for op in ops for line in _lines(op)]


def _lines(op: ir.KernelOp | ir.HostOp) -> Iterator[str]:
    if isinstance(op, ir.HostBlock):
        yield from print_ops(op.body)
        return
    shown = {field.name: _shown(field.name, getattr(op, field.name)) for field in fields(op)}
    yield LINES[type(op)].format_map(shown).rstrip()
    if isinstance(op, ir.Loop | ir.Launch):
        for name in _HEADED:
            if block := getattr(op, name, ()):
                many = f" if {op.members.name} has many" if isinstance(op, ir.Launch) and op.members else ""
                yield from (f"  {name}{many}", *indent(indent(print_ops(block))))
        return
    for name, heading in (("then", ()), ("body", ()), ("also", ()), ("otherwise", ("else",)), ("step", ("step",))):
        if isinstance(block := getattr(op, name, ()), tuple) and block:
            yield from (*heading, *indent(print_ops(block)))


def _shown(name: str, value: Any) -> object:
    """What a line says of a field; variables, arrays and enumerations as they are."""
    match name, value:
        case (("value" | "lock" | "partner" | "result" | "driver" | "ahead" | "among" | "by"), None):
            return ""
        case "ahead", _:
            return f" after {print_expression(value)} rows of other parts"
        case "lock", ir.Array(array):
            return f" lock {array}"
        case "partner", _:
            return f" with {print_expression(value)}"
        case "result", ir.Variable(variable):
            return f"{variable} = "
        case "carried", (ir.Array(), *_):
            return f", with {', '.join(array.name for array in value)} of a winner"
        case "carried", tuple():
            return "".join(
                f", {c.array.name}[{print_expression(c.index)}] = {print_expression(c.value)}" for c in value
            )
        case "by", ir.Combine():
            return f" by {value.value}"
        case "arrays", (ir.Array(), *_):
            return ", ".join(array.name for array in value)
        case "among", ir.Array(among):
            return f" where {among} has members"
        case "driver", ir.Ahead(_, most):
            return f", up to {most} rounds ahead"
        case "driver", ir.NearestFirst(later, values, step):
            return f", nearest first by {values.name} in steps of {step.name}, others in {later.name}"
        case "crossing", None:
            return ""
        case "crossing", ir.Crossing(_, _, resumed, first):
            unless = f" unless {first.name}" if first is not None else ""
            return f", going on with {', '.join(array.name for array in resumed)}{unless}" if resumed else ""
        case "more", tuple():
            return "".join(f", {print_expression(one)}" for one in value)
        case "arguments", tuple():
            return print_arguments(value)
        case "lists", tuple():
            return f" with {', '.join(one.name for one in value)}" if value else ""
        case "value", ir.HostList(listed):
            return listed
        case _, bool() if name in _FLAGS:
            return _FLAGS[name][value]
    return print_expression(value) if type(value) in EXPRESSIONS else value


def indent(lines: Iterable[str]) -> Iterator[str]:
    """The lines one step further in."""
    return (f"  {line}" for line in lines)
