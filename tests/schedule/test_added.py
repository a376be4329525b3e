"""Step `direction`: what a visit adds up is added by the round before, where that pushes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.visitor import host_ops
from starplat.runtime import run_module
from starplat.runtime.validate import first_difference
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.apply import decided
from starplat.schedule.facts import GraphFacts
from tests.backends.emulated import Machine, emulated
from tests.changing import changed
from tests.programs.cases import EXAMPLES
from tests.schedule.programs import CUDA, arguments_for, module_of, program_of
from tests.zoo import ZOO

WAYS = """function ways(Graph g, propNode<long> ways, propNode<int> found_in, propNode<long> factor, node src) {
  propNode<int> level;
  g.attachNodeProperty(level = INF, ways = 0, found_in = -1);
  src.level = 0;
  src.ways = 1;
  int depth = 0;
  bool found = True;
  do {
    found = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        <w.level, found> = <Min(w.level, depth + 1), True>;
      }
    }
    forall (v in g.nodes().filter(level == depth)) {
      long sum = v.ways;
      for (u in g.nodes_to(v)) {
        if (u.level == depth - 1) {
          sum = sum + u.ways % 1000003;
        }
      }
      v.ways = sum;
      v.found_in = depth;
    }
    depth += 1;
  } while (found);
}"""
ASKED, GIVEN, REST = "if (u.level == depth - 1)", "sum + u.ways % 1000003", "      v.found_in = depth;\n"
DOUBLES = ("propNode<long> ways", "propNode<double> ways")
NEXT = "    depth += 1;\n"
VISIT = "    forall (v in g.nodes().filter(level == depth)) {\n      long"
ANOTHER = "    forall (v in g.nodes().filter(level == depth)) { v.found_in = v.found_in + 2; }\n"
BETWEENNESS = (EXAMPLES / "betweenness.sp").read_text()

ADDED = {
    "as it is": WAYS,
    "turned": changed(WAYS, (ASKED, "if (depth - 1 == u.level)")),
    "nothing else": changed(WAYS, (REST, "")),
    "doubles": changed(
        WAYS, DOUBLES, ("src.ways = 1;", "src.ways = 1.0;"), (GIVEN, "sum + u.ways * 0.5"), ("long sum", "double sum")
    ),
    "with factors": changed(WAYS, (GIVEN, "sum + u.ways % 1003 * u.factor")),
    "changed behind": changed(WAYS, (REST, REST + "      v.ways = v.ways % 10007 + 1;\n")),
    "asks its row again": changed(
        WAYS, (REST, "      for (u in g.nodes_to(v)) { if (u.level == depth - 1) { v.found_in = u; } }\n")
    ),
    "from 5": changed(WAYS, ("src.level = 0;", "src.level = 5;"), ("int depth = 0;", "int depth = 5;")),
    "another visit": changed(WAYS, (NEXT, ANOTHER + NEXT)),
    "betweenness": BETWEENNESS,
}
GATHERED = {
    "of the same level": changed(WAYS, (ASKED, "if (u.level == depth)")),
    "of two levels": changed(WAYS, (ASKED, "if (u.level == depth - 2)")),
    "of all before": changed(WAYS, (ASKED, "if (u.level < depth)")),
    "some of them": changed(WAYS, (ASKED, "if (u.level == depth - 1 && u % 3 != 1)")),
    "by the visitor": changed(WAYS, (GIVEN, "sum + (u.ways + v) % 1000003")),
    "by the level": changed(WAYS, (GIVEN, "sum + (u.ways + depth) % 1000003")),
    "along the arcs": changed(WAYS, ("g.nodes_to(v)", "g.neighbors(v)")),
    "the largest": changed(WAYS, ("sum = sum + u.ways % 1000003", "sum = max(sum, u.ways + 1)")),
    "elsewhere": changed(WAYS, (NEXT, "    forall (v in g.nodes().filter(ways > 5)) { v.found_in = 7; }\n" + NEXT)),
    "factors that change": changed(
        WAYS,
        (GIVEN, "sum + u.ways % 1003 * u.factor"),
        (NEXT, "    forall (v in g.nodes().filter(level == depth)) { v.factor = v.factor + 1; }\n" + NEXT),
    ),
    "given to others": changed(
        WAYS, (GIVEN, "sum + u.found_in"), (REST, "      forall (w in g.neighbors(v)) { w.found_in = 5; }\n")
    ),
    "stops when it is told": changed(WAYS, ("while (found);", "while (found && depth < 3);")),
    "goes on in vain": changed(WAYS, ("while (found);", "while (found || depth < 9);")),
    "counts ahead": changed(WAYS, (NEXT, ""), ("    found = False;\n", "    found = False;\n" + NEXT)),
    "begins elsewhere": changed(WAYS, ("int depth = 0;", "int depth = 1;")),
    "another visit first": changed(WAYS, (VISIT, ANOTHER + VISIT)),
    "from elsewhere": changed(WAYS, ("long sum = v.ways;", "long sum = v.factor;")),
    "the sum again": changed(WAYS, (REST, "      v.found_in = sum % 7 > 3 ? 1 : 2;\n")),
}
for name, asked in (("asks for the next level", "w.level == depth + 1"), ("asks who is not reached", "w.level > 9")):
    row = f"      for (w in g.neighbors(v)) {{ if ({asked}) {{ v.factor = v.factor + 1; }} }}\n"
    GATHERED[name] = changed(WAYS, (REST, REST + row))
LONG_ROWS = GraphFacts(2**14, 2**18, 100)


def made(text: str, facts: GraphFacts | None = LONG_ROWS) -> ir.Module:
    return decided(module_of(text), AUTO, CUDA, facts).module


def adds(module: ir.Module) -> bool:
    return any(isinstance(op, ir.DeclareVariable) and op.variable.name == "added" for op in host_ops(module))


@pytest.mark.parametrize("text", ADDED.values(), ids=ADDED)
def test_sums_are_added_where_a_round_pushes(text: str) -> None:
    assert adds(made(text))


@pytest.mark.parametrize("text", GATHERED.values(), ids=GATHERED)
def test_other_sums_are_gathered(text: str) -> None:
    assert not adds(made(text))


def test_short_rows_and_few_are_gathered() -> None:
    assert not adds(made(WAYS, replace(LONG_ROWS, num_arcs=2**17 - 1)))
    assert not adds(made(WAYS, replace(LONG_ROWS, num_nodes=2**14 - 1)))
    assert not adds(made(WAYS, None))


@pytest.mark.parametrize("name", ["random-dense", "islands-undirected", "parallel", "chain"])
@pytest.mark.parametrize("text", (ADDED | GATHERED).values(), ids=ADDED | GATHERED)
def test_answers_are_the_same(text: str, name: str) -> None:
    graph, program = ZOO[name], program_of(text)
    given = arguments_for(program, graph)
    found, expected = (
        run_module(module, graph, target="reference", arguments=given, schedule=PLAIN)
        for module in (made(text), program.module())
    )
    assert first_difference(found, expected) is None


def sheaf() -> Graph:
    """Node 0 with an arc to each of 300 others, which have arcs to each of 40, and these to one."""
    ends = [(0, v) for v in range(1, 301)] + [(v, w) for v in range(1, 301) for w in range(301, 341, v % 3 + 1)]
    source, destination = np.array(ends + [(w, 341) for w in range(301, 341)] + [(341, 342)]).T
    return Graph.from_arcs(343, source, destination)


@pytest.mark.parametrize("name", ["sheaf", "random-dense", "random", "parallel"])
@pytest.mark.parametrize("text", [WAYS, ADDED["doubles"], ADDED["nothing else"], BETWEENNESS])
def test_threads_add_what_is_pushed(text: str, name: str) -> None:
    graph, program = sheaf() if name == "sheaf" else ZOO[name], program_of(text)
    given = arguments_for(program, graph)
    with emulated(Machine(seed=1)):
        found = run_module(made(text), graph, target="cuda", arguments=given, schedule=PLAIN)
    expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
    for property in expected:
        np.testing.assert_allclose(found[property], expected[property], rtol=1e-12)
