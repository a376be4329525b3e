"""What all verbs have in common: streams, exit codes, suggestions, colours, interruptions, the time to start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tomllib
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import starplat as package
from starplat.cli import app, console
from starplat.cli.app import VERBS
from starplat.diagnostics import Diagnostic, Label, Severity, render
from starplat.source import SourceFile, Span
from tests.cli.conftest import ROOT, Outcome

Starplat = Callable[..., Outcome]


def test_version_is_the_packages(starplat: Starplat) -> None:
    """The package says it, and `pyproject.toml` has it from there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["hatch"]["version"] == {"path": "starplat/version.py"}
    assert "version" in project["project"]["dynamic"]
    assert starplat("version").out == f"starplat {package.__version__}\n" == starplat("--version").out
    assert starplat("version", "--json").json == {"schema": 1, "version": package.__version__}


def test_help_names_every_verb_and_every_verb_has_help(starplat: Starplat) -> None:
    overview = starplat("--help")
    assert overview.code == 0
    for verb in VERBS:
        assert verb in overview.out
        assert starplat(verb, "--help").code == 0


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (["chekc", "x.sp"], "check"),
        (["rum"], "run"),
        (["run", "x.sp", "--grahp", "y"], "--graph"),
        (["run", "x.sp", "--graph", "y", "--jsno"], "--json"),
        (["graph", "inof", "x"], "info"),
        (["inspect", "x.sp", "--stage", "tokenz"], "tokens"),
    ],
)
def test_a_misspelt_word_is_a_usage_error_with_a_suggestion(
    starplat: Starplat, arguments: list[str], suggestion: str
) -> None:
    outcome = starplat(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert suggestion in outcome.err


@pytest.mark.parametrize(
    "arguments", [["run"], ["check"], ["run", "x.sp"], ["run", "x.sp", "--graph", "g", "--repeat", "many"]]
)
def test_a_wrong_command_line_exits_with_2(starplat: Starplat, arguments: list[str]) -> None:
    outcome = starplat(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: ")


@pytest.mark.parametrize(
    ("arguments", "verb"),
    [
        (["inspect", "x.sp", "--diff", "opencl"], "starplat inspect"),
        (["inspect", "x.sp", "--stage", "nope"], "starplat inspect"),
        (["graph", "generate", "nope", "x.mtx"], "starplat graph generate"),
        (["nope"], "starplat"),
    ],
)
def test_help_is_named_for_the_verb_that_was_meant(starplat: Starplat, arguments: list[str], verb: str) -> None:
    outcome = starplat(*arguments)
    assert outcome.code == 2
    assert outcome.err.endswith(f"= help: `{verb} --help` lists what there is\n")
    assert "Value error" not in outcome.err


@pytest.mark.parametrize("code", ["E02", "e9999", "W12345"])
def test_a_code_that_is_none_is_not_taken_for_a_file(starplat: Starplat, code: str) -> None:
    outcome = starplat("explain", code)
    assert outcome.code == 1
    assert outcome.err.startswith(f"error[E0793]: no diagnostic has the code {code.upper()}")


@pytest.mark.parametrize("verb", ["check", "compile", "inspect", "explain", "fmt"])
def test_a_missing_program_is_one_sentence(starplat: Starplat, verb: str, tmp_path: Path) -> None:
    outcome = starplat(verb, tmp_path / "no such.sp")
    assert outcome.code == 1
    assert outcome.err.startswith("error[E0790]: ")
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("path", ["", ".", "..", "/", "a\tb\x1b.sp", "x" * 5000])
@pytest.mark.parametrize("verb", ["check", "compile", "inspect", "explain", "fmt", "run", "tune", "bench"])
def test_a_path_that_is_no_program_is_one_sentence(starplat: Starplat, roads: Path, verb: str, path: str) -> None:
    graph = ("--graph", roads) if verb in ("run", "tune", "bench") else ()
    outcome = starplat(verb, path, *graph)
    assert (outcome.code, outcome.out) == (1, "")
    assert "error[E0790]: " in outcome.err
    assert "internal error" not in outcome.err


def test_a_program_that_is_not_text_is_one_sentence(starplat: Starplat, tmp_path: Path) -> None:
    path = tmp_path / "binary.sp"
    path.write_bytes(b"function f() { \xff }")
    outcome = starplat("check", path)
    assert outcome.code == 1
    assert "error[E0791]" in outcome.err


def test_an_unexpected_exception_is_one_sentence_and_exit_code_4(
    starplat: Starplat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("starplat.cli.files.read_program", lambda path: 1 / 0)
    outcome = starplat("check", tmp_path / "x.sp")
    assert outcome.code == 4
    assert outcome.err.startswith("error: internal error: ZeroDivisionError")
    assert "Traceback" not in outcome.err
    monkeypatch.setenv("STARPLAT_DEBUG", "1")
    assert "Traceback" in starplat("check", tmp_path / "x.sp").err


def test_a_warning_of_python_is_one_line(starplat: Starplat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def warn(path: Path) -> SourceFile:
        warnings.warn("the cache is full", UserWarning, stacklevel=1)
        return SourceFile(str(path), "function f(Graph g) { return g.num_nodes(); }")

    monkeypatch.setattr("starplat.cli.files.read_program", warn)
    warnings.simplefilter("always")
    assert starplat("check", "x.sp").err == "warning: the cache is full\nx.sp: no errors\n"


def test_an_interruption_exits_with_130(starplat: Starplat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(path: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("starplat.cli.files.read_program", interrupted)
    outcome = starplat("check", tmp_path / "x.sp")
    assert (outcome.code, outcome.err) == (130, "interrupted\n")


@pytest.mark.skipif(os.name == "nt", reason="this system has another shell")
@pytest.mark.parametrize(
    ("words", "err"),
    [
        ("check 'examples/bfs.sp' >&-", "examples/bfs.sp: no errors\n"),
        ("inspect 'examples/bfs.sp' >&-", ""),
        ("inspect 'examples/bfs.sp' >/dev/null 2>&-", ""),
        ("fmt - <&- >/dev/null", ""),
    ],
)
def test_a_stream_that_is_closed_is_nothing(words: str, err: str) -> None:
    command = f"'{sys.executable}' -m starplat {words}"
    done = subprocess.run(command, shell=True, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False, timeout=300)
    assert (done.returncode, done.stderr) == (0, err)


@pytest.mark.skipif(os.name == "nt", reason="this system has another shell")
@pytest.mark.parametrize(("program", "code"), [("function f(Graph g) { x = 1; }", 1), ("function f(Graph g) { }", 0)])
def test_messages_that_nobody_reads_leave_the_exit_code(program: str, code: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "starplat", "check", "-"]
    try:
        done = subprocess.run(command, input=program.encode(), stderr=writer, check=False, timeout=300)
    finally:
        os.close(writer)
    assert done.returncode == code


@pytest.mark.skipif(os.name == "nt", reason="this system has other signals")
def test_an_interruption_while_the_verbs_are_imported_has_no_traceback() -> None:
    code = """
import os, signal, sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "starplat.cli.app":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupted())
import starplat.__main__
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def opened_when_read(fifo: Path) -> int:
    """A pipe opened for writing as soon as somebody reads it, however long a busy machine takes."""
    for _ in range(600):
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.1)
    raise AssertionError("nobody read the program within a minute")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130)])
def test_a_signal_ends_a_run_without_a_traceback(tmp_path: Path, number: signal.Signals, code: int) -> None:
    fifo = tmp_path / "slow.sp"
    os.mkfifo(fifo)  # reading it waits for a writer that has nothing to say
    command = [sys.executable, "-m", "starplat", "check", str(fifo)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        writer = opened_when_read(fifo)
        child.send_signal(number)
        os.close(writer)  # a signal that came just before the reading began is looked at when the reading ends
        _, err = child.communicate(timeout=300)
    assert child.returncode == code
    assert "Traceback" not in err


def test_a_reader_that_goes_away_is_no_error(examples: Path) -> None:
    command = [sys.executable, "-m", "starplat", "inspect", str(examples / "sssp.sp"), "--stage", "ast"]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False, timeout=300)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


SOURCE = SourceFile("a.sp", "int x = y;\n")
DIAGNOSTIC = Diagnostic(
    "E0201", "no [bold]'y'[/] here", SOURCE, Label(Span(8, 9), "not declared"), (Label(Span(4, 5), "see"),), "try 'x'"
)


@pytest.mark.parametrize("severity", Severity)
def test_a_coloured_diagnostic_is_the_plain_one_with_styles(severity: Severity) -> None:
    diagnostic = Diagnostic("E0201", "m", SOURCE, DIAGNOSTIC.place, DIAGNOSTIC.related, "h", severity)
    coloured = console.coloured(diagnostic)
    assert coloured.plain == render(diagnostic)
    assert coloured.spans
    assert console.coloured(DIAGNOSTIC).plain == render(DIAGNOSTIC)


def test_colour_appears_only_where_it_is_wanted(process: Starplat, program: Callable[[str], Path]) -> None:
    bad = program("function f(Graph g) { int x = y; }")
    assert "\x1b[" not in process("check", bad).err
    assert "\x1b[" in process("check", bad, FORCE_COLOR="1").err
    assert "\x1b[" not in process("check", bad, FORCE_COLOR="1", NO_COLOR="1").err
    assert "\x1b[" not in process("check", bad, TERM="dumb").err


def modules_after(*arguments: str) -> set[str]:
    code = f"import sys; from starplat.cli import main; main({list(arguments)!r}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_verbs_import_only_what_they_need(examples: Path) -> None:
    assert modules_after("version") & {"numpy", "rich", "lark"} == set()
    assert modules_after("check", str(examples / "sssp.sp")) & {"numpy", "rich", "jinja2"} == set()


def test_the_usage_error_that_is_caught_is_typers_own() -> None:
    assert issubclass(app.typer.BadParameter, app.UsageError)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which Linux has")
def test_a_full_disk_is_one_sentence() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "starplat", "version"],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=300,
        )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "No space left on device" in done.stderr


def imported_by(*words: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    code = "import sys; sys.argv[1:] = sys.argv[2:]\ntry: import starplat.__main__\nfinally: print(*sys.modules)"
    command = [sys.executable, "-c", code, "-", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    return set(done.stdout.split())


def test_a_command_imports_its_own_verb_alone() -> None:
    every = {f"starplat.cli.verbs.{verb}" for verb in VERBS}
    assert imported_by("show", "bfs") & every == {"starplat.cli.verbs.show"}


@pytest.mark.parametrize("word", ["version", "--version"])
def test_the_version_takes_no_imports(word: str) -> None:
    found = imported_by(word)
    assert "starplat.cli.process" in found
    assert not found & {"typer", "pydantic", "dataclasses", "starplat.cli.app"}
