// while; one node after another; one flag property, taken back in the node's turn; continue; changes are counted
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> in_queue;
  g.attachNodeProperty(dist = INF, in_queue = False);
  src.dist = 0;
  src.in_queue = True;
  long waiting = 1;
  while (waiting > 0) {
    waiting = 0;
    for (v in g.nodes()) {
      if (!v.in_queue) continue;
      v.in_queue = False;
      for (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (v.dist + e.weight < w.dist) { w.dist = v.dist + e.weight; w.in_queue = True; waiting++; }
      }
    }
  }
}
