"""Fills templates: loops over a view's pieces and places them, nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from starplat import resources
from starplat.backends.helpers import Helper


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

    A macro gets what its helper says, and of `shared` what it has parameters for.
    """
    modules = [environment().get_template(template).module for template in (*templates, "common/helpers.jinja")]
    texts = []
    for helper in helpers:
        macro = next(getattr(module, helper.macro) for module in modules if hasattr(module, helper.macro))
        given = {name: value for name, value in shared.items() if name in macro.arguments}
        texts.append(str(macro(**given | dict(helper.arguments))).strip("\n"))
    return texts
