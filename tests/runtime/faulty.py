"""Programs that go wrong in one place each, for checked runs: by name, without arguments, on one graph."""

from __future__ import annotations

import numpy as np

from starplat.graph.graph import Graph

GRAPH = Graph.from_arcs(
    5, [0, 0, 1, 2, 3], [1, 2, 3, 3, 4], [1_500_000_000, 5, 700_000_000, 2, 9], ids=np.array([10, 20, 30, 40, 50])
)

_IN_A_LOOP = {
    "sum": "v.x = 2147483640 + v * 3;",
    "difference": "v.x = -2147483640 - v * 3;",
    "product": "v.x = 1000000000 * v;",
    "product of longs": "v.big = 4000000000000000000 * v;",
    "sum of longs": "long a = 9223372036854775800; a += v * 3; v.big = a;",
    "least quotient": "int least = -2147483647 - 1; v.x = least / (v - 2);",
    "opposite": "int least = -2147483647 - 1; if (v == 3) { v.x = -least; }",
    "magnitude": "int least = -2147483647 - 1; if (v == 3) { v.x = abs(least); }",
    "quotient": "v.x = 6 / (v - 1);",
    "rest": "v.x = 6 % (v - 1);",
    "real quotient": "v.r = (v - 2.0) / (v - 2.0);",
    "single reals": "float a = 1.0f; v.r = (a - a) / (v - 2.0f);",
    "root": "v.r = sqrt(1.0 - v);",
    "logarithm": "v.r = log(1.0 - v);",
    "narrowed": "long a = 700000000; v.x = a * v;",
    "cell before the first": "node u = v - 1; v.x = u.x;",
    "cell behind the last": "x[v + 2] = 1;",
    "not evaluated": "if (v != 1 && 6 / (v - 1) > 5) { v.x = 1; } assert(v != 4);",
    "not chosen": 'v.x = v == 1 ? 0 : 6 / (v - 1); assert(v < 3, "small {0} %s");',
    "degree": "v.x = g.degree(v - 1);",
    "neighbors of none": "node u = v - 1; for (w in g.neighbors(u)) { v.x += 1; }",
    "arc": "edge e = g.get_edge(v, 0); v.x = e.weight;",
    "inner node": "for (w in g.neighbors(v)) { assert(w - v < 2); }",
    "in two loops": "for (u in g.neighbors(v)) { for (w in g.neighbors(u)) { v.x += 2147483647 / (w - 3); } }",
    "while": "int k = 1; while (k > 0) { k = k * 16 / (3 - v); if (k > 1000) { k = 0; } }",
    "counted": "for (int i = 0; i < 40; i++) { v.x = 1 + v.x * 2; }",
    "own cell": "for (w in g.neighbors(v)) { v.x += 2000000000; }",
    "cell of others": "for (w in g.neighbors(v)) { w.x += 1200000000; }",
    "product of others": "for (w in g.neighbors(v)) { w.y *= 50000; }",
    "scalar": "total += 600000000;",
    "real scalar": "heat += v == 1 ? 1.0 / 0.0 : v == 2 ? -1.0 / 0.0 : 1.0;",
    "real cell": "for (w in g.neighbors(v)) { w.r += v == 1 ? 1.0 / 0.0 : v == 2 ? -1.0 / 0.0 : 1.0; }",
    "weights": "for (w in g.neighbors(v)) { edge e = g.get_edge(v, w); v.x = e.weight * 2; }",
    "function": "v.x = twice(v, 1200000000);",
    "function in a function": "v.x = four_times(v, 600000000);",
    "map": "map<int, int> votes; for (w in g.neighbors(v)) { votes[0] += 2000000000; } v.x = votes.best();",
    "filter": "forall_filter",
    "first iteration counts": "if (v == 3) { v.x = 1 / (v - 3); } if (v == 4) { v.x = 2147483647 + 2 * v - v; }",
}

_ON_THE_HOST = {
    "sum on the host": "int a = 2147483640; for (int i = 0; i < 9; i++) { a += 5; } total = a;",
    "quotient on the host": "for (v in g.nodes()) { g.attachNodeProperty(x = 6 / (v - 1)); }",
    "cell on the host": "total = x[g.num_nodes()];",
    "assertion on the host": 'total = g.num_nodes(); assert(total < 4, "few");',
    "sum of a property": "g.attachNodeProperty(x = 700000000); total = Sum(x);",
    "rest of arcs": "total = g.num_edges() % (g.num_edges() - 5);",
    "search from none": "node s = g.num_nodes() + 1; iterateInBFS (v in g.nodes() from s) { v.x = 1; }",
    "level": "node s = 0; iterateInBFS (v in g.nodes() from s) { for (w in g.neighbors(v)) { w.x = 6 / (w - 3); } }",
    "fixed point": "bool done = False; propNode<bool> m; g.attachNodeProperty(m = True); int k = 0; "
    "fixedPoint until (done : !m) { k += 1; forall (v in g.nodes()) { v.m = 8 / (3 - k) > 0; } }",
    "sequential": "for (v in g.nodes()) { x[v] = 12 / (3 - v); }",
    "arcs": "forall (e in g.edges()) { total += e.weight; }",
    "neighbors of one": "node s = 0; forall (w in g.neighbors(s)) { w.x = 4 / (w - 2); }",
    "neighbors of a neighbor": "for (v in g.nodes()) { for (w in g.neighbors(v - 1)) { "
    "g.attachNodeProperty(x = w); } }",
    "filter of a loop of the host": "for (v in g.nodes()) { forall (w in g.neighbors(v).filter(6 / (x - v) < 9)) { "
    "propNode<int> y; g.attachNodeProperty(y = w); g.attachNodeProperty(x = 2); } }",
    "both kinds": "node s = 3; forall (w in g.inOutNbrs(s)) { w.x = 4 / (w - 4); }",
}


def _loop(body: str) -> str:
    domain = "g.nodes()"
    if body == "forall_filter":
        domain, body = "g.nodes().filter(6 / (v - 3) < 9)", "v.x = 5 / (v - 1);"
    return f"""function f(Graph g, propNode<int> x, propNode<int> y, propNode<long> big, propNode<double> r) {{
  int total = 0;
  double heat = 0.0;
  g.attachNodeProperty(x = 1, y = 1, big = 0, r = 0.0);
  forall (v in {domain}) {{
    {body}
  }}
  return total + heat + g.num_nodes();
}}
function twice(node v, int k) {{
  return 2 * k + v;
}}
function four_times(node v, int k) {{
  return 2 * twice(v, k) + v;
}}"""


def _host(body: str) -> str:
    return f"""function f(Graph g, propNode<int> x) {{
  int total = 0;
  g.attachNodeProperty(x = 1);
  {body}
  return total;
}}"""


FAULTY = {name: _loop(body) for name, body in _IN_A_LOOP.items()}
FAULTY |= {name: _host(body) for name, body in _ON_THE_HOST.items()}

OF_MANY = {"cell of others", "product of others", "scalar", "real scalar", "real cell", "arcs"}
"""Those in which many iterations change a cell: which of them goes wrong depends on their order."""
