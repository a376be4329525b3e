"""Emitted programs whose host copies rows to the device for each launch: answers and bytes within `--device-memory`."""

from __future__ import annotations

import csv
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError
from starplat.graph import generators, read, write
from tests.backends.built import built
from tests.programs.cases import CASES, Case
from tests.programs.targets import compiled
from tests.programs.test_artifacts import compare, flags
from tests.runtime.devices import device_of

CHUNKS = "memory=chunks"
FIRST = ("bfs_levels", "connected_components", "pagerank", "sssp")
REFUSED = {"--device-memory allows": "arrays that are not of arcs need ([0-9]+)",
           "--device-memory leaves": "those of the longest row need ([0-9]+)"}  # fmt: skip


def run(program: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *map(str, words)], cwd=program.parent, capture_output=True, text=True, check=False)


def least_of(program: Path, *words: object) -> tuple[int, int]:
    """The bytes of all that are no copies of arcs, and those of copies of the longest row."""
    found = list[int]()
    for opening, said in REFUSED.items():
        refused = run(program, *words, "--device-memory", sum(found))
        if refused.returncode == 0:  # no row has an arc
            return found[0], 0
        assert refused.returncode == 1
        assert opening in refused.stderr
        found += map(int, re.findall(said, refused.stderr))
    others, longest = found
    return others, longest


@pytest.mark.spread
@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.program, marks=() if c.program in FIRST else pytest.mark.campaign) for c in CASES]
)
def test_answers_are_those_of_a_run_at_every_limit(case: Case, tmp_path: Path) -> None:
    device_of("openacc")
    path = tmp_path / "graph.gr"
    write(case.suits(generators.rmat(6, 4, 1).with_random_weights(1, 9, 1)), path)
    graph = read(path)
    call = case.calls(graph)[0]
    try:
        files = compiled(case.path).artifact("openacc", schedule=CHUNKS)
    except DiagnosticError as refused:
        if case.program in FIRST or {one.code for one in refused.diagnostics} != {"E0665"}:
            raise
        return  # it reads other rows
    program = built(files, tmp_path)
    words = (path, *flags(call))
    compare(run(program, *words).stdout, case, graph, call)
    others, longest = least_of(program, *words)
    assert not longest or run(program, *words, "--device-memory", others + longest - 1).returncode == 1
    for room in (longest, longest * 3 // 2, 3 * longest, 9 * longest // 2):
        done = run(program, *words, "--device-memory", others + room)
        assert done.returncode == 0, done.stderr
        compare(done.stdout, case, graph, call)
        copies = int(re.findall("arcs: copies of ([0-9]+) at a time", done.stderr)[0])
        assert 0 < copies <= graph.num_arcs
        assert copies < graph.num_arcs or room > longest


TOLLS = """
function tolls(Graph g, propEdge<int> toll, propEdge<int> weight, propNode<long> out, propNode<long> into) {
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
            edge e = g.get_edge(v, w);
            v.out += e.weight + e.toll;
        }
    }
    forall (v in g.nodes()) {
        forall (u in g.nodes_to(v)) {
            edge e = g.get_edge(u, v);
            v.into += e.weight;
        }
    }
}
"""
"""Rows in both directions, and edge properties of which the host has what the device gets."""


def test_edge_properties_of_both_directions_are_copied(tmp_path: Path) -> None:
    device_of("openacc")
    path, program = tmp_path / "graph.wel", starplat.compile(TOLLS)
    generator = np.random.default_rng(5)
    np.savetxt(path, np.column_stack([generator.integers(0, 50, (300, 2)), generator.integers(1, 9, 300)]), fmt="%d")
    expected = program.run(read(path), target="reference", toll=np.zeros(300, np.int32))
    runs = built(program.artifact("openacc", schedule=CHUNKS), tmp_path)
    others, longest = least_of(runs, path)
    for room in (longest, 2 * longest):
        done = run(runs, path, "--device-memory", others + room, "--out", tmp_path / "out.csv")
        assert done.returncode == 0, done.stderr
        with (tmp_path / "out.csv").open() as rows:
            found = list(csv.DictReader(rows))
        for name in ("out", "into"):
            assert [int(row[name]) for row in found if row[name]] == expected[name].tolist()


def test_libraries_and_targets_that_read_the_hosts_memory_have_no_chunks() -> None:
    program = starplat.compile(TOLLS)
    with pytest.raises(DiagnosticError, match=r"E0665.*libraries for openacc cannot follow 'memory=chunks'"):
        program.artifact("openacc", schedule=CHUNKS, library=True)
    with pytest.raises(DiagnosticError, match=r"E0665.*emitted programs for opencl cannot follow 'memory=chunks'"):
        program.artifact("opencl", schedule=CHUNKS)
