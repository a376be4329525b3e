"""Programs that count triangles, in many spellings, and others that count something else."""

from __future__ import annotations

from tests.changing import changed

UPWARDS = """function count(Graph g) {
  long triangles = 0;
  forall (v in g.nodes()) {
    forall (u in g.neighbors(v).filter(u < v)) {
      forall (w in g.neighbors(v).filter(w > v)) {
        if (g.is_an_edge(u, w)) { triangles += 1; }
      }
    }
  }
  return triangles;
}"""

RENAMED = """function f(Graph net, int start = 5) {
  int sum = start;
  forall (b in net.nodes()) {
    forall (c in net.nodes_to(b)) {
      if (b < c) {
        for (a in net.neighbors(b)) {
          if (net.is_an_edge(c, a) && a < b) { sum += 2; }
        }
      }
    }
  }
  return sum;
}"""

EVERY_ORDER = """function f(Graph g) {
  long sum = 0;
  forall (v in g.nodes()) {
    forall (u in g.neighbors(v)) {
      forall (w in g.neighbors(v)) {
        if (u != w && g.check_if_nbr(u, w)) { sum += 1; }
      }
    }
  }
  return sum;
}"""

WITH_LOOPS = changed(EVERY_ORDER, ("u != w && ", ""))

ALONG_A_PATH = """function f(Graph g) {
  long sum = 0;
  forall (a in g.nodes()) {
    forall (b in g.neighbors(a).filter(b > a)) {
      forall (c in g.neighbors(b).filter(c > b)) {
        if (g.get_edge(a, c) != -1) { sum += 1; }
      }
    }
  }
  return sum;
}"""

OVER_ARCS = """function f(Graph g) {
  long sum = 0;
  forall (e in g.edges()) {
    node s = e.source;
    node d = e.destination;
    if (s < d) {
      forall (w in g.neighbors(s).filter(w > d)) {
        if (g.is_an_edge(d, w)) { sum += 1; }
      }
    }
  }
  return sum;
}"""

BY_NODE = """function f(Graph g) {
  long sum = 0;
  forall (v in g.nodes()) {
    long here = 0;
    for (u in g.neighbors(v).filter(u < v)) {
      for (w in g.neighbors(v).filter(w < u)) {
        if (g.is_an_edge(u, w)) { here += 1; }
      }
    }
    sum += here;
  }
  return sum;
}"""

BY_DEGREE = """function f(Graph g) {
  long sum = 0;
  forall (a in g.nodes()) {
    int da = g.count_outNbrs(a);
    forall (b in g.neighbors(a)) {
      int db = g.count_outNbrs(b);
      if (da < db || (da == db && a < b)) {
        forall (c in g.neighbors(a)) {
          bool after = db < g.count_inNbrs(c) || (g.count_outNbrs(c) == db && b < c);
          if (after && g.is_an_edge(b, c)) { sum += 1; }
        }
      }
    }
  }
  return sum;
}"""

CLOSED_BY_A_LOOP = """function f(Graph g) {
  long sum = 0;
  forall (u in g.nodes()) {
    int here = 0;
    for (v in g.neighbors(u).filter(v > u)) {
      for (w in g.nodes_to(v).filter(w > v)) {
        for (x in g.neighbors(w).filter(x < v)) {
          if (u == x) { here += 1; }
        }
      }
    }
    sum += here;
  }
  return sum;
}"""

OTHERWISE = """function f(Graph g) {
  long sum = 0;
  forall (v in g.nodes()) {
    if (!(v != v)) {
      for (u in g.neighbors(v)) {
        if (u >= v) { continue; }
        for (w in g.neighbors(v)) {
          if (w <= v) { } else { sum += g.is_an_edge(u, w) == True ? 4 : 0; }
        }
      }
    }
  }
  return sum;
}"""

TRIANGLES = {
    "upwards": UPWARDS,
    "renamed": RENAMED,
    "every-order": EVERY_ORDER,
    "with-loops": WITH_LOOPS,
    "path": ALONG_A_PATH,
    "arcs": OVER_ARCS,
    "by-node": BY_NODE,
    "by-degree": BY_DEGREE,
    "closed-by-a-loop": CLOSED_BY_A_LOOP,
    "otherwise": OTHERWISE,
}

OTHERS = {
    "wedges": changed(UPWARDS, ("if (g.is_an_edge(u, w)) { triangles += 1; }", "triangles += 1;")),
    "open": changed(UPWARDS, ("g.is_an_edge(u, w)", "!g.is_an_edge(u, w)")),
    "same-pair": changed(UPWARDS, ("g.is_an_edge(u, w)", "g.is_an_edge(u, v)")),
    "weighed": changed(UPWARDS, ("triangles += 1", "triangles += w")),
    "real": changed(UPWARDS, ("long triangles", "double triangles")),
    "product": changed(UPWARDS, ("triangles += 1", "triangles *= 2")),
    "some-nodes": changed(UPWARDS, ("u < v)", "u < v && u != 3)")),
    "distance": changed(UPWARDS, ("u < v)", "u + 2 < v)")),
    "marked": changed(
        UPWARDS,
        ("(Graph g)", "(Graph g, propNode<bool> marked)"),
        ("g.is_an_edge(u, w)", "g.is_an_edge(u, w) && w.marked"),
    ),
    "stops": changed(UPWARDS, ("triangles += 1; }", "triangles += 1; break; }"), ("forall (w", "for (w")),
    "two-sums": changed(
        UPWARDS,
        ("long triangles = 0;", "long triangles = 0; long pairs = 0;"),
        ("if (g", "pairs += 1; if (g"),
        ("return triangles", "return triangles - pairs"),
    ),
    "impossible": changed(UPWARDS, ("w > v)", "w > v && w < u)")),
    "by-degree-without-ties": changed(BY_DEGREE, ("|| (da == db && a < b)", "")),
    "degree-as-a-number": changed(BY_DEGREE, ("da < db ||", "da < b ||")),
    "something-else-where-open": changed(OTHERWISE, ("? 4 : 0", "? 4 : 1")),
    "what-follows-a-loop-is-skipped": changed(OTHERWISE, ("continue; }", "continue; } sum += 1;")),
    "closed-anywhere": changed(CLOSED_BY_A_LOOP, ("u == x", "u != x")),
    "closed-once": changed(CLOSED_BY_A_LOOP, ("here += 1; }", "here += 1; break; }")),
    "four-nodes": changed(UPWARDS, ("if (g.is_an_edge(u, w))", "forall (x in g.neighbors(w)) if (g.is_an_edge(u, w))")),
}
"""One thing is different in each."""
