"""What is known of the piece of a program under the cursor."""

from __future__ import annotations

from pathlib import Path

import pytest

from starplat import pipeline
from starplat.analysis import describe
from starplat.editing.hover import hover
from starplat.editing.reading import read
from starplat.resources import shipped_programs
from starplat.source import SourceFile

SSSP = SourceFile.read(shipped_programs()["sssp"])


def shown(word: str, source: SourceFile = SSSP, before: SourceFile | None = None, nth: int = 0) -> str:
    """The hover over a word of a program; `before` is what it was when it was last without errors."""
    place = -1
    for _ in range(nth + 1):
        place = source.text.index(word, place + 1)
    found = hover(read(source), pipeline.check(before or source), place)
    return "" if found is None else found.text


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("dist,", "propNode<int> dist"),
        ("dist,", "property of each node, a result"),
        ("modified;", "property of each node, of this function alone"),
        ("weight,", "property of each edge, a result"),
        ("src)", "node src"),
        ("src)", "parameter"),
        ("get_edge", "get_edge(node, node) -> edge"),
        ("sssp(", "function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src)"),
        ("fixedPoint", "frontier: nodes where 'modified' is True"),
        ("== True", "bool"),
        ("nbr.dist", "In this statement:"),
        ("nbr.dist", "`dist` [its own, an out-neighbor's]: read, Min/Max; (d) monotone"),
    ],
)
def test_a_word_tells_what_it_is(word: str, said: str) -> None:
    assert said in shown(word)


@pytest.mark.parametrize("name", ["sssp", "betweenness", "triangle_count", "pagerank"])
def test_loops_tell_what_explain_prints_of_them(name: str) -> None:
    source = SourceFile.read(shipped_programs()[name])
    checked = pipeline.check(source)
    explained, reading, told = describe(checked.facts), read(source), 0
    for place in range(len(source.text)):
        if source.text.startswith(("forall", "iterateIn", "fixedPoint"), place):
            found = hover(reading, checked, place)
            assert found is not None
            body = found.text.removeprefix("```text\n").removesuffix("\n```")
            assert body in explained
            told += 1
    assert told >= 2


def test_a_broken_program_keeps_what_was_known_outside_the_change() -> None:
    broken = SourceFile("sssp.sp", SSSP.text.replace("src.dist = 0;", "src.dist = ;;"))
    assert "monotone" in shown("forall", broken, SSSP)
    assert "propNode<int> dist" in shown("dist = INF", broken, SSSP)


def test_what_was_changed_is_not_told_by_what_it_was() -> None:
    changed = SourceFile("sssp.sp", SSSP.text.replace("Min(nbr.dist, v.dist + e.weight)", "Max(nbr.dist, e.nothing)"))
    assert "monotone" not in shown("Max", changed, SSSP)


def test_blanks_and_comments_tell_nothing() -> None:
    assert shown("// Shortest") == ""


@pytest.mark.thin(plain=40, campaign=12)
@pytest.mark.parametrize("path", sorted(shipped_programs().values()), ids=lambda path: Path(path).stem)
def test_every_place_of_a_program_can_be_asked(path: Path) -> None:
    source = SourceFile.read(path)
    reading, checked = read(source), pipeline.check(source)
    found = [hover(reading, checked, place) for place in range(0, len(source.text), 3)]
    assert sum(each is not None for each in found) > 20
