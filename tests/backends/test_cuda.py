"""CUDA text is CUDA: a compiler of NVIDIA's takes every kernel and every program, and programs stay short."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.ir import nodes as ir
from starplat.schedule import AUTO, PLAIN, Schedule
from starplat.schedule.apply import scheduled
from tests.backends import nvrtc
from tests.backends.modules import sssp
from tests.kept import kept

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.sp"))
PROGRAMS = [*EXAMPLES, *sorted((ROOT / "tests" / "programs" / "found").glob("*.sp"))]
CUDA = BACKENDS["cuda"]
ARCHITECTURE, WITH_CLUSTERS = "sm_80", "sm_90"

MOST_LINES = {"betweenness": 150, "pagerank": 120, "sssp": 125, "triangle_count": 75}
"""How long the CUDA code of each program may be, as its own steps have it: what StarPlat's generator needs for the same
algorithm. Schedules add functions for sets and arcs, and shorten what the host does."""


@cache
def module(path: Path, schedule: Schedule = PLAIN) -> ir.Module:
    return scheduled(starplat.compile(path).module(), schedule, CUDA.capabilities)


every_schedule = pytest.mark.parametrize("schedule", [PLAIN, AUTO], ids=str)


def require_compiler() -> None:
    if shutil.which("nvcc") is None and nvrtc.library() is None:
        pytest.skip(f"neither nvcc nor NVRTC is here ({nvrtc.INSTALL})")


def to_machine_code(text: str, folder: Path, *flags: str, architecture: str | None = None) -> None:
    """Fails unless a compiler of NVIDIA's takes the text without a warning: the quicker one, NVRTC, where it is."""
    require_compiler()
    if architecture is None:
        architecture = WITH_CLUSTERS if "clusters of blocks" in text else ARCHITECTURE
    options = ("-std=c++17", f"-arch={architecture}", *flags)
    if nvrtc.library() is not None:
        kept(lambda: by_nvrtc(text, options), "nvrtc", text, *options)
    else:
        by_nvcc(text, folder, *options)


def by_nvrtc(text: str, options: tuple[str, ...]) -> bytes:
    code, log = nvrtc.compiled(text, *options)
    assert log == ""
    assert code
    return b"taken"


def by_nvcc(text: str, folder: Path, *options: str) -> None:
    (folder / "kernels.cu").write_text(text, encoding="utf-8")
    command = ["nvcc", *options, "-cubin", "kernels.cu", "-o", "kernels.cubin"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")


@pytest.mark.thin(plain=10, campaign=4)
@pytest.mark.parametrize("flags", [(), ("-DARC_64",)], ids=["arcs32", "arcs64"])
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@every_schedule
def test_kernels_become_machine_code(path: Path, schedule: Schedule, flags: tuple[str, ...], tmp_path: Path) -> None:
    to_machine_code(CUDA.kernels_text(module(path, schedule)), tmp_path, *flags)


@pytest.mark.thin(plain=10, campaign=5)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_nvcc_takes_kernels_too(path: Path, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not here")
    by_nvcc(CUDA.kernels_text(module(path, AUTO)), tmp_path, "-std=c++17", f"-arch={ARCHITECTURE}")


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@every_schedule
def test_kernels_need_no_standard_headers(path: Path, schedule: Schedule) -> None:
    """NVRTC has none; nvcc takes the other branch."""
    text = CUDA.kernels_text(module(path, schedule))
    without = re.sub(r"#ifdef __CUDACC_RTC__.*?#else\n.*?#endif\n", "", text, flags=re.DOTALL)
    assert "#include" not in without
    assert "std::" not in without


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@every_schedule
def test_the_program_holds_the_kernels_that_run(path: Path, schedule: Schedule) -> None:
    """Byte for byte, from the first routine to the last."""
    kernels = CUDA.kernels_text(module(path, schedule))
    whole = CUDA.artifact(module(path, schedule), path.stem)[f"{path.stem}.cu"]
    assert kernels[kernels.index("\n#line") :] in whole


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@every_schedule
def test_lines_are_counted_from_the_place_that_is_told(path: Path, schedule: Schedule) -> None:
    """Above kernels, and above those inside of a loop that one launch runs."""
    lines = [line.strip() for line in CUDA.kernels_text(module(path, schedule)).splitlines()]
    told = [found[1] for line in lines if (found := re.match(rf"// {re.escape(path.name)}:(\d+) \S", line))]
    marked = [found[1] for line in lines if (found := re.match(rf'#line (\d+) "{re.escape(path.name)}"', line))]
    assert told == marked
    assert told


def test_what_compile_writes_is_what_auto_makes_of_a_program() -> None:
    path = next(path for path in EXAMPLES if path.stem == "sssp")
    written = starplat.compile(path).artifact("cuda")["sssp.cu"]
    assert written == CUDA.artifact(module(path, AUTO), "sssp")["sssp.cu"]
    assert "launch_together(" in written
    assert "launch_together(" not in CUDA.artifact(module(path), "sssp")["sssp.cu"]


@pytest.mark.parametrize("program", MOST_LINES)
def test_the_code_is_as_short_as_a_persons(program: str) -> None:
    """Counted: kernels and host functions; not blank lines, comments, `#line`."""
    text = CUDA.artifact(module(ROOT / "examples" / f"{program}.sp"), program)[f"{program}.cu"]
    rest = text[text.index(f"\n// {program}.sp:") :]
    kernels, _, host = rest.partition("// The graph's arrays that kernels use")
    functions = host[host.index("\n};\n") + 4 : host.index("\nint main(")]
    lines = [line.strip() for line in (kernels + functions).splitlines()]
    code = [line for line in lines if line and not line.startswith(("//", "#line")) and line != "};"]
    assert len(code) <= MOST_LINES[program]


def test_a_launch_reads_like_cuda() -> None:
    assert """\
    while (!finished) {
        finished = true;
        modified_next.fill(false);
        sssp_relax<<<device.blocks(graph.num_nodes), 256>>>(
            graph.num_nodes, graph.row_offsets, graph.columns, modified, dist, weight, modified_next
        );
        check(cudaGetLastError(), "sssp_relax");
""" in CUDA.artifact(sssp(), "paths")["paths.cu"]


@pytest.mark.parametrize("library", [False, True], ids=["program", "library"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.campaign
@pytest.mark.thin(plain=8, campaign=40)
def test_programs_compile_without_warnings(path: Path, library: bool, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    whole(path, tmp_path, library=library)


@pytest.mark.campaign
def test_one_program_compiles_without_warnings(tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    whole(ROOT / "examples" / "pagerank.sp", tmp_path, library=False)


def whole(path: Path, folder: Path, *, library: bool) -> None:
    for name, text in starplat.compile(path).artifact("cuda", library=library).items():
        (folder / name).write_text(text, encoding="utf-8")
    command = [
        "nvcc",
        "-std=c++17",
        f"-arch={ARCHITECTURE}",
        "-Xcompiler",
        "-Wall,-Wextra,-Wshadow",
        "-c",
        f"{path.stem}.cu",
    ]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")
