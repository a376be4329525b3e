"""`starplat inspect`: the stages of the compiler as text or beside the program, or two targets compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, assert_never

import typer

from starplat.cli import arguments, console, files
from starplat.cli.arguments import ANY, DeviceChoice, wanted_schedule
from starplat.frontend import ast, typed
from starplat.schedule.schedule import PLAIN
from starplat.source import SourceFile, Span

if TYPE_CHECKING:
    from starplat.ir import nodes as ir
    from starplat.ir.capabilities import Capabilities
    from starplat.schedule import Schedule


class Stage(Enum):
    """Where on the way from text to a target's source to look."""

    TOKENS = "tokens"
    AST = "ast"
    TYPED = "typed"
    OPERATORS = "operators"
    IR = "ir"
    SCHEDULE = "schedule"
    SOURCE = "source"


def inspect(
    file: arguments.ProgramOrStdin,
    stage: Annotated[Stage, typer.Option("--stage", help="The stage to show.")] = Stage.IR,
    target: Annotated[str, typer.Option("--target", "-t", help="The target, from --stage schedule on.")] = "opencl",
    function: arguments.FunctionName = None,
    device: arguments.DeviceNumber = None,
    kind: arguments.Kind = None,
    schedule: arguments.ScheduleText = None,
    annotate: Annotated[
        bool, typer.Option("--annotate", help="The program beside the target's kernels, with the reasons.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT.html", help="The same as one page; implies --annotate.")
    ] = None,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option("--diff", metavar="A B", help="How the kernels of two targets or schedules differ."),
    ] = None,
    all_errors: arguments.AllErrors = False,
) -> None:
    """Show what a stage of the compiler makes of a program."""
    from starplat.cli.files import source_at

    if diff is not None and (annotate or html is not None):
        raise typer.BadParameter("compares texts, and cannot go with --annotate or --html", param_hint="--diff")
    source, device_choice = source_at(file), DeviceChoice(device, kind)
    if diff is not None:
        _show_difference(difference(source, *diff, function, target, wanted_schedule(schedule, file), device_choice))
    elif annotate or html is not None:
        _annotate(source, target, function, html, wanted_schedule(schedule, file), device_choice)
    elif stage in (Stage.SCHEDULE, Stage.SOURCE) or schedule is not None:
        console.write(shown(source, stage, target, function, wanted_schedule(schedule, file), device_choice))
    else:
        console.write(shown(source, stage, target, function, PLAIN, device_choice))


def _annotate(
    source: SourceFile,
    target: str,
    function: str | None,
    html: Path | None,
    schedule: Schedule | None,
    device_choice: DeviceChoice,
) -> None:
    from starplat import pipeline
    from starplat.cli.views.annotating import annotate

    checked = pipeline.check(source)
    annotation = annotate(checked, target, function, schedule, _capabilities_of(device_choice, target, schedule))
    if html is not None:
        from starplat.cli.views.side_by_side import page

        files.write_text(html, page(annotation, checked.source.in_one()))
        console.say(f"{html}: written")
        return
    from starplat.cli.views.side_by_side import show

    out = console.out()
    with out.capture() as captured:
        show(annotation, checked.source.in_one(), out)
    console.write("\n".join(line.rstrip(" ") for line in captured.get().split("\n")))


def difference(
    source: SourceFile,
    left: str,
    right: str,
    function: str | None,
    target: str = "opencl",
    schedule: Schedule | None = None,
    device_choice: DeviceChoice = ANY,
) -> str:
    """A unified diff of the kernels of two targets; a schedule among the two is one for `target`. Empty if they are
    equal. Raises DiagnosticError: the program is wrong, or there is no such target or schedule."""
    from difflib import unified_diff

    from starplat import pipeline
    from starplat.schedule.parse import is_schedule, parse_schedule

    module = pipeline.lower(pipeline.check(source), function)
    sides = [(target, parse_schedule(said)) if is_schedule(said) else (said, schedule) for said in (left, right)]
    capabilities = {side: _capabilities_of(device_choice, *side) for side in dict.fromkeys(sides)}
    before, after = (
        pipeline.kernels_text(module, *side, capabilities[side]).splitlines(keepends=True) for side in sides
    )
    return "".join(unified_diff(before, after, f"{source.name} ({left})", f"{source.name} ({right})"))


def _show_difference(text: str) -> None:
    import sys

    if not console.wants_colour(sys.stdout):
        console.write(text)
        return
    from rich.text import Text

    styles = {"+": "green", "-": "red", "@": "cyan"}
    for line in text.splitlines():
        style = "bold" if line.startswith(("+++", "---")) else styles.get(line[:1], "")
        console.out().print(Text(line, style=style), soft_wrap=True)


def shown(
    source: SourceFile,
    stage: Stage,
    target: str,
    function: str | None,
    schedule: Schedule | None = None,
    device_choice: DeviceChoice = ANY,
) -> str:
    """A stage's record as text. Raises DiagnosticError: the program does not get as far as the stage."""
    from starplat import pipeline

    match stage:
        case Stage.TOKENS:
            return _tokens(source)
        case Stage.AST:
            return draw(pipeline.parse(source))
        case Stage.TYPED:
            return draw(pipeline.check(source).tree)
        case Stage.OPERATORS:
            return pipeline.operators(pipeline.check(source), function).removesuffix("\n")
        case Stage.IR:
            from starplat.ir.printing.modules import print_module

            return print_module(_module(source, target, function, schedule, device_choice))
        case Stage.SCHEDULE:
            from starplat.ir.printing.proceeding import proceeding

            return proceeding(_module(source, target, function, schedule, device_choice))
        case Stage.SOURCE:
            module = pipeline.lower(pipeline.check(source), function)
            return pipeline.kernels_text(module, target, schedule, _capabilities_of(device_choice, target, schedule))
        case _:
            assert_never(stage)


def _module(
    source: SourceFile, target: str, function: str | None, schedule: Schedule | None, device_choice: DeviceChoice
) -> ir.Module:
    from starplat import pipeline

    module = pipeline.lower(pipeline.check(source), function)
    return pipeline.scheduled(module, target, schedule, _capabilities_of(device_choice, target, schedule))


def _capabilities_of(device_choice: DeviceChoice, target: str, schedule: Schedule | None) -> Capabilities | None:
    """The capabilities of the device that the schedule is for, which is reported; None where nothing depends on it."""
    if schedule == PLAIN and not device_choice.asked:
        return None
    found = device_choice.of(target)
    if found.device:
        console.say(f"schedule for {found}")
    return found.capabilities


def _tokens(source: SourceFile) -> str:
    from starplat.frontend.parser import tokens

    lines = []
    for token in tokens(source):
        line, column = source.position(token.span.start)
        lines.append(f"{f'{line}:{column}':<8} {token.kind:<12} {token.text}")
    return "\n".join(lines)


def draw(node: Any) -> str:
    """The tree under `node`; spans, sources and messages are left out."""
    lines: list[str] = []
    pending: list[tuple[int, str, Any]] = [(0, "", node)]
    while pending:  # not recursive: a long chain of operators is a deep tree
        depth, label, value = pending.pop()
        lines.append("  " * depth + label + _head(value))
        pending.extend((depth + 1, *child) for child in reversed(list(_children(value))))
    return "\n".join(lines)


def _head(value: Any) -> str:
    plain = [f"{name}={_plain(item)}" for name, item in _fields(value) if _is_plain(item)]
    return " ".join([type(value).__name__, *plain])


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    for name, item in _fields(value):
        if _is_plain(item):
            continue
        if isinstance(item, tuple):
            yield from ((f"{name}: ", part) for part in item)
        else:
            yield f"{name}: ", item


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, tuple):
        yield from ((str(number), part) for number, part in enumerate(value))
    elif is_dataclass(value):
        for field in fields(value):
            item = getattr(value, field.name)
            if not isinstance(item, Span | SourceFile) and field.name != "warnings":
                yield field.name, item


def _is_plain(item: Any) -> bool:
    if isinstance(item, tuple):
        return all(_is_plain(part) for part in item)
    return isinstance(item, typed.Symbol | ast.Name) or not list(_fields(item))


def _plain(item: Any) -> str:
    match item:
        case typed.Symbol():
            return f"{item.name}:{item.type}"
        case ast.Name():
            return item.text
        case Enum():
            return str(item.value)
        case str():
            return item
        case () | None:
            return "-"
        case tuple():
            return f"({', '.join(map(_plain, item))})"
        case _ if is_dataclass(item):
            return type(item).__name__
    return repr(item)
