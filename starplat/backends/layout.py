"""Lays a program out in files: the headers that programs share beside it, or all of it in one file.

A program asks for a header as C++ does, by a line `#include "starplat_program.hpp"`. Its text is the template
`headers/starplat_program.hpp.jinja`, which gets nothing but numbers that all programs have in common, so that a header
is the same whatever program lies beside it. Headers may ask for others. In one file a header's text stands where it is
asked for first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from starplat.backends.comments import END_OF_KERNELS, with_own_lines
from starplat.backends.render import render

_REQUEST = re.compile(r'^#include "(starplat_\w+\.hpp)"\n', re.MULTILINE)


def laid_out(files: Mapping[str, str], *, single_file: bool) -> dict[str, str]:
    """The files to write: those given and the headers that they ask for, or those given with the headers in them."""
    if single_file:
        texts = {name: _with_headers(text) for name, text in files.items()}
    else:
        texts = dict(files) | {name: header(name) for text in files.values() for name in _asked_for(text)}
    return {name: with_own_lines(text, name) if END_OF_KERNELS in text else text for name, text in texts.items()}


def header(name: str) -> str:
    """The text of a header, with `#include` lines for others that it asks for."""
    return render(f"headers/{name}.jinja")


def raw_literal(text: str) -> str:
    """The text as a literal of C++ that shows it as it stands, whatever it holds."""
    mark = next(mark for mark in ("kernels" + "_" * more for more in range(10)) if f'){mark}"' not in text)
    return f'R"{mark}({text}){mark}"'


def _asked_for(text: str) -> Iterator[str]:
    """The headers that a text asks for, and those that these ask for."""
    for name in _REQUEST.findall(text):
        yield name
        yield from _asked_for(header(name))


def _with_headers(text: str) -> str:
    placed: set[str] = set()

    def in_place(request: re.Match[str]) -> str:
        if request[1] in placed:
            return ""
        placed.add(request[1])
        return _REQUEST.sub(in_place, header(request[1]))

    return _REQUEST.sub(in_place, text)
