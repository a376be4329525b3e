// As pull_with_parent, but two rounds: the widest path of two arcs at most.
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<int> next;
  g.attachNodeProperty(width = 0, next = 0);
  src.width = INF;
  src.next = INF;
  for (int i = 0; i < 2; i++) {
    forall (v in g.nodes()) {
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        v.next = max(v.next, min(u.width, e.weight));
      }
    }
    width = next;
  }
}
