// while on a flag; each node pulls the best of its parents and who that was, in temporaries; carried parent
// names: dist=far parent=pred src=home
function paths(Graph g, propNode<int> far, propNode<node> pred, propEdge<int> weight, node home) {
  forall (v in g.nodes()) {
    v.far = INF;
    v.pred = -1;
  }
  home.far = 0;
  bool better = True;
  while (better) {
    better = False;
    forall (v in g.nodes()) {
      int least = v.far;
      node who = -1;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        int through = u.far + e.weight;
        if (through < least) {
          least = through;
          who = u;
        }
      }
      if (least < v.far) {
        v.far = least;
        v.pred = who;
        better = True;
      }
    }
  }
}
