"""Programs in which any values spread over components, in many spellings, and others that only look like it."""

from __future__ import annotations

from tests.changing import changed
from tests.passes.spreading import DO_WHILE_PULL, OVER_ARCS, PUSH_FLAGS, TWO_FLAGS, WHILE_CHANGED

LEAST_GIVEN = changed(
    PUSH_FLAGS, ("propNode<node> comp)", "propNode<int> seed, propNode<int> comp)"), ("v.comp = v;", "v.comp = v.seed;")
)

GREATEST_LONG = """function spread(Graph net, propNode<long> color) {
  bool busy = True;
  while (busy) {
    busy = False;
    forall (p in net.nodes()) {
      forall (q in net.neighbors(p)) { <q.color, busy> = <Max(q.color, p.color), True>; }
    }
  }
}"""

FROM_INF = """function least(Graph g, propNode<int> seed, propNode<int> low) {
  forall (v in g.nodes()) { v.low = v.seed < 0 ? INF : v.seed; }
  bool again = False;
  do {
    again = False;
    forall (v in g.nodes()) {
      int best = INF;
      for (u in g.nodes_to(v)) { if (u.low < best) { best = u.low; } }
      for (u in g.neighbors(v)) { best = min(best, u.low); }
      if (best < v.low) { <v.low> = <Min(v.low, best)>; again = True; }
    }
  } while (again);
}"""

ONLY_KNOWN = """function least(Graph g, propNode<int> seed, propNode<int> low) {
  low = seed;
  bool again = True;
  while (again) {
    again = False;
    forall (v in g.nodes().filter(low != INF)) {
      forall (u in g.neighbors(v)) { <u.low, again> = <Min(u.low, v.low), True>; }
    }
  }
}"""

LONG_ARCS = changed(
    OVER_ARCS, ("propNode<node> comp)", "propNode<long> comp)"), ("v.comp = v;", "v.comp = v.comp * v.comp - 40;")
)

ANY_STORED = """function any(Graph g, propNode<bool> seed, propNode<bool> wet) {
  forall (v in g.nodes()) { v.wet = v.seed; }
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(wet == True)) {
      forall (u in g.neighbors(v)) { if (!u.wet) { u.wet = True; more = True; } }
    }
  }
}"""

ANY_PULLED = """function any(Graph g, propNode<bool> wet) {
  bool more = False;
  do {
    more = False;
    forall (here in g.nodes()) {
      bool drop = False;
      for (there in g.nodes_to(here)) { drop = drop || there.wet; }
      if (drop && !here.wet) { here.wet = True; more = True; }
    }
  } while (more);
}"""

ANY_MARKED = """function any(Graph g, propNode<bool> seed, propNode<bool> wet) {
  propNode<bool> fresh;
  forall (v in g.nodes()) { v.fresh = v.seed; v.wet = v.seed; }
  bool done = False;
  fixedPoint until (done : !fresh) {
    forall (v in g.nodes().filter(fresh)) {
      forall (u in g.neighbors(v)) { if (v.wet && !u.wet) { u.wet = True; u.fresh = True; } }
    }
  }
}"""

ANY_COPIED = changed(
    ANY_MARKED,
    (
        "v.fresh = v.seed; v.wet = v.seed; }",
        "v.wet = !v.seed; } if (g.num_nodes() > 0) { wet[0] = True; } fresh = wet;",
    ),
)

ALL_STORED = """function all(Graph g, propNode<bool> safe) {
  bool news = True;
  do {
    news = False;
    forall (x in g.nodes().filter(safe == False)) {
      forall (y in g.neighbors(x)) { if (y.safe) { y.safe = False; news = True; } }
    }
  } while (news);
}"""

NODES_GIVEN = changed(DO_WHILE_PULL, ("forall (v in g.nodes()) { v.comp = v; }\n", ""))

HALVES = changed(PUSH_FLAGS, ("v.comp = v;", "v.comp = v / 2;"))
REMAINDERS = changed(TWO_FLAGS, ("u.comp = u;", "u.comp = (u * 5 + 3) % 7;"))
SOME = changed(WHILE_CHANGED, ("net.nodes()) { p.isle", "net.nodes().filter(p > 3)) { p.isle"))
ONE_UNDONE = changed(PUSH_FLAGS, ("bool finished", "if (g.num_nodes() > 0) { comp[0] = 3; } bool finished"))

EACH = {
    "least-given": LEAST_GIVEN,
    "greatest-long": GREATEST_LONG,
    "from-inf": FROM_INF,
    "only-known": ONLY_KNOWN,
    "long-arcs": LONG_ARCS,
    "any-stored": ANY_STORED,
    "any-pulled": ANY_PULLED,
    "any-marked": ANY_MARKED,
    "all-stored": ALL_STORED,
    "nodes-given": NODES_GIVEN,
    "halves": HALVES,
    "remainders": REMAINDERS,
    "some": SOME,
    "one-undone": ONE_UNDONE,
    "any-copied": ANY_COPIED,
}
"""Nodes begin with values of their own."""

REACHED = """function reach(Graph g, node src, propNode<bool> wet) {
  propNode<bool> fresh;
  g.attachNodeProperty(wet = False, fresh = False);
  src.wet = True;
  src.fresh = True;
  bool done = False;
  fixedPoint until (done : !fresh) {
    forall (v in g.nodes().filter(fresh)) {
      forall (u in g.neighbors(v)) { if (!u.wet && v.wet) { u.wet = True; u.fresh = True; } }
    }
  }
}"""

LEAST_OF_TWO = """function reach(Graph g, node one, node other, propNode<int> low) {
  propNode<bool> hot;
  propNode<bool> soon;
  forall (v in g.nodes()) { v.hot = False; v.soon = False; v.low = INF; }
  one.hot = True;
  one.low = 5;
  other.low = 3;
  other.hot = True;
  bool done = False;
  fixedPoint until (done : !hot) {
    forall (v in g.nodes().filter(hot == True)) {
      forall (u in g.neighbors(v)) { <u.low, u.soon> = <Min(u.low, v.low), True>; }
    }
    hot = soon;
    g.attachNodeProperty(soon = False);
  }
}"""

CHOSEN = """function reach(Graph g, node src, propNode<int> high) {
  forall (v in g.nodes()) { v.high = v < src ? 4 : 2; }
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      forall (u in g.nodes_to(v)) { <u.high, more> = <Max(u.high, v.high), True>; }
    }
  }
}"""

FEW = {"least-of-two": LEAST_OF_TWO, "chosen": CHOSEN}
"""All nodes but a few begin with one value."""

OTHERS = {
    "a mark from one": REACHED,  # a search, which takes fewer arcs than union-find
    "not-identity": changed(GREATEST_LONG, ("Max(q.color, p.color)", "Max(q.color, p.color + 1)")),
    "halved": changed(LEAST_GIVEN, ("Min(nbr.comp, v.comp)", "Min(nbr.comp, v.comp / 2)")),
    "weights": changed(LEAST_GIVEN, ("v.comp), True", "v.comp + g.get_edge(v, nbr).weight), True")),
    "heavy-arcs": changed(LONG_ARCS, ("forall (e in g.edges())", "forall (e in g.edges().filter(e.weight > 2))")),
    "some-arcs": changed(ANY_STORED, ("if (!u.wet)", "if (!u.wet && u > v)")),
    "some-nodes": changed(ANY_STORED, ("filter(wet == True)", "filter(wet == True && v != 2)")),
    "other-condition": changed(ANY_STORED, ("filter(wet == True)", "filter(seed == True)")),
    "few-rounds": changed(
        GREATEST_LONG,
        ("bool busy = True;", "bool busy = True; int rounds = 0;"),
        ("while (busy)", "while (busy && rounds < 2)"),
        ("busy = False;\n", "busy = False; rounds += 1;\n"),
    ),
    "counted-rounds": changed(
        GREATEST_LONG,
        ("propNode<long> color)", "propNode<long> color, int & rounds)"),
        ("busy = False;\n", "busy = False; rounds += 1;\n"),
    ),
    "ends-early": changed(ANY_STORED, ("more = False;\n", "more = False; if (g.num_nodes() > 3) { break; }\n")),
    "host-looks": changed(
        GREATEST_LONG, ("busy = False;\n", "busy = False; if (net.num_nodes() > 2) { if (color[2] > 9) { break; } }\n")
    ),
    "host-changes": changed(
        GREATEST_LONG, ("busy = False;\n", "busy = False; if (net.num_nodes() > 2) { color[2] = 5; }\n")
    ),
    "changed-elsewhere": changed(
        LEAST_GIVEN,
        ("comp), True>; }\n    }\n", "comp), True>; }\n    }\n    forall (v in g.nodes()) { v.comp = v.seed; }\n"),
    ),
    "not-all-marked": changed(
        LEAST_GIVEN,
        ("modified = True);", "modified = False);"),
        ("bool finished", "if (g.num_nodes() > 0) { modified[0] = True; } bool finished"),
    ),
    "marks-of-others": changed(ANY_MARKED, ("v.fresh = v.seed;", "v.fresh = !v.seed;")),
    "mark-is-missing": changed(LEAST_OF_TWO, ("  one.hot = True;\n", "")),
    "mark-is-another's": changed(LEAST_OF_TWO, ("one.hot = True;\n", "one.hot = True; one = other;\n")),
    "mark-is-taken-back": changed(LEAST_OF_TWO, ("other.hot = True;\n", "other.hot = True; one.hot = False;\n")),
    "unmarked-matter": changed(LEAST_OF_TWO, ("v.low = INF;", "v.low = 4;")),
    "largest-unmarked": changed(LEAST_OF_TWO, ("Min(", "Max(")),
    "written-after-marks": changed(ANY_COPIED, ("fresh = wet;", "fresh = wet; wet[g.num_nodes() - 1] = True;")),
    "reals": changed(GREATEST_LONG, ("propNode<long>", "propNode<double>")),
    "takes-back": changed(ANY_STORED, ("if (!u.wet) { u.wet = True;", "if (!u.wet) { u.wet = True; v.wet = False;")),
    "denied": changed(ANY_STORED, ("filter(wet == True)", "filter(wet == False)")),
    "of-another-node": changed(
        ANY_STORED, ("propNode<bool> wet)", "propNode<bool> wet, node k)"), ("(wet == True)", "(k.wet == True)")
    ),
    "told-too-late": changed(
        ANY_STORED, ("u.wet = True; more = True; }", "u.wet = True; } if (!u.wet) { more = True; }")
    ),
    "other-effect": changed(
        GREATEST_LONG,
        ("propNode<long> color)", "propNode<long> color, propNode<int> seen)"),
        ("<q.color, busy>", "q.seen += 1; <q.color, busy>"),
    ),
    "carries": changed(
        GREATEST_LONG,
        ("propNode<long> color)", "propNode<long> color, propNode<node> from)"),
        ("<q.color, busy>", "<q.color, q.from, busy>"),
        (", True>", ", p, True>"),
    ),
    "marked-both-ways": changed(
        ANY_MARKED,
        (
            "fixedPoint until (done : !fresh) {",
            "fixedPoint until (done : !fresh) {\n g.attachNodeProperty(wet = False);",
        ),
    ),
}
"""One thing is different in each, and union-find would give another answer, or might."""
