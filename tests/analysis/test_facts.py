"""INF spreads as far as it is stored, transfers name what crosses the bus, and `explain` says all of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from starplat.analysis import analyse, describe, to_json
from starplat.frontend.check import check
from starplat.frontend.parser import parse
from starplat.source import SourceFile
from tests.analysis.test_races import facts_of

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.sp"))


def test_infinity_spreads_through_stores_calls_and_copies() -> None:
    facts = facts_of("""
    function f(Graph g, propNode<int> a, propNode<int> b, propNode<int> c, propNode<int> d) {
      g.attachNodeProperty(a = INF, d = 1);
      b = a;
      forall (v in g.nodes()) { v.c = more(v.b); v.d = v.d + 1; }
    }
    function more(int x) { return x + 1; }""")
    assert {s.name for s in facts.infinite} >= {"a", "b", "x"}
    assert "d" not in {s.name for s in facts.infinite}


FOUND = """
    function f(Graph g, propNode<int> level, propNode<long> far, node src) {
      g.attachNodeProperty(level = INF, far = 0);
      src.level = 0;
      iterateInBFS (v in g.nodes() from src) {
        forall (w in g.neighbors(v)) { <w.level> = <Min(w.level, v.level + 1)>; }
        v.far += v.level;
      }
    }"""


def test_levels_of_nodes_that_a_search_comes_to_are_not_infinite() -> None:
    facts = facts_of(FOUND)
    assert {(cell.name, node.name) for cell, node in facts.finite} == {("level", "v")}
    assert {s.name for s in facts.infinite} == {"level"}


NEARLY = {
    "does not begin": ("src.level = 0;", "src.level = INF;"),
    "begins elsewhere": ("src.level = 0;", "node other = 0; other.level = 0;"),
    "adds up": ("v.level + 1", "v.level + w"),
    "not all nodes": ("g.nodes() from src)", "g.nodes() from src).filter(v.far == 0)"),
    "not all neighbors": ("g.neighbors(v)", "g.neighbors(v).filter(far == 0)"),
    "not the children": ("g.neighbors(v)", "g.nodes_to(v)"),
    "on a condition": ("{ <w.level> = <Min(w.level, v.level + 1)>; }",
                       "{ if (w.far > 0) { <w.level> = <Min(w.level, v.level + 1)>; } }"),
    "leaves before": ("forall (w", "if (v.far == 0) { continue; } forall (w"),
    "is taken back": ("v.far += v.level;", "v.far += v.level; v.level = INF;"),
    "is taken back by a function": ("v.far += v.level;", "v.far += v.level; again(v, level);"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), NEARLY.values(), ids=NEARLY)
def test_levels_of_what_is_nearly_a_search_may_be_infinite(old: str, new: str) -> None:
    helper = "function again(node v, propNode<int> level) { v.level = INF; }"
    facts = facts_of(FOUND.replace(old, new) + helper)
    assert not facts.finite
    assert "far" in {s.name for s in facts.infinite}


@pytest.mark.parametrize(
    ("filter", "body", "finite"),
    [
        ("level != INF", "", True),
        ("level < INF && near > 0", "<v.level> = <Min(v.level, 3)>;", True),
        ("level < INF || near > 0", "", False),
        ("level <= INF", "", False),
        ("level != INF", "v.level = INF;", False),
        ("level != INF", "<v.level> = <Max(v.level, 3)>;", False),
        ("level != INF", "<v.near, v.level> = <Min(v.near, 3), INF>;", False),
    ],
)
def test_a_filter_leaves_out_infinity_where_nothing_brings_it_back(filter: str, body: str, finite: bool) -> None:
    facts = facts_of(f"""
    function f(Graph g, propNode<int> level, propNode<int> near, propNode<long> far) {{
      g.attachNodeProperty(level = INF, far = 0, near = 9);
      forall (v in g.nodes().filter({filter})) {{ {body} v.far += v.level; }}
    }}""")
    assert {(cell.name, node.name) for cell, node in facts.finite} == ({("level", "v")} if finite else set())
    assert ("far" in {s.name for s in facts.infinite}) is not finite


def test_transfers_of_shortest_paths() -> None:
    source = SourceFile.read(EXAMPLES[0].parent / "sssp.sp")
    transfers = analyse(check(parse(source), source)).functions[0].transfers
    assert set(transfers.graph) == {"out-neighbors", "weights"}
    assert [s.name for s in transfers.up] == ["weight"]
    assert "dist" in [s.name for s in transfers.down]
    assert [s.name for s in transfers.resident] == ["modified"]


SETS = "forall (v in g.nodes()) { v.x = v; v.y = 1; }"
LOOPS = {
    "sets": (SETS, set()),
    "sets, then reads": ("forall (v in g.nodes()) { v.x = v; } forall (v in g.nodes()) { v.y = v.x; }", set()),
    "in a row": ("for (v in g.nodes()) { v.x = v; } g.attachNodeProperty(y = 0);", set()),
    "not all": ("forall (v in g.nodes().filter(v != src)) { v.x = v; v.y = 1; }", {"x", "y"}),
    "under a condition": ("forall (v in g.nodes()) { if (v != src) { v.x = v; } v.y = 1; }", {"x"}),
    "what it was": ("forall (v in g.nodes()) { v.x = v.x + 1; v.y = 1; }", {"x"}),
    "counts up": ("forall (v in g.nodes()) { v.x += 1; v.y = 1; }", {"x"}),
    "of another": ("forall (v in g.nodes()) { src.x = 1; v.y = 1; }", {"x"}),
    "read of another": ("forall (v in g.nodes()) { v.x = v; v.y = src.x; }", {"x"}),
    "of neighbors": ("forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.x = 1; } v.y = 1; }", {"x"}),
    "left before": ("for (v in g.nodes()) { if (v == src) { break; } v.x = v; } g.attachNodeProperty(y = 0);", {"x"}),
    "left after": ("for (v in g.nodes()) { v.x = v; if (v == src) { break; } } g.attachNodeProperty(y = 0);", {"x"}),
    "returned after": (
        "for (v in g.nodes()) { v.x = v; while (v > 3) { return; } } g.attachNodeProperty(y = 0);",
        {"x", "y"},
    ),
    "rows left": (
        "for (v in g.nodes()) { v.x = v; v.y = v; for (w in g.neighbors(v)) { if (w > src) { break; } } }",
        set(),
    ),
    "returned before": (f"if (src > 3) {{ return; }} {SETS}", {"x", "y"}),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_over_all_nodes_that_sets_a_property_leaves_nothing_of_its_first_contents(name: str) -> None:
    body, matter = LOOPS[name]
    text = f"function f(Graph g, node src, propNode<int> x, propNode<int> y) {{ {body} }}"
    source = SourceFile("f.sp", text)
    transfers = analyse(check(parse(source), source)).functions[0].transfers
    assert {symbol.name for symbol in transfers.up} == matter


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_explain_covers_every_loop(path: Path) -> None:
    source = SourceFile.read(path)
    facts = analyse(check(parse(source), source))
    text, record = describe(facts), json.loads(json.dumps(to_json(facts)))
    loops = [loop for function in record["functions"] for loop in function["loops"]]
    assert len(loops) == sum(len(f.loops) for f in facts.functions)
    assert all(f"line {loop['line']}:" in text for loop in loops)
    assert all(cell["class"] in "abcdef" and cell["reason"] for loop in loops for cell in loop["cells"])
