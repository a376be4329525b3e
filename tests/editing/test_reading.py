"""What names mean in a program, as the checker sees it, also while it is written; and what a rename changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from starplat import pipeline
from starplat.diagnostics import Severity
from starplat.editing.reading import Reading, declared, read
from starplat.editing.renaming import RenameError, renamed, replaced
from starplat.frontend import builtins
from starplat.frontend.parser import words
from starplat.frontend.prelude import prelude
from starplat.frontend.types import ListType, Scalar
from starplat.resources import shipped_programs
from starplat.source import SourceFile, Span

PROGRAMS = sorted(shipped_programs().values())
LIST_METHODS = builtins.method_names(ListType(Scalar.INT))
METHODS = (
    builtins.GRAPH_METHODS | builtins.SET_METHODS | builtins.MAP_METHODS | LIST_METHODS | {"filter", "currentBatch"}
)
SHADOWED = """function f(Graph g, propNode<int> p) {
    forall (v in g.nodes()) { int x = 1; v.p = x; }
    int x = 2;
    forall (w in g.nodes()) { w.p = x; }
}
"""


def reading_of(text: str) -> Reading:
    return read(SourceFile("program.sp", text))


def named(reading: Reading, line: int, name: str) -> int:
    """Where a name stands in a line, from 1."""
    lines = reading.source.text.splitlines(keepends=True)
    return sum(map(len, lines[: line - 1])) + lines[line - 1].index(name)


def is_the_languages(text: str, before: str, following: str) -> bool:
    """Whether a name is no program's: a function or method of the language, an attribute of edges."""
    if before == ".":
        return text in builtins.EDGE_ATTRIBUTES or (following == "(" and text in METHODS)
    return following == "(" and text in builtins.FUNCTION_NAMES | prelude().keys()


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_every_name_of_a_program_has_a_meaning_of_that_name(path: Path) -> None:
    reading = read(SourceFile.read(path))
    found = [word for word in words(reading.source.text) if word.kind != "comment"]
    names = 0
    texts = ["", *(word.text for word in found), ""]
    for word, before, following in zip(found, texts, texts[2:], strict=False):
        if word.kind == "name" and not is_the_languages(word.text, before, following):
            place = declared(reading.meanings[word.span])
            assert reading.source.whole[place.start : place.end] == word.text
            names += 1
    assert names > 3


@pytest.mark.thin(plain=40, campaign=12)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_renamed_thing_leaves_the_same_program(path: Path) -> None:
    reading = read(SourceFile.read(path))
    text = reading.source.text
    for meaning in dict.fromkeys(reading.meanings.values()):
        if not all(map(reading.source.owns, reading.places_of(meaning))):
            with pytest.raises(RenameError, match="which is not changed from here"):
                renamed(reading, declared(meaning).start, "another_name")
            continue
        if any(text[span.start - 2 : span.end] == "u.weight" for span in reading.places_of(meaning)):
            with pytest.raises(RenameError, match="single updates have no attribute 'another_name'"):
                renamed(reading, declared(meaning).start, "another_name")
            continue
        places = renamed(reading, declared(meaning).start, "another_name")
        after = replaced(text, places, "another_name")
        found = pipeline.diagnostics(SourceFile("program.sp", after))
        assert not [d for d in found if d.severity is Severity.ERROR]
        old = text[places[0].start : places[0].end]
        back = reading_of(after)
        assert replaced(after, renamed(back, places[0].start, old), old) == text


def test_of_names_that_hide_each_other_only_one_is_renamed() -> None:
    reading = reading_of(SHADOWED)
    inner, outer = (reading.places_of(reading.meanings[at(reading, line)]) for line in (2, 3))
    assert [reading.source.position(span.start)[0] for span in inner] == [2, 2]
    assert [reading.source.position(span.start)[0] for span in outer] == [3, 4]


def at(reading: Reading, line: int) -> Span:
    span = reading.name_at(named(reading, line, "x"))
    assert span is not None
    return span


def test_a_function_is_renamed_where_it_is_called() -> None:
    text = "function twice(int a) { return a + a; }\nfunction f(Graph g) { return twice(twice(g.num_nodes())); }\n"
    reading = reading_of(text)
    after = replaced(text, renamed(reading, text.rindex("twice"), "double_of"), "double_of")
    assert after == text.replace("twice", "double_of")


@pytest.mark.parametrize(
    ("line", "name", "new", "said"),
    [
        (2, "x", "forall", "'forall' is a word of the language"),
        (2, "x", "Sum", "'Sum' is a word of the language"),
        (2, "x", "2x", "'2x' is no name"),
        (2, "x", "", "'' is no name"),
        (2, "x", "v", "'v' would clash: in line 2 a name would mean something else"),
        (3, "x", "p", "'p' would clash"),
        (3, "x", "w", "'w' would clash"),
        (2, "nodes", "all", "no name of the program stands here"),
    ],
)
def test_names_that_would_change_the_program_are_refused(line: int, name: str, new: str, said: str) -> None:
    reading = reading_of(SHADOWED)
    with pytest.raises(RenameError) as refused:
        renamed(reading, named(reading, line, name), new)
    assert said in str(refused.value)


def test_a_capture_is_refused() -> None:
    text = "function f(Graph g, int a) { int r = 0; forall (v in g.nodes()) { int b = 1; r += a + b; } return r; }"
    with pytest.raises(RenameError, match="'b' would clash"):
        renamed(reading_of(text), text.index("a)"), "b")


def test_a_program_with_mistakes_has_its_names() -> None:
    text = SHADOWED.replace("v.p = x;", "v.p = x + nothing; v.q = ;")
    reading = reading_of(text)
    assert len(reading.places_of(reading.meanings[at(reading, 2)])) == 2
    assert {symbol.name for symbol in reading.visible(text.index("nothing"))} == {"g", "p", "v", "x"}


@pytest.mark.thin(plain=40, campaign=12)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_every_beginning_of_a_program_is_read(path: Path) -> None:
    text = SourceFile.read(path).text
    for end in range(0, len(text), 13):
        reading = reading_of(text[:end])
        assert all(0 <= span.start <= span.end <= len(reading.source.whole) for span in reading.meanings)
