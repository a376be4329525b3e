"""Removes unused definitions from C or C++ text.

Takes the text of our helper functions, types and constants, and what is written with them; returns the same text
without the definitions that neither this nor another kept one names. Definitions stand apart by blank lines, a
`#define` by its own line. Knows no grammar: a name counts as used wherever the word stands outside of a comment.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'')
_ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)|__launch_bounds__\s*\([^)]*\)|\balignas\s*\([^)]*\)")
_WORD = re.compile(r"\b[A-Za-z_]\w*")
_NAMESPACE = re.compile(r"namespace \w+ \{|\}  // namespace")
_OPENS = re.compile(r"^#\s*if", re.MULTILINE)
_CLOSES = re.compile(r"^#\s*endif", re.MULTILINE)
_NAMED = (
    re.compile(r"^#\s*define\s+(\w+)", re.MULTILINE),
    re.compile(r"^(?:typedef\s+)?(?:struct|class|enum(?:\s+class)?|union)\s+(\w+)", re.MULTILINE),
    re.compile(r"^\}\s*(\w+);", re.MULTILINE),
    re.compile(r"^using\s+(\w+)\s*=", re.MULTILINE),
    re.compile(r"^typedef\s+[^(){};]*?(\w+)\s*;", re.MULTILINE),
    re.compile(r"^(?:static |inline |const(?:expr)? )+[\w:<>*, ]*?[\s*](\w+)\s*=", re.MULTILINE),
    re.compile(
        r"^(?!using |typedef |template |namespace |static_assert)\w[\w:<>*&,\" ]*?[\s*&](\w+)\s*\(", re.MULTILINE
    ),
)
"""How a definition that begins at the margin says its name."""


@dataclass(frozen=True, slots=True)
class Definition:
    """Some lines of a text: what they define, which words they say, and whether a blank line stands before them."""

    text: str
    names: frozenset[str]
    words: frozenset[str]
    apart: bool


def used(texts: Sequence[str], says: Iterable[str]) -> list[str]:
    """The texts without the definitions that `says` does not use; one that loses all is left out.

    Lines that define nothing by name stay.
    """
    parts = [definitions(text) for text in texts]
    words = frozenset().union(*map(words_in, says), *(d.words for part in parts for d in part if not d.names))
    everything = [d for part in parts for d in part]
    kept: set[Definition] = set()
    while found := {d for d in everything if d not in kept and not words.isdisjoint(d.names)}:
        kept |= found
        words = words.union(*(d.words for d in found))
    left = ([d for d in part if not d.names or d in kept] for part in parts)
    return [_joined(part) for part in left if any(d.names for d in part) or part]


def in_namespace(name: str, texts: Iterable[str]) -> str:
    """Definitions that stand in a namespace."""
    return "\n\n".join((f"namespace {name} {{", *texts, f"}}  // namespace {name}"))


def unused(text: str) -> frozenset[str]:
    """The names that a text defines for itself and that nothing in it uses."""
    everything = definitions(text)
    return frozenset(
        name
        for one in everything
        for name in one.names
        if not any(name in other.words for other in everything if other is not one)
    )


@lru_cache(maxsize=512)
def definitions(text: str) -> tuple[Definition, ...]:
    """The text in pieces, in its order."""
    return tuple(_pieces(text))


@lru_cache(maxsize=512)
def words_in(text: str) -> frozenset[str]:
    """The words of a text outside of comments and strings."""
    return frozenset(_WORD.findall(_code(text)))


def _code(text: str) -> str:
    return _STRING.sub('""', _COMMENT.sub("", text))


def _pieces(text: str) -> Iterator[Definition]:
    lines: list[str] = []
    apart = depth = 0
    for line in text.strip("\n").split("\n"):
        if not line and depth == 0:
            yield from _defined(lines, apart=bool(apart))
            lines, apart = [], 1
            continue
        alone = depth == 0 and re.match(r"#\s*define\s", line) is not None and not line.endswith("\\")
        if alone and not any(map(_code, lines)):
            yield from _defined([*lines, line], apart=bool(apart))
            lines, apart = [], 0
            continue
        lines.append(line)
        code = "" if _NAMESPACE.match(line) else _code(line)
        depth += sum(map(code.count, "{(")) - sum(map(code.count, "})"))
        depth += len(_OPENS.findall(line)) - len(_CLOSES.findall(line))
    yield from _defined(lines, apart=bool(apart))


def _defined(lines: Sequence[str], *, apart: bool) -> Iterator[Definition]:
    if not (text := "\n".join(lines)):
        return
    code = _ATTRIBUTE.sub("", _code(text))
    names = frozenset(name for pattern in _NAMED for name in pattern.findall(code))
    yield Definition(text, names, words_in(text), apart)


def _joined(parts: Sequence[Definition]) -> str:
    first, *others = (replace(part, apart=True) if "{" in part.text else part for part in parts)
    return first.text + "".join(("\n\n" if part.apart else "\n") + part.text for part in others)
