"""`starplat inspect`: what one stage of the compiler makes of a program, as text."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, assert_never

import typer

from starplat.cli import console
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
) -> None:
    """Show what a stage of the compiler makes of a program."""
    from starplat.pipeline import read_program

    console.write(shown(read_program(file), stage, target, function))


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
