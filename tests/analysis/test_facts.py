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


def test_transfers_of_shortest_paths() -> None:
    source = SourceFile.read(EXAMPLES[0].parent / "sssp.sp")
    transfers = analyse(check(parse(source), source)).functions[0].transfers
    assert set(transfers.graph) == {"out-neighbors", "weights"}
    assert [s.name for s in transfers.up] == ["weight"]
    assert "dist" in [s.name for s in transfers.down]
    assert [s.name for s in transfers.resident] == ["modified"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_explain_covers_every_loop(path: Path) -> None:
    source = SourceFile.read(path)
    facts = analyse(check(parse(source), source))
    text, record = describe(facts), json.loads(json.dumps(to_json(facts)))
    loops = [loop for function in record["functions"] for loop in function["loops"]]
    assert len(loops) == sum(len(f.loops) for f in facts.functions)
    assert all(f"line {loop['line']}:" in text for loop in loops)
    assert all(cell["class"] in "abcdef" and cell["reason"] for loop in loops for cell in loop["cells"])
