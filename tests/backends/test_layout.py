"""Programs lie beside the headers that they share, or hold them."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

import starplat
from starplat.backends.files.definitions import definitions
from starplat.backends.files.layout import header, laid_out, raw_literal
from starplat.resources import template_folder
from tests.programs.targets import FULL

EXAMPLES = Path(__file__).parents[2] / "examples"
HEADERS = sorted(path.name.removesuffix(".jinja") for path in template_folder("headers").iterdir())


@cache
def program(name: str) -> starplat.Program:
    return starplat.compile(EXAMPLES / f"{name}.sp")


def headers_among(files: dict[str, str]) -> dict[str, str]:
    return {file: text for file, text in files.items() if re.fullmatch(r"starplat_\w+\.(hpp|h)", file)}


@pytest.mark.parametrize("target", FULL)
def test_headers_are_the_same_for_every_program(target: str) -> None:
    seen: dict[str, str] = {}
    for name in ("sssp", "triangle_count", "betweenness"):
        for library in (False, True):
            files = program(name).artifact(target, library=library)
            beside = headers_among(files)
            assert f"starplat_{target}.hpp" in beside
            assert beside.items() <= (seen := beside | seen).items()
            assert {file: text for file, text in beside.items() if file in HEADERS} == {
                file: header(file) for file in beside if file in HEADERS
            }
            asked = {file for text in files.values() for file in re.findall(r'#include "(starplat_[\w.]+)"', text)}
            assert asked == set(beside)


@pytest.mark.parametrize("target", FULL)
def test_a_single_file_holds_all(target: str) -> None:
    files = program("betweenness").artifact(target, single_file=True)
    (text,) = files.values()
    beside = program("betweenness").artifact(target)
    assert '#include "starplat' not in text
    for name, part in beside.items():
        if name in HEADERS:
            assert [text.count(piece) for piece in _without_requests(part)] == [1] * len(_without_requests(part))
        elif name not in files and name not in headers_among(beside):
            assert [text.count(piece) for piece in _without_requests(part)] == [1, 1], "its kernels are in it"


def _without_requests(text: str) -> list[str]:
    return list(filter(None, re.split(r'#include "starplat_[\w.]+"\n', text)))


@pytest.mark.parametrize("target", FULL)
def test_a_single_file_holds_only_what_it_uses_of_its_target(target: str) -> None:
    (text,) = program("degree_centrality").artifact(target, single_file=True).values()
    whole = headers_among(program("degree_centrality").artifact(target))
    defined = {
        name for file in whole.values() if file not in HEADERS for one in definitions(file) for name in one.names
    }
    assert "Word" in defined
    assert not re.search(r"class Word\b|find_arc\(|check_place\(", text)
    assert re.search(r"class Buffer\b", text)


@pytest.mark.parametrize("frontier", ["auto", "queue", "bitmap", "layers"])
def test_sets_that_few_are_of_stand_in_a_header(frontier: str) -> None:
    """A launch with many sets has room for less in each, so that its program has the functions of sets by itself."""
    files = program("sssp").artifact("cuda", schedule=f"frontier={frontier}")
    (name,) = headers_among(files).keys() - {"starplat_program.hpp", "starplat_cuda.hpp"} - set(HEADERS)
    assert "struct Frontier" in files[name]
    assert "struct Frontier" not in files["sssp.cu"]


@pytest.mark.parametrize("target", FULL)
def test_a_library_in_a_single_file_has_its_header_for_c_beside_it(target: str) -> None:
    files = program("sssp").artifact(target, library=True, single_file=True)
    assert len(files) == 2
    assert files["sssp.h"] == program("sssp").artifact(target, library=True)["sssp.h"]


def test_the_lines_of_the_file_are_counted_after_the_kernels() -> None:
    for single_file in (False, True):
        lines = program("sssp").artifact("openmp", single_file=single_file)["sssp.cpp"].splitlines()
        place = next(place for place, line in enumerate(lines) if re.match(r'#line \d+ "sssp.cpp"', line))
        assert lines[place] == f'#line {place + 2} "sssp.cpp"'


def test_a_literal_holds_any_text() -> None:
    assert raw_literal("a") == 'R"kernels(a)kernels"'
    assert raw_literal('// )kernels"') == 'R"kernels_(// )kernels")kernels_"'


def test_a_header_that_is_asked_for_twice_stands_once() -> None:
    name = HEADERS[0]
    text = laid_out({"a.cpp": f'#include "{name}"\nint a;\n#include "{name}"\n'}, single_file=True)["a.cpp"]
    assert text.count("#endif") == header(name).count("#endif")


FOR_NVCC = {name for name in HEADERS if re.search(r"<nccl.h>|starplat_cuda.hpp", header(name))}


@pytest.mark.parametrize(
    "name", [name for name in HEADERS if name not in FOR_NVCC]
)  # others: test_artifacts_in_parts.py
def test_a_header_stands_alone(name: str, tmp_path: Path) -> None:
    compiler = "mpicxx" if "<mpi.h>" in header(name) else "g++"
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    for each in HEADERS:
        (tmp_path / each).write_text(header(each), encoding="utf-8")
    (tmp_path / "alone.cpp").write_text(f'#include "{name}"\n#include "{name}"\nint main() {{}}\n')
    flags = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
    flags += ["-fopenmp"] if compiler == "mpicxx" else []
    read = subprocess.run([compiler, *flags, "alone.cpp"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert read.returncode == 0, read.stderr


@pytest.mark.parametrize("absent", [None, "cl_khr_fp64", "cl_khr_int64_base_atomics", "all"])
@pytest.mark.parametrize("define", ["-DARC_32", "-DARC_64", "-DATOMIC_READS"])
def test_opencl_s_header_of_kernels_is_for_devices_without_extensions_too(
    absent: str | None, define: str, tmp_path: Path
) -> None:
    if shutil.which("clang") is None:
        pytest.skip("clang is not installed")
    name = "starplat_opencl_kernels.h"
    (tmp_path / name).write_text(program("sssp").artifact("opencl")[name], encoding="utf-8")
    (tmp_path / "alone.cl").write_text(f'#include "{name}"\n#include "{name}"\n', encoding="utf-8")
    words = ["-cl-std=CL1.2", "-target", "spir64", "-Xclang", "-finclude-default-header", "-fsyntax-only", define]
    words += [] if absent is None else ["-Xclang", f"-cl-ext=-{absent}"]
    command = ["clang", *words, "-Wall", "-Wextra", "-Wno-unused-function", "-Werror", "alone.cl"]
    read = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert read.returncode == 0, read.stderr
