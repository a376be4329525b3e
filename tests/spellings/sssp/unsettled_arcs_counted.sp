// do … while; rounds relax all arcs, then a second loop asks whether any arc is still too long; a local result
// names: dist=answer
function sssp(Graph g, propNode<int> answer, propEdge<int> weight, node src) {
  propNode<int> d;
  forall (v in g.nodes()) {
    v.d = INF;
  }
  src.d = 0;
  bool too_long;
  do {
    too_long = False;
    forall (v in g.nodes()) {
      int here = v.d;
      if (here != INF) {
        forall (w in g.neighbors(v)) {
          edge e = g.get_edge(v, w);
          w.d = Min(w.d, here + e.weight);
        }
      }
    }
    forall (w in g.nodes()) {
      forall (v in g.nodes_to(w)) {
        edge e = g.get_edge(v, w);
        if (v.d != INF && w.d > v.d + e.weight) {
          too_long = True;
        }
      }
    }
  } while (too_long);
  answer = d;
}
