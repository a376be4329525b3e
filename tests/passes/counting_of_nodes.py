"""Programs that count the triangles of every node, in many spellings, and others that count something else."""

from __future__ import annotations

from tests.changing import changed
from tests.programs.cases import EXAMPLES

PROPERTY = """function f(Graph g, propNode<int> t) {
  g.attachNodeProperty(t = 0);
  forall (v in g.nodes()) {
    forall (u in g.neighbors(v)) {
      forall (w in g.neighbors(v).filter(w > u)) {
        if (g.is_an_edge(u, w)) { v.t += 1; }
      }
    }
  }
}"""

CORNERS = """function f(Graph g, propNode<long> t) {
  g.attachNodeProperty(t = 0);
  forall (v in g.nodes()) {
    forall (u in g.neighbors(v).filter(u < v)) {
      forall (w in g.neighbors(v).filter(w > v)) {
        if (g.is_an_edge(u, w)) { v.t += 1; u.t += 1; w.t += 1; }
      }
    }
  }
}"""

AT_EDGES = """function f(Graph g, propNode<int> t) {
  g.attachNodeProperty(t = 4);
  forall (e in g.edges()) {
    for (x in g.neighbors(e.source)) {
      if (x != e.destination && g.is_an_edge(x, e.destination)) { x.t += 3; }
    }
  }
}"""

RENAMED = """function count(Graph net, propNode<long> y, propNode<double> share) {
  forall (c in net.nodes()) {
    long found = 5;
    long degree = 0;
    for (a in net.nodes_to(c)) {
      degree += 1;
      for (b in net.neighbors(c)) {
        if (net.is_an_edge(b, a) && !(a == b)) { found += 3; }
      }
    }
    c.y = found;
    c.share = found / (degree + 1.0);
  }
}"""

UNDER_A_CONDITION = """function f(Graph g, propNode<double> x) {
  forall (v in g.nodes()) {
    v.x = 0.0;
    long d = g.count_outNbrs(v);
    if (d > 1) {
      long pairs = 0;
      for (u in g.neighbors(v)) {
        for (w in g.neighbors(v)) {
          if (w < u && g.is_an_edge(w, u)) { pairs += 1; }
        }
      }
      v.x = pairs * 2.0 / (d * (d - 1));
    }
  }
}"""

ALONG_A_PATH = """function f(Graph g, propNode<long> x) {
  forall (v in g.nodes()) {
    long sum = 0;
    for (u in g.neighbors(v).filter(u != v)) {
      long here = 0;
      for (w in g.neighbors(u).filter(w != v && w != u)) {
        if (g.is_an_edge(w, v)) { here += 1; }
      }
      sum += here;
    }
    v.x = sum;
  }
}"""

FAR_CORNER = changed(
    CORNERS,
    (".filter(u < v)", ""),
    ("neighbors(v).filter(w > v)", "nodes_to(u)"),
    ("g.is_an_edge(u, w)", "u != v && w != u && v != w && g.is_an_edge(w, v)"),
    ("v.t += 1; u.t += 1; w.t += 1;", "w.t += 2;"),
)
BY_DEGREE = changed(
    CORNERS,
    (
        ".filter(u < v)",
        ".filter(g.count_outNbrs(u) < g.count_outNbrs(v) || (g.count_outNbrs(u) == g.count_outNbrs(v) && u < v))",
    ),
    (
        ".filter(w > v)",
        ".filter(g.count_outNbrs(w) > g.count_outNbrs(v) || (g.count_outNbrs(w) == g.count_outNbrs(v) && w > v))",
    ),
)

WITH_LOOPS = changed(PROPERTY, ("w > u", "w >= u"))

HELPER = """function shared(Graph net, node one, node two) {
  int both = 0;
  for (x in net.neighbors(two)) {
    if ((net.is_an_edge(x, one) || net.is_an_edge(one, x)) && x != one && x != two) { both += 1; }
  }
  return both;
}
function f(Graph g, propNode<int> total) {
  forall (v in g.nodes()) {
    int sum = 0;
    for (u in g.nodes_to(v)) {
      if (u != v && g.is_an_edge(v, u)) { sum += shared(g, v, u); }
    }
    v.total = sum;
  }
}"""

HELPER_FOR_THE_NODE = """function at(Graph g, node v) {
  long found = 0;
  for (u in g.neighbors(v)) {
    for (w in g.neighbors(v)) {
      if (u < w && g.is_an_edge(u, w)) { found += 1; }
    }
  }
  return found;
}
function f(Graph g, propNode<double> x) {
  forall (v in g.nodes()) {
    long t = at(g, v);
    long d = g.count_outNbrs(v);
    v.x = 0.0;
    if (d > 1) { v.x = 2.0 * t / (d * (d - 1)); }
  }
}"""

TWO_COUNTS = """function f(Graph g, propNode<int> t, propNode<int> s) {
  forall (v in g.nodes()) {
    int all = 0;
    for (u in g.neighbors(v)) {
      for (w in g.neighbors(v)) {
        if (u < w && g.is_an_edge(u, w)) { all += 1; }
      }
    }
    v.t = all;
  }
  forall (v in g.nodes()) {
    int other = v.t;
    for (u in g.neighbors(v)) {
      for (w in g.neighbors(u)) {
        if (u != w && w != v && u != v && g.is_an_edge(v, w)) { other += 2; }
      }
    }
    v.s = other;
  }
}"""

CLUSTERING = (EXAMPLES / "clustering_coefficient.sp").read_text(encoding="utf-8")

COUNTS = {
    "clustering": CLUSTERING,
    "renamed": RENAMED,
    "condition": UNDER_A_CONDITION,
    "path": ALONG_A_PATH,
    "helper": HELPER,
    "two-counts": TWO_COUNTS,
    "sum of neighbors": changed(CLUSTERING, ("neighbors += 1", "neighbors += u")),
    "every neighbor": changed(CLUSTERING, ("(u in g.neighbors(v).filter(u != v))", "(u in g.neighbors(v))")),
    "taken away": changed(ALONG_A_PATH, ("here += 1", "here -= 1")),
}

OF_ALL = {
    "own cell": PROPERTY,
    "own cell and loops": WITH_LOOPS,
    "corners": CORNERS,
    "uneven corners": changed(CORNERS, ("v.t += 1; u.t += 1; w.t += 1;", "u.t += 2; v.t += 1; w.t += 2; v.t += 1;")),
    "far corner": FAR_CORNER,
    "at edges": AT_EDGES,
    "by degree": BY_DEGREE,
}
"""Kernels that do no more than add to the cells of each triangle's nodes."""

OTHERS = {
    "one corner": changed(CORNERS, ("v.t += 1; u.t += 1; w.t += 1;", "v.t += 1;")),
    "two corners": changed(CORNERS, ("v.t += 1; u.t += 1; w.t += 1;", "v.t += 1; u.t += 1;")),
    "more at one corner": changed(CORNERS, ("w.t += 1;", "w.t += 2;")),
    "corners and more": changed(CORNERS, ("(v in g.nodes()) {", "(v in g.nodes()) { v.t += 1;")),
    "real corners": changed(CORNERS, ("propNode<long>", "propNode<double>")),
    "corners that differ": changed(CORNERS, ("w.t += 1;", "w.t += v;")),
    "both kinds of cells": changed(CORNERS, ("<long> t)", "<long> t, propNode<long> s)"), ("w.t += 1;", "w.s += 1;")),
    "wedges": changed(PROPERTY, ("if (g.is_an_edge(u, w)) { v.t += 1; }", "v.t += 1;")),
    "open": changed(PROPERTY, ("g.is_an_edge(u, w)", "!g.is_an_edge(u, w)")),
    "by rank": changed(PROPERTY, ("(u in g.neighbors(v))", "(u in g.neighbors(v).filter(u < v))")),
    "the same pair": changed(PROPERTY, ("g.is_an_edge(u, w)", "g.is_an_edge(u, v)")),
    "weighed": changed(ALONG_A_PATH, ("here += 1", "here += w")),
    "real": changed(ALONG_A_PATH, ("long sum = 0", "double sum = 0")),
    "some nodes": changed(ALONG_A_PATH, ("w != u)", "w != u && w != 3)")),
    "marked": changed(
        ALONG_A_PATH,
        ("(Graph g, ", "(Graph g, propNode<bool> marked, "),
        ("g.is_an_edge(w, v)", "g.is_an_edge(w, v) && w.marked == False"),
    ),
    "stops": changed(ALONG_A_PATH, ("here += 1; }", "here += 1; break; }")),
    "stops outside": changed(ALONG_A_PATH, ("sum += here;", "sum += here; if (sum > 4) { break; }")),
    "asked for on the way": changed(
        ALONG_A_PATH, ("sum += here;", "sum += here; v.x = v.x + sum;"), ("v.x = sum", "v.x += sum")
    ),
    "of two kinds": changed(TWO_COUNTS, ("int other", "long other")),
    "most": changed(ALONG_A_PATH, ("sum += here;", "if (here > sum) { sum = here; }")),
    "the first twice": changed(ALONG_A_PATH, ("long here = 0", "long here = 1")),
    "a part is used twice": changed(ALONG_A_PATH, ("sum += here;", "sum += here; if (here > 2) { sum += 1; }")),
    "a node that changes": changed(
        ALONG_A_PATH,
        ("long here = 0;", "long here = 0; node a = u; if (u > 2) { a = v; }"),
        ("g.is_an_edge(w, v)", "g.is_an_edge(w, a)"),
    ),
    "a helper for some": changed(HELPER, ("both += 1; }", "both += 1; if (both > 3) { return 3; } }")),
    "another helper": changed(HELPER, ("x != two)", "x != two && x > 2)")),
}
"""One thing is different in each."""
