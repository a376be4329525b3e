"""Comments and `#line` marks with pieces of a program's text, which cannot break out of them."""

import re
from pathlib import PurePosixPath, PureWindowsPath

from starplat.ir import nodes as ir
from starplat.source import NOWHERE, Span


def file_name(module: ir.Module, span: Span = NOWHERE) -> str:
    """The program's file, or the imported one that a place is in, without the folders above it; it stays in its line,
    whatever it is called."""
    file, _ = module.source.file_at(span.start)
    name = PurePosixPath(PureWindowsPath(file.name).as_posix()).name
    return "".join(letter if letter.isprintable() else "?" for letter in name) or "program.sp"


def plain_stem(stem: str) -> str:
    """What files of a program may be called so that a shell, a compiler and `#include` take the name as it stands."""
    plain = re.sub(r"[^A-Za-z0-9_.+-]", "_", stem)
    return plain if plain[:1].isalnum() else f"program{plain}"


def comment(text: str) -> str:
    """One `//` line; it neither ends early nor goes on over the end of the line."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))
    joins_lines = shown.endswith(("\\", "??/"))
    return f"// {shown}{' .' * joins_lines}".rstrip()


def origin(module: ir.Module, span: Span) -> str | None:
    """`sssp.sp:9  forall (v in g.nodes())`, or None for what no text stands for."""
    if span == NOWHERE:
        return None
    line, _ = module.source.position(span.start)
    text = module.source.line_at(span.start).strip().removesuffix("{").rstrip()
    return f"{file_name(module, span)}:{line}  {text}"


def line_mark(module: ir.Module, span: Span) -> str | None:
    """The directive after which compilers count lines from the place in the program."""
    if span == NOWHERE:
        return None
    line, _ = module.source.position(span.start)
    return f'#line {line} "{quoted(file_name(module, span))}"'


def quoted(text: str) -> str:
    """What may stand between double quotes in C: ASCII, without anything that ends or changes the string."""
    escapes = {"\\": "\\\\", '"': '\\"', "?": "\\?"}
    return "".join(escapes.get(letter, letter if " " <= letter <= "~" else "_") for letter in text)


END_OF_KERNELS = "#line end-of-kernels"
"""Stands behind the kernels of a program in one file, until it is known where that is."""


def with_own_lines(text: str, name: str) -> str:
    """After the kernels, whose lines are the program's, compilers count the file's own lines again."""
    lines = text.split("\n")
    place = lines.index(END_OF_KERNELS)
    lines[place] = f'#line {place + 2} "{quoted(name)}"'
    return "\n".join(lines)
