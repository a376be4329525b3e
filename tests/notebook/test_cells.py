"""`%load_ext starplat`: programs in cells, errors as in a terminal, completion, progress that comes and goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import starplat
from starplat import progress_listener

COUNT = "function count(Graph g) { return g.num_nodes(); }"
WRONG = "function wrong(Graph g, propNode<int> p) { forall (v in g.nodes()) { v.q = 1; } }"
RACE = (
    "function race(Graph g, propNode<int> p) { forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.p = v; } } }"
)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """IPython with the extension, without the user's own configuration."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    interactiveshell = pytest.importorskip("IPython.core.interactiveshell")
    found = interactiveshell.InteractiveShell()
    assert found.run_cell("%load_ext starplat").success
    yield found
    found.run_cell("%unload_ext starplat")


@pytest.fixture
def kernel(shell: Any) -> Any:
    """The same, where outputs can be replaced later."""
    shell.run_cell("%unload_ext starplat")
    shell.kernel = SimpleNamespace()
    shell.run_cell("%load_ext starplat")
    return shell


def test_a_cell_is_a_program_of_the_name_that_is_given(shell: Any) -> None:
    assert shell.run_cell(f"%%starplat mine\n{COUNT}").success
    assert shell.user_ns["mine"].functions == ("count",)
    assert shell.run_cell("mine([(0, 1), (1, 2)], target='reference').returned").result == 3


def test_without_a_name_it_is_called_as_its_entry(shell: Any) -> None:
    assert shell.run_cell(f"%%starplat\n{COUNT}").success
    assert shell.user_ns["count"].name == "count"


@pytest.mark.parametrize("words", ["two names", "1st", "--strickt"])
def test_words_that_are_no_name_are_told_how_to_be_used(shell: Any, words: str, capsys: Any) -> None:
    assert not shell.run_cell(f"%%starplat {words}\n{COUNT}").success
    said = capsys.readouterr()
    assert "UsageError: %%starplat [NAME] [--strict]" in said.out + said.err


def test_an_error_is_shown_as_in_a_terminal(shell: Any, capsys: Any) -> None:
    outcome = shell.run_cell(f"%%starplat mine\n{WRONG}")
    assert isinstance(outcome.error_in_exec, starplat.DiagnosticError)
    assert capsys.readouterr().out == f"{outcome.error_in_exec}\n"
    assert "mine.sp:1:72" in str(outcome.error_in_exec)
    assert "mine" not in shell.user_ns


def test_an_error_of_a_run_is_shown_so_too(shell: Any, capsys: Any) -> None:
    shell.run_cell(f"%%starplat\n{COUNT}")
    capsys.readouterr()
    shell.run_cell("count([(0, 1)], target='referenc')")
    assert capsys.readouterr().out.splitlines()[0].startswith("error[E0907]: there is no target 'referenc'")


def test_warnings_are_shown_in_full_and_strict_makes_them_errors(shell: Any, capsys: Any) -> None:
    assert shell.run_cell(f"%%starplat\n{RACE}").success
    said = capsys.readouterr().err
    assert "warning[W0501]" in said
    assert "^" in said
    assert not shell.run_cell(f"%%starplat --strict\n{RACE}").success


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%%starplat\nfunction f(Graph g) { fora", {"forall"}),
        ("%%starplat\nfunction f(Graph g) { forall (v in g.nodes_t", {"g.nodes_to"}),
        ("%%starplat\nfunction f(Graph g, propNode<int> distance) { g.attachNodeProperty(dist", {"distance"}),
        ("%%starplat\nfunction f(Graph g, propNode<int> distance) { v.dist", {"v.distance"}),
        ("%%starplat\nfunction f(Graph g) { import", {"import"}),
    ],
)
def test_words_of_programs_are_completed(shell: Any, cell: str, expected: set[str]) -> None:
    assert completed(shell, cell) == expected


def test_python_is_completed_as_ever(shell: Any) -> None:
    assert "forall" not in completed(shell, "fora")
    shell.user_ns["result"] = starplat.compile("bfs_levels")([(0, 1)], src=0, target="reference")
    assert completed(shell, "result['le") == {"level"}


def completed(shell: Any, text: str) -> set[str]:
    from IPython.core.completer import provisionalcompleter

    with provisionalcompleter():
        return {found.text for found in shell.Completer.completions(text, len(text))}


def test_long_work_is_shown_until_the_cell_ends(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Shown()
    monkeypatch.setattr("starplat.notebook.progress.SILENT", 0.0)
    monkeypatch.setattr("starplat.notebook.progress.PAUSE", 0.0)
    monkeypatch.setattr("IPython.display.display", shown.display)
    kernel.run_cell(
        "import starplat; from starplat import progress_listener; tell = progress_listener.of_run('slow'); tell('3 s')"
    )
    kernel.run_cell("report = progress_listener.of_reading(); report('edges', 1, 4); report('edges', 2, 4)")
    assert shown.pages == [
        "<progress></progress> slow: 3 s",
        "",
        '<progress value="0.250"></progress> edges',
        '<progress value="0.500"></progress> edges',
        "",
    ]
    kernel.run_cell("%unload_ext starplat")
    assert progress_listener.of_run("slow") is None


def test_short_work_shows_nothing(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Shown()
    monkeypatch.setattr("IPython.display.display", shown.display)
    kernel.run_cell("import starplat; starplat.compile('bfs_levels')('liechtenstein', src=1).target")
    assert shown.pages == []


class Shown:
    """What a notebook shows, page after page."""

    def __init__(self) -> None:
        self.pages: list[str] = []

    def display(self, page: Any, display_id: bool) -> Shown:
        assert display_id
        self.update(page)
        return self

    def update(self, page: Any) -> None:
        self.pages.append(page._repr_html_())


def test_a_run_reports_to_the_progress_listener(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a run that takes long enough to be looked at."""
    told: list[str] = []
    progress_listener.attend(lambda words, share: told.append(words))
    try:
        endless = "function f(Graph g) { int i = 0; while (i < 1000000000) { i += 1; } return i; }"
        with pytest.raises(starplat.DiagnosticError, match="E0731"):
            starplat.compile(endless)([(0, 1)], target="reference", time_limit=1.5)
    finally:
        progress_listener.attend(None)
    assert told
    assert told[-1].startswith("program: ")
