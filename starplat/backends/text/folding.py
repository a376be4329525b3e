"""Folds emitted lines of C and C++ longer than `WIDEST`.

Takes finished lines; a long one is cut where its parentheses are least deep: behind a comma or a semicolon, or before
`&&`, `||`, `?` and `:`, at worst before another operator. A comment goes on in another one, a macro behind
a backslash; other directives stay. In host code a statement that is one call has its arguments in lines between its
parentheses, as have the parameters of a function.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator

WIDEST = 120
LAID_OUT = 116
"""How wide calls and lists of parameters are."""

_STEP = 4 * " "
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)+\'|//.*|[(\[{]|[)\]}]|[,;] | (?=&& |\|\| |\? |: |[-+*/|&^] )')
_LAST_RESORT = 1000
_CALL = re.compile(r"(\s*)([\w:.]+(?:<<<.*?>>>)?\()(.*)\);")


def between(opening: str, items: Iterable[str], closing: str, indentation: str = "") -> Iterator[str]:
    """What stands between parentheses, in lines of its own, as many items in each as it has room for."""
    yield from _parts(f"{indentation}{opening}")
    line = ""
    for item in items:
        if line and len(indentation + _STEP) + len(f"{line}, {item},") > LAID_OUT:
            yield f"{indentation}{_STEP}{line},"
            line = item
        else:
            line = f"{line}, {item}" if line else item
    yield f"{indentation}{_STEP}{line}"
    yield f"{indentation}{closing}"


def folded(lines: Iterable[str]) -> tuple[str, ...]:
    """The lines, long ones as several."""
    return tuple(part for line in lines for text in line.split("\n") for part in _folded(text))


def folded_host(lines: Iterable[str]) -> tuple[str, ...]:
    """The same of host code, whose launches have the arguments in lines of their own."""
    return tuple(part for line in lines for text in line.split("\n") for part in _laid_out(text))


def _laid_out(line: str) -> Iterable[str]:
    if len(line) > LAID_OUT and (call := _CALL.fullmatch(line)) and (passed := _arguments(call[3])):
        return between(call[2], passed, ");", call[1])
    return _folded(line)


def _folded(line: str) -> Iterable[str]:
    text = line.lstrip()
    if text.startswith("#define "):
        *parts, last = _parts(line, _STEP)
        return (*(f"{part} \\" for part in parts), last)
    if len(line) <= WIDEST or not text.startswith("// "):
        return _parts(line)
    begin = line[: len(line) - len(text)] + "// "
    return textwrap.wrap(text[3:], WIDEST, initial_indent=begin, subsequent_indent=begin, break_long_words=False)


def _arguments(text: str) -> list[str]:
    """The arguments of a call; none where the text holds a function's body, or is not all of them."""
    depth, begin, found = 0, 0, list[str]()
    for token in _TOKEN.finditer(text):
        if token[0] in ("(", "["):
            depth += 1
        elif token[0] in (")", "]"):
            depth -= 1
        elif token[0] == ", " and depth == 0:
            found.append(text[begin : token.start()])
            begin = token.end()
        if token[0] in ("{", "; ") or depth < 0:
            return []
    return [*found, text[begin:]]


def _parts(line: str, beyond: str | None = None) -> Iterator[str]:
    """The lines that a line becomes; `beyond` is the indentation of those after the first."""
    if (cut := _cut(line)) is None:
        yield line
        return
    if beyond is None:
        indentation = line[: len(line) - len(line.lstrip())]
        beyond = indentation + _STEP * (2 if line.endswith("{") else 1)
    yield line[:cut].rstrip()
    yield from _parts(beyond + line[cut:].lstrip(), beyond)


def _cut(line: str) -> int | None:
    """Where a line is to be cut; None for one that is short enough, or cannot be cut."""
    begin = len(line) - len(line.lstrip())
    if len(line) <= WIDEST or re.match(r"\s*(//|#(?!define ))", line):
        return None
    depth, found = 0, list[tuple[int, int]]()
    for token in _TOKEN.finditer(line):
        if token[0] in ("(", "[", "{"):
            depth += 1
        elif token[0] in (")", "]", "}"):
            depth -= 1
        elif token[0].isspace() or token[0] in (", ", "; "):
            is_last = token[0] == " " and re.match(r"[-+*/|&^] ", line[token.end() :]) is not None
            found.append((depth + _LAST_RESORT * is_last, token.end()))
    fitting = [(level, -place) for level, place in found if begin + 2 * len(_STEP) < place <= WIDEST]
    return -min(fitting)[1] if fitting else None
