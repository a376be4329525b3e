"""HIP text is HIP: hipcc compiles every kernel file and every program for an AMD GPU."""

from __future__ import annotations

import os
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

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.sp"))
HIP = BACKENDS["hip"]
WARNINGS = (
    "-Wall",
    "-Wextra",
    "-Wno-unused-function",  # an atomic of 64 bits may be for -DARC_64 alone
    "-Wno-unused-parameter",  # what is done for an arc gets its node and its place
    "-Wno-sign-compare",  # numbers of threads are unsigned, numbers of nodes are not
    "-Wno-pass-failed",  # `#pragma unroll` is a wish
)


every_schedule = pytest.mark.parametrize("schedule", [PLAIN, AUTO], ids=str)


@cache
def module(path: Path, schedule: Schedule = AUTO) -> ir.Module:
    return scheduled(starplat.compile(path).module(), schedule, HIP.capabilities)


WAVEFRONTS = {"64 threads": "gfx90a", "32 threads": "gfx1030"}


def compiled(folder: Path, name: str, *flags: str, wavefront: str = "64 threads") -> None:
    if shutil.which("hipcc") is None:
        pytest.skip("hipcc is not installed (apt install hipcc libamdhip64-dev)")
    given = (f"--offload-arch={WAVEFRONTS[wavefront]}", "-std=c++17", "-O1", *WARNINGS, *flags)
    command = ["hipcc", *given, "-c", name, "-o", "out.o"]
    environment = {**os.environ, "HIP_PLATFORM": "amd"}  # else hipcc hands over to nvcc where there is one
    built = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert "warning:" not in built.stderr, built.stderr


@pytest.mark.thin(plain=40, campaign=None)
@pytest.mark.parametrize("wavefront", WAVEFRONTS)
@pytest.mark.parametrize("flags", [(), ("-DARC_64",)], ids=["arcs32", "arcs64"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@every_schedule
def test_kernels_compile(
    path: Path, schedule: Schedule, flags: tuple[str, ...], wavefront: str, tmp_path: Path
) -> None:
    (tmp_path / "kernels.hip.cpp").write_text(HIP.kernels_text(module(path, schedule)), encoding="utf-8")
    compiled(tmp_path, "kernels.hip.cpp", "--cuda-device-only", *flags, wavefront=wavefront)


@pytest.mark.thin(plain=8, campaign=None)
@pytest.mark.parametrize("library", [False, True], ids=["program", "library"])
@pytest.mark.parametrize(
    ("program", "memory"),
    [("sssp", "ondemand"), ("pagerank", "ondemand"), ("pagerank", "auto"), ("closeness", "ondemand")],
)
def test_a_program_compiles(program: str, memory: str, library: bool, tmp_path: Path) -> None:
    """Among them such as wait for each other in one launch, with reductions and what comes back from them, and such as
    read arcs in the host's memory."""
    path = next(path for path in EXAMPLES if path.stem == program)
    texts = starplat.compile(path).artifact("hip", library=library, schedule=f"memory={memory}")
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert "hipLaunchCooperativeKernel" in "".join(texts.values())
    compiled(tmp_path, f"{program}.hip.cpp", "-Xarch_host", "-O0")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_nothing_of_cuda_is_left(path: Path) -> None:
    text = HIP.artifact(module(path), path.stem)[f"{path.stem}.hip.cpp"]
    assert "cuda" not in text.lower()


def test_every_thread_fences_around_the_barrier_of_the_grid() -> None:
    """Threads of a block may run on two compute units, whose caches one thread's fence does not reach."""
    text = HIP.kernels_text(module(EXAMPLES[0].with_name("pagerank.sp")))
    body = text.partition("void grid_barrier(unsigned *arrived) {\n")[2].partition("\n}")[0].splitlines()
    assert body[:2] == ["    __threadfence();", "    __syncthreads();"]
    assert body[-2:] == ["    __syncthreads();", "    __threadfence();"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_wavefront_may_have_64_threads(path: Path) -> None:
    text = HIP.kernels_text(module(path))
    assert "_sync(" not in text
    assert "threadIdx.x % 32" not in text
