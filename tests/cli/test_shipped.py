"""Programs and graphs that come with starplat: shown, copied out, run by name in a folder without them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import starplat as package
from tests.cli.conftest import Outcome

Starplat = Callable[..., Outcome]
COUNT = "function count(Graph g) { return g.num_nodes(); }\n"


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, in which there is nothing."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_show_lists_every_program_with_what_it_computes(starplat: Starplat, examples: Path) -> None:
    found = starplat("show", "--json").json["programs"]
    library = (examples.parent / "starplat" / "algorithms").glob("*/*.sp")
    assert list(found) == sorted(path.stem for path in (*examples.glob("*.sp"), *library))
    listed = starplat("show").out
    assert [name for name, purpose in found.items() if not purpose.endswith(".") or name not in listed] == []


def test_show_prints_a_program(starplat: Starplat, examples: Path) -> None:
    text = (examples / "sssp.sp").read_text(encoding="utf-8")
    assert starplat("show", "sssp").out == starplat("show", "sssp.sp").out == text
    assert starplat("show", "sssp", "--json").json == {"schema": 1, "program": "sssp", "text": text}


def test_new_copies_a_program_and_replaces_no_file_unasked(starplat: Starplat, examples: Path, empty: Path) -> None:
    assert starplat("new", "my.sp", "--from", "pagerank").err == "my.sp: written\n"
    assert (empty / "my.sp").read_text(encoding="utf-8") == (examples / "pagerank.sp").read_text(encoding="utf-8")
    refused = starplat("new", "my.sp", "--from", "bfs")
    assert (refused.code, refused.err.splitlines()[0]) == (
        1,
        "error[E0792]: my.sp: cannot be written: it exists already",
    )
    assert starplat("new", "my.sp", "--from", "bfs", "--force").code == 0
    assert (empty / "my.sp").read_text(encoding="utf-8") == (examples / "bfs.sp").read_text(encoding="utf-8")


def test_notes_are_for_those_who_write_a_program(starplat: Starplat) -> None:
    starplat("new", "my.sp", "--from", "shortest_path")
    run = ("--graph", "liechtenstein", "--arg", "src=1", "--arg", "destination=2", "--target", "reference")
    assert "note[W0506]" in starplat("run", "my.sp", *run).err
    assert "note[" not in starplat("run", "shortest_path", *run).err


@pytest.mark.parametrize("words", [("show", "pagernak"), ("new", "x.sp", "--from", "pagernak"), ("check", "pagernak")])
def test_a_misspelt_name_is_told_with_the_one_that_is_near(starplat: Starplat, words: tuple[str, ...]) -> None:
    outcome = starplat(*words)
    assert (outcome.code, outcome.out) == (1, "")
    assert "error[E0790]: " in outcome.err
    assert "= help: did you mean 'pagerank'?" in outcome.err


def test_a_misspelt_graph_is_told_with_the_one_that_is_near(starplat: Starplat) -> None:
    outcome = starplat("graph", "info", "lichtenstein")
    assert outcome.code == 1
    assert outcome.err == (
        "error[E0801]: lichtenstein: cannot be read: no such file or directory\n= help: did you mean 'liechtenstein'?\n"
    )
    assert "E0801" in starplat("graph", "info", "nothing").err


def test_a_name_like_no_other_is_told_where_the_names_are(starplat: Starplat) -> None:
    assert "`starplat show` lists the programs" in starplat("check", "nothing").err


@pytest.mark.parametrize("before", [(), ("--trace",)])
def test_a_program_and_a_graph_run_by_name(starplat: Starplat, before: tuple[str, ...]) -> None:
    words = ("sssp", "-g", "liechtenstein", "-a", "src=1", "-t", "reference", "--json")
    found = starplat("run", *before, *words).json
    assert found["program"] == "sssp"
    assert "16,912 nodes" in package.read("liechtenstein").describe()


def test_a_file_of_that_name_comes_first(starplat: Starplat, empty: Path) -> None:
    (empty / "sssp").write_text(COUNT, encoding="utf-8")
    assert package.compile("sssp").functions == ("count",)
    (empty / "bfs").mkdir()
    assert package.compile("bfs").functions == ("bfs",)


def test_a_schedule_beside_where_a_shipped_program_would_lie_is_its_schedule(empty: Path) -> None:
    assert package.compile("bfs").schedule is None
    (empty / "bfs.toml").write_text('[schedule]\ndirection = "push"\n', encoding="utf-8")
    assert str(package.compile("bfs").schedule) == "direction=push"


def test_a_shipped_program_is_not_formatted_in_place(starplat: Starplat) -> None:
    outcome = starplat("fmt", "sssp")
    assert outcome.code == 1
    assert "`starplat new sssp.sp --from sssp` copies" in outcome.err
