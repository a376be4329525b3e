// counted loop of n rounds; no frontier; push; Min in both directions of an arc
// names: component=root
function cc(Graph g, propNode<node> root) {
  forall (v in g.nodes()) { v.root = v; }
  for (int i = 0; i < g.num_nodes(); i++) {
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        w.root = Min(w.root, v.root);
        v.root = Min(v.root, w.root);
      }
    }
  }
}
