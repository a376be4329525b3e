"""Fills templates: loops over a view's pieces and places them, nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from starplat import resources
from starplat.backends.cexpr import Helper


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


def helper_texts(template: str, helpers: Iterable[Helper], **shared: str) -> list[str]:
    """The functions that are needed, each from `template` or, where it has none, from the common ones.

    A macro gets what its helper says, and of `shared` what it has parameters for.
    """
    own = environment().get_template(template).module
    common = environment().get_template("common/helpers.jinja").module
    texts = []
    for helper in helpers:
        macro = getattr(own, helper.macro, None) or getattr(common, helper.macro)
        given = {name: value for name, value in shared.items() if name in macro.arguments}
        texts.append(str(macro(**given | dict(helper.arguments))).strip("\n"))
    return texts
