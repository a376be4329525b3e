"""A program whose nodes take what most neighbors have, and what may be known of its graph."""

from __future__ import annotations

from starplat.schedule.facts import GraphFacts

SYMMETRIC, DIRECTED = GraphFacts(100, 400, 9, True), GraphFacts(100, 400, 9, False)

VOTES = """function f(Graph g, propNode<int> x, propNode<int> y) {
  propNode<int> z;
  g.attachNodeProperty(z = 0);
  for (int i = 0; i < 9; i++) {
    forall (v in g.nodes()) {
      map<int, int> votes;
      for (u in g.inOutNbrs(v)) {
        votes[u.x] += 1;
      }
      int best = votes.best();
      v.z = best < 0 ? v.x : best;
    }
    x = z;
  }
}
"""
