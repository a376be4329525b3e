"""Texts of operators that can be compared: names replaced by numbers, what stands before the first loop and two
conditions of a loop in any order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from starplat import pipeline
from starplat.source import SourceFile

_COMMENT = re.compile(r"//.*|^ *#line.*", re.MULTILINE)
_NAME = re.compile(r"\b_\d+\b")
_CONDITION = re.compile(r"(while )\((.+)\) && \((.+)\)$")
_LOOPS = ("loop", "while", "do while", "search", "one after another", "count")


def operators_of(program: str | Path) -> str:
    """The operators of a program's text or file; names are numbered from the end on, where loops are."""
    source = (
        SourceFile(str(program), program.read_text())
        if isinstance(program, Path)
        else SourceFile("program.sp", program)
    )
    lines = pipeline.operators(pipeline.check(source), anonymous=True).rstrip("\n").split("\n")[1:]
    lines = [_CONDITION.sub(_in_order, line) for line in lines]
    numbers: dict[str, str] = {}
    for line in reversed(lines):
        for name in _NAME.findall(line):
            numbers.setdefault(name, f"_{len(numbers)}")
    lines = [_NAME.sub(lambda found: numbers[found[0]], line) for line in lines]
    first = next((place for place, line in enumerate(lines) if line.strip().startswith(_LOOPS)), 0)
    return "\n".join(sorted(lines[:first]) + lines[first:])


def _in_order(loop: re.Match[str]) -> str:
    """A loop whose two conditions stand in the order of what they ask, whatever its names."""
    first, second = sorted(loop.groups()[1:], key=lambda condition: _NAME.sub("_", condition))
    return f"{loop[1]}({first}) && ({second})"


def cuda_of(program: Path, names: Mapping[str, str]) -> list[str]:
    """The lines of a program's kernels for CUDA, without comments; names of the program, those made from these, and
    those that C keeps for itself with the `_` behind them are replaced as `names` says."""
    text = pipeline.kernels_text(pipeline.lower(pipeline.check(SourceFile(str(program), program.read_text()))), "cuda")
    text = _COMMENT.sub("", text)
    for name, other in names.items():
        text = re.sub(rf"(?<![A-Za-z0-9]){name}(_\b)?(?![A-Za-z0-9])", other, text)
    return [line.strip() for line in text.splitlines() if line.strip()]
