"""Fills templates: loops over a view's pieces and places them, nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from starplat import resources
from starplat.backends.helpers import Helper

_COMMON = ("common/helpers.jinja", "common/rows.jinja")


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


def helper_texts(templates: Sequence[str], helpers: Iterable[Helper], **shared: object) -> list[str]:
    """The functions that are needed, each from the first template that has it, the common ones coming last.

    A macro gets what it has parameters for, of what its helper says and of what is `shared`.
    """
    modules = [environment().get_template(template).module for template in (*templates, *_COMMON)]
    texts = []
    for helper in helpers:
        macro = next(getattr(module, helper.macro) for module in modules if hasattr(module, helper.macro))
        known = shared | dict(helper.arguments)
        given = {name: value for name, value in known.items() if name in macro.arguments}
        texts.append(str(macro(**given)).strip("\n"))
    return texts
