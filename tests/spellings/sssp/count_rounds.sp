// counted loop of n rounds; no frontier; push; Min; what is not reached pushes nothing
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  int n = g.num_nodes();
  g.attachNodeProperty(dist = INF);
  src.dist = 0;
  for (int i = 1; i < n; i++) {
    forall (v in g.nodes().filter(dist < INF)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        w.dist = Min(w.dist, v.dist + e.weight);
      }
    }
  }
}
