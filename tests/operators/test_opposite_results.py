"""A flag whose opposite is the result is the result, with its truths turned."""

from __future__ import annotations

import random

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

GRAPHS = [graph for graph in UGLY.values() if graph.num_nodes > 2]
FAR = """
function f(Graph g, propNode<bool> reached, propNode<bool> begun, node src) {
  propNode<bool> far;
  propNode<bool> here;
  g.attachNodeProperty(far = True, here = False);
  src.far = False;
  src.here = True;
  fixedPoint until (done : !here) {
    forall (v in g.nodes().filter(here)) {
      forall (w in g.neighbors(v)) { if (w.far) { w.far = False; w.here = True; } }
    }
  }
  forall (v in g.nodes()) { v.reached = !v.far; }
}
"""
REACHED = changed(
    FAR,
    ("  propNode<bool> far;\n", ""),
    ("  forall (v in g.nodes()) { v.reached = !v.far; }\n", ""),
    ("far = True", "reached = False"),
    ("far = False", "reached = True"),
    ("if (w.far)", "if (!w.reached)"),
)
OTHERS = {
    "it is given another flag": ("src.far = False;", "src.far = src.begun;"),
    "it is copied": ("  fixedPoint", "  begun = far;\n  fixedPoint"),
    "its members are counted": (
        "  fixedPoint",
        "  long many = Count(far); if (many > 3) { src.here = False; }\n  fixedPoint",
    ),
    "it is read later": ("v.reached = !v.far; }", "v.reached = !v.far; }\n  src.begun = src.far;"),
    "the result is used": ("src.far = False;", "src.far = False; src.reached = True; begun = reached;"),
    "it is not filled": ("far = True, ", ""),  # which the evaluator stops at
}


def test_the_opposite_of_a_flag_is_the_result() -> None:
    assert operators_of(FAR) == operators_of(REACHED)
    assert_as_written(FAR, GRAPHS)


@pytest.mark.parametrize("name", OTHERS)
def test_other_flags_stay(name: str) -> None:
    text = changed(FAR, OTHERS[name])
    assert operators_of(text) != operators_of(REACHED)
    assert ":= !" in operators_of(text)
    if name != "it is not filled":
        assert_as_written(text, GRAPHS)


@pytest.mark.parametrize("seed", range(8))
def test_flags_in_any_words_keep_their_answers(seed: int) -> None:
    draw = random.Random(seed)
    tests = ("v.far", "!v.far", "v.far == False", "v.far && v.begun", "!v.far || v.begun", "v > 2")
    stores = (
        "v.far = True;",
        "v.far = False;",
        "v.begun = v.far;",
        "v.begun = !v.far;",
        "v.far = v.begun;",
        "more += 1;",
    )
    weights = (3, 3, 3, 3, 1, 1)
    loops = "".join(
        f"forall (v in g.nodes()) {{ if ({draw.choice(tests)}) {{ {draw.choices(stores, weights)[0]} }} }}"
        for _ in range(5)
    )
    head = "function f(Graph g, propNode<bool> reached, propNode<bool> begun, node src) {"
    fill = "propNode<bool> far; int more = 0;"
    fill += f"g.attachNodeProperty(far = {draw.choice(('True', 'False'))}); src.far = {draw.choice(('True', 'False'))};"
    assert_as_written(
        f"{head}{fill}{loops} forall (v in g.nodes()) {{ v.reached = !v.far; }} return more; }}", GRAPHS[:3]
    )
