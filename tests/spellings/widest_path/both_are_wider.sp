// while; no frontier; push; if on both that limit the width; a round's changes are counted
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  g.attachNodeProperty(width = 0);
  src.width = INF;
  int changes = 1;
  while (changes > 0) {
    changes = 0;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (v.width > w.width && e.weight > w.width) {
          w.width = min(v.width, e.weight);
          changes++;
        }
      }
    }
  }
}
