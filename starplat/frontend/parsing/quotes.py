"""Texts in quotes: what their escapes stand for, and how they are written again."""

import re

_ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\"}
_SPELLED = {meant: escape for escape, meant in _ESCAPES.items()}


def unquoted(text: str) -> str:
    """What a text of a program stands for.

    >>> unquoted('"a\\\\tb"') == "a" + chr(9) + "b"
    True
    """
    return re.sub(r"\\.", lambda found: _ESCAPES.get(found[0], found[0]), text[1:-1])


def quoted(value: str) -> str:
    """The text of a program that stands for `value`, which `unquoted` gives back.

    >>> print(quoted('say "hi"'))
    "say \\"hi\\""
    """
    return '"' + "".join(_SPELLED.get(letter, letter) for letter in value) + '"'
