"""Templates only place what they are given."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import nodes

from starplat import resources
from starplat.backends.comments import comment, quoted
from starplat.backends.render import environment

FOLDER = resources.template_folder(".")
TEMPLATES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.jinja"))


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_output_tag_is_a_constant(name: str) -> None:
    """`{{0}}` in C text would silently become `0`."""
    tree = environment().parse(Path(FOLDER, name).read_text(encoding="utf-8"))
    constants = [
        constant
        for output in tree.find_all(nodes.Output)
        for constant in output.nodes
        if not isinstance(constant, nodes.TemplateData) and not list(constant.find_all(nodes.Name))
        if not isinstance(constant, nodes.Name)
    ]
    assert not constants


@pytest.mark.parametrize("text", ["a \\", "a ??/", "a\nb", "a\rb", "a\x0bint x;", "*/ int x;", "\u2028x", ""])
def test_comments_end_where_the_line_ends(text: str) -> None:
    line = comment(text)
    assert line.startswith("//")
    assert len(line.splitlines()) == 1
    assert not line.endswith(("\\", "??/"))


@pytest.mark.parametrize("text", ['a"b', "a\\", "a\nb", "??/", "ü", "%s"])
def test_quoted_text_stays_inside_its_quotes(text: str) -> None:
    inside = quoted(text)
    assert inside.isascii()
    assert inside.isprintable()
    assert re.fullmatch(r'(?:[^"\\?]|\\["\\?])*', inside)
