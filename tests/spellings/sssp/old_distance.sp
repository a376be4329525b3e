// while; a node whose distance is not the one that it told last goes on; push; Min
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<int> told;
  g.attachNodeProperty(dist = INF, told = INF);
  src.dist = 0;
  bool again = True;
  while (again) {
    again = False;
    forall (v in g.nodes()) {
      if (v.dist < v.told) {
        v.told = v.dist;
        forall (w in g.neighbors(v)) {
          edge e = g.get_edge(v, w);
          if (w.dist > v.dist + e.weight) {
            w.dist = Min(w.dist, v.dist + e.weight);
            again = True;
          }
        }
      }
    }
  }
}
