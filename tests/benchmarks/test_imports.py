"""Every name of ours that a benchmark imports is there, also where no machine of the tests could run it."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"
FILES = [str(path.relative_to(FOLDER)) for path in sorted(FOLDER.rglob("*.py"))]


@pytest.mark.parametrize("file", FILES)
def test_what_a_benchmark_imports_exists(file: str) -> None:
    for part in ast.walk(ast.parse((FOLDER / file).read_text(encoding="utf-8"))):
        if isinstance(part, ast.ImportFrom) and (part.module or "").split(".")[0] in ("starplat", "tests"):
            module = import_module(str(part.module))
            for name in (alias.name for alias in part.names):
                is_module = hasattr(module, "__path__") and find_spec(f"{part.module}.{name}") is not None
                assert hasattr(module, name) or is_module, f"{part.module} has no {name}"
