"""Finds the weight in the dictionaries that NetworkX writes behind an edge: `1 2 {'weight': 3, 'kind': 'road'}`.

The dictionary is scanned, never evaluated.
"""

import re

_SIMPLE = re.compile(r"\{(?:\s*(?:'weight'|\"weight\")\s*:\s*(?P<weight>[^\s,:'\"(){}\[\]]+)\s*)?\}")
_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[\[\](){},:]|[^\s'\"\[\](){},:]+")
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_KEYS = ("'weight'", '"weight"')
_NUMPY = re.compile(r"np\.(?:float|u?int)\d+ \( (.*) \)")
"""How NumPy 2 writes its numbers."""


class NoDictionaryError(ValueError):
    """A text that is no dictionary as Python writes it."""


def weight_in(text: str) -> str | None:
    """The weight in a dictionary, as it is spelt, or None if it has none.

    >>> weight_in("{'weight': 2.5, 'at': (1, 2)}"), weight_in("{}")
    ('2.5', None)

    Raises:
        NoDictionaryError: the text is no dictionary.
    """
    if (simple := _SIMPLE.fullmatch(text)) is not None:
        return simple["weight"]
    weight: str | None = None
    for key, colon, *value in _items(_TOKEN.findall(text), text):
        if key in _KEYS and colon == ":":
            weight = _NUMPY.sub(r"\1", " ".join(value))
    return weight


def _items(tokens: list[str], text: str) -> list[list[str]]:
    """The tokens of every item, `key : value`."""
    if "".join(tokens[:1] + tokens[-1:]) != "{}" or len("".join(tokens)) < len(re.sub(r"\s", "", text)):
        raise NoDictionaryError
    items: list[list[str]] = [[]]
    closing: list[str] = []
    for token in tokens[1:-1]:
        if token in _CLOSING:
            closing.append(_CLOSING[token])
        elif token in _CLOSING.values() and (not closing or closing.pop() != token):
            raise NoDictionaryError
        if token == "," and not closing:
            items.append([])
        else:
            items[-1].append(token)
    items = items if items[-1] else items[:-1]
    if closing or not all(len(item) > 2 and ":" in item for item in items):
        raise NoDictionaryError
    return items
