"""Lays out a program in files: shared headers beside it, or all in one file.

A program asks for a header as C++ does, by a line `#include "starplat_program.hpp"`. Its text is the template
`headers/starplat_program.hpp.jinja`, which gets nothing but numbers that all programs have in common, so that a header
is the same whatever program lies beside it. A target's own headers (see `headers`) are given with its programs. Headers
may ask for others, and so may a file of kernels. In one file a header's text stands where it is asked for first, a
target's with what is used of it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from starplat.backends.files.headers import Header
from starplat.backends.files.render import render
from starplat.backends.launch import GROUP_SIZE, MOST_THREADS
from starplat.backends.text.comments import END_OF_KERNELS, with_own_lines

_REQUEST = re.compile(r'^#include "(starplat_\w+\.(?:hpp|h))"\n', re.MULTILINE)


def laid_out(files: Mapping[str, str], targets: Sequence[Header] = (), *, single_file: bool) -> dict[str, str]:
    """The files to write: those given and the headers that they ask for, or those given with the headers in them.

    `targets` are the headers of the target; those for all targets are templates.
    """
    own = {one.name: one for one in targets}
    if single_file:
        texts = {name: _with_headers(text, own) for name, text in files.items()}
    else:
        texts = dict(files) | {name: _text(name, own) for text in files.values() for name in _asked_for(text, own)}
    return {name: with_own_lines(text, name) if END_OF_KERNELS in text else text for name, text in texts.items()}


def header(name: str) -> str:
    """The text of a header, with `#include` lines for others that it asks for."""
    return render(f"headers/{name}.jinja", most_threads=MOST_THREADS, group_size=GROUP_SIZE)


def raw_literal(text: str) -> str:
    """The text as a literal of C++ that shows it as it stands, whatever it holds."""
    mark = next(mark for mark in ("kernels" + "_" * more for more in range(10)) if f'){mark}"' not in text)
    return f'R"{mark}({text}){mark}"'


def _text(name: str, own: Mapping[str, Header]) -> str:
    return own[name].text() if name in own else header(name)


def _asked_for(text: str, own: Mapping[str, Header]) -> Iterator[str]:
    """The headers that a text asks for, and those that these ask for."""
    for name in _REQUEST.findall(text):
        yield name
        yield from _asked_for(_text(name, own), own)


def _with_headers(text: str, own: Mapping[str, Header]) -> str:
    """The text with each header where it is asked for first, one of the target with what the rest uses of it."""
    placed: set[str] = set()
    asking = [text, *(header(name) for name in _asked_for(text, own) if name not in own)]
    says = [*asking, *(part for one in own.values() for part in one.needed(asking))]

    def in_place(request: re.Match[str]) -> str:
        if request[1] in placed:
            return ""
        placed.add(request[1])
        asked = own[request[1]].text(says) if request[1] in own else header(request[1])
        return _REQUEST.sub(in_place, asked)

    return _REQUEST.sub(in_place, text)
