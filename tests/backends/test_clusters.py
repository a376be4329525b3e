"""Loops that one cluster of blocks runs give the answers of other schedules, on fibers; NVIDIA's compiler takes it."""

from pathlib import Path

import pytest

import starplat
from starplat import pipeline
from starplat.backends import BACKENDS
from tests.backends.emulated import Machine
from tests.backends.test_cuda import to_machine_code
from tests.backends.test_sets import PROGRAMS, agree, random_graph
from tests.programs.cases import EXAMPLES

MACHINES = (
    Machine(blocks=1, threads=64, seed=1),
    Machine(blocks=3, threads=96, seed=2),
    Machine(blocks=4, threads=64, seed=5),
    Machine(blocks=7, threads=32, seed=3, limits=False),
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_cluster_gives_the_same_answer(name: str) -> None:
    agree(name, random_graph(260, 6, 7), "auto", MACHINES[list(PROGRAMS).index(name)], "loop=cluster")


@pytest.mark.campaign
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: f"{machine.blocks}x{machine.threads}")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_cluster_gives_the_same_answer_on_every_machine(name: str, machine: Machine) -> None:
    agree(name, random_graph(400, 8, 4), "auto", machine, "loop=cluster")


@pytest.mark.parametrize("frontier", ["auto", "queue", "flags"])
def test_the_compiler_takes_it(frontier: str, tmp_path: Path) -> None:
    module = starplat.compile(EXAMPLES / "betweenness.sp").module()
    text = pipeline.kernels_text(module, "cuda", f"loop=cluster,frontier={frontier}")
    assert "grid_barrier" not in text
    to_machine_code(text, tmp_path, architecture="sm_90")


def test_members_are_listed_in_the_memory_of_the_cluster() -> None:
    module = starplat.compile(EXAMPLES / "bfs_levels.sp").module()
    kernels, artifact = (
        pipeline.kernels_text(module, "cuda", "loop=cluster"),
        BACKENDS["cuda"].artifact(pipeline.scheduled(module, "cuda", "loop=cluster"), "bfs_levels", single_file=True),
    )
    for text in (kernels, artifact["bfs_levels.cu"]):
        assert "__cluster_dims__(16, 1, 1)" in text
        assert "in_block(set.fresh, from)" in text
    assert "device.launch_cluster(" in artifact["bfs_levels.cu"]
    assert "arrived" not in artifact["bfs_levels.cu"]
