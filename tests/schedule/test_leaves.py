"""Step `levels` on the way back: few nodes of the next level mark whose rows are read."""

from __future__ import annotations

import numpy as np
import pytest

from starplat.graph import Graph
from starplat.runtime import run_module
from starplat.runtime.validate import first_difference
from starplat.schedule import PLAIN
from starplat.schedule.levels import leaves
from tests.backends.emulated import Machine, emulated
from tests.changing import changed
from tests.programs.cases import EXAMPLES
from tests.schedule.programs import arguments_for, program_of, scheduled
from tests.schedule.test_level_lists import BACK, THERE_AND_BACK
from tests.zoo import ZOO

AGAINST = "v.found_in = depth; for (u in g.nodes_to(v)) { if (u.level == depth - 1) { v.found_in += 10; } }"
PULLED = changed(THERE_AND_BACK, ("v.found_in = depth;", AGAINST))
ASKED = "if (w.level == depth + 1)"
HERE = BACK.replace("depth", "here").replace("    while", "    int here = depth;\n    while", 1)
FORTH, AGAIN = "for (w in g.neighbors(v)) {\n          if", "for (w in g.nodes_to(v)) {\n          if"
LOOP = BACK[BACK.index("        for (w in") : BACK.index("        v.height =")]

LEFT_OUT = {
    "as it is": PULLED,
    "turned": changed(PULLED, (ASKED, "if (depth + 1 == w.level)")),
    "by the own level": changed(PULLED, (ASKED, "if (w.level == v.level + 1)")),
    "some of them": changed(PULLED, (ASKED, "if (w.level == depth + 1 && w % 3 != 1)")),
    "but the source": changed(
        PULLED, (BACK, BACK.replace("filter(level == depth)", "filter(v != src && level == depth)"))
    ),
    "another variable": changed(PULLED, (BACK, HERE)),
    "against the arcs": changed(PULLED, (FORTH, AGAIN)),
}
READ = {
    "none go against the arcs": THERE_AND_BACK,
    "the same level": changed(PULLED, (ASKED, "if (w.level == depth)")),
    "the level before": changed(PULLED, (ASKED, "if (w.level == depth - 1)")),
    "all that are deeper": changed(PULLED, (ASKED, "if (w.level > depth)")),
    "others too": changed(PULLED, ("% 1000 + 1;\n          }", "% 1000 + 1;\n          } else { below = below + 2; }")),
    "or another": changed(PULLED, (ASKED, "if (w.level == depth + 1 || w == src)")),
    "two loops": changed(PULLED, (LOOP, LOOP + LOOP)),
    "the neighbors of the source": changed(PULLED, (LOOP, LOOP.replace("neighbors(v)", "neighbors(src)"))),
    "stops when it is told": changed(PULLED, ("while (found);", "while (found && depth < 3);")),
    "goes on in vain": changed(PULLED, ("while (found);", "while (found || depth < 9);")),
    "twice": changed(PULLED, (BACK, HERE.removesuffix("  }\n}") + BACK)),
}


@pytest.fixture(autouse=True)
def levels_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaves, "_MANY", 1)


def leaves_out(text: str) -> bool:
    return any(kernel.name.endswith("_without_rows") for kernel in scheduled(text).kernels)


@pytest.mark.parametrize("text", LEFT_OUT.values(), ids=LEFT_OUT)
def test_rows_are_left_out(text: str) -> None:
    assert leaves_out(text)


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_other_rows_are_read(text: str) -> None:
    assert not leaves_out(text)


def brooms() -> Graph:
    """Node 0 with 40 neighbors, of which two lead on to paths of one node, of three, and each other."""
    ends = [(0, v) for v in range(1, 41)] + [(1, 41), (2, 42), (3, 42), (42, 43), (43, 44), (4, 5)]
    source, destination = np.array(ends).T
    return Graph.from_arcs(45, source, destination, directed=False)


@pytest.mark.parametrize("name", ["brooms", "random", "islands-undirected", "parallel"])
@pytest.mark.parametrize("text", LEFT_OUT.values(), ids=LEFT_OUT)
def test_answers_are_the_same(text: str, name: str) -> None:
    graph = brooms() if name == "brooms" else ZOO[name]
    program = program_of(text)
    given = arguments_for(program, graph)
    found, expected = (
        run_module(module, graph, target="reference", arguments=given, schedule=PLAIN)
        for module in (scheduled(text), program.module())
    )
    assert first_difference(found, expected) is None


@pytest.mark.parametrize("name", ["brooms", "random-dense", "random"])
@pytest.mark.parametrize("text", [PULLED, (EXAMPLES / "betweenness.sp").read_text()], ids=["by hand", "betweenness"])
@pytest.mark.parametrize("schedule", ["auto", "loop=cluster"])
def test_threads_mark_who_leads_on(schedule: str, text: str, name: str) -> None:
    graph = brooms() if name == "brooms" else ZOO[name]
    program = program_of(text)
    given = arguments_for(program, graph)
    with emulated(Machine(seed=1)):
        found = run_module(scheduled(text, schedule), graph, target="cuda", arguments=given, schedule=PLAIN)
    expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
    for property in expected:
        np.testing.assert_allclose(found[property], expected[property], rtol=1e-12)
