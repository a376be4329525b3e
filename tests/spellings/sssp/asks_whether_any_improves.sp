// while; every round first asks whether any arc improves a distance, then relaxes all arcs; no flags of nodes
// names: dist=d src=s
function paths(Graph g, propNode<int> d, propEdge<int> weight, node s) {
  g.attachNodeProperty(d = INF);
  s.d = 0;
  bool improves = True;
  while (improves) {
    improves = False;
    forall (v in g.nodes().filter(d != INF)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (v.d + e.weight < w.d) {
          improves = True;
        }
      }
    }
    if (improves) {
      forall (v in g.nodes().filter(d != INF)) {
        forall (w in g.neighbors(v)) {
          edge e = g.get_edge(v, w);
          w.d = Min(w.d, v.d + e.weight);
        }
      }
    }
  }
}
