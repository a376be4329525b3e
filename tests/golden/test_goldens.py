"""What the compiler writes for the examples is kept in `generated/`, for people to read: it changes only on purpose.

`pytest tests/golden --refresh-goldens` writes it anew.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.diagnostics import DiagnosticError
from starplat.schedule import AUTO, PLAIN

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.sp"))
GENERATED = ROOT / "generated"


FOLDERS: dict[str, tuple[str, dict[str, Any]]] = {
    **{target: (target, {"schedule": AUTO}) for target in BACKENDS},
    "cuda-plain": ("cuda", {"schedule": PLAIN}),
    "cuda-devices": ("cuda", {"devices": True}),
}
"""What stands in each folder: a target's programs as `compile` writes them, some of CUDA's without any schedule, and
some for several GPUs."""

COMMON = "common"
"""The folder of the headers that are the same on all targets, which stand there once."""

OTHER_SPELLINGS = ("betweenness_push", "bfs_levels")
"""Examples that say what another says: they are kept for one target."""

SAME_TEXT = {"sssp_two_flags": "sssp"}
"""Examples whose text is another's, which is kept."""

SOME = {"cuda-plain": ("bfs", "pagerank", "sssp"), "cuda-devices": ("bfs_levels",)}
"""The examples that are kept in a folder that has some only."""

OF_PARTS = ("starplat_parts.hpp", "starplat_nccl.hpp", "starplat_threads.hpp")
"""Headers that are not kept: they are as `templates/headers` has them."""

KEPT = [
    (path, folder)
    for folder in FOLDERS
    for path in EXAMPLES
    if path.stem not in SAME_TEXT
    if (path.stem in SOME[folder] if folder in SOME else folder == "cuda" or path.stem not in OTHER_SPELLINGS)
]
MOST_LINES = 40_900
"""Of all files together: they are for people to read."""


@cache
def program(path: Path) -> starplat.Program:
    return starplat.compile(path)


def emitted(path: Path, folder: str) -> dict[str, str]:
    """The files of an example, below `generated`; a target that refuses it says so in the only one."""
    target, options = FOLDERS[folder]
    try:
        files = program(path).artifact(target, **options)
    except DiagnosticError as error:
        files = {f"{path.stem}.refused.txt": f"{error.diagnostics[0].code}: {error.diagnostics[0].message}\n"}
    kept = (name for name in files if name not in OF_PARTS)
    return {f"{place(name, folder, target)}/{name}": files[name] for name in kept}


def place(name: str, folder: str, target: str) -> str:
    """The folder of a file: every header stands once."""
    if not name.startswith("starplat_"):
        return folder
    return target if name.startswith(f"starplat_{target}") else COMMON


@pytest.mark.parametrize(("path", "target"), KEPT, ids=lambda value: getattr(value, "stem", value))
def test_the_emitted_program_is_the_one_in_the_repository(path: Path, target: str, pytestconfig: pytest.Config) -> None:
    texts = emitted(path, target)
    if pytestconfig.getoption("refresh_goldens"):
        for name, text in texts.items():
            (GENERATED / name).parent.mkdir(parents=True, exist_ok=True)
            (GENERATED / name).write_text(text, encoding="utf-8", newline="\n")
        return
    for name, text in texts.items():
        golden = GENERATED / name
        assert golden.exists(), f"{golden.relative_to(ROOT)} is missing: pytest tests/golden --refresh-goldens"
        assert golden.read_text(encoding="utf-8") == text, "if this is meant: pytest tests/golden --refresh-goldens"


@pytest.mark.parametrize(("other", "kept"), SAME_TEXT.items())
def test_another_spelling_is_the_same_text(other: str, kept: str) -> None:
    found, expected = (program(ROOT / f"examples/{name}.sp").artifact("cuda")[f"{name}.cu"] for name in (other, kept))
    assert _code(found.replace(other, kept)) == _code(expected)


def _code(text: str) -> list[str]:
    """The lines, without those that tell where they come from."""
    return [line for line in text.splitlines() if not line.lstrip().startswith(("//", "#line"))]


def test_nothing_else_is_generated(pytestconfig: pytest.Config) -> None:
    """A file whose example or target is gone is removed."""
    expected = {GENERATED / name for path, folder in KEPT for name in emitted(path, folder)} | {GENERATED / "README.md"}
    found = {path for path in GENERATED.rglob("*") if path.is_file()} - expected
    if pytestconfig.getoption("refresh_goldens"):
        for path in found:
            path.unlink()
        return
    assert not found


def test_what_is_generated_can_be_read() -> None:
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in GENERATED.rglob("*") if path.is_file())
    assert lines <= MOST_LINES


@pytest.mark.parametrize("folder", ["opencl", "sycl", "webgpu"])
def test_comments_fill_their_lines(folder: str) -> None:
    """A comment that is too long for a line is broken by its template, not in the middle of what follows."""
    for path in (GENERATED / folder).glob("*"):
        lines = path.read_text(encoding="utf-8").splitlines()
        for before, line, after in zip(lines, lines[1:], lines[2:], strict=False):
            alone = line.startswith("// ") and line.count(" ") == 1
            goes_on = before.startswith("// ") and after.startswith("// ") and len(before) > 100
            assert not (alone and goes_on), f"{path.name}: {before} {line}"
            assert not before.endswith("reqd_work_group_size(256, 1,")
