"""Each rewrite of the canonical form by what it does to a program: a spelling and the canonical one have one text of
operators; what only looks like it keeps its own."""

from __future__ import annotations

import re

import numpy as np
import pytest

import starplat
from starplat import pipeline
from starplat.source import SourceFile
from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

BFS = """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> active;
  g.attachNodeProperty(level = INF, active = False);
  src.level = 0;
  src.active = True;
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active == True)) {
      forall (w in g.neighbors(v)) {
        <w.level, w.active> = <Min(w.level, v.level + 1), True>;
      }
    }
  }
}
"""

COUNTED_AHEAD_OF_A_COPY = """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> now;
  propNode<bool> next;
  g.attachNodeProperty(level = INF, now = False, next = False);
  src.level = 0;
  src.now = True;
  int size = 1;
  while (size != 0) {
    forall (v in g.nodes().filter(now)) {
      forall (w in g.neighbors(v)) { <w.level, w.next> = <Min(w.level, v.level + 1), True>; }
    }
    size = 0;
    forall (v in g.nodes()) {
      if (v.next) { size += 1; }
      v.now = v.next;
      v.next = False;
    }
  }
}
"""
SPELLINGS = {
    "a count ahead of a copy": COUNTED_AHEAD_OF_A_COPY,
    "inlining": """
function plus_one(int d) { return d + 1; }
function start(Graph g, propNode<int> level, propNode<bool> active, node s) {
  g.attachNodeProperty(level = INF, active = False);
  s.level = 0;
  s.active = True;
}
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> active;
  start(g, level, active, src);
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active == True)) {
      forall (w in g.neighbors(v)) {
        <w.level, w.active> = <Min(w.level, plus_one(v.level)), True>;
      }
    }
  }
}
""",
    "fills, node by node": """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> active;
  forall (v in g.nodes()) { v.level = INF; v.active = False; }
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF) { w.level = depth + 1; more = True; }
      }
    }
    depth++;
  }
}
""",
    "arcs": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (e in g.edges()) {
      node b = e.destination;
      <b.level, more> = <Min(b.level, e.source.level + 1), True>;
    }
  }
}
""",
    "a value that a node holds for its neighbors": """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> active;
  g.attachNodeProperty(level = INF, active = False);
  src.level = 0;
  src.active = True;
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active == True)) {
      int next = v.level + 1;
      forall (w in g.neighbors(v)) {
        <w.level, w.active> = <Min(w.level, next), True>;
      }
    }
  }
}
""",
    "extremes": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  bool more;
  do {
    more = False;
    forall (v in g.nodes().filter(level != INF)) {
      forall (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) { w.level = v.level + 1; more = True; }
      }
    }
  } while (more);
}
""",
    "counters": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int changes = 1;
  while (changes != 0) {
    changes = 0;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) { w.level = v.level + 1; changes += 1; }
      }
    }
  }
}
""",
    "gathers": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      int best = INF;
      for (u in g.nodes_to(v)) {
        if (u.level + 1 < best) { best = u.level + 1; }
      }
      if (best < v.level) { v.level = best; more = True; }
    }
  }
}
""",
    "levels, asked for by nodes without one": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == INF)) {
      for (u in g.nodes_to(v)) {
        if (u.level == depth) { v.level = depth + 1; more = True; break; }
      }
    }
    depth++;
  }
}
""",
    "levels, counted before they are given": """
function f(Graph g, propNode<int> level, node src) {
  int depth = 0;
  g.attachNodeProperty(level = INF);
  src.level = depth;
  for (int round = 0; round < g.num_nodes(); round++) {
    bool more = False;
    depth = depth + 1;
    forall (v in g.nodes()) {
      if (v.level == depth - 1) {
        forall (w in g.neighbors(v)) {
          if (INF == w.level) { w.level = depth; more = True; }
        }
      }
    }
    if (!more) { break; }
  }
}
""",
    "waves in two buffers": """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> now;
  propNode<bool> next;
  g.attachNodeProperty(level = INF, now = False, next = False);
  src.level = 0;
  src.now = True;
  bool more = True;
  while (more) {
    bool moved = False;
    forall (v in g.nodes().filter(now)) {
      forall (w in g.neighbors(v).filter(level == INF)) {
        w.level = v.level + 1;
        w.next = True;
        moved = True;
      }
    }
    forall (v in g.nodes()) {
      v.now = v.next;
      v.next = False;
    }
    more = moved;
  }
}
""",
}

NEAR = {
    "counts rounds and stops": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more && depth < 3) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF) { w.level = depth + 1; more = True; }
      }
    }
    depth++;
  }
}
""",
    "tells how many rounds there were": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int rounds = 0;
  bool more = True;
  while (more) {
    more = False;
    rounds += 1;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) { w.level = v.level + 1; more = True; }
      }
    }
  }
  return rounds;
}
""",
    "buffers that begin apart": """
function f(Graph g, propNode<int> level, node src, node other) {
  propNode<int> next;
  g.attachNodeProperty(level = INF, next = INF);
  src.level = 0;
  src.next = 0;
  other.next = 3;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      for (u in g.nodes_to(v)) {
        if (u.level + 1 < v.next) { v.next = u.level + 1; more = True; }
      }
    }
    level = next;
  }
}
""",
    "a buffer that is asked": """
function f(Graph g, propNode<int> level, node src) {
  propNode<int> next;
  g.attachNodeProperty(level = INF, next = INF);
  src.level = 0;
  src.next = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      for (u in g.nodes_to(v)) {
        if (u.level + 1 < v.next && v.next == v.level) { v.next = u.level + 1; more = True; }
      }
    }
    level = next;
  }
}
""",
    "a step of two": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF) { w.level = depth + 2; more = True; }
      }
    }
    depth++;
  }
}
""",
    "begins at two levels": """
function f(Graph g, propNode<int> level, node src, node other) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  other.level = 1;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF) { w.level = depth + 1; more = True; }
      }
    }
    depth++;
  }
}
""",
    "may not begin": """
function f(Graph g, propNode<int> level, node src, bool more) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) { w.level = v.level + 1; more = True; }
      }
    }
  }
}
""",
    "goes on only where a node without arcs changes": """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) {
          w.level = v.level + 1;
          if (g.count_outNbrs(w) == 0) { more = True; }
        }
      }
    }
  }
}
""",
    "flags of which some are old": """
function f(Graph g, propNode<int> level, node src, node other) {
  propNode<bool> now;
  propNode<bool> next;
  g.attachNodeProperty(level = INF, now = False, next = False);
  src.level = 0;
  src.now = True;
  other.level = 5;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(now)) {
      forall (w in g.neighbors(v).filter(level == INF)) {
        w.level = v.level + 1;
        w.next = True;
        more = True;
      }
    }
    now = next;
    g.attachNodeProperty(next = False);
  }
}
""",
    "a node joins that has not won": """
function f(Graph g, propNode<int> level, node src, node other) {
  propNode<bool> now;
  propNode<bool> next;
  g.attachNodeProperty(level = INF, now = False, next = False);
  src.level = 0;
  src.now = True;
  other.level = 7;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(now)) {
      forall (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) {
          <w.level, w.next> = <Min(w.level, v.level + 1), True>;
          more = True;
        }
      }
    }
    other.next = True;
    now = next;
    g.attachNodeProperty(next = False);
  }
}
""",
    "a node waits in the second buffer": """
function f(Graph g, propNode<int> level, node src, node other) {
  propNode<bool> now;
  propNode<bool> next;
  g.attachNodeProperty(level = INF, now = False, next = False);
  src.level = 0;
  src.now = True;
  other.level = 7;
  other.next = True;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(now)) {
      forall (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) {
          <w.level, w.next> = <Min(w.level, v.level + 1), True>;
          more = True;
        }
      }
    }
    now = next;
    g.attachNodeProperty(next = False);
  }
}
""",
    "each node has its turn once": """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> had;
  g.attachNodeProperty(level = INF, had = False);
  src.level = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level != INF && had == False)) {
      v.had = True;
      forall (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) { w.level = v.level + 1; more = True; }
      }
    }
  }
}
""",
}


@pytest.mark.filterwarnings("ignore::starplat.StarplatWarning")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if (v.next) { size += 1; }", "if (v.next && v.level < 3) { size += 1; }"),
        ("if (v.next) { size += 1; }\n      v.now = v.next;", "v.now = v.next;\n      if (!v.now) { size += 1; }"),
        ("      v.next = False;\n", "      v.next = v.level == 2;\n"),
        ("if (v.next) { size += 1; }", "for (u in g.nodes_to(v)) { if (u.next) { size += 1; } }"),
        ("if (v.next) { size += 1; }", "if (v.level == 1) { continue; } if (v.next) { size += 1; }"),
    ],
)
def test_other_counts_beside_a_copy_stay(old: str, new: str) -> None:
    text = changed(
        COUNTED_AHEAD_OF_A_COPY, (old, new), ("while (size != 0) {", "for (int i = 0; i < 3 && size != 0; i++) {")
    )
    assert "loop until" not in operators_of(text)
    if "u.next" not in new:  # which races with the copies
        assert_as_written(text, [UGLY["knot"], UGLY["ladder"]])


@pytest.mark.filterwarnings("ignore::starplat.StarplatWarning")
@pytest.mark.parametrize(
    ("body", "is_fill"),
    [
        ("int d = g.count_outNbrs(v); v.sum = 0; v.x = d;", True),
        ("int d = v.x; if (d > 2) { v.y = d; } v.sum = 0;", True),
        ("int d = v.sum; v.sum = 0; v.x = d;", False),
        ("int d = 1; v.sum = 0; v.x = d + v.sum;", False),
        ("int d = 1; if (v.x > 2) { continue; } v.sum = 0; v.y = d;", False),
        ("int d = 1; v.sum = 4; v.sum = 0; v.x = d;", False),
        ("int d = g.count_outNbrs(v); v.sum = d; v.x = d + 1;", False),
    ],
)
def test_a_constant_that_a_node_stores_later_is_a_fill_if_the_loop_does_not_ask_for_it(
    body: str, is_fill: bool
) -> None:
    text = f"""
function f(Graph g, propNode<int> x, propNode<int> y, propNode<int> sum) {{
  forall (v in g.nodes()) {{ {body} }}
}}
"""
    assert bool(re.search(r"^  _\d+ := 0$", operators_of(text), re.MULTILINE)) is is_fill
    assert_as_written(text, [UGLY["knot"], UGLY["one-node"]])


@pytest.mark.parametrize("rewrite", SPELLINGS)
def test_a_spelling_has_the_operators_of_the_canonical_one(rewrite: str) -> None:
    assert operators_of(SPELLINGS[rewrite]) == operators_of(BFS)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_keeps_its_loop(name: str) -> None:
    text = pipeline.operators(pipeline.check(SourceFile("near.sp", NEAR[name])))
    assert "is empty" not in text
    assert any(line.strip().startswith(("while", "do while")) for line in text.splitlines())


@pytest.mark.parametrize(
    ("value", "inside"),
    [
        ("max(v.level, 0) + 1", True),
        ("max(0, v.level) + 1", True),
        ("max(v.level, -3) + 1", True),
        ("max(v.level, 1) + 1", False),
        ("max(v.level, 0) - 1", False),
        ("max(v.level, 0) + v.level", False),
        ("min(v.level, 0) + 1", False),
    ],
)
def test_a_cell_within_its_range_needs_no_max(value: str, inside: bool) -> None:
    changed = BFS.replace("v.level + 1", value)
    assert (operators_of(changed) == operators_of(BFS)) is inside


def test_a_cell_that_the_caller_gives_keeps_its_max() -> None:
    changed = BFS.replace("v.level + 1", "max(v.level, 0) + 1").replace("level = INF, ", "")
    assert "max(level[v], 0)" in pipeline.operators(pipeline.check(SourceFile("given.sp", changed)))


IN_BFS = """
function f(Graph g, propNode<int> level, node src, node other) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  iterateInBFS (v in g.nodes() from src) {
    forall (child in g.neighbors(v)) {
      child.level = v.level + 1;
    }
  }
}
"""


def test_a_search_that_numbers_levels_is_rounds() -> None:
    assert operators_of(IN_BFS) == operators_of(BFS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from src", "from other"),
        ("src.level = 0;", "src.level = 0; src = other;"),
        ("src.level = 0;", "src.level = 0; other.level = 3;"),
        ("level = INF", "level = 7"),
        ("v.level + 1", "v.level + 0"),
        ("v.level + 1", "child.level + 1"),
        ("(v in g.nodes() from src)", "(v in g.nodes() from src).filter(v != other)"),
    ],
)
def test_other_searches_stay(old: str, new: str) -> None:
    text = pipeline.operators(pipeline.check(SourceFile("s.sp", IN_BFS.replace(old, new))))
    assert "search level by level from" in text


FROM_PARENTS = """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  iterateInBFS (v in g.nodes() from src) {
    int mine = 0;
    for (parent in g.nodes_to(v)) { mine = parent.level + 1; }
    v.level = mine;
  }
}
"""


@pytest.mark.parametrize("between", ["", "long sum = 0;\n  forall (v in g.nodes()) { sum += v; }\n  "])
@pytest.mark.parametrize("none", ["INF", "-1"])
def test_a_node_may_ask_its_parents_for_its_number(none: str, between: str) -> None:
    """All of them have the same one. From no node there is no search, and no error."""
    text = FROM_PARENTS.replace("INF", none).replace("iterateInBFS", between + "iterateInBFS")
    operators = operators_of(text)
    assert "is empty" in operators
    assert "level by level" not in operators
    program = starplat.compile(text)
    for graph in (UGLY["knot"], UGLY["ladder"]):
        for src in (0, -1):
            found, right = (program.run(graph, src=src, target="reference", checked=c)["level"] for c in (False, True))
            assert np.array_equal(found, right)


def test_a_scalar_takes_the_greatest_number_after_the_rounds() -> None:
    text = IN_BFS.replace("}\n  }\n}", "}\n    far = Max(far, v.level);\n  }\n  return far;\n}")
    text = text.replace("src.level = 0;", "src.level = 0;\n  int far = 0;").replace("level = INF", "level = -1")
    operators = operators_of(text)
    assert "is empty" in operators
    assert (
        operators_of(text.replace("far = Max(far, v.level)", "far = Max(far, v)")).count("search level by level") == 1
    )
    program = starplat.compile(text)
    for graph in (UGLY["knot"], UGLY["ladder"]):
        found, right = (
            program.run(graph, src=0, other=0, target="reference", checked=checked) for checked in (False, True)
        )
        assert found.returned == right.returned
        assert np.array_equal(found["level"], right["level"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("= parent.level + 1", "= parent.level"),
        ("mine = parent.level + 1;", "mine += parent.level + 1;"),
        ("mine = parent.level + 1;", "if (parent > v) { mine = parent.level + 1; }"),
        ("v.level = mine", "v.level = mine + 1"),
        ("g.nodes_to(v)", "g.neighbors(v)"),
        ("level = INF", "level = 7"),
        ("  iterateInBFS", "  src.level = 5;\n  iterateInBFS"),
    ],
)
def test_other_searches_by_parents_stay(old: str, new: str) -> None:
    assert old in FROM_PARENTS
    assert "search level by level from" in operators_of(FROM_PARENTS.replace(old, new))


def test_a_cell_that_is_read_before_it_is_filled_keeps_its_max() -> None:
    given = (
        "propNode<int> seen; forall (v in g.nodes()) { v.seen = max(v.level, 0); }\n  g.attachNodeProperty(level = INF"
    )
    text = BFS.replace("g.attachNodeProperty(level = INF", given)
    assert "max(level[v], 0)" in pipeline.operators(pipeline.check(SourceFile("seen.sp", text)))


UNREACHED = """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = -1);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (w.level < 0) { w.level = depth + 1; more = True; }
      }
    }
    depth++;
  }
}
"""


@pytest.mark.parametrize("asks", ["w.level < 0", "w.level == -1"])
def test_nodes_without_a_level_hold_infinity_meanwhile(asks: str) -> None:
    text = pipeline.operators(pipeline.check(SourceFile("u.sp", UNREACHED.replace("w.level < 0", asks))))
    assert "loop until active is empty" in text
    assert text.endswith("  each node when level[node] == INF\n    level[node] := -1\n")


@pytest.mark.parametrize("asks", ["w.level == 0", "w.level < 1", "w.level <= 0", "!(w.level > 0)"])
def test_levels_may_count_from_1(asks: str) -> None:
    changes = (("level = -1", "level = 0"), ("src.level = 0", "src.level = 1"), ("depth = 0", "depth = 1"))
    text = changed(UNREACHED, *changes, ("w.level < 0", asks))
    assert "loop until active is empty" in pipeline.operators(pipeline.check(SourceFile("u.sp", text)))
    assert_as_written(text, (UGLY[graph] for graph in ("knot", "ladder", "islands")))


@pytest.mark.parametrize(("first", "depth", "asks"), [(1, 0, 0), (1, 2, 0), (2, 1, 0), (1, 1, 1), (0, 0, 0)])
def test_levels_that_do_not_count_from_where_the_counter_begins_stay(first: int, depth: int, asks: int) -> None:
    begins = (("level = -1", "level = 0"), ("src.level = 0", f"src.level = {first}"), ("depth = 0", f"depth = {depth}"))
    text = changed(UNREACHED, *begins, ("w.level < 0", f"w.level == {asks}"))
    assert "is empty" not in pipeline.operators(pipeline.check(SourceFile("u.sp", text)))
    ends = changed(text, (f"w.level == {asks}", f"w.level == {asks} && depth < 9"))
    assert_as_written(ends, (UGLY[graph] for graph in ("knot", "ladder", "islands")))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("level = -1", "level = 0"),
        ("src.level = 0", "src.level = -1"),
        ("w.level < 0", "w.level < 2"),
        ("w.level < 0", "w.level != 7"),
        ("w.level = depth + 1;", "w.level = Min(w.level, depth + 1);"),
        ("w.level = depth + 1;", "w.level = -1 - depth;"),
        ("filter(level == depth)", "filter(level >= 0)"),
        ("depth++;", "depth++; src.level = -1;"),
    ],
)
def test_other_numbers_stay(old: str, new: str) -> None:
    assert "is empty" not in pipeline.operators(pipeline.check(SourceFile("u.sp", UNREACHED.replace(old, new))))


COUNTED = """
function f(Graph g, propNode<int> level, propEdge<int> weight, node src) {
  int n = g.num_nodes();
  g.attachNodeProperty(level = INF);
  src.level = 0;
  for (int i = FIRST; i < n; i++) {
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        w.level = Min(w.level, v.level + ADDED);
      }
    }
  }
}
"""


@pytest.mark.parametrize("first", ["0", "1"])
def test_rounds_that_are_enough_go_on_until_nothing_changes(first: str) -> None:
    assert operators_of(COUNTED.replace("FIRST", first).replace("ADDED", "1")) == operators_of(BFS)


def test_rounds_are_counted_where_an_arc_may_take_away() -> None:
    text = pipeline.operators(
        pipeline.check(SourceFile("w.sp", COUNTED.replace("FIRST", "1").replace("ADDED", "e.weight")))
    )
    assert "if least_weight >= 0\n    loop until active is empty" in text
    assert "else\n    count i from 1 while i < n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("FIRST", "2"),
        ("i < n", "i < 5"),
        ("i < n", "i + 1 < n"),
        ("+ ADDED", "- 1"),
        ("w.level = Min", "if (i > 3) w.level = Min"),
        ("int n = g.num_nodes();", "int n = g.num_nodes(); n -= 1;"),
        ("i++) {", "i++) { n = n - 1;"),
    ],
)
def test_other_counted_rounds_stay(old: str, new: str) -> None:
    text = COUNTED.replace(old, new).replace("FIRST", "0").replace("ADDED", "1")
    assert "is empty" not in pipeline.operators(pipeline.check(SourceFile("c.sp", text)))


WIDEST = """
function f(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  g.attachNodeProperty(width = 0);
  src.width = INF;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(width > 0)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.width, more> = <Max(w.width, min(v.width, e.weight)), True>;
      }
    }
  }
}
"""


@pytest.mark.parametrize("asks", ["filter(width > 0)", "filter(0 < width)"])
def test_nodes_that_hold_what_all_began_with_need_not_be_left_out(asks: str) -> None:
    all_nodes = operators_of(WIDEST.replace(".filter(width > 0)", ""))
    assert "is empty" in all_nodes
    assert operators_of(WIDEST.replace("filter(width > 0)", asks)) == all_nodes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("width > 0", "width > 1"),
        ("width = 0", "width = -2"),
        ("src.width = INF", "src.width = -1"),
        ("min(v.width, e.weight)", "e.weight"),
        ("Max(w.width, min(v.width, e.weight))", "Min(w.width, max(v.width, e.weight))"),
    ],
)
def test_conditions_that_leave_out_more_stay(old: str, new: str) -> None:
    text = WIDEST.replace(old, new)
    assert old in WIDEST
    assert "is empty" not in operators_of(text)
    program = starplat.compile(text)
    for graph in (UGLY["knot"], UGLY["ladder"]):
        found, right = (program.run(graph, src=0, target="reference", checked=c)["width"] for c in (False, True))
        assert np.array_equal(found, right)


def test_the_operators_of_a_search() -> None:
    text = pipeline.operators(pipeline.check(SourceFile("bfs.sp", BFS)))
    assert (
        text
        == """\
f(g, level, src) -> level
  frontier active
  level := INF
  active := {}
  level[src] := 0
  active += {src}
  loop until active is empty
    advance active  v -> w
      level[w] <- min level[v] + 1
      activates active
      monotone: any order of arcs comes to the same end
"""
    )


def test_what_a_node_does_before_its_arcs_stands_in_one_operator_with_them() -> None:
    """The node closes itself, so its arcs would not be asked for if the filter were asked again."""
    text = """
function f(Graph g, propNode<bool> open, propNode<int> told) {
  forall (v in g.nodes().filter(open && told > 0)) {
    v.open = False;
    forall (w in g.neighbors(v)) { w.told += 1; }
  }
}
"""
    shown = pipeline.operators(pipeline.check(SourceFile("close.sp", text)))
    assert (
        shown.split("\n", 1)[1]
        == """\
  each v when open[v] and told[v] > 0
    open[v] := False
    advance v -> w
      told[w] <- sum 1
"""
    )


def test_a_program_in_canonical_form_stays_as_it_is() -> None:
    from starplat.operators.canonical.form import canonical

    program = pipeline.check(SourceFile("bfs.sp", BFS)).facts.program
    assert canonical(program, "f") is program


def test_a_copy_that_may_be_left_out_stays() -> None:
    """The second loop is left before the copy is made, so `last` must keep what it held."""
    text = """
function f(Graph g, propNode<int> level, propNode<int> count, node src) {
  g.attachNodeProperty(level = INF, count = 0);
  src.level = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) { w.level = v.level + 1; more = True; }
      }
    }
  }
  bool last = True;
  for (int i = 0; i < 3; i++) {
    bool any = False;
    forall (v in g.nodes()) { v.count += 1; }
    if (i == 0) { break; }
    last = any;
  }
  return last;
}
"""
    printed = pipeline.operators(pipeline.check(SourceFile("two.sp", text)))
    assert "loop until active is empty" in printed
    assert "last := any" in printed


def test_what_an_arc_changes_is_said_without_its_locals() -> None:
    found = operators_of("""
function f(Graph g, propNode<node> label, propNode<bool> open) {
  forall (v in g.nodes()) {
    for (w in g.neighbors(v)) { node root = w.label; if (root != v) { root.open = True; } }
  }
}
""")
    assert re.search(r"_\d+\[_\d+\[_\d+\]\] <- True", found)
