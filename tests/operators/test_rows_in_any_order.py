"""A row in order whose order makes no difference is parallel, so that threads share its arcs; others stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import cuda_of
from tests.spellings.graphs import UGLY

GRAPHS = [graph for graph in UGLY.values() if graph.num_nodes > 2]
PUBLISHED = Path(__file__).parents[1] / "programs" / "as_published"

ONCE = """
function f(Graph g, propNode<bool> here, propNode<bool> far, propNode<int> x, propNode<int> y) {
  bool more = False;
  long sum = 0;
  forall (v in g.nodes().filter(here)) {
    for (w in g.neighbors(v)) { STATEMENTS }
  }
  return more, sum;
}
"""
FREE = {
    "members mark their neighbors": "w.far = False;",
    "a condition asks for what it stores": "if (w.far) { w.far = False; more = True; }",
    "it asks for something else as well": "if (w.far && w.x > 2) { w.far = False; w.y = 1; }",
    "neighbors count": "w.y += 1;",
    "whole numbers are added up for all nodes": "if (w.x > 2) { sum += w.x; }",
}
IN_ORDER = {
    "the last neighbor's stays": "more = w.far;",
    "only the first is marked": "if (!more) { more = True; w.far = False; }",
    "a node may take what it gives": "if (v.far && w.far) { w.far = False; }",
    "two arcs do two things": "if (w.far) { w.y = 1; } else { w.y = 1; more = True; } w.far = True;",
    "the second arc finds what the first has stored": "if (!w.far) { more = True; } w.far = False;",
    "rows end early": "if (w.far) { w.far = False; break; }",
}


def _text(statements: str) -> str:
    return ONCE.replace("STATEMENTS", statements)


def _kernels(text: str, folder: Path) -> list[str]:
    (folder / "f.sp").write_text(text)
    return cuda_of(folder / "f.sp", {})


def _has_rows_of_one_thread(text: str, folder: Path) -> bool:
    return any(line.startswith("for (arc_t e = row_offsets[v]") for line in _kernels(text, folder))


@pytest.mark.parametrize("name", FREE)
def test_a_row_in_any_order_is_parallel(name: str, tmp_path: Path) -> None:
    text = _text(FREE[name])
    assert not _has_rows_of_one_thread(text, tmp_path)
    assert _kernels(text, tmp_path) == _kernels(changed(text, ("for (w", "forall (w")), tmp_path)
    assert_as_written(text, GRAPHS)


@pytest.mark.parametrize("name", IN_ORDER)
def test_a_row_whose_order_may_matter_keeps_it(name: str, tmp_path: Path) -> None:
    assert _has_rows_of_one_thread(_text(IN_ORDER[name]), tmp_path)


def test_a_row_that_changes_a_local_of_its_node_keeps_its_order(tmp_path: Path) -> None:
    row = "for (w in g.neighbors(v)) { own = own * 2 + w.x; }"
    text = changed(_text("own"), ("for (w in g.neighbors(v)) { own }", f"int own = 0; {row} v.y = own;"))
    assert _has_rows_of_one_thread(text, tmp_path)


def test_a_sum_of_reals_keeps_its_order(tmp_path: Path) -> None:
    counted = _text("w.y += 1;")
    assert not _has_rows_of_one_thread(counted, tmp_path)
    assert _has_rows_of_one_thread(changed(counted, ("propNode<int> y", "propNode<double> y")), tmp_path)


SEARCH = """
function f(Graph g, propNode<TYPE> ways, propNode<bool> far, propNode<int> x) {
  iterateInBFS (v in g.nodes() from 0) { for (w in g.neighbors(v)) { FORWARD } }
  iterateInReverse (v != 0) { for (u in g.nodes_to(v)) { BACK } }
}
"""


@pytest.mark.parametrize(
    ("kind", "forward", "back", "rows_of_one_thread"),
    [
        ("int", "w.ways += v.ways;", "if (u.far) { u.far = False; }", 0),
        ("long", "if (w.far) { w.far = False; w.x += v.x; }", "u.ways += v.ways; u.x += 1;", 1),
        ("double", "w.ways += v.ways;", "u.x += 1;", 1),
        ("int", "v.x = w.x;", "v.ways += u.ways; if (v.ways > 4) { break; }", 2),
        ("int", "w.x += v.x; v.far = w.x > 3;", "if (v.far && u.far) { u.x = 7; v.far = False; }", 2),
    ],
)
def test_rows_of_a_search_are_parallel_where_their_order_makes_no_difference(
    kind: str, forward: str, back: str, rows_of_one_thread: int, tmp_path: Path
) -> None:
    text = changed(SEARCH, ("TYPE", kind), ("FORWARD", forward), ("BACK", back))
    rows = [line for line in _kernels(text, tmp_path) if line.startswith("for (arc_t ") and "row_offsets[v]" in line]
    assert len(rows) == rows_of_one_thread
    assert_as_written(text, GRAPHS)


def test_a_search_that_the_host_drives_node_by_node_keeps_its_rows(tmp_path: Path) -> None:
    own = "propNode<int> one; g.attachNodeProperty(one = 1);"
    text = changed(
        SEARCH, ("TYPE", "int"), ("{ for (w", f"{{ {own} for (w"), ("FORWARD", "w.x += w.one;"), ("BACK", "")
    )
    assert not any("atomicAdd(&x[w]" in line for line in _kernels(text, tmp_path))
    assert_as_written(text, GRAPHS)


def test_the_published_search_chooses_push_or_pull_as_the_example_does() -> None:
    assert any("search_all" in line for line in cuda_of(PUBLISHED / "bfs.sp", {}))
