"""Lists as arguments of the function that is run: from Python, from the command line, in emitted programs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

import starplat
from starplat import DiagnosticError, Graph
from starplat.backends import BACKENDS
from starplat.cli.app import command_line
from tests.backends.built import built
from tests.programs.targets import Target, every_target
from tests.programs.test_artifacts import require

TEXT = """
function f(Graph g, list<node> seeds, list<int> l, propNode<int> p, list<edge> edges, list<double> d, list<bool> b,
           int k, list<long> q) {
  list<double> found;
  for (v in seeds) {
    found.push(v == -1 ? 50 : v.p);
  }
  forall (v in seeds.filter(v >= 0)) {
    v.p += k;
  }
  forall (e in edges) {
    node w = e.destination;
    w.p += 100;
  }
  for (x in l) { found.push(x); }
  for (x in d) { found.push(x); }
  for (x in b) { found.push(x ? 1 : 0); }
  for (x in q) { found.push(x); }
  for (v in g.nodes()) { found.push(v.p); }
  seeds.clear();
  l.push(4);
  found.push(l.size());
  return found;
}
"""
PROGRAM = starplat.compile(TEXT)
CHAIN = Graph.from_arcs(5, [0, 1, 2, 3], [1, 2, 3, 4], ids=np.arange(7, 12))
FILE = "7 8\n8 9\n9 10\n10 11\n"
GIVEN: dict[str, Any] = {
    "seeds": [7, 9, 9, -1], "l": [1, 2, 3], "edges": [0, 3, 3], "d": [0.5, 2], "b": [True, False], "q": [2**40], "k": 2,
}  # fmt: skip
EXPECTED = [0, 0, 0, 50, 1, 2, 3, 0.5, 2, 1, 0, 2**40, 2, 100, 4, 0, 200, 4]
WORDS = {
    "seeds": "7,9,9,-1", "l": "1,2,3", "edges": "0,3,3", "d": ".5,2", "b": "true,false", "q": str(2**40), "k": "2"
}  # fmt: skip


@every_target
def test_they_go_in_on_every_target(target: Target) -> None:
    assert target.run(PROGRAM, CHAIN, GIVEN).returned == EXPECTED


def test_a_checked_run_takes_them() -> None:
    assert PROGRAM.run(CHAIN, target="reference", checked=True, **GIVEN).returned == EXPECTED


def test_every_run_begins_with_what_was_given() -> None:
    given = {**GIVEN, "l": (mine := [1, 2, 3])}
    assert PROGRAM.run(CHAIN, target="reference", repeat=3, **given).returned == EXPECTED
    assert mine == [1, 2, 3]


def test_arrays_tuples_and_generators_are_sequences() -> None:
    given = {
        **GIVEN, "seeds": np.array([7, 9, 9, -1]), "l": range(1, 4), "edges": np.array([0, 3, 3]),
        "d": np.array([0.5, 2], np.float32), "b": np.array([True, False]), "q": (number for number in [2**40]),
    }  # fmt: skip
    assert PROGRAM.run(CHAIN, target="reference", **given).returned == EXPECTED
    empty = {name: [] if isinstance(value, list) else value for name, value in GIVEN.items()}
    assert PROGRAM.run(CHAIN, target="reference", **empty).returned == [0, 0, 0, 0, 0, 1]


def test_nodes_go_by_name() -> None:
    network = nx.DiGraph([("Ann", "Bob"), ("Bob", "Eve"), ("Zoe", "Bob")])
    text = (
        "function f(Graph g, list<node> l, propNode<int> p) { forall (v in l.filter(v >= 0)) { v.p += 1; } return l; }"
    )
    for schedule in (None, "order=degree"):
        made = starplat.compile(text).run(network, target="reference", schedule=schedule, l=["Zoe", "Bob", "Zoe", None])
        assert made.returned == ["Zoe", "Bob", "Zoe", -1]
        assert made["p"].tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize(
    ("wrong", "code", "message"),
    [
        ({"seeds": [7, 55]}, "E0816", "has the id 55"),
        ({"seeds": np.array([55])}, "E0816", "has the id 55"),
        ({"l": [1, 2.5]}, "E0712", "argument 'l', a list<int>: element 1: 2.5 is not a whole number"),
        ({"l": np.array([1, 2.5])}, "E0712", "not every value is a whole number"),
        ({"l": [2**31]}, "E0706", "element 0: 2147483648 does not lie in -2147483648..2147483647"),
        ({"l": 3}, "E0712", "argument 'l', a list<int>: 'int' is no sequence of elements"),
        ({"l": {1, 2}}, "E0712", "'set' is no sequence of elements"),
        ({"l": {1: 2}}, "E0712", "'dict' is no sequence of elements"),
        ({"l": "1,2"}, "E0712", "'str' is no sequence of elements"),
        ({"l": np.zeros((2, 2), np.int32)}, "E0712", "'ndarray' is no sequence of elements"),
        ({"l": [[1], [2, 3]]}, "E0712", "element 0: [1] is not a whole number"),
        ({"edges": [0, 4]}, "E0706", "element 1: there is no edge 4; the graph has 4"),
        ({"b": [1]}, "E0712", "element 0: 1 is not true or false"),
    ],
)
def test_what_does_not_fit_is_told(wrong: dict[str, Any], code: str, message: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        PROGRAM.run(CHAIN, target="reference", **{**GIVEN, **wrong})
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert message in found.message


def test_one_that_is_missing_is_told() -> None:
    with pytest.raises(DiagnosticError) as caught:
        PROGRAM.run(CHAIN, target="reference", **{name: value for name, value in GIVEN.items() if name != "d"})
    assert [d.code for d in caught.value.diagnostics] == ["E0701"]


def test_the_command_line_takes_words_and_files(tmp_path: Path) -> None:
    (tmp_path / "f.sp").write_text(TEXT)
    (tmp_path / "g.el").write_text(FILE)
    (tmp_path / "l.txt").write_text("1 2\n3\n")
    words = [f"{name}={word}" for name, word in {**WORDS, "l": f"@{tmp_path / 'l.txt'}"}.items()]
    given = [part for word in words for part in ("-a", word)]
    command = ["run", str(tmp_path / "f.sp"), "-g", str(tmp_path / "g.el"), "-t", "reference", *given, "--json"]
    found = json.loads(CliRunner().invoke(command_line(), command).stdout)["returned"]
    assert found == [0, 0, 0, 50, 1, 2, 3, 0.5, 2, 1, 0, 2**40, *[0] * 7, 2, 100, 4, 0, 200, 4]


@pytest.mark.spread
@pytest.mark.parametrize("target", sorted({*BACKENDS} - {"webgpu"}))  # which has no numbers of 64 bits
def test_emitted_programs_take_them(target: str, tmp_path: Path) -> None:
    require(target)
    executable = built(PROGRAM.artifact(target), tmp_path)
    (tmp_path / "g.el").write_text(FILE)
    (tmp_path / "l.txt").write_text("1 2\n3\n")

    def run(**changed: str) -> subprocess.CompletedProcess[str]:
        words = {**WORDS, "l": f"@{tmp_path / 'l.txt'}", **changed}
        given = [word for name, value in words.items() for word in (f"--{name}", value)]
        out = ["--repeat", "2", "--out", str(tmp_path / "out.npz")]
        command = [str(executable), str(tmp_path / "g.el"), *given, *out]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run().returncode == 0
    assert np.load(tmp_path / "out.npz")["returned"].tolist()[:12] == EXPECTED[:12]
    assert np.load(tmp_path / "out.npz")["returned"].tolist()[-6:] == EXPECTED[-6:]
    assert run(seeds="7,99").stderr == "error: the graph has no node 99\n"
    assert run(edges="4").stderr == "error: the graph has no arc 4\n"
    assert run(l="1,x").stderr.startswith("error: --l cannot hold 'x'")
