"""What the compiler writes for the examples is kept in `generated/`, for people to read: it changes only on purpose.

`pytest tests/golden --refresh-goldens` writes it anew.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.diagnostics import DiagnosticError
from starplat.schedule import AUTO, PLAIN

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.sp"))
GENERATED = ROOT / "generated"


FOLDERS = {**{target: (target, AUTO) for target in BACKENDS}, "cuda-plain": ("cuda", PLAIN)}
"""What stands in each folder: a target's programs as `compile` writes them, and CUDA's without any schedule."""


@cache
def program(path: Path) -> starplat.Program:
    return starplat.compile(path)


def emitted(path: Path, folder: str) -> dict[str, str]:
    """The files of an example; a target that refuses it says so in the only one."""
    target, schedule = FOLDERS[folder]
    try:
        return program(path).artifact(target, schedule=schedule)
    except DiagnosticError as error:
        return {f"{path.stem}.refused.txt": f"{error.diagnostics[0].code}: {error.diagnostics[0].message}\n"}


@pytest.mark.parametrize("target", FOLDERS)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_emitted_program_is_the_one_in_the_repository(path: Path, target: str, pytestconfig: pytest.Config) -> None:
    folder, texts = GENERATED / target, emitted(path, target)
    if pytestconfig.getoption("refresh_goldens"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        return
    for name, text in texts.items():
        golden = folder / name
        assert golden.exists(), f"{golden.relative_to(ROOT)} is missing: pytest tests/golden --refresh-goldens"
        assert golden.read_text(encoding="utf-8") == text, "if this is meant: pytest tests/golden --refresh-goldens"


@pytest.mark.parametrize("target", FOLDERS)
def test_nothing_else_is_generated(target: str, pytestconfig: pytest.Config) -> None:
    """A file whose example or target is gone is removed."""
    expected = {name for path in EXAMPLES for name in emitted(path, target)}
    found = {path for path in (GENERATED / target).glob("*") if path.name not in expected}
    if pytestconfig.getoption("refresh_goldens"):
        for path in found:
            path.unlink()
        return
    assert not found


def test_there_are_no_other_folders() -> None:
    assert {path.name for path in GENERATED.iterdir() if path.is_dir()} == set(FOLDERS)
