// while; a node whose width is not the one that it told last goes on; push; Max
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<int> told;
  g.attachNodeProperty(width = 0, told = 0);
  src.width = INF;
  bool again = True;
  while (again) {
    again = False;
    forall (v in g.nodes()) {
      if (v.width > v.told) {
        v.told = v.width;
        forall (w in g.neighbors(v)) {
          edge e = g.get_edge(v, w);
          int through = min(v.width, e.weight);
          if (w.width < through) {
            w.width = Max(w.width, through);
            again = True;
          }
        }
      }
    }
  }
}
