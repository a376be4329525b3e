"""What `mkdocs` needs to know of these pages: words after the language of a fence are for the tests, not for it."""

from __future__ import annotations

import re


def on_page_markdown(markdown: str, **page: object) -> str:
    """A page without them."""
    return re.sub(r"^```(\w+) .*$", r"```\1", markdown, flags=re.MULTILINE)
