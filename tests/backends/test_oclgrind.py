"""Oclgrind, a simulator that watches every memory access, finds nothing in the examples' kernels.

The language lets a cell that only changes by Min or Max be read while it changes (class (d)): a plain read beside an
atomic operation. OpenCL C 1.2 has no atomic read, so kernels are built here with those that they have for the purpose.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.campaign
DRIVER = """
import starplat
from starplat.backends.opencl import CAPABILITIES
from starplat.graph import generators
from starplat.runtime.devices import opencl
from tests.programs.cases import CASES
opencl.CPU_CAPABILITIES = CAPABILITIES
for case in CASES:
    graph = case.suits(generators.rmat(3, 2, 1).with_random_weights(1, 9, 1))
    result = starplat.compile(case.path).run(graph, target="opencl", arguments=case.calls(graph)[0], validate=True)
    assert "Oclgrind" in result.device, result.device
    print(case.program, result.validated)
"""
"""All examples as GPUs get them: on CPUs work-items have groups of their own, which oclgrind does not compare."""

REPORT = re.compile(r"^\S.* at (?:global|local) memory address .*\n(?:\t.*\n|\n)*", re.MULTILINE)


KINDS = """
function held(propNode<double> d, node v) {
  return d[v] + 0.0;
}
function entry(Graph g, propNode<int> a, propNode<long> b, propNode<float> c, propNode<double> d, propNode<node> e) {
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v)) {
      <w.a> = <Min(w.a, v.a + 1)>;
      <w.b> = <Max(w.b, v.b + 1)>;
      <w.c> = <Min(w.c, v.c * 0.5f)>;
      <w.d> = <Min(w.d, held(d, v) * 0.5)>;
      <w.e> = <Min(w.e, v.e)>;
    }
  }
}
"""
EVERY_KIND = f"""
import numpy as np
import starplat
from starplat.graph import generators
program, graph = starplat.compile({KINDS!r}), generators.rmat(3, 2, 1)
assert all(warning.code == "W0501" for warning in program.warnings)  # oclgrind takes one work-item after the other
ids = np.arange(graph.num_nodes)
given = dict(a=ids[::-1].copy(), b=ids, c=ids * 1.5, d=ids * 1.25, e=ids[::-1].copy())
run = lambda target: program.run(graph, target=target, schedule="plain", **given)
found, expected = run("opencl"), run("reference")
assert "Oclgrind" in found.device, found.device
for name in given:
    np.testing.assert_array_equal(found[name], expected[name])
"""

GROUPS = """
import numpy as np
import starplat
from tests.backends.test_groups import COUNTS, EDGE, TEXTS, of_degrees
for name, text in (*TEXTS.items(), ("counts", COUNTS)):
    for graph in (of_degrees(2, 0, 1, 3), of_degrees(0, 1, 300, 0, 1500, 3)):
        given = {"a": np.arange(graph.num_nodes) % 11}
        result = starplat.compile(text).run(graph, target="opencl", arguments=given, schedule=EDGE, validate=True)
        assert "Oclgrind" in result.device, result.device
        assert result.validated, name
sums, graph = starplat.compile("distance_sums"), of_degrees(0, 1, 300, 0, 1500, 3)
result = sums.run(graph, target="opencl", sources=[1, 2, 4, 7], schedule=f"{EDGE},direction=pull", validate=True)
assert result.validated
"""
"""Rows that one group shares, one of them longer than what it keeps at a time."""


def watched(driver: str, cache: Path, options: str = "-DATOMIC_READS") -> str:
    """What the program and oclgrind say, kernels being built with these options too."""
    if shutil.which("oclgrind") is None:
        pytest.skip("oclgrind is not installed (apt-get install oclgrind)")
    environment = os.environ | {"STARPLAT_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    environment["PYOPENCL_BUILD_OPTIONS"] = options
    environment["PYTHONWARNINGS"] = "ignore"  # of races in the language, which this is not about
    environment.pop("OCL_ICD_VENDORS", None)
    command = ["oclgrind", "--data-races", "--max-errors", "100000", sys.executable, "-c", driver]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> str:
    return watched(DRIVER, tmp_path_factory.mktemp("cache"))


def test_every_example_ran_and_was_right(output: str) -> None:
    assert len(re.findall(r"^\w+ True$", output, re.MULTILINE)) == len(list((ROOT / "examples").glob("*.sp")))


def test_nothing_is_read_or_written_out_of_bounds(output: str) -> None:
    assert "Invalid" not in output


def test_no_access_races_with_another(output: str) -> None:
    assert "race" not in output, next(report for report in REPORT.findall(output) if "race" in report)


def test_cells_of_every_kind_are_read_atomically_on_request(tmp_path: Path) -> None:
    assert "race" not in watched(EVERY_KIND, tmp_path)


def test_groups_that_share_arcs_wait_for_each_other(tmp_path: Path) -> None:
    output = watched(GROUPS, tmp_path)
    assert "race" not in output
    assert "Invalid" not in output
    assert "divergence" not in output


def test_oclgrind_sees_plain_reads(tmp_path: Path) -> None:
    assert "race" in watched(EVERY_KIND, tmp_path, options="")
