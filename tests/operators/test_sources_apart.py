"""What one node begins with is stored apart from the fill for all others, if there is such a node: a parameter may be
-1, for which a loop over all nodes does nothing."""

from __future__ import annotations

import random

import pytest

import starplat
from starplat import Graph
from starplat.runtime.validate import first_difference
from tests.operators.texts import cuda_of, operators_of
from tests.spellings.graphs import UGLY

GRAPHS = [graph for graph in UGLY.values() if graph.num_nodes > 2]
ROUNDS = """
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) { <w.level, more> = <Min(w.level, v.level + 1), True>; }
    }
  }
}
"""
HEAD = "function f(Graph g, propNode<int> level, propNode<bool> other, node src) {"
AFTER = HEAD + "g.attachNodeProperty(level = INF); if (src >= 0) { src.level = 0; }" + ROUNDS
BEFORE = {
    "a choice": "forall (v in g.nodes()) { v.level = v == src ? 0 : INF; }",
    "a choice turned": "forall (v in g.nodes()) { v.level = src != v ? INF : 0; }",
    "two branches": "forall (v in g.nodes()) { if (v == src) { v.level = 0; } else { v.level = INF; } }",
    "a branch behind the fill": "forall (v in g.nodes()) { v.level = INF; if (v == src) { v.level = 0; } }",
    "one node after another": "for (v in g.nodes()) { v.level = v == src ? 0 : INF; }",
    "two loops": "g.attachNodeProperty(level = INF); forall (v in g.nodes()) { if (v == src) { v.level = 0; } }",
}
KEPT = {
    "another node": "forall (v in g.nodes()) { v.level = v == src + 1 ? 0 : INF; }",
    "its own number": "forall (v in g.nodes()) { v.level = v == src ? v : INF; }",
    "others keep what they have": "forall (v in g.nodes()) { if (v != src) { v.level = INF; } }",
    "another number later": "forall (v in g.nodes()) { v.level = v == src ? 0 : 9; v.other = v % 2 > 0; v.level = 7; }",
    "a local": "node s = 1000000; forall (v in g.nodes()) { v.level = v == s ? 0 : INF; }",
}


@pytest.mark.parametrize("name", BEFORE)
def test_a_source_is_stored_apart(name: str) -> None:
    assert operators_of(HEAD + BEFORE[name] + ROUNDS) == operators_of(AFTER)


@pytest.mark.parametrize("name", KEPT)
def test_what_is_no_source_stays_in_the_loop(name: str) -> None:
    assert "each" in operators_of(HEAD + KEPT[name] + ROUNDS)


def test_truths_of_a_source_are_stored_beside_its_numbers() -> None:
    both = "forall (v in g.nodes()) { v.level = v == src ? 0 : INF; v.other = v == src; }"
    apart = "g.attachNodeProperty(level = INF, other = False); if (src >= 0) { src.level = 0; src.other = True; }"
    assert operators_of(HEAD + both + ROUNDS) == operators_of(HEAD + apart + ROUNDS)


def test_the_member_of_a_set_is_a_node_for_sure() -> None:
    head = "function f(Graph g, propNode<int> level, SetN<g> sources) { for (src in sources) {"
    sure = "g.attachNodeProperty(level = INF); src.level = 0;"
    texts = [operators_of(head + begin + ROUNDS + "}") for begin in (BEFORE["a choice"], sure)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", {**BEFORE, **KEPT})
def test_no_node_begins_nothing(name: str) -> None:
    _assert_as_written(HEAD + {**BEFORE, **KEPT}[name] + ROUNDS, GRAPHS)


def test_the_search_pulls_too_and_stays_one_launch(tmp_path: pytest.TempPathFactory) -> None:
    path = tmp_path / "f.sp"
    path.write_text(HEAD + BEFORE["a choice"] + ROUNDS)
    kernels = "\n".join(cuda_of(path, {}))
    assert "search_all(" in kernels
    assert kernels.count("__global__") == 1


@pytest.mark.parametrize("seed", range(12))
def test_loops_that_begin_with_anything_keep_their_answers(seed: int) -> None:
    draw = random.Random(seed)
    node = ("v == src", "src == v", "v != src", "v == other_src", "v < 3")
    level = ("0", "3", "INF", "-1", "v", "int(src)")

    def store() -> str:
        return draw.choice((f"v.level = {draw.choice(level)};", f"v.other = {draw.choice(('True', 'False'))};"))

    def statement() -> str:
        asked = draw.choice(node)
        return draw.choice(
            (
                store(),
                f"v.level = {asked} ? {draw.choice(level)} : {draw.choice(level)};",
                f"v.other = {asked};",
                f"if ({asked}) {{ {store()} {store()} }}",
                f"if ({asked}) {{ {store()} {store()} }} else {{ {store()} }}",
            )
        )

    begin = "".join(f"forall (v in g.nodes()) {{ {statement()} {statement()} {statement()} }}" for _ in range(2))
    rounds = draw.choice((ROUNDS, ROUNDS.replace("forall (w in", "if (v.other) forall (w in"), "}"))
    _assert_as_written(HEAD.replace("node src", "node src, node other_src") + begin + rounds, GRAPHS[:2])


def _assert_as_written(text: str, graphs: list[Graph]) -> None:
    program = starplat.compile(text)
    nodes = [p.name for p in program.checked.tree.function("f").parameters if p.name in ("src", "other_src")]
    for graph in graphs:
        for source in (-1, 0, 2):
            given = {name: source - place if source else source for place, name in enumerate(nodes)}
            given = {name: max(node, -1) for name, node in given.items()}
            found = program.run(graph, target="reference", **given)
            meant = program.run(graph, target="reference", checked=True, **given)
            assert first_difference(found, meant) is None, (graph.name, source)
