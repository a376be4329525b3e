"""Texts of operators that can be compared: names replaced by numbers, and what stands before the first loop in any
order."""

from __future__ import annotations

import re
from pathlib import Path

from starplat import pipeline
from starplat.source import SourceFile

_NAME = re.compile(r"\b_\d+\b")
_LOOPS = ("loop", "while", "do while", "search", "one after another", "count")


def operators_of(program: str | Path) -> str:
    """The operators of a program's text or file; names are numbered from the end on, where loops are."""
    source = (
        SourceFile(str(program), program.read_text())
        if isinstance(program, Path)
        else SourceFile("program.sp", program)
    )
    lines = pipeline.operators(pipeline.check(source), anonymous=True).rstrip("\n").split("\n")[1:]
    numbers: dict[str, str] = {}
    for line in reversed(lines):
        for name in _NAME.findall(line):
            numbers.setdefault(name, f"_{len(numbers)}")
    lines = [_NAME.sub(lambda found: numbers[found[0]], line) for line in lines]
    first = next((place for place, line in enumerate(lines) if line.strip().startswith(_LOOPS)), 0)
    return "\n".join(sorted(lines[:first]) + lines[first:])
