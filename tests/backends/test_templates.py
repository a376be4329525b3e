"""Templates only place what they are given."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import nodes

from starplat import resources
from starplat.backends.files.render import WORD, environment
from starplat.backends.text.comments import comment, quoted

GENERATED = Path(__file__).parents[2] / "generated"
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


_OF_C = """
A ARC_MAX ATOMIC_READS C CLK_GLOBAL_MEM_FENCE CLK_LOCAL_MEM_FENCE DATOMIC_READS EXTENSION INT_MAX INT_MIN
LARGEST_WARP LLONG_MAX LLONG_MIN LONG_MAX NVIDIA OPENCL SOME_LOOKS T WARP WGSL
"""
"""What helper templates say in capitals to the reader or the compiler."""


def test_no_word_of_a_helper_is_left_in_emitted_text() -> None:
    """A word that stands for nothing, since it is misspelt or its helper is not given it, would be."""
    pattern = r"(?!cuda_family/rows).*(helpers|rows)\.jinja"
    helpers = [FOLDER / name for name in TEMPLATES if re.fullmatch(pattern, name)]
    texts = (re.sub(r"{#.*?#}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL) for path in helpers)
    said = {word for text in texts for word, _ in WORD.findall(text)}
    emitted = (path.read_text(encoding="utf-8") for path in GENERATED.glob("*/*"))
    left = {word for text in emitted for word, _ in WORD.findall(text)} & said
    assert {"FUNCTION", "GLOBAL", "WAIT"} <= said
    assert left <= set(_OF_C.split())


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
