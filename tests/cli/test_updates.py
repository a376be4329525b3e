"""`run` with updates of the graph: the file they come in, the files of batches, and what is said of mistakes."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

Starplat = Callable[..., Outcome]
Write = Callable[..., Path]

LINES = "# of three batches\na 5 1 7\nd 1 2\n\na 5 1\na 5 1\nd 4 5\n"


def column(path: Path, name: str) -> list[str]:
    with path.open(newline="") as stream:
        return [row[name] for row in csv.DictReader(stream)]


@pytest.mark.parametrize("more", [("--target", "reference"), ("--checked",), ("--target", "openmp")])
def test_every_batch_goes_to_a_file_of_its_number(
    starplat: Starplat, program: Write, roads: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    listed = program(LINES, "updates.txt")
    out = tmp_path / "r.csv"
    given = ("-g", roads, "-a", f"changes=@{listed}", "-a", "batch=2", "--out", out, "--batch", *more)
    outcome = starplat("run", "dynamic_degrees", *given)
    assert outcome.code == 0, outcome.err
    first, second, third = (column(tmp_path / f"r.{number}.csv", "out_degree") for number in (1, 2, 3))
    assert [int(b) - int(a) for a, b in zip(first, second, strict=True)] == [0, 0, 0, 0, 2]
    assert column(out, "out_degree") == third
    assert not (tmp_path / "r.4.csv").exists()


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("a 5 1\nd 9 1\n", 1, "error[E0816]: {file}:2:3: no node of"),
        ("a 5 1\nx 1 1\n", 1, "error[E0805]: {file}:2:1: expected a (add) or d (delete), found 'x'"),
        ("a 5 1 nan\n", 1, "error[E0809]: {file}:1:7"),
    ],
)
def test_a_mistake_in_updates_has_its_place(
    starplat: Starplat, program: Write, roads: Path, text: str, code: int, message: str
) -> None:
    listed = program(text, "updates.txt")
    outcome = starplat("run", "dynamic_degrees", "-g", roads, "-a", f"changes=@{listed}", "--target", "reference")
    assert outcome.code == code
    assert message.format(file=listed) in outcome.err


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        (("dynamic_degrees", "-a", "changes=5"), 1, "updates are given as @FILE"),
        (("dynamic_degrees",), 1, "needs the argument 'changes'"),
        (("dynamic_degrees", "-a", "changes=@none.txt"), 1, "error[E0801]"),
        (("dynamic_degrees", "-a", "changes=@none.txt", "--batch"), 2, "--out"),
        (("degree_centrality", "--batch", "--out", "{folder}/r.csv"), 2, "degree_centrality takes no updates"),
    ],
)
def test_updates_and_their_batches_are_asked_for_rightly(
    starplat: Starplat, roads: Path, tmp_path: Path, given: tuple[str, ...], code: int, message: str
) -> None:
    words = [word.format(folder=tmp_path) for word in given]
    outcome = starplat("run", *words, "-g", roads, "--target", "reference")
    assert outcome.code == code
    assert message in " ".join(outcome.err.split())
