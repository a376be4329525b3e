// counted loop of n rounds; no frontier; push; Max; nodes that have nothing push nothing
// names: src=source
function widest(Graph g, propNode<int> width, propEdge<int> weight, node source) {
  g.attachNodeProperty(width = 0);
  source.width = INF;
  for (int i = 0; i < g.num_nodes(); i++) {
    forall (v in g.nodes().filter(width > 0)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.width> = <Max(w.width, min(v.width, e.weight))>;
      }
    }
  }
}
