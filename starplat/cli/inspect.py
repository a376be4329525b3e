"""`starplat inspect`: what a stage of the compiler makes of a program, as text or beside the program, or what two
targets make of it, compared."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, assert_never

import typer

from starplat.cli import console, files
from starplat.cli.arguments import FunctionName, ProgramFile
from starplat.source import SourceFile


class Stage(Enum):
    """Where on the way from text to a target's source to look."""

    TOKENS = "tokens"
    AST = "ast"
    TYPED = "typed"
    IR = "ir"
    SCHEDULE = "schedule"
    SOURCE = "source"


def inspect(
    file: ProgramFile,
    stage: Annotated[Stage, typer.Option("--stage", help="The stage to show.")] = Stage.IR,
    target: Annotated[str, typer.Option("--target", "-t", help="For --stage source: the target.")] = "opencl",
    function: FunctionName = None,
    annotate: Annotated[
        bool, typer.Option("--annotate", help="The program beside the target's kernels, with the reasons.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT.html", help="The same as one page; implies --annotate.")
    ] = None,
    diff: Annotated[
        tuple[str, str] | None, typer.Option("--diff", metavar="A B", help="How the kernels of two targets differ.")
    ] = None,
) -> None:
    """Show what a stage of the compiler makes of a program."""
    from starplat.pipeline import read_program

    if diff is not None and (annotate or html is not None):
        raise typer.BadParameter("compares texts, and cannot go with --annotate or --html", param_hint="--diff")
    source = read_program(file)
    if diff is not None:
        _show_difference(difference(source, *diff, function))
    elif annotate or html is not None:
        _annotate(source, target, function, html)
    else:
        console.write(shown(source, stage, target, function))


def _annotate(source: SourceFile, target: str, function: str | None, html: Path | None) -> None:
    from starplat import pipeline
    from starplat.cli.annotation import annotate

    checked = pipeline.check(source)
    annotation = annotate(checked, target, function)
    if html is not None:
        from starplat.cli.page import page

        files.write_text(html, page(annotation, source))
        console.say(f"{html}: written")
        return
    from starplat.cli.side_by_side import show

    out = console.out()
    with out.capture() as captured:
        show(annotation, source, out)
    console.write("\n".join(line.rstrip(" ") for line in captured.get().split("\n")))


def difference(source: SourceFile, left: str, right: str, function: str | None) -> str:
    """A unified diff of what two targets' compilers get; empty if it is the same.

    Raises:
        DiagnosticError: the program is wrong, or there is no such target.
    """
    from difflib import unified_diff

    from starplat import pipeline

    module = pipeline.lower(pipeline.check(source), function)
    before, after = (pipeline.kernels_text(module, target).splitlines(keepends=True) for target in (left, right))
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


def shown(source: SourceFile, stage: Stage, target: str, function: str | None) -> str:
    """A stage's record as text.

    Raises:
        DiagnosticError: the program does not get as far as the stage.
    """
    from starplat import pipeline
    from starplat.cli.tree import draw

    match stage:
        case Stage.TOKENS:
            return _tokens(source)
        case Stage.AST:
            return draw(pipeline.parse(source))
        case Stage.TYPED:
            return draw(pipeline.check(source).tree)
        case Stage.IR:
            return _module(source, function)
        case Stage.SCHEDULE:
            return _schedule(source, function)
        case Stage.SOURCE:
            return pipeline.kernels_text(pipeline.lower(pipeline.check(source), function), target)
        case _:
            assert_never(stage)


def _tokens(source: SourceFile) -> str:
    from starplat.frontend.parser import tokens

    lines = []
    for token in tokens(source):
        line, column = source.position(token.span.start)
        lines.append(f"{f'{line}:{column}':<8} {token.kind:<12} {token.text}")
    return "\n".join(lines)


def _module(source: SourceFile, function: str | None) -> str:
    from starplat import pipeline
    from starplat.ir.printer import print_module

    return print_module(pipeline.lower(pipeline.check(source), function))


def _schedule(source: SourceFile, function: str | None) -> str:
    from starplat import pipeline
    from starplat.ir.proceeding import proceeding

    return proceeding(pipeline.lower(pipeline.check(source), function))
