"""`starplat(...)` runs the command line inside this process; `process(...)` in one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from starplat.cli import main

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Outcome:
    """What a command left."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout as exactly one JSON object."""
        return json.loads(self.out)


@pytest.fixture
def starplat(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Runs a command line without colours."""
    for variable in ("FORCE_COLOR", "NO_COLOR", "STARPLAT_DEBUG"):
        monkeypatch.delenv(variable, raising=False)

    def run(*arguments: object) -> Outcome:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        return Outcome(code, *capfd.readouterr())

    return run


@pytest.fixture
def process() -> Callable[..., Outcome]:
    """Runs a command line as a shell would."""

    def run(*arguments: object, input: str | None = None, **variables: str) -> Outcome:
        environment = {**os.environ, **variables}
        command = [sys.executable, "-m", "starplat", *map(str, arguments)]
        done = subprocess.run(
            command, input=input, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def examples() -> Path:
    """The folder of the examples."""
    return ROOT / "examples"


@pytest.fixture
def roads(tmp_path: Path) -> Path:
    """A DIMACS file whose nodes are 1..5; node 5 cannot be reached from 1."""
    path = tmp_path / "roads.gr"
    path.write_text("p sp 5 6\na 1 2 4\na 1 3 1\na 3 2 2\na 2 4 5\na 3 4 9\na 5 1 1\n", encoding="utf-8")
    return path


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a program file and gives its path."""

    def write(text: str, name: str = "p.sp") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
