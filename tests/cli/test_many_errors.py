"""However much is wrong with a program, what is said of it can be read; and `--json` says it in an object."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import starplat as library
from starplat.diagnostics import LONGEST_LINE, DiagnosticError
from tests.cli.conftest import Outcome

Starplat = Callable[..., Outcome]
MANY = "function f(Graph g) { " + " ".join(f"x{n} = 1;" for n in range(1_000)) + " }\n"


def test_a_long_line_is_shown_around_the_place_and_twenty_errors_of_many(
    starplat: Starplat, program: Callable[[str], Path]
) -> None:
    file = program(MANY)
    outcome = starplat("check", file)
    assert outcome.code == 1
    assert outcome.err.count("error[E0201]") == 20
    assert outcome.err.endswith(f"and 980 more errors; --all-errors shows all\n{file}: 1000 errors\n")
    shown = [line for line in outcome.err.splitlines() if line.startswith((" 1 | ", "   | "))]
    for text, marks in zip(shown[::2], shown[1::2], strict=True):
        assert len(text) <= LONGEST_LINE + len(" 1 | ")
        first, last = marks.index("^"), marks.rindex("^")
        assert text[first : last + 1].startswith("x")
    every = starplat("check", file, "--all-errors")
    assert every.err.count("error[E0201]") == 1_000
    assert "..." in every.err
    assert starplat("check", file).err == outcome.err


def test_an_exception_has_the_first_errors_in_its_text_and_all_in_its_diagnostics() -> None:
    with pytest.raises(DiagnosticError) as caught:
        library.compile(MANY)
    assert len(caught.value.diagnostics) == 1_000
    assert str(caught.value).count("error[E0201]") == 20
    assert str(caught.value).endswith("and 980 more errors: see `diagnostics`")


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("run", "absent.sp", "--graph", "absent.gr"), 1, "absent.sp: cannot be read: no such file or directory"),
        (("run", "absent.sp"), 2, "Missing option '--graph' / '-g'."),
        (("compile", "absent.sp", "--target", "opencl"), 1, "absent.sp: cannot be read: no such file or directory"),
        (("graph", "info", "absent.gr"), 1, "absent.gr"),
        (("explain", "E9999"), 1, "E9999"),
    ],
)
def test_a_failure_is_an_object_too(starplat: Starplat, words: tuple[str, ...], code: int, error: str) -> None:
    outcome = starplat(*words, "--json")
    assert outcome.code == outcome.json["exit_code"] == code
    assert error in outcome.json["error"]
    assert outcome.json["error"] in outcome.err
    assert starplat(*words).out == ""


def test_there_is_one_object_where_the_answer_came_and_its_file_did_not(
    starplat: Starplat, examples: Path, roads: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from starplat.cli import files

    def full(path: Path) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(files, "replacing", full)
    words = ("run", examples / "sssp.sp", "--graph", roads, "--arg", "src=1", "--target", "reference", "--json")
    outcome = starplat(*words, "--out", tmp_path / "r.npz")
    assert outcome.code != 0
    assert json.loads(outcome.out)["properties"]["dist"]["sum"] == 12
