"""Renders templates, which only loop over a view's pieces and place them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from starplat import resources
from starplat.backends.text.folding import folded
from starplat.backends.text.helpers import Helper

_COMMON = ("common/helpers.jinja", "common/rows.jinja")

WORD = re.compile(r"(?:\b|(?<=[a-z]_))([A-Z]+(?:_[A-Z]+)*)(?=s?\b)( ?)")
"""A word in capitals, and the blank behind it."""


@cache
def environment() -> Environment:
    """Reads `templates/`; a name that is not given is an error, and nothing is escaped."""
    return Environment(
        loader=FileSystemLoader(resources.template_folder(".")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render(template: str, **pieces: object) -> str:
    """The text of `templates/<template>` with these pieces in place."""
    return environment().get_template(template).render(**pieces)


def helper_texts(templates: Sequence[str], helpers: Iterable[Helper], **shared: str) -> list[str]:
    """The functions that are needed, each from the first template that has it, the common ones coming last.

    What its helper says and what is `shared` a macro gets as the parameters that it has. The rest it may say as words
    in capitals, so that it reads as C does: `FUNCTION` is what is given as `function`, in `as_TYPE` and `THREADs` too.
    """
    modules = [environment().get_template(template).module for template in (*templates, *_COMMON)]
    texts = []
    for helper in helpers:
        macro = next(getattr(module, helper.macro) for module in modules if hasattr(module, helper.macro))
        known = shared | dict(helper.arguments)
        given = {name: known.pop(name) for name in macro.arguments if name in known}
        text = _with_words(str(macro(**given)).strip("\n"), known)
        texts.append("\n".join(folded(text.split("\n"))))
    return texts


def _with_words(text: str, known: Mapping[str, str]) -> str:
    """The text with the words that stand for something; a word for nothing takes the blank behind it along."""

    def spelled(match: re.Match[str]) -> str:
        word, blank = match.groups()
        if word.lower() not in known:
            return match[0]
        value = known[word.lower()].rstrip(" ")
        return f"{value}{blank}" if value else ""

    return WORD.sub(spelled, text)
