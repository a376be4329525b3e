// while; a helper relaxes the arcs of one round and says whether anything changed
function relax(Graph g, propNode<int> dist, propEdge<int> weight) {
  bool changed = False;
  forall (v in g.nodes().filter(dist < INF)) {
    forall (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      int through = v.dist + e.weight;
      if (through < w.dist) {
        <w.dist, changed> = <Min(w.dist, through), True>;
      }
    }
  }
  return changed;
}
function main(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  g.attachNodeProperty(dist = INF);
  src.dist = 0;
  bool going = True;
  while (going) {
    going = relax(g, dist, weight);
  }
}
