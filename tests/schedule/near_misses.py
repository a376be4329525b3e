"""Programs that look like what a step of scheduling knows, and differ in one thing: they must stay right.

`ALL` are the texts by what is different.
"""

from __future__ import annotations

from tests.changing import changed
from tests.schedule.programs import BY_NUMBER, LEVELS, NESTED, PEELING, SSSP, TWO_FLAGS

_RELAX = "<nbr.dist, nbr.modified> = <Min(nbr.dist, v.dist + e.weight), True>;\n      }\n    }\n  }\n}"
_WALK_ENDS = "True>;\n      }\n    }\n  }\n}"

SETS = {
    "the flag is read elsewhere in the round": changed(
        SSSP,
        ("v.dist + e.weight", "v.dist + 1"),
        ("propNode<int> dist,", "propNode<int> dist, propNode<int> seen,"),
        (_WALK_ENDS, """True>;
      }
    }
    forall (v in g.nodes()) {
      v.seen = v.seen * 3 + (v.modified ? 2 : 1);
    }
  }
}"""),
    ),
    "neighbors ask for the flag": changed(
        TWO_FLAGS,
        ("v.dist + e.weight", "v.dist + 1"),
        ("edge e = g.get_edge(v, nbr);", "edge e = g.get_edge(v, nbr);\n        if (nbr.modified) { busy += 1; }"),
        ("bool finished = False;", "bool finished = False;\n  long busy = 0;"),
        ("propNode<int> dist,", "propNode<int> dist, propNode<long> count,"),
        ("modified_nxt = False);\n  }\n}", "modified_nxt = False);\n  }\n  src.count = busy;\n}"),
    ),
    "others clear the flag during the walk": """function sieve(Graph g, propNode<int> rounds, node src) {
  propNode<bool> active;
  g.attachNodeProperty(active = True, rounds = 0);
  int round = 0;
  while (round < 4) {
    forall (v in g.nodes().filter(active)) {
      v.rounds += 1;
      forall (nbr in g.neighbors(v).filter(nbr > v)) {
        nbr.active = False;
      }
    }
    round += 1;
  }
}""",
    "the walk adds what is not a constant": changed(
        TWO_FLAGS,
        ("<nbr.dist, nbr.modified_nxt> = <Min(nbr.dist, v.dist + e.weight), True>;",
         "<nbr.dist> = <Min(nbr.dist, v.before + 1)>;"),
        ("    g.attachNodeProperty(modified = modified_nxt, modified_nxt = False);", """    forall (v in g.nodes()) {
      v.modified_nxt = v.dist < v.before;
      v.before = v.dist;
    }
    g.attachNodeProperty(modified = modified_nxt, modified_nxt = False);"""),
        ("propNode<bool> modified;", "propNode<bool> modified;\n  propNode<int> before;"),
        ("modified_nxt = False);\n  src.dist = 0;",
         "modified_nxt = False, before = INF);\n  src.before = 0;\n  src.dist = 0;"),
    ),
    "the set is used after the loop": changed(
        PEELING,
        ("    left -= 1;\n  }\n", """    left -= 1;
    forall (v in g.nodes().filter(rounds == -1 && degree <= 1)) {
      v.gone = True;
    }
  }
  forall (v in g.nodes().filter(gone)) {
    v.rounds += 100;
  }
"""),
    ),
    "one of two walks adds to its set": """function spread(Graph g, propNode<int> turns, node src) {
  propNode<bool> active;
  g.attachNodeProperty(active = False, turns = 0);
  src.active = True;
  int round = 0;
  while (round < 5) {
    forall (v in g.nodes().filter(active)) {
      v.turns += 1;
    }
    forall (v in g.nodes().filter(active)) {
      forall (nbr in g.neighbors(v)) {
        nbr.active = True;
      }
    }
    round += 1;
  }
}""",
    "several kernels walk a set in a round": """function twice(Graph g, propNode<int> turns, node src) {
  propNode<bool> active;
  propNode<bool> coming;
  g.attachNodeProperty(active = False, coming = False, turns = 0);
  src.active = True;
  int round = 0;
  while (round < 6) {
    forall (v in g.nodes().filter(active)) {
      v.turns += round + 1;
    }
    forall (v in g.nodes().filter(active)) {
      forall (nbr in g.neighbors(v)) {
        nbr.coming = True;
      }
    }
    forall (v in g.nodes().filter(active && turns > 5)) {
      v.turns += 1000;
    }
    g.attachNodeProperty(active = coming, coming = False);
    round += 1;
  }
}""",
    "a set that only every other round empties": """function ever(Graph g, propNode<int> turns, node src) {
  propNode<bool> active;
  propNode<bool> coming;
  g.attachNodeProperty(active = False, coming = False, turns = 0);
  src.active = True;
  int round = 0;
  while (round < 6) {
    forall (v in g.nodes().filter(active)) {
      v.turns += round + 1;
      forall (nbr in g.neighbors(v)) {
        nbr.coming = True;
      }
    }
    if (round % 2 == 1) {
      g.attachNodeProperty(active = coming, coming = False);
    }
    round += 1;
  }
}""",
    "some rounds walk a set again": changed(
        TWO_FLAGS,
        ("v.dist + e.weight", "v.dist + 1"),
        ("propNode<int> dist,", "propNode<int> dist, propNode<int> turns,"),
        ("modified_nxt = False);\n  src.dist", "modified_nxt = False, turns = 0);\n  int round = 0;\n  src.dist"),
        ("    g.attachNodeProperty(modified = modified_nxt, modified_nxt = False);", """    round += 1;
    if (round < 3) {
      forall (v in g.nodes().filter(modified)) {
        v.turns += round;
      }
    }
    g.attachNodeProperty(modified = modified_nxt, modified_nxt = False);"""),
    ),
    "members of two sets": """function both(Graph g, propNode<int> turns, node src) {
  propNode<bool> red;
  propNode<bool> blue;
  g.attachNodeProperty(red = False, blue = False, turns = 0);
  src.red = True;
  int round = 0;
  while (round < 6) {
    forall (v in g.nodes().filter(red && blue)) {
      v.turns += 1;
    }
    forall (v in g.nodes().filter(red)) {
      forall (nbr in g.neighbors(v)) {
        nbr.blue = True;
      }
    }
    forall (v in g.nodes().filter(blue)) {
      forall (nbr in g.neighbors(v)) {
        nbr.red = True;
      }
    }
    round += 1;
  }
}""",
    "only some members leave the set": """function some(Graph g, propNode<int> turns, propNode<int> hits, node src) {
  propNode<bool> active;
  g.attachNodeProperty(active = False, turns = 0, hits = 0);
  src.active = True;
  int round = 0;
  while (round < 6) {
    forall (v in g.nodes().filter(active && v % 3 != round % 3)) {
      v.active = False;
      forall (nbr in g.neighbors(v)) { nbr.turns += 1; }
    }
    forall (v in g.nodes().filter(active)) {
      forall (nbr in g.neighbors(v)) { nbr.hits += 1; }
    }
    forall (v in g.nodes().filter(turns > round || v % 4 == round)) {
      forall (nbr in g.neighbors(v)) { nbr.active = True; }
    }
    round += 1;
  }
}""",
    "members of one set that are not in another": """function one(Graph g, propNode<int> turns, node src) {
  propNode<bool> red;
  propNode<bool> blue;
  g.attachNodeProperty(red = False, blue = False, turns = 0);
  src.red = True;
  int round = 0;
  while (round < 6) {
    forall (v in g.nodes().filter(red && !blue)) {
      v.turns += round;
      forall (nbr in g.neighbors(v)) {
        nbr.red = True;
      }
    }
    forall (v in g.nodes().filter(red)) {
      v.blue = True;
    }
    round += 1;
  }
}""",
    "the flags are a parameter": changed(
        SSSP, ("node src)", "propNode<bool> modified, node src)"), ("  propNode<bool> modified;\n", "")
    ),
    "the flags are handed to a function": changed(
        TWO_FLAGS,
        ("function sssp", "function noted(Graph g, propNode<bool> p, propNode<int> sum) {\n  "
         "forall (v in g.nodes().filter(p)) { v.sum += 1; }\n}\nfunction sssp"),
        ("v.dist + e.weight", "v.dist + 1"),
        ("propNode<int> dist,", "propNode<int> dist, propNode<int> sum,"),
        ("modified_nxt = False);\n  }\n}", "modified_nxt = False);\n    noted(g, modified, sum);\n  }\n}"),
    ),
    "all flags begin as true": changed(SSSP, ("modified = False", "modified = True")),
    "the set grows while nobody walks": changed(
        PEELING, ("  while (left > 0) {", "  while (left > 0) {\n    forall (v in g.nodes()) { v.gone = True; }")
    ),
}  # fmt: skip
"""Of step `frontier`."""

NUMBERS = {
    "depth changes twice": changed(BY_NUMBER, ("    depth += 1;", "    depth += 1;\n    depth += 1;\n    depth -= 1;")),
    "depth goes on by two": changed(
        BY_NUMBER, ("    depth += 1;", "    depth += 2;"), ("depth + 1), True", "depth + 2), True")
    ),
    "cells are lowered to depth + 2": changed(BY_NUMBER, ("depth + 1), True", "depth + 2), True")),
    "depth changes in the middle": changed(
        BY_NUMBER,
        ("    depth += 1;\n", ""),
        ("    forall (v in g.nodes().filter(level == depth)) {\n      v.found_in",
         "    depth += 1;\n    forall (v in g.nodes().filter(level == depth)) {\n      v.found_in"),
    ),
    "the level is read as a number after the loop": changed(
        LEVELS,
        ("propNode<int> level,", "propNode<int> level, propNode<int> twice,"),
        ("    }\n  }\n}", "    }\n  }\n  forall (v in g.nodes().filter(level < INF)) { v.twice = v.level * 2; }\n}"),
    ),
    "the level is read as a number in the loop": changed(
        BY_NUMBER, ("      v.found_in = depth;", "      v.found_in = v.level * 10 + depth;")
    ),
    "the level of neighbors is asked for": changed(
        BY_NUMBER,
        ("      v.found_in = depth;",
         "      v.found_in = depth;\n      for (w in g.neighbors(v)) {\n"
         "        if (w.level == depth) { v.found_in += 100; }\n      }"),
    ),
    "another kernel changes levels": changed(
        BY_NUMBER,
        ("    depth += 1;", "    forall (v in g.nodes().filter(level == depth && v % 3 == 1)) { v.level = 50; }\n"
         "    depth += 1;"),
    ),
    "two nodes begin": changed(
        BY_NUMBER, ("  src.level = 0;", "  src.level = 0;\n  node other = g.num_nodes() - 1;\n  other.level = 0;")
    ),
    "the first level has another number": changed(BY_NUMBER, ("  int depth = 0;", "  int depth = 1;")),
    "levels do not begin as INF": changed(BY_NUMBER, ("level = INF", "level = 3")),
    "nodes at no level begin": changed(BY_NUMBER, ("  src.level = 0;", "  if (src > 1) { src.level = 0; }")),
    "levels only from a filter on": changed(
        LEVELS, ("forall (w in g.neighbors(v)) {", "forall (w in g.neighbors(v).filter(w % 4 != 3)) {")
    ),
}  # fmt: skip
"""Of step `levels`."""

LOOPS = {
    "a break in the host's loop": changed(
        PEELING, ("    left -= 1;", "    left -= 1;\n    if (k == 2) { break; }")
    ),
    "a continue in the host's loop": changed(
        PEELING, ("    k += 1;\n    left -= 1;", "    left -= 1;\n    k += 1;\n    if (k == 1) { continue; }\n"
                  "    forall (v in g.nodes()) { v.rounds += k * 100; }")
    ),
    "a continue in a loop that counts": """function count(Graph g, propNode<int> a) {
  g.attachNodeProperty(a = 0);
  for (int i = 0; i < 6; i++) {
    if (i % 2 == 1) { continue; }
    forall (v in g.nodes()) { v.a = v.a * 2 + i; }
    if (i == 4) { break; }
  }
}""",
    "a continue ahead of a condition that asks the device": """function ask(Graph g, propNode<int> a, node src) {
  g.attachNodeProperty(a = 0);
  int i = 0;
  do {
    i += 1;
    forall (v in g.nodes()) { v.a += i; }
    if (i < 3) { continue; }
    forall (v in g.nodes()) { v.a += 100; }
  } while (src.a < 500);
}""",
    "loops in loops": """function deep(Graph g, propNode<int> a, propNode<int> b) {
  g.attachNodeProperty(a = 0, b = 1);
  int i = 0;
  while (i < 3) {
    for (int j = 0; j < i; j++) {
      forall (v in g.nodes()) {
        v.a += 1;
        forall (w in g.neighbors(v)) { w.b += 1; }
      }
      int k = 5;
      do {
        forall (v in g.nodes().filter(v.a % 2 == 0)) { v.a += k + v.b; }
        k -= 2;
        if (k == 3) { continue; }
        if (j == 1) { break; }
      } while (k > 0);
    }
    i += 1;
  }
}""",
    "reductions of every kind": """function kinds(Graph g, propNode<int> a, propNode<long> b, propNode<double> c) {
  g.attachNodeProperty(b = 0, c = 0.0);
  long digest = 0;
  int round = 0;
  while (round < 4) {
    int sum = 0; long product = 1; int least = INF; int most = -5; bool any = False; bool all = True;
    int ands = 1023; int ors = 0; int xors = 0; double total = 0.0; double smallest = INF; bool odd = False;
    forall (v in g.nodes()) {
      sum += v.a + round;
      product *= v.a + 1;
      least = min(least, v.a - round);
      <most> = <Max(most, v.a * round)>;
      any = any || v.a > 3 + round;
      all = all && v.a < 4;
      ands &= v.a | 8;
      ors |= v.a;
      xors ^= v.a * 5;
      total += v.a * 0.5;
      odd ^= v.a % 2 == 1;
    }
    forall (v in g.nodes()) {
      v.b += sum * 3 + least + most + (any ? 7 : 0) + (all ? 11 : 0) + ands + ors + xors + (odd ? 13 : 0);
      v.c += total;
      v.a = (v.a + sum) % 9;
    }
    digest = digest * 31 + product % 1000 + sum;
    round += 1;
  }
  return digest;
}""",
    "a reduction that goes on over rounds": """function on(Graph g, propNode<int> a) {
  long sum = 5;
  bool stopped = False;
  int round = 0;
  while (!stopped && round < 10) {
    forall (v in g.nodes()) {
      sum += v.a;
      v.a += 1;
      stopped = stopped || v.a > 7;
    }
    round += 1;
  }
  return sum * 100 + round;
}""",
    "a scalar that lives on": """function lives(Graph g, propNode<int> a) {
  int i = 7;
  bool seen = True;
  double x = 0.5;
  if (g.num_nodes() > 2) {
    i = 1;
    while (i < 20) {
      forall (v in g.nodes()) { v.a += i; seen = seen && v.a < 100; }
      i = i * 2;
      x = x * 1.5;
    }
  }
  return x * 1000.0 + i + (seen ? 0.25 : 0.0);
}""",
    "a scalar by reference": """function step(Graph g, propNode<int> a, int &rounds, bool &done) {
  int i = 0;
  while (i < 3) {
    forall (v in g.nodes()) { v.a = v.a * 2 + 1; done = done || v.a > 20; }
    rounds += 2;
    i += 1;
  }
}
function byref(Graph g, propNode<int> a) {
  int n = 10;
  bool done = False;
  int again = 0;
  while (!done && again < 5) {
    step(g, a, n, done);
    again += 1;
  }
  return n + (done ? 1000 : 0);
}""",
    "two loops, and something between them": """function between(Graph g, propNode<int> a, node src) {
  g.attachNodeProperty(a = 1);
  int i = 0;
  while (i < 3) { forall (v in g.nodes()) { v.a += i; } i += 1; }
  int k = src.a;
  int j = 0;
  while (j < k) { forall (v in g.nodes()) { v.a += j; } j += 1; }
  return k * 100 + i;
}""",
    "a swap that is seen outside": """function seen(Graph g, propNode<int> old, propNode<int> now) {
  int i = 0;
  while (i < 3) {
    propNode<int> next;
    g.attachNodeProperty(next = 0);
    forall (v in g.nodes()) {
      for (w in g.neighbors(v)) { v.next += w.now + 1; }
    }
    g.attachNodeProperty(old = now, now = next);
    i += 1;
  }
}""",
    "division by a variable": """function divided(Graph g, propNode<int> a, int k) {
  int i = 0;
  int d = k;
  while (i < 3) {
    forall (v in g.nodes()) { v.a += d; }
    d = 100 / d + 7 % d + 1;
    i += 1;
  }
}""",
    "a write where there may be no node": """function nowhere(Graph g, propNode<int> a, propNode<node> next, node src) {
  g.attachNodeProperty(a = 0, next = -1);
  forall (v in g.nodes()) { if (v > 0) { v.next = v - 1; } }
  node at = src;
  int steps = 0;
  while (at != -1 && steps < 50) {
    at.a = steps + 1;
    forall (v in g.nodes().filter(a > 0)) { v.a += 1; }
    at = at.next;
    steps += 1;
  }
}""",
    "a cell of a node that changes": """function moves(Graph g, propNode<int> a, node src) {
  g.attachNodeProperty(a = 0);
  int i = 0;
  node at = src;
  while (i < 4) {
    at.a += 10;
    forall (v in g.nodes()) { v.a += 1; }
    at = i % g.num_nodes();
    i += 1;
  }
  return at.a;
}""",
    "a break of the host's loop beside a loop": """function steps(Graph g, propNode<int> a, int width) {
  g.attachNodeProperty(a = 0);
  int i = 0;
  while (i < 9) {
    i = i + 6 / width;
    if (i < 6) { i = i + 1; } else { break; }
    for (int j = 0; j < i; j++) { forall (v in g.nodes()) { v.a = v.a * 2 + j; } }
  }
  return i;
}""",
    "a return in the loop": """function back(Graph g, propNode<int> a) {
  int i = 0;
  while (i < 9) {
    int big = 0;
    forall (v in g.nodes()) { v.a += i; if (v.a > 10) { big += 1; } }
    if (big > 0) { return i; }
    i += 1;
  }
  return -1;
}""",
    "locks": """function locked(Graph g, propNode<int> dist, propNode<int> carried, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, carried = -1, modified = False);
  src.dist = 0;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        <nbr.dist, nbr.carried, nbr.modified> = <Min(nbr.dist, v.dist + e.weight), (v.dist + e.weight) * 2, True>;
      }
    }
  }
}""",
    "locks, and flags that are used after the loop": """function locked(Graph g, propNode<int> c, node src) {
  propNode<bool> modified;
  propNode<int> dist;
  g.attachNodeProperty(dist = INF, c = -1, modified = False);
  src.dist = 0;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified)) {
      forall (nbr in g.neighbors(v)) {
        <nbr.dist, nbr.c, nbr.modified> = <Min(nbr.dist, v.dist + 2), (v.dist + 2) * 3, True>;
      }
    }
  }
  long digest = 0;
  forall (v in g.nodes()) { digest += v.modified ? 16 : 1; }
  return digest;
}""",
    "a scalar that nobody reads": """function unread(Graph g, propNode<int> a, int k, double x = 0.85) {
  int i = 0;
  while (i < 3) {
    forall (v in g.nodes()) { v.a += i; }
    x = 0.5;
    i += 1;
  }
  k = 7;
}""",
    "a loop over a set's members": NESTED,
    "a local set": """function members(Graph g, propNode<int> a, SetN<g> given) {
  int i = 0;
  while (i < 4) {
    SetN<g> chosen;
    forall (v in g.nodes().filter(a % 3 == i % 3)) { chosen.add(v); }
    forall (v in given) { v.a += 2; }
    forall (v in chosen) { v.a += 1; }
    i += 1;
  }
}""",
    "a search for an arc": """function finds(Graph g, propNode<int> a, propEdge<int> weight, node src) {
  g.attachNodeProperty(a = 0);
  int i = 0;
  while (i < 3) {
    forall (v in g.nodes()) {
      if (g.is_an_edge(v, src)) { v.a += i + 1; }
      forall (w in g.nodes_to(v)) { edge e = g.get_edge(w, v); v.a += e.weight; }
    }
    i += 1;
  }
}""",
    "copies and fills of arcs": """function arcs(Graph g, propEdge<int> x, propEdge<int> y, propNode<int> a) {
  g.attachEdgeProperty(x = 1, y = 2);
  int i = 0;
  while (i < 3) {
    forall (e in g.edges()) { e.x += e.y + i; }
    g.attachEdgeProperty(y = x);
    forall (v in g.nodes()) {
      for (w in g.neighbors(v)) { edge e = g.get_edge(v, w); v.a += e.y; }
    }
    g.attachEdgeProperty(x = 3);
    i += 1;
  }
}""",
}  # fmt: skip
"""Of step `loop`."""

SHARES = {
    "a break among the arcs": """function some(Graph g, propNode<int> a) {
  int i = 0;
  while (i < 3) {
    forall (v in g.nodes()) {
      for (w in g.neighbors(v)) { if (w > v) { v.a += w; break; } }
    }
    i += 1;
  }
}""",
    "a local that all arcs change": """function sums(Graph g, propNode<int> a, propNode<int> b, propNode<int> c) {
  int i = 0;
  while (i < 3) {
    forall (v in g.nodes().filter(a < 50)) {
      int sum = 1;
      int least = 100;
      for (w in g.neighbors(v)) { sum += w.a; least = min(least, w.b); }
      v.c = sum + least;
    }
    forall (v in g.nodes()) { v.a = v.c; v.b = v.c % 7; }
    i += 1;
  }
}""",
    "arcs whose order matters": """function order(Graph g, propNode<int> a, propNode<int> b) {
  int i = 0;
  while (i < 3) {
    forall (v in g.nodes()) {
      int hash = 7;
      for (w in g.neighbors(v)) { hash = hash * 31 + w.a; }
      v.b = hash;
    }
    forall (v in g.nodes()) { v.a = v.b % 1000; }
    i += 1;
  }
}""",
    "what is ahead of the arcs changes": """function ahead(Graph g, propNode<int> a) {
  int i = 0;
  while (i < 3) {
    forall (v in g.nodes()) {
      int mine = v.a + 1;
      v.a = mine;
      forall (w in g.neighbors(v)) { if (w > v) { total += mine; } }
    }
    i += 1;
  }
  return total;
}""".replace("  int i = 0;", "  int i = 0;\n  long total = 0;"),
    "something after the arcs": """function after(Graph g, propNode<int> a, propNode<int> b) {
  int i = 0;
  while (i < 3) {
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) { w.b += 1; }
      v.a += i;
    }
    forall (v in g.nodes()) { v.a += v.b; }
    i += 1;
  }
}""",
    "arcs of another node": """function others(Graph g, propNode<int> a, propNode<int> b, node src) {
  int i = 0;
  while (i < 3) {
    forall (v in g.nodes()) {
      forall (w in g.neighbors(src)) { if (w == v) { v.b += w + i; } }
    }
    i += 1;
  }
}""",
    "a continue among the arcs": """function goes(Graph g, propNode<int> a, propNode<int> b) {
  int i = 0;
  while (i < 3) {
    forall (v in g.nodes().filter(a % 2 == 0)) {
      int twice = v.a * 2;
      forall (w in g.neighbors(v)) {
        if (w == v) { continue; }
        w.b += twice;
        for (u in g.neighbors(w)) { if (u == v) { break; } w.b += 1; }
      }
    }
    i += 1;
  }
}""",
    "gathering with filters": """function gathers(Graph g, propNode<int> a, propNode<double> x) {
  g.attachNodeProperty(x = 1.0);
  int i = 0;
  while (i < 4) {
    propNode<double> next;
    forall (v in g.nodes().filter(a != 2)) {
      double sum = v.x * 0.25;
      for (w in g.nodes_to(v).filter(w != v)) { sum += w.x / (1 + g.count_outNbrs(w)); }
      v.next = sum;
    }
    forall (v in g.nodes().filter(a != 2)) { v.x = v.next; }
    i += 1;
  }
}""",
    "gathering the least": """function least(Graph g, propNode<bool> a, propNode<long> x) {
  propNode<long> next;
  int i = 0;
  while (i < 3) {
    forall (v in g.nodes().filter(!a)) {
      long best = 70;
      for (w in g.nodes_to(v)) {
        if (!w.a && w.x < 60) { best = min(best, w.x * 3 + w); }
      }
      v.next = best;
    }
    forall (v in g.nodes()) { v.x = v.a ? v.x : v.next; }
    i += 1;
  }
}""",
    "a function ahead of the arcs writes": """function counted(Graph g, propNode<int> seen, node v) {
  v.seen += 1;
  return v.seen * 2;
}
function calls(Graph g, propNode<int> a, propNode<int> b) {
  int i = 0;
  while (i < 3) {
    forall (v in g.nodes()) {
      int twice = counted(g, a, v);
      forall (w in g.neighbors(v)) { w.b += twice; }
    }
    i += 1;
  }
}""",
    "a filter of what just changed": """function f(Graph g, propNode<int> a, propNode<int> h, propNode<long> sums) {
  g.attachNodeProperty(sums = 0);
  int i = 0;
  while (i < 6) {
    forall (v in g.nodes()) {
      v.a = (v.a + 1) % 3;
      forall (w in g.neighbors(v)) { w.h += 1; }
    }
    forall (v in g.nodes().filter(a != 2)) {
      long sum = 1;
      for (w in g.nodes_to(v)) { sum += w + 1; }
      v.sums += sum;
    }
    i += 1;
  }
}""",
}  # fmt: skip
"""Of step `balance`."""

ALL = {**SETS, **NUMBERS, **LOOPS, **SHARES}
