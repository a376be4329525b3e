"""An annotation as one self-contained HTML page."""

from collections.abc import Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from starplat.cli.views import colouring, html
from starplat.cli.views.annotation import Annotation, Line, Section
from starplat.source import SourceFile


def page(annotation: Annotation, source: SourceFile) -> str:
    """The page; the same annotation gives the same bytes."""
    left = colouring.program_lines(source)
    return html.filled(
        "annotation.html.jinja",
        name=PurePosixPath(PureWindowsPath(annotation.program).as_posix()).name,
        target=annotation.target,
        function=annotation.function,
        transfers=annotation.transfers,
        sections=[_section(section, left) for section in annotation.sections],
        shared=_emitted(annotation.shared_text),
    )


def _section(section: Section, left: Sequence[Sequence[colouring.Piece]]) -> dict[str, Any]:
    return {
        "title": section.title,
        "left": [_line(line, left[line.number - 1]) for line in section.lines],
        "kernels": [{"lines": list(map(_line, k.lines, _emitted(k.lines)))} for k in section.kernels],
        "host": section.host,
        "atomics": [atomic for kernel in section.kernels for atomic in kernel.atomics],
        "cells": section.cells,
        "transfers": section.transfers,
    }


def _line(line: Line, pieces: Sequence[colouring.Piece]) -> dict[str, Any]:
    return {"number": line.number, "pieces": pieces, "names": " ".join(line.names), "atomic": line.atomic}


def _emitted(lines: Sequence[Line]) -> list[list[colouring.Piece]]:
    return colouring.emitted_lines("\n".join(line.text for line in lines))
