// counted loop that may break; pull of the best parent into a temporary; if in place of Max; local result
// names: width=out src=from_here
function widest(Graph g, propNode<int> out, propEdge<int> weight, node from_here) {
  propNode<int> room;
  forall (v in g.nodes()) {
    v.room = v == from_here ? INF : 0;
  }
  int n = g.num_nodes();
  for (int i = 0; i < n; i++) {
    bool still = True;
    forall (v in g.nodes()) {
      int most = v.room;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        int through = e.weight;
        if (u.room < through) {
          through = u.room;
        }
        if (through > most) {
          most = through;
        }
      }
      if (most > v.room) {
        v.room = most;
        still = False;
      }
    }
    if (still) {
      break;
    }
  }
  forall (v in g.nodes()) {
    v.out = v.room;
  }
}
