"""Programs in which labels spread over components, in many spellings, and others that only look like it."""

from __future__ import annotations

from tests.changing import changed

_HEAD = "function cc(Graph g, propNode<node> comp) {\n"
_OWN = "forall (v in g.nodes()) { v.comp = v; }\n"

PUSH_FLAGS = (
    _HEAD
    + "propNode<bool> modified; g.attachNodeProperty(modified = True);\n"
    + _OWN
    + """bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.neighbors(v)) { <nbr.comp, nbr.modified> = <Min(nbr.comp, v.comp), True>; }
    }
  }
}"""
)

TWO_FLAGS = (
    _HEAD
    + """propNode<bool> active; propNode<bool> soon;
  forall (u in g.nodes()) { u.active = True; u.soon = False; u.comp = u; }
  bool done = False;
  fixedPoint until (done : !active) {
    forall (u in g.nodes().filter(active)) {
      forall (w in g.neighbors(u)) {
        if (w.comp > u.comp) { <w.comp, w.soon> = <Min(w.comp, u.comp), True>; }
      }
    }
    active = soon;
    g.attachNodeProperty(soon = False);
  }
}"""
)

PULL_FLAGS = (
    _HEAD
    + "propNode<bool> modified; g.attachNodeProperty(modified = True);\n"
    + _OWN
    + """bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes()) {
      forall (u in g.nodes_to(v).filter(modified)) { <v.comp, v.modified> = <Min(v.comp, u.comp), True>; }
    }
  }
}"""
)

WHILE_CHANGED = (
    "function islands(Graph net, propNode<int> isle) {\n"
    + """bool again = True;
  forall (p in net.nodes()) { p.isle = p; }
  while (again) {
    again = False;
    forall (p in net.nodes()) {
      forall (q in net.neighbors(p)) {
        if (p.isle < q.isle) { <q.isle> = <Min(q.isle, p.isle)>; again = True; }
      }
    }
  }
}"""
)

DO_WHILE_PULL = (
    _HEAD
    + _OWN
    + """bool changed = False;
  do {
    changed = False;
    forall (v in g.nodes()) {
      forall (nbr in g.nodes_to(v)) { <v.comp, changed> = <Min(v.comp, nbr.comp), True>; }
    }
  } while (changed);
}"""
)

FIXED_POINT_OF_A_SCALAR = (
    _HEAD
    + _OWN
    + """bool changed = False; bool finished = False;
  fixedPoint until (finished : !changed) {
    changed = False;
    forall (v in g.nodes()) { for (nbr in g.neighbors(v)) { <v.comp, changed> = <Min(v.comp, nbr.comp), True>; } }
  }
}"""
)

BEST_OF_THE_NEIGHBORS = (
    _HEAD
    + _OWN
    + """bool changed = False;
  do {
    changed = False;
    forall (v in g.nodes()) {
      node best = v.comp;
      for (nbr in g.neighbors(v)) { if (nbr.comp < best) { best = nbr.comp; } }
      for (nbr in g.nodes_to(v)) { best = min(best, nbr.comp); }
      if (best < v.comp) { <v.comp> = <Min(v.comp, best)>; changed = True; }
    }
  } while (changed);
}"""
)

OVER_ARCS = (
    _HEAD
    + _OWN
    + """bool changed = True;
  while (changed == True) {
    changed = False;
    forall (e in g.edges()) {
      node tail = e.source;
      node head = e.destination;
      <head.comp, changed> = <Min(head.comp, tail.comp), True>;
      <tail.comp, changed> = <Min(tail.comp, head.comp), True>;
    }
  }
}"""
)

LARGEST = (
    _HEAD
    + _OWN
    + """bool changed = True;
  while (changed) {
    changed = False;
    forall (v in g.nodes()) {
      forall (nbr in g.neighbors(v)) { <nbr.comp, changed> = <Max(nbr.comp, v.comp), True>; }
      forall (nbr in g.nodes_to(v)) { <nbr.comp, changed> = <Max(nbr.comp, v.comp), True>; }
    }
  }
}"""
)

HOOKING = (
    _HEAD
    + _OWN
    + """bool changed = True;
  while (changed) {
    changed = False;
    forall (e in g.edges()) {
      node a = e.source.comp;
      node b = e.destination.comp;
      if (a > b) { <a.comp, changed> = <Min(a.comp, b), True>; }
      else { if (b > a) { <b.comp, changed> = <Min(b.comp, a), True>; } }
    }
    forall (v in g.nodes()) {
      node root = v.comp;
      while (root.comp != root) { root = root.comp; }
      <v.comp> = <Min(v.comp, root)>;
    }
  }
}"""
)

SEEN_LATER = (
    "function cc(Graph g, propNode<node> comp, propNode<bool> modified) {\n"
    + "g.attachNodeProperty(modified = True);\n"
    + _OWN
    + """bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.neighbors(v)) { <nbr.comp, nbr.modified> = <Min(nbr.comp, v.comp), True>; }
    }
  }
  int roots = 0;
  forall (v in g.nodes()) { if (v.comp == v && finished) { roots += 1; } }
  return roots;
}"""
)

TWICE = (
    "function two(Graph g, propNode<node> a, propNode<node> v) {\n"
    + "".join(
        f"""forall (n in g.nodes()) {{ n.{name} = n; }}
  bool changed_{name} = True;
  while (changed_{name}) {{
    changed_{name} = False;
    forall (n in g.nodes()) {{
      forall (m in g.neighbors(n)) {{ <m.{name}, changed_{name}> = <{way}(m.{name}, n.{name}), True>; }}
    }}
  }}
"""
        for name, way in (("a", "Min"), ("v", "Max"))
    )
    + "}"
)

PULL_BY_STORES = (
    _HEAD
    + _OWN
    + """bool changed = False;
  do {
    changed = False;
    forall (v in g.nodes()) {
      for (nbr in g.neighbors(v)) { if (v.comp > nbr.comp) { v.comp = nbr.comp; changed = True; } }
    }
  } while (changed);
}"""
)

ONE_WAY = {
    "stores": PULL_BY_STORES,
    "push-flags": PUSH_FLAGS,
    "two-flags": TWO_FLAGS,
    "pull-flags": PULL_FLAGS,
    "while-changed": WHILE_CHANGED,
    "do-while-pull": DO_WHILE_PULL,
    "scalar": FIXED_POINT_OF_A_SCALAR,
    "twice": TWICE,
}
"""Arcs are followed one way."""

MUTUAL = {
    "mutual": changed(PUSH_FLAGS, ("g.neighbors(v))", "g.neighbors(v).filter(g.is_an_edge(nbr, v)))")),
    "mutual-pull": changed(PULL_FLAGS, ("filter(modified)", "filter(modified && g.check_if_nbr(v, u))")),
    "mutual-stores": changed(PULL_BY_STORES, ("v.comp > nbr.comp", "g.is_an_edge(nbr, v) && v.comp > nbr.comp")),
    "mutual-largest": changed(
        LARGEST,
        ("forall (nbr in g.neighbors(v)) {", "forall (nbr in g.neighbors(v)) { if (g.is_an_edge(nbr, v))"),
        ("forall (nbr in g.nodes_to(v)) {", "forall (nbr in g.nodes_to(v)) { if (g.is_an_edge(v, nbr))"),
    ),
}
"""Only arcs that have their reverse are followed."""

BOTH_WAYS = {"best": BEST_OF_THE_NEIGHBORS, "arcs": OVER_ARCS, "largest": LARGEST, "hooking": HOOKING, **MUTUAL}
"""Arcs are followed both ways."""


OTHERS = {
    "seen-later": SEEN_LATER,
    "not-identity": changed(DO_WHILE_PULL, ("Min(v.comp, nbr.comp)", "Min(v.comp, nbr.comp + 1)")),
    "other-value": changed(DO_WHILE_PULL, ("Min(v.comp, nbr.comp)", "Min(v.comp, g.num_nodes() - 1)")),
    "weights": changed(DO_WHILE_PULL, ("nbr.comp), True", "nbr.comp + g.get_edge(nbr, v).weight), True")),
    "some-nodes": changed(DO_WHILE_PULL, ("(v in g.nodes()) {\n", "(v in g.nodes().filter(v != 2)) {\n")),
    "some-arcs": changed(DO_WHILE_PULL, ("g.nodes_to(v))", "g.nodes_to(v).filter(v < nbr))")),
    "arcs-that-are-there": changed(PUSH_FLAGS, ("g.neighbors(v))", "g.neighbors(v).filter(g.is_an_edge(v, nbr)))")),
    "looked-up-one-way": changed(PUSH_FLAGS, ("g.neighbors(v))", "g.inOutNbrs(v).filter(g.is_an_edge(nbr, v)))")),
    "mutual-or-against": changed(LARGEST, ("g.neighbors(v))", "g.neighbors(v).filter(g.is_an_edge(nbr, v)))")),
    "mutual-and-upwards": changed(
        PUSH_FLAGS, ("g.neighbors(v))", "g.neighbors(v).filter(g.is_an_edge(nbr, v) && v < nbr))")
    ),
    "heavy-arcs": changed(OVER_ARCS, ("forall (e in g.edges())", "forall (e in g.edges().filter(e.weight > 2))")),
    "few-rounds": changed(
        DO_WHILE_PULL, ("do {", "int rounds = 0; do { rounds += 1;"), ("(changed)", "(changed && rounds < 3)")
    ),
    "counted-rounds": changed(
        "function cc(Graph g, propNode<node> comp) {" + DO_WHILE_PULL.partition("{")[2],
        ("do {", "int rounds = 0; do { rounds += 1;"),
        ("while (changed);", "while (changed); return rounds;"),
    ),
    "quiet-change": changed(WHILE_CHANGED, ("again = True; }", "} if (q.isle == 7) { again = True; }")),
    "not-all-active": changed(PUSH_FLAGS, ("modified = True);", "modified = False); modified[0] = True;")),
    "marks-the-giver": changed(PUSH_FLAGS, ("nbr.modified>", "v.modified>")),
    "other-effect": changed(
        DO_WHILE_PULL,
        ("propNode<node> comp)", "propNode<node> comp, propNode<int> seen)"),
        ("<v.comp, changed>", "v.seen += 1; <v.comp, changed>"),
    ),
    "label-of-a-number": changed(
        DO_WHILE_PULL, ("propNode<node> comp)", "propNode<node> comp, node k)"), ("nbr.comp), True", "k.comp), True")
    ),
    "two-hops-miss": changed(HOOKING, ("root = root.comp; }", "root = root.comp; } root = 0;")),
    "ends-early": changed(WHILE_CHANGED, ("again = False;\n", "again = False; if (net.num_nodes() > 9) { break; }\n")),
    "worse-again": changed(
        HOOKING,
        ("node root = v.comp;\n", "node old = v.comp; v.comp = v.comp.comp; v.comp = old; node root = v.comp;\n"),
    ),
    "worse-at-times": changed(
        HOOKING,
        (
            "<v.comp> = <Min(v.comp, root)>;",
            "node old = v.comp; int i = 0; while (i < 3) { v.comp = i == 2 ? old : v.comp.comp; i += 1; }",
        ),
    ),
    "told-too-late": changed(WHILE_CHANGED, ("again = True; }", "} if (p.isle < q.isle) { again = True; }")),
    "settled-unseen": changed(
        WHILE_CHANGED,
        ("if (p.isle < q.isle)", "if (q.isle < 0) { again = True; } while (p.isle < q.isle)"),
        ("again = True; }\n", "}\n"),
    ),
    "seen-before-another": changed(
        TWO_FLAGS,
        (
            "if (w.comp > u.comp) { <w.comp, w.soon> = <Min(w.comp, u.comp), True>; }",
            "if (w.comp > u.comp) { w.soon = True; } <u.comp, u.soon> = <Min(u.comp, w.comp), True>; "
            "<w.comp> = <Min(w.comp, u.comp)>;",
        ),
    ),
    "no-flattening": changed(HOOKING, ("while (root.comp != root) { root = root.comp; }", "")),
}
"""One thing is different in each, and union-find would give another answer, or might."""
