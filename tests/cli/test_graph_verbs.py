"""`graph info`, `graph convert`, `graph generate`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from starplat.cli.verbs.graph import Kind
from tests.cli.conftest import Outcome

Starplat = Callable[..., Outcome]


def test_info_describes_a_graph(starplat: Starplat, roads: Path) -> None:
    outcome = starplat("graph", "info", roads)
    assert outcome.code == 0
    assert outcome.out.startswith("roads.gr: DIMACS")
    assert "  nodes          5, 0 of them isolated\n" in outcome.out
    found = starplat("graph", "info", roads, "--json").json
    assert (found["schema"], found["nodes"], found["arcs"], found["ids"]) == (1, 5, 6, [1, 5])


def test_info_takes_the_options_of_run(starplat: Starplat, roads: Path) -> None:
    found = starplat("graph", "info", roads, "--undirected", "--weights", "ones", "--json").json
    assert (found["arcs"], found["directed"], found["max_weight"]) == (12, False, 1)


@pytest.mark.parametrize("name", ["g.spg", "g.mtx.gz", "g.gr.xz", "g.csv", "g with 'quotes'.npz"])
def test_convert_keeps_the_graph(starplat: Starplat, roads: Path, tmp_path: Path, name: str) -> None:
    destination = tmp_path / name
    outcome = starplat("graph", "convert", roads, destination)
    assert (outcome.code, outcome.out) == (0, "")
    found = starplat("graph", "info", destination, "--json").json
    assert (found["nodes"], found["arcs"], found["max_weight"]) == (5, 6, 9)


@pytest.mark.parametrize("name", ["g.wel", "g.el.gz"])
def test_convert_warns_of_nodes_that_gap_s_format_adds(
    starplat: Starplat, roads: Path, tmp_path: Path, name: str
) -> None:
    outcome = starplat("graph", "convert", roads, tmp_path / name)
    assert "warning: read from a .el or .wel the graph has a node more, without arcs" in outcome.err
    assert starplat("graph", "info", tmp_path / name, "--json").json["nodes"] == 6
    assert "warning" not in starplat("graph", "convert", roads, tmp_path / "g.txt").err
    assert "warning" not in starplat("graph", "convert", roads, tmp_path / name, "--undirected").err


def test_convert_warns_of_ids_that_are_lost(starplat: Starplat, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("10 20\n20 30\n")
    outcome = starplat("graph", "convert", tmp_path / "g.txt", tmp_path / "g.mtx")
    assert "does not keep the original ids" in outcome.err


def test_convert_to_an_unknown_format_is_one_sentence(starplat: Starplat, roads: Path, tmp_path: Path) -> None:
    outcome = starplat("graph", "convert", roads, tmp_path / "g.unknown")
    assert outcome.code == 1
    assert "error[E0815]" in outcome.err
    assert not (tmp_path / "g.unknown").exists()


@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.value)
def test_generate_gives_the_same_graph_for_the_same_seed(starplat: Starplat, tmp_path: Path, kind: Kind) -> None:
    sizes = ("--scale", 5, "--degree", 4, "--side", 8, "--nodes", 20, "--seed", 3)
    first, second = tmp_path / "first.mtx", tmp_path / "second.mtx"
    for destination in (first, second):
        assert starplat("graph", "generate", kind.value, destination, *sizes).code == 0
    assert first.read_bytes() == second.read_bytes()
    assert starplat("graph", "info", first, "--json").json["arcs"] > 0


@pytest.mark.parametrize("kind", ["rmat", "uniform"])
@pytest.mark.parametrize("more", [(), ("--weights", "random:1..9"), ("--degree", 0)])
def test_a_graph_made_in_pieces_is_the_same_file(
    starplat: Starplat, tmp_path: Path, kind: str, more: tuple[object, ...]
) -> None:
    whole, pieces = tmp_path / "whole.spg", tmp_path / "pieces.spg"
    for destination, asked in ((whole, ()), (pieces, ("--pieces", 3))):
        outcome = starplat("graph", "generate", kind, destination, "--scale", 6, "--seed", 3, *more, *asked)
        assert outcome.code == 0, outcome.err
    assert pieces.read_bytes() == whole.read_bytes()
    assert sorted(tmp_path.iterdir()) == [pieces, whole]


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("grid", (), "grid is not made in pieces: rmat and uniform are"),
        ("rmat", ("--weights", f"random:1..{2**31}"), "in pieces, random weights lie within -2^31..2^31-1"),
    ],
)
def test_what_is_not_made_in_pieces_is_refused(
    starplat: Starplat, tmp_path: Path, kind: str, options: tuple[str, ...], message: str
) -> None:
    outcome = starplat("graph", "generate", kind, tmp_path / "g.spg", "--pieces", 2, *options)
    assert outcome.code == 1
    assert f"error[E0817]: {message}" in outcome.err


def test_generate_refuses_what_makes_no_graph(starplat: Starplat, tmp_path: Path) -> None:
    outcome = starplat("graph", "generate", "rmat", tmp_path / "g.el", "--scale", 99)
    assert outcome.code == 1
    assert "error[E0817]" in outcome.err


@pytest.mark.parametrize(
    ("destination", "options", "code"),
    [
        ("no/folder/g.mtx", (), "E0815"),
        ("taken.mtx", (), "E0815"),
        ("g.unknown", (), "E0815"),
        ("g.mtx", ("--to", "nope"), "E0817"),
        ("g.mtx", ("--weights", "heavy"), "E0817"),
        ("g.mtx", ("--weights", "random:9..1"), "E0817"),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_is_made(
    starplat: Starplat,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    destination: str,
    options: tuple[str, ...],
    code: str,
) -> None:
    def made(*sizes: int) -> None:
        raise AssertionError("the graph was made")

    monkeypatch.setattr("starplat.graph.generators.rmat", made)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.mtx").mkdir()
    outcome = starplat("graph", "generate", "rmat", destination, *options)
    assert outcome.code == 1
    assert outcome.err.startswith(f"error[{code}]: ")
