"""`starplat explain`: what the analyses know about a program, or the page of an error code."""

from __future__ import annotations

import re
import sys
from typing import Annotated

import typer

from starplat.cli import console
from starplat.cli.arguments import Json, Strict
from starplat.diagnostics import Diagnostic, DiagnosticError

What = Annotated[
    str, typer.Argument(metavar="FILE.sp|CODE", help="A program, or a code such as E0203.", show_default=False)
]
_CODE = re.compile(r"[EWN]\d{4}", re.IGNORECASE)


def explain(what: What, strict: Strict = False, json: Json = False) -> None:
    """Explain a program (effects, races, convergence, transfers) or an error code."""
    if _CODE.fullmatch(what):
        _explain_code(what.upper(), json)
    else:
        _explain_program(what, strict, json)


def page(code: str) -> str:
    """The page about a code, in Markdown.

    Raises:
        DiagnosticError: E0793, there is none.
    """
    from starplat.frontend.suggest import closest
    from starplat.resources import error_page_folder

    pages = {path.stem: path for path in error_page_folder().glob("*.md")}
    if code not in pages:
        near = closest(code, sorted(pages))
        raise DiagnosticError(
            Diagnostic("E0793", f"no diagnostic has the code {code}", help=f"did you mean {near}?" if near else None)
        )
    return pages[code].read_text(encoding="utf-8")


def _explain_code(code: str, json: bool) -> None:
    text = page(code)
    if json:
        console.write_json({"schema": 1, "code": code, "page": text})
    elif console.wants_colour(sys.stdout):
        from rich.markdown import Markdown

        console.out().print(Markdown(text))
    else:
        console.write(text)


def _explain_program(path: str, strict: bool, json: bool) -> None:
    from starplat import pipeline
    from starplat.analysis import describe, to_json

    checked = pipeline.check(pipeline.read_program(path), strict=strict)
    console.show(checked.warnings)
    if json:
        console.write_json({"schema": 1, "program": path, **to_json(checked.facts)})
    else:
        console.write(describe(checked.facts))
