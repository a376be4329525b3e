"""Every package imports only what stands to its left; the middle of the compiler names no target; targets do not know
each other; neither modules nor folders import themselves by way of others; no folder is too full to look over; and what
benchmarks, tests and documents import is there."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "starplat"
ORDER = (
    {"source", "resources", "progress_listener", "same", "sizes", "version", "whole_files"},
    {"diagnostics", "records"},
    {"frontend"},
    {"analysis"},
    {"operators"},
    {"ir"},
    {"passes"},
    {"schedule"},
    {"backends"},
    {"toolchain"},
    {"runtime"},
    {"program_text", "graph_files", "highlighting"},
    {"imports"},
    {"pipeline"},
    {"editing", "program_options"},
    {"program_runs"},
    {"program"},
    {"algorithms"},
    {"networkx"},
    {"notebook", "lsp"},
    {"bench"},
    {"cli"},
)
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}
USES_GRAPH = {"graph", "runtime", "graph_files", "pipeline", "program", "program_runs", "networkx", "bench", "cli"}
GRAPH_USES = {"graph", "source", "diagnostics", "resources", "whole_files"}
MOST_FILES = 20
ENTRANCES = {"__init__", "__main__"}
TARGETS = ("opencl", "cuda", "sycl", "openacc", "hip", "openmp", "webgpu")
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py") if "_resources" not in path.parts)
NAMES = {".".join(module.with_suffix("").parts).removesuffix(".__init__"): module for module in MODULES}


def layer_of(module: Path) -> str:
    return module.parts[0].removesuffix(".py")


def imported(module: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name below `starplat` of everything that a module imports, wherever in it."""
    for node in ast.walk(ast.parse((PACKAGE / module).read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (
                    (node.lineno, a.name.removeprefix("starplat.")) for a in names if a.name.startswith("starplat.")
                )
            case ast.ImportFrom(module="starplat", level=0, names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=str(name), level=0) if name.startswith("starplat."):
                package = name.removeprefix("starplat.")
                inside = {f"{package}.{alias.name}" for alias in node.names}
                yield from ((node.lineno, found) for found in sorted(inside & NAMES.keys()) or [package])
            case ast.ImportFrom(level=level) if level:
                pytest.fail(f"{module}:{node.lineno}: imports are absolute here")


def allowed(importer: str, imported_layer: str) -> bool:
    if importer == imported_layer or importer in ENTRANCES:
        return True
    if importer == "graph":
        return imported_layer in GRAPH_USES
    if imported_layer == "graph":
        return importer in USES_GRAPH
    return RANK[imported_layer] < RANK[importer]


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_imports_only_what_stands_to_its_left(module: Path) -> None:
    importer = layer_of(module)
    assert importer in RANK or importer in ENTRANCES or importer == "graph", f"{module} has no place in the order"
    wrong = [
        f"starplat/{module}:{line} imports {name}"
        for line, name in imported(module)
        if not allowed(importer, name.split(".")[0])
    ]
    assert wrong == []


@pytest.mark.parametrize("module", [m for m in MODULES if layer_of(m) in ("ir", "passes", "schedule")], ids=str)
def test_the_middle_of_the_compiler_names_no_target(module: Path) -> None:
    text = (PACKAGE / module).read_text(encoding="utf-8")
    assert re.findall(rf"\b({'|'.join(TARGETS)})\b", text, re.IGNORECASE) == []


@pytest.mark.parametrize("module", [m for m in MODULES if m.stem in TARGETS], ids=str)
def test_targets_do_not_import_each_other(module: Path) -> None:
    others = set(TARGETS) - {module.stem}
    assert [name for _, name in imported(module) if others & set(name.split("."))] == []


def test_no_folder_holds_more_than_a_reader_can_look_over() -> None:
    folders = Counter(module.parent for module in MODULES if module.stem not in ENTRANCES)
    assert {str(folder): count for folder, count in folders.items() if count > MOST_FILES} == {}


def test_no_module_imports_itself_by_way_of_others() -> None:
    uses = {name: {other for _, other in imported(module) if other in NAMES} for name, module in NAMES.items()}
    require_no_circle(uses)


@pytest.mark.parametrize("folder", sorted({m.parent for m in MODULES if m.parent != Path()}), ids=str)
def test_folders_in_a_folder_do_not_import_each_other(folder: Path) -> None:
    """What stands in it, files and folders, has an order too."""
    inside = ".".join(folder.parts) + "."
    uses: dict[str, set[str]] = defaultdict(set)
    for name, module in NAMES.items():
        own, _, _ = name.removeprefix(inside).partition(".")
        if name.startswith(inside):
            within = (other.removeprefix(inside) for _, other in imported(module) if other.startswith(inside))
            uses[own] |= {other.partition(".")[0] for other in within} - {own}
    require_no_circle(uses)


@pytest.mark.parametrize("folder", ["benchmarks", "docs", "tests"])
def test_what_is_imported_from_outside_is_there(folder: str) -> None:
    """Also by what runs only where a GPU is."""
    lost = [
        f"{path.relative_to(PACKAGE.parent)}:{node.lineno} imports {alias.name} from {node.module}"
        for path in (PACKAGE.parent / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("starplat.")
        for alias in node.names
        if not is_there(node.module.removeprefix("starplat."), alias.name)
    ]
    assert lost == []


def is_there(module: str, name: str) -> bool:
    return f"{module}.{name}" in NAMES or (module in NAMES and hasattr(import_module(f"starplat.{module}"), name))


def require_no_circle(uses: dict[str, set[str]]) -> None:
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))
