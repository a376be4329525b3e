// while; a helper widens along the arcs of one round and says whether anything changed
function widen(Graph g, propNode<int> width, propEdge<int> weight) {
  bool changed = False;
  forall (v in g.nodes().filter(width > 0)) {
    forall (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      int through = min(v.width, e.weight);
      if (through > w.width) {
        <w.width, changed> = <Max(w.width, through), True>;
      }
    }
  }
  return changed;
}
function main(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  g.attachNodeProperty(width = 0);
  src.width = INF;
  bool going = True;
  while (going) {
    going = widen(g, width, weight);
  }
}
