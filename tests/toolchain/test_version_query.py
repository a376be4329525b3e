"""Programs of a machine may answer anything, or nothing; whoever asks them is not disturbed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from starplat.diagnostics import DiagnosticError, ExitCode
from starplat.toolchain.compilers import compiler_named
from starplat.toolchain.description import imported, in_brief
from starplat.toolchain.tools import answer

CUPY = """
================================================================
Failed to import CuPy.

Original error:
  ImportError: libnvrtc.so.13: cannot open shared object file
================================================================
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], str]:
    """Puts a shell script on the path and gives its own path."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    def write(name: str, script: str) -> str:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    return write


def test_an_answer_is_what_is_printed(program: Callable[[str, str], str]) -> None:
    assert answer(program("tool", 'echo "$1 in $LC_ALL"'), "--version") == "--version in C\n"


@pytest.mark.parametrize("script", ["echo; echo '  '", "exit 3", "echo 1.2; exit 1", "read line && echo $line"])
def test_what_says_nothing_has_no_answer(program: Callable[[str, str], str], script: str) -> None:
    assert answer(program("tool", script), "--version") is None


def test_what_cannot_be_started_has_no_answer(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program", encoding="utf-8")
    assert answer(str(tmp_path / "text"), "--version") is None
    assert answer(str(tmp_path / "nothing"), "--version") is None


def test_a_compiler_that_tells_no_version_is_called_by_its_first_line(program: Callable[[str, str], str]) -> None:
    program("first-line-c++", "test $1 = --version && echo 'first-line-c++ of somebody' || echo")
    program("silent-c++", "echo")
    found = compiler_named("first-line-c++")
    assert found is not None
    assert found.name == "first-line-c++ of somebody"
    assert compiler_named("silent-c++") is None


@pytest.mark.parametrize(
    ("error", "brief"),
    [
        (ImportError("No module named 'cupy'"), "No module named 'cupy'"),
        (ImportError(CUPY), "ImportError: libnvrtc.so.13: cannot open shared object file"),
        (OSError("\n  a driver\n  is missing"), "a driver"),
        (RuntimeError(""), "RuntimeError"),
    ],
)
def test_a_page_about_an_error_becomes_a_line(error: Exception, brief: str) -> None:
    assert in_brief(error) == brief


@pytest.mark.parametrize(
    ("package", "reason"),
    [("driverless", "does not load: no driver"), ("half_there", "does not load: No module named 'its_other_half'"),
     ("not_there", "is not installed")],
)  # fmt: skip
def test_a_package_that_is_missing_or_does_not_load_is_named_with_how_to_install_it(
    package: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "driverless.py").write_text("raise OSError('no driver')", encoding="utf-8")
    (tmp_path / "half_there.py").write_text("import its_other_half", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(DiagnosticError) as raised:
        imported("cuda", package)
    (said,) = raised.value.diagnostics
    assert said.message == f"target cuda needs the Python package {package}, which {reason}"
    assert (said.code, said.help) == ("E0901", "pip install 'starplat[cuda]'")
    assert raised.value.exit_code is ExitCode.NO_DEVICE
