"""With and without the passes a program gives the same answer, bit for bit, on the interpreter and on devices.

The programs written here add reals in own cells only, so that every target has one order of additions.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from starplat import pipeline
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.lower import lower
from starplat.ir.verifying.modules import verify
from starplat.passes import PASSES
from starplat.program_text import source_of
from starplat.runtime import bind, run_module
from tests.generator import generate
from tests.programs.targets import REFERENCE, TARGETS, Target
from tests.zoo import graph

PULLING = """
function pull(Graph g, propNode<double> a, propNode<double> b, propNode<float> p, propNode<int> c, propNode<bool> f) {
    g.attachNodeProperty(b = 0.0, c = 3);
    for (int round = 0; round < 3; round++) {
        forall (v in g.nodes()) { for (w in g.nodes_to(v)) { v.b += w.a / g.count_outNbrs(w); v.c += 1; } }
        forall (v in g.nodes()) { v.a = v.b * 0.5 + v.a; }
        forall (v in g.nodes().filter(c > 4)) { v.f = !v.f; }
        b = a;
    }
}
"""
WHOLE = """
function whole(Graph g, propNode<int> c, propNode<int> d, propNode<long> x) {
    forall (v in g.nodes()) {
        for (w in g.nodes_to(v)) {
            if (w != v) { int degree = g.count_outNbrs(w); v.x += w.c / degree + w.c % degree; }
        }
        forall (w in g.neighbors(v)) { <v.d> = <Max(v.d, w.c * g.count_inNbrs(w))>; }
    }
    c = d;
    forall (v in g.nodes()) { v.x = v.x * 2 - v.c; v.d = 1; }
    forall (v in g.nodes()) { v.d += v.c; }
}
"""
SINGLE = """
function single(Graph g, propNode<float> p, propNode<float> q, propNode<float> s) {
    forall (v in g.nodes()) { for (w in g.neighbors(v)) { v.q += w.p; v.s += sqrt(w.p) / (w.p + 1.0f); } }
    forall (v in g.nodes()) { v.s = v.s / 3.0f; }
}
"""
LEVELS = """
function levels(Graph g, propNode<double> s, propNode<double> d, node src) {
    g.attachNodeProperty(s = 0.0, d = 0.0);
    src.s = 1.0;
    iterateInBFS (v in g.nodes() from src) { for (w in g.neighbors(v)) { v.s = v.s + w.s; } }
    iterateInReverse { for (w in g.neighbors(v)) { v.d += v.s / w.s * (1.0 + w.d); } }
}
"""
CASES = {
    "pulling": (PULLING, {"a", "p"}),
    "whole": (WHOLE, {"c", "d"}),
    "single": (SINGLE, {"p", "q"}),
    "levels": (LEVELS, set()),
}
Answer = dict[str, NDArray[Any]] | str
NEW = {"local-sums", "hoist-factors", "fuse-kernels", "brief-arrays", "changed-cells"}


@cache
def tangle() -> Graph:
    """A directed graph with self loops, double arcs, sources, sinks and nodes that stand alone."""
    random = np.random.default_rng(7)
    arcs = [(int(s), int(d), 1) for s, d in zip(random.integers(0, 40, 220), random.integers(5, 50, 220), strict=True)]
    return graph("tangle", 60, arcs, directed=True)


def both(text: str, entry: str | None = None) -> tuple[ir.Module, ir.Module]:
    """The module without the passes of this folder's later days, and with them."""
    checked = pipeline.check(source_of(text + "\n"))
    plain = lower(checked.tree, entry, checked.facts)
    for step in PASSES:
        if step.name not in NEW:
            plain = step.rewrite(plain)
    rewritten = plain
    for step in PASSES:
        if step.name in NEW:
            rewritten = step.rewrite(rewritten)
            verify(rewritten)
    return plain, rewritten


def answer(module: ir.Module, graph: Graph, arguments: dict[str, Any], target: Target) -> Answer:
    """Every property and what was returned; the code of the error where the program has one."""
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    bound = bind(module, graph, arguments)
    try:
        result = run_module(module, graph, target=target.target, device_index=target.device or 0, arguments=bound)
    except DiagnosticError as error:
        return error.diagnostics[0].code
    return {"returned": np.array(result.returned or 0), **{name: result[name] for name in result.properties}}


def assert_same(before: Answer, after: Answer, target: Target) -> None:
    """Bit for bit, with two exceptions: the interpreter rounds a float where it is stored, and a factor is stored once
    more; compilers at run time may compute reals otherwise in the lanes of vectors, which one kernel gets and another
    does not."""
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert before.keys() == after.keys()
    for name, cells in before.items():
        at_run_time = target.target in ("opencl", "sycl")
        loose = cells.dtype == np.float32 if target is REFERENCE else cells.dtype.kind == "f" and at_run_time
        if loose:
            np.testing.assert_allclose(after[name], cells, rtol=4 * np.finfo(cells.dtype).eps)
        else:
            assert after[name].tobytes() == cells.tobytes(), name


def arguments(module: ir.Module, given: set[str]) -> dict[str, Any]:
    random = np.random.default_rng(3)
    values: dict[str, Any] = {}
    for argument in module.arguments:
        if argument.name in given:
            reals = random.random(60) * 100 + 0.1
            whole = argument.name in ("c", "d")
            values[argument.name] = (reals.astype(np.int32) if whole else reals).tolist()
        elif argument.name == "src":
            values["src"] = 8
    return values


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.label)
@pytest.mark.parametrize("name", CASES)
def test_the_passes_change_no_bit(name: str, target: Target) -> None:
    text, given = CASES[name]
    plain, rewritten = both(text)
    assert rewritten != plain
    values = arguments(plain, given)
    before, after = (answer(module, tangle(), values, target) for module in (plain, rewritten))
    assert_same(before, after, target)


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("first", range(0, 120, 20))
def test_random_programs_keep_their_answers(first: int) -> None:
    """Of classes (a) to (e), on the interpreter, which has one order for everything."""
    changed = 0
    for seed in range(first, first + 20):
        case = generate(seed)
        try:
            plain, rewritten = both(case.text, "entry")
        except DiagnosticError:
            continue  # not every construct can run yet
        if rewritten == plain:
            continue
        changed += 1
        before, after = (answer(module, case.graph, case.arguments, REFERENCE) for module in (plain, rewritten))
        if isinstance(before, str):
            assert before == after, case.text
        else:
            assert_same(before, after, REFERENCE)
    assert changed
