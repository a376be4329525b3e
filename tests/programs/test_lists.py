"""Lists that the host has hold, on every target, in checked runs and in emitted programs, what the language says."""

from __future__ import annotations

import json
import os
import re
import subprocess
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

import starplat
from starplat import DiagnosticError, Graph, Program
from starplat.analysis.describe import describe
from starplat.backends import BACKENDS
from starplat.cli.app import command_line
from starplat.ir import nodes as ir
from starplat.passes.parts.placing import in_parts
from starplat.runtime.actions import executor, lists
from starplat.runtime.actions.machine import Flow, Frame, Machine
from tests.backends.built import built
from tests.generating.lists import program_of_lists
from tests.programs.targets import REFERENCE, Target, every_target
from tests.programs.test_artifacts import require
from tests.runtime.test_parts import in_so_many, ring

HEAD = """
function f(Graph g, propNode<int> p) {
  list<int> l;
  list<node> path;
"""

CALLED = {
    "doubled": """
function doubled(list<int> given, int times) {
  list<int> copy = given;
  for (x in copy) {
    given.push(x * times);
  }
  return given.size();
}
""",
    "twice": """
function twice(propNode<int> p, list<node> one, list<node> other) {
  forall (v in one) {
    v.p += 1;
  }
  other.push(2);
  forall (v in one) {
    v.p += 1;
  }
  other.resize(3);
  return one.size();
}
""",
    "last_alone": """
function last_alone(list<node> path) {
  node last = path[path.size() - 1];
  path.clear();
  path.push(last);
}
""",
}


class Canonical(Target):
    """The interpreter, which runs what a device would."""

    def run(self, program: Program, graph: Graph, arguments: dict[str, object]) -> starplat.Result:
        return program.run(graph, target="reference", schedule="auto", **arguments)


IN_CANONICAL_FORM = Canonical("canonical", "reference")
CHAIN = Graph.from_arcs(5, [0, 1, 2, 3], [1, 2, 3, 4])

PROGRAMS: dict[str, tuple[str, list[Any]]] = {
    "push": ("l.push(3); l.push(4); l.push(l[0] + l.size());", [3, 4, 5]),
    "insert": ("l.insert(0, 2); l.insert(0, 1); l.insert(2, 4); l.insert(2, 3);", [1, 2, 3, 4]),
    "set": ("l.resize(3); l[1] = 7; l[2] += l[1]; l[2] *= 2; l[0]--;", [-1, 7, 14]),
    "resize": ("l.resize(2, 9); l.resize(4); l.resize(3, 5);", [9, 9, 0]),
    "clear": ("l.push(1); l.clear(); l.push(2);", [2]),
    "increments": ("int i = 0; l.resize(3); l[i++] = 5; l[i++]++; int x = l[0]++; l[i] = x + l[0];", [6, 1, 11]),
    "extremes": ("l.push(5); l[0] = Min(l[0], 3); l.push(1); l[1] = max(l[1], 8);", [3, 8]),
    "order of parts": ("l.push(1); int i = 0; l.push(i++ + l[0]); l[0] += i++ * 10; l.push(i);", [11, 1, 2]),
    "in a condition": ("l.push(4); while (l.size() < 3 && l[l.size() - 1] > 0) { l.push(l[0] - 1); }", [4, 3, 3]),
    "both sides": ("l.push(1); if (l.size() > 5 && l[5] == 1) { l.push(9); } l.push(l[0] > 3 ? l[7] : 2);", [1, 2]),
    "copies": ("l.push(1); list<int> m = l; m.push(2); l = m; m.clear(); l.push(m.size());", [1, 2, 0]),
    "itself": ("l.push(1); l = l;", [1]),
    "fresh in every round": ("for (int i = 0; i < 3; i++) { list<int> m; m.push(i); l.push(m.size()); }", [1, 1, 1]),
    "a loop": ("l.push(1); l.push(5); int sum = 0; for (x in l) { sum += x; } l.push(sum);", [1, 5, 6]),
    "as it was on entry": ("l.push(1); l.push(2); for (x in l) { l.push(x * 10); }", [1, 2, 10, 20]),
    "emptied meanwhile": ("l.push(1); l.push(2); int n = 0; for (x in l) { l.clear(); n += x; } l.push(n);", [3]),
    "left early": ("l.push(1); l.push(2); int n = 0; for (x in l) { if (x > 1) { break; } n++; } l[0] = n;", [1, 2]),
    "goes on": ("l.push(1); l.push(2); int n = 0; for (x in l) { if (x < 2) { continue; } n = x; } l[0] = n;", [2, 2]),
    "filtered": ("path.push(1); path.push(4); node u = 4; u.p = 6; for (v in path.filter(p < 3)) { l.push(v); }", [1]),
    "lent": ("l.push(3); int n = doubled(l, 4); l.push(n);", [3, 12, 2]),
    "lent to a loop": ("l.push(1); for (x in l) { int n = doubled(l, 2); l.push(n); }", [1, 2, 2]),
    "container": ("container<int>(3, 7) c; c[1] = 2; c.push(c[0]); for (x in c) { l.push(x); }", [7, 2, 7, 7]),
    "container of zeros": ("container<int>(2) c; container<bool>(1) b; l.push(c[1]); l.push(b[0] ? 1 : 0);", [0, 0]),
    "parameters of nodes": (
        "path.push(2); path.push(4); last_alone(path); for (v in path) { l.push(v); l.push(path.size()); }", [4, 1],
    ),
    "nodes and their cells": (
        "path.push(1); path.push(3); int k = 0; for (v in path) { k++; v.p = k; } node w = path[1]; "
        "l.push(w.p); l.push(path[0].p);", [2, 1],
    ),
    "kernels in a loop": (
        "path.push(0); path.push(2); path.push(2); for (v in path) { forall (w in g.neighbors(v)) { w.p += 1; } } "
        "node a = 1, b = 3; l.push(a.p); l.push(b.p);", [1, 2],
    ),
    "a forall over it": (
        "path.push(0); path.push(2); path.push(2); int n = 0; forall (v in path) { n += v + 1; v.p += 1; } "
        "node b = 2; l.push(n); l.push(b.p);", [7, 2],
    ),
    "a forall over an empty one": (
        "int n = 3; forall (x in l) { n += 1; } forall (v in path) { v.p += 1; } l.push(n);", [3],
    ),
    "kernels over what changes": (
        "l.push(4); int n = 0; for (int i = 0; i < 4; i++) { forall (x in l) { n += x; } if (i == 1) { l.push(10); } "
        "forall (x in l.filter(x > 4)) { n += 100; } } l.push(n);", [4, 10, 336],
    ),
    "kernels over one by two names": (
        "path.push(1); path.push(2); int n = twice(p, path, path); l.push(n); node a = 2; l.push(a.p);", [3, 3],
    ),
    "kernels over one that others fill": (
        "int n = 0; for (int i = 0; i < 3; i++) { int m = doubled(l, i); l.push(i); forall (x in l) { n += x; } } "
        "l.push(n);", [0, 0, 1, 0, 0, 2, 2, 6],
    ),
    "the filter on entry": (
        "path.push(3); path.push(1); path.push(3); int n = 0; forall (v in path.filter(p == 0)) { v.p += 1; n += 1; } "
        "node b = 3; l.push(n); l.push(b.p);", [3, 2],
    ),
    "the filter on entry, of one after another": (
        "path.push(0); path.push(1); path.push(0); forall (v in path.filter(p == 0)) { propNode<int> q; "
        "g.attachNodeProperty(q = 1); v.p += 5 * q[1]; } node b = 0; l.push(b.p);", [10],
    ),
    "rows of nodes that come twice": (
        "path.push(0); path.push(3); path.push(0); forall (v in path) { int sum = 0; forall (w in g.neighbors(v)) "
        "{ sum += w; } v.p += sum; } node a = 0, b = 3; l.push(a.p); l.push(b.p);", [2, 4],
    ),
    "edges": (
        "list<edge> r; for (e in g.edges()) { r.push(e); } r.push(0); forall (e in r) { node w = e.destination; "
        "w.p += 1; } node b = 1, c = 4; l.push(b.p); l.push(c.p);", [2, 1],
    ),
    "bools and floats": (
        "list<bool> r; list<float> d; for (v in g.nodes()) { r.push(v == 3); d.push(v * 0.5); } int n = 0; "
        "float most = 0; forall (x in r.filter(!x)) { n += 1; } forall (x in d) { most = Max(most, x); } "
        "l.push(n); l.push(int(most));", [4, 2],
    ),
    "the same for all": (
        "path.push(2); path.push(2); forall (v in path) { v.p = 7; } node b = 2; l.push(b.p);", [7],
    ),
    "neighbors in order": ("for (v in g.nodes()) { for (w in g.neighbors(v)) { path.push(w); } } "
                           "for (v in path) { l.push(v); }", [1, 2, 3, 4]),
    "a worklist": (
        "g.attachNodeProperty(p = 0); path.push(0); int next = 0; while (next < path.size()) { node v = path[next++]; "
        "for (w in g.neighbors(v)) { path.push(w); } v.p = next; } node e = 4; l.push(e.p);", [5],
    ),
    "infinite": ("l.push(3); l.push(INF); l[0] += l[1]; for (x in l) { l.push(x + 1); } int y = l[0]; l[0] = y + 1;",
                 [2**31 - 1] * 4),
    "sets and lists": ("SetN<g> s; s.add(3); s.add(1); for (v in s) { l.push(v); } l.push(s.size());", [1, 3, 2]),
}  # fmt: skip

TYPED: dict[str, tuple[str, list[Any]]] = {
    "long": ("list<long> r; r.push(1); r[0] <<= 40; r.push(INF);", [1 << 40, 2**63 - 1]),
    "float": ("list<float> r; r.push(0.1); r.push(1); r[1] /= 3;", [float(np.float32(0.1)), float(np.float32(1 / 3))]),
    "double": ("list<double> r; r.push(0.1); r.resize(3); r[2] = sqrt(r[0]);", [0.1, 0.0, 0.1**0.5]),
    "bool": ("list<bool> r; r.push(True); r.push(r.size() == 7); r[0] &&= r[1]; r.push(True);", [False, False, True]),
    "node": ("list<node> r; r.resize(1); for (v in g.nodes()) { r.push(v); } r[1] = r[0];", [-1, -1, 2, 3, 4, 5]),
    "edge": ("list<edge> r; for (e in g.edges()) { r.push(e); } r.push(g.get_edge(0, 4));", [0, 1, 2, 3, -1]),
    "container of longs": ("container<long>(2, INF) r;", [2**63 - 1] * 2),
    "empty": ("list<int> r; r.push(1); r.clear();", []),
}  # fmt: skip


def text_of(body: str, result: str) -> str:
    called = "".join(text for name, text in CALLED.items() if f"{name}(" in body)
    return f"{called}{HEAD} {body} return {result}; }}"


@cache
def program(name: str) -> Program:
    body, _ = PROGRAMS.get(name) or TYPED[name]
    return starplat.compile(text_of(body, "r" if name in TYPED else "l"))


def wanted(name: str) -> tuple[list[Any], Graph]:
    """What a program returns, and the graph that it runs on; nodes of the second kind's are called from 1 on."""
    first = int(name in TYPED)
    graph = Graph.from_arcs(5, [0, 1, 2, 3], [1, 2, 3, 4], ids=np.arange(first, 5 + first))
    return (PROGRAMS.get(name) or TYPED[name])[1], graph


def all_in_one() -> tuple[str, list[int]]:
    """A program that does what all of them do, and what it returns."""
    parts = "".join(
        f"{{ list<int> l; list<node> path; g.attachNodeProperty(p = 0); {body} for (x in l) {{ all.push(x); }} }}\n"
        for body, _ in PROGRAMS.values()
    )
    head = "function f(Graph g, propNode<int> p) { list<int> all;"
    return "".join(CALLED.values()) + f"{head} {parts} return all; }}", [*chain(*(w for _, w in PROGRAMS.values()))]


@pytest.mark.parametrize("name", [*PROGRAMS, *TYPED])
def test_lists_hold_what_was_put_in(name: str) -> None:
    expected, graph = wanted(name)
    for options in ({}, {"schedule": "auto"}, {"checked": True}):
        found = program(name).run(graph, target="reference", **options).returned
        assert found == expected
        assert [type(value) for value in found] == [type(value) for value in expected]


@every_target
def test_they_do_on_every_target(target: Target) -> None:
    text, expected = all_in_one()
    assert target.run(starplat.compile(text), CHAIN, {}).returned == expected


@pytest.mark.spread
@pytest.mark.parametrize("target", BACKENDS)
def test_an_emitted_program_keeps_them(target: str, tmp_path: Path) -> None:
    require(target)
    text, expected = all_in_one()
    found, printed = emitted(text, target, tmp_path, "0 1\n1 2\n2 3\n3 4\n")
    assert found.tolist() == expected
    assert f"returned [{', '.join(map(str, expected[:20]))}, ...], {len(expected)} elements\n" in printed


def emitted(text: str, target: str, folder: Path, graph: str, *words: str) -> tuple[Any, str]:
    """What an emitted program keeps in a file as returned, and what it prints."""
    executable = built(starplat.compile(text).artifact(target), folder)
    (folder / "g.el").write_text(graph)
    out = folder / "out.npz"
    command = [str(executable), str(folder / "g.el"), *words, "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return np.load(out)["returned"], done.stdout


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("name", TYPED)
def test_an_emitted_program_writes_elements_of_each_type(name: str, tmp_path: Path) -> None:
    expected = program(name).run(CHAIN, target="reference").returned
    found, printed = emitted(text_of(TYPED[name][0], "r"), "openmp", tmp_path, "0 1\n1 2\n2 3\n3 4\n")
    assert found.tolist() == expected
    assert found.ndim == 1
    words = (f"{value:.10g}" if isinstance(value, float) else str(int(value)) for value in expected)
    assert f"returned [{', '.join(words)}]\n" in printed


# --- random programs ------------------------------------------------------------------------------------------------

FEW, MANY = range(20), range(20, 20 + int(os.environ.get("STARPLAT_PROGRAMS", "200")))


def agree_on(seed: int, target: Target) -> None:
    """The run finds what a checked run finds, which executes the program's text."""
    text = program_of_lists(seed)
    made = starplat.compile(text)
    expected = made.run(CHAIN, target="reference", checked=True)
    found = target.run(made, CHAIN, {})
    assert found.returned == expected.returned, f"seed {seed}\n{text}"
    assert found["p"].tolist() == expected["p"].tolist(), f"seed {seed}\n{text}"


def test_random_programs_say_the_same_in_canonical_form() -> None:
    for seed in FEW:
        agree_on(seed, IN_CANONICAL_FORM)


@pytest.mark.campaign
@every_target
def test_many_random_programs_say_the_same_on_every_target(target: Target) -> None:
    for seed in MANY if target is REFERENCE else MANY[:4]:
        agree_on(seed, IN_CANONICAL_FORM if target is REFERENCE else target)


# --- results --------------------------------------------------------------------------------------------------------

PATH = """
function f(Graph g, node far) {
  list<node> path;
  for (node v = far; v != -1; v = g.neighbor(v, 0)) {
    path.push(v);
  }
  return path;
}
"""


def test_the_command_line_prints_and_keeps_a_list(tmp_path: Path) -> None:
    (tmp_path / "f.sp").write_text(PATH)
    (tmp_path / "g.el").write_text("".join(f"{v} {v + 1}\n" for v in range(7, 40)))
    command = ["run", str(tmp_path / "f.sp"), "-g", str(tmp_path / "g.el"), "-t", "reference", "-a"]
    done = CliRunner().invoke(command_line(), [*command, "far=38", "--json"])
    assert json.loads(done.stdout)["returned"] == [38, 39, 40]
    done = CliRunner().invoke(command_line(), [*command, "far=7", "--out", str(tmp_path / "out.npz")])
    assert f"returned [{', '.join(map(str, range(7, 27)))}, …], 34 elements\n" in done.stdout
    assert np.load(tmp_path / "out.npz")["returned"].tolist() == list(range(7, 41))


def test_nodes_that_have_names_come_back_by_name() -> None:
    network = nx.DiGraph([("Ann", "Bob"), ("Bob", "Eve"), ("Zoe", "Ann")])
    result = starplat.compile(PATH).run(network, target="reference", far="Zoe")
    assert result.returned == ["Zoe", "Ann", "Bob", "Eve"]
    assert "returned [Zoe, Ann, Bob, Eve]" in repr(result)


def test_nodes_come_back_by_name_from_a_run_that_renumbers() -> None:
    network = nx.DiGraph([("Ann", "Bob"), ("Bob", "Eve"), ("Zoe", "Bob")])
    text = "function f(Graph g, node a, node b) { list<node> l; l.push(b); l.resize(2); l.push(a); return l; }"
    result = starplat.compile(text).run(network, target="reference", schedule="order=degree", a="Zoe", b="Bob")
    assert result.returned == ["Bob", -1, "Zoe"]


def test_what_is_no_number_in_a_list_is_told() -> None:
    made = starplat.compile("function f(Graph g, double x) { list<double> l; l.push(1); l.push(1 / x); return l; }")
    assert made.run(CHAIN, target="reference", x=2.0).warnings == ()
    assert [d.code for d in made.run(CHAIN, target="reference", x=0.0).warnings] == ["W0701"]


NEAR = """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  for (int depth = 0; depth < 3; depth++) {
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        w.level = Min(w.level, depth + 1);
      }
    }
  }
  list<int> found;
  for (v in g.nodes()) {
    if (v.level < INF) {
      found.push(v.level);
    }
  }
  for (x in found) {
    found[0] += x;
  }
  return found;
}
"""


DIVIDED = """
function f(Graph g, propNode<int> p, node src) {
  list<int> l;
  list<node> path;
  for (v in g.nodes()) {
    l.push(int(v) * 3);
    path.push(v);
    path.push(src);
  }
  l.resize(40, 5);
  path.resize(path.size() + 1);
  int n = 0, least = 100000, all = 0;
  forall (x in l) {
    n += x;
    least = Min(least, x);
    p[x % 5] += 1;
  }
  forall (v in path.filter(v >= 0)) {
    v.p += 1;
    forall (w in g.neighbors(v)) {
      w.p += 2;
    }
  }
  forall (v in path.filter(v >= 0 && p < 9)) {
    v.p += 2;
    n += 1;
  }
  forall (v in path) {
    all += 1;
  }
  list<int> found;
  found.push(n);
  found.push(least);
  found.push(all);
  for (v in g.nodes()) {
    found.push(v.p);
  }
  return found;
}
"""


@pytest.mark.parametrize("text", [NEAR, DIVIDED])
def test_parts_have_the_same_lists(text: str) -> None:
    made = starplat.compile(text)
    expected = made.run(ring(), target="reference", checked=True, src=3).returned
    assert len(expected) > 2
    found = in_so_many(3, in_parts(made.module(), poison=True), ring(), {"src": 3})
    assert [result.returned for result in found] == [expected] * 3


# --- kernels over lists ---------------------------------------------------------------------------------------------

MARKED = """
function f(Graph g, propNode<int> p) {
  list<node> path;
  for (v in g.nodes()) {
    path.push(v);
  }
  for (int i = 0; i < 6; i++) {
    forall (v in path) {
      v.p += 1;
    }
    if (i == 3) {
      path.push(0);
    }
  }
}
"""


def test_a_list_goes_to_the_device_once_until_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def put(machine: Machine, op: ir.PutItems, frame: Frame) -> Flow:
        sizes.append(len(frame.lists[op.items.name]))
        return lists.put(machine, op, frame)

    monkeypatch.setitem(executor.ACTIONS, ir.PutItems, put)  # type: ignore[arg-type]
    result = starplat.compile(MARKED).run(CHAIN, target="reference")
    assert result["p"].tolist() == [8, 6, 6, 6, 6]
    assert result.launches == 6
    assert sizes == [5, 6]


def test_what_goes_up_is_explained() -> None:
    assert "    up when changed        path\n" in describe(starplat.compile(MARKED).facts)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("v.p += 1;", "c"),
        ("v.p = Max(v.p, k);", "d"),
        ("v.p = 7;", "e"),
        ("v.p = v.p * k + 1;", "f"),
        ("v.p = k; k++;", "f"),
    ],
)
def test_a_node_that_comes_twice_is_no_iterations_own(body: str, kind: str) -> None:
    text = f"function f(Graph g, list<node> l, propNode<int> p, int k) {{ forall (v in l) {{ {body} }} }}"
    program = starplat.compile(text)
    races = [warning.code for warning in program.warnings if "property 'p'" in warning.message]
    assert races == (["W0501"] if kind == "f" else [])
    (loop,) = program.facts.functions[0].loops
    assert kind in {cell.race_class.value for cell in loop.cells if cell.symbol.name == "p"}


# --- faults ---------------------------------------------------------------------------------------------------------

FAULTS = {
    "l[i] = 3;": "'l' has no element 2; its size is 2",
    "int x = l[i]; l.push(x);": "'l' has no element 2; its size is 2",
    "l[0 - i]++;": "'l' has no element -2; its size is 2",
    "l.insert(i + 1, 4);": "nothing can be inserted at 3 in 'l', whose size is 2",
    "l.resize(-i);": "'l' cannot have -2 elements",
}


def faulty(body: str) -> str:
    return f"function f(Graph g, int i) {{\n  container<int>(2) l;\n  {body}\n  return l;\n}}"


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("body", FAULTS)
def test_a_place_that_is_none_stops_the_run(body: str, checked: bool) -> None:
    with pytest.raises(DiagnosticError) as stopped:
        starplat.compile(faulty(body)).run(CHAIN, target="reference", checked=checked, i=2)
    (found,) = stopped.value.diagnostics
    assert (found.code, found.message) == ("E0720", FAULTS[body])
    assert found.place is not None
    assert found.source is not None
    assert found.source.position(found.place.span.start)[0] == 3


@pytest.mark.thin(plain=2)
@pytest.mark.parametrize("body", FAULTS)
def test_a_place_that_is_none_stops_an_emitted_program(body: str, tmp_path: Path) -> None:
    executable = built(starplat.compile(faulty(body)).artifact("openmp"), tmp_path)
    (tmp_path / "g.el").write_text("0 1\n")
    done = subprocess.run([executable, tmp_path / "g.el", "--i", "2"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.fullmatch(r"error: program\.sp:3: 'l' .*\n", done.stderr)


# --- mistakes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("function f(Graph g) { list<int> l; forall (v in g.nodes()) { l.push(v); } return l; }", "E0422"),
        ("function f(Graph g) { list<int> l; forall (v in l) { l.push(v); } return l; }", "E0422"),
        ("function f(Graph g) { list<int> l; forall (v in g.nodes()) { list<int> m = l; } return l; }", "E0422"),
        ("function f(Graph g, node s) { list<int> l; iterateInBFS(v in g.nodes() from s) { l.clear(); } }", "E0422"),
        (
            "function f(Graph g, propNode<int> p) { list<int> l; l.push(1); bool done = False; "
            "fixedPoint until (done : p == l[0]) { forall (v in g.nodes()) { v.p = 1; } } }", "E0422",
        ),
        (
            "function h(list<int> l) { l.push(1); } "
            "function f(Graph g) { list<int> l; forall (v in g.nodes()) { h(l); } return l; }", "E0407",
        ),
        ("function f(Graph g, int k) { list<int> l; if (k > 1) { return k; } return l; }", "E0330"),
        ("function f(Graph g, int k) { list<int> l; list<node> m; if (k > 1) { return m; } return l; }", "E0330"),
        ("function f(Graph g) { list<int> l; return l, 1; }", "E0330"),
        ("function h() { list<int> l; return l; } function f(Graph g) { list<int> l = h(); return l; }", "E0325"),
        ("function f(Graph g) { list<int> l; list<node> m = l; return m; }", "E0315"),
        ("function f(Graph g) { list<int> l; l = 3; return l; }", "E0315"),
        ("function f(Graph g) { list<int> l; l += l; return l; }", "E0309"),
        ("function f(Graph g) { list<bool> l; l.push(3); return l; }", "E0301"),
        ("function f(Graph g) { list<int> l; l.push(); return l; }", "E0314"),
        ("function f(Graph g) { list<int> l; return l + 1; }", "E0308"),
    ],
)  # fmt: skip
def test_mistakes_are_said(text: str, code: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        starplat.compile(text)
    assert code in {d.code for d in caught.value.diagnostics}


@pytest.mark.parametrize(
    "text",
    [
        "function f(Graph g, list<list<int>> l) { return l.size(); }",
        "function f(Graph g, nodeMap(int) m) { return m.size(); }",
        "function f(Graph g) { list<list<int>> l; return l.size(); }",
        "function h(list<list<int>> l) { return l.size(); } function f(Graph g) { list<list<int>> l; return h(l); }",
        "function f(Graph g) { nodeMap(int) m; return m.size(); }",
    ],
)
def test_what_cannot_run_is_refused_by_name(text: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        starplat.compile(text).run(CHAIN, target="reference")
    assert [d.code for d in caught.value.diagnostics] == ["E0651"]


@pytest.mark.parametrize("text", [PATH, "function f(Graph g, list<int> l) { return l.size(); }"])
def test_a_library_for_c_takes_and_returns_none(text: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        starplat.compile(text).artifact("openmp", library=True)
    assert [d.code for d in caught.value.diagnostics] == ["E0651"]
