// while; a round pulls all rows, and asks whether any node got wider by a sum of those that did
// names: width=cap
function widest(Graph g, propNode<int> cap, propEdge<int> weight, node src) {
  g.attachNodeProperty(cap = 0);
  src.cap = INF;
  long wider = 1;
  while (wider != 0) {
    wider = 0;
    forall (v in g.nodes()) {
      int best = v.cap;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        int through = u.cap < e.weight ? u.cap : e.weight;
        if (through > best) {
          best = through;
        }
      }
      if (best > v.cap) {
        v.cap = best;
        wider += 1;
      }
    }
  }
}
