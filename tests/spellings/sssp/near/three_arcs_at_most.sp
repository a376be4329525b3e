// As pull_with_parent, but three rounds: the least sum over paths of three arcs at most.
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<int> next;
  g.attachNodeProperty(dist = INF, next = INF);
  src.dist = 0;
  src.next = 0;
  for (int i = 0; i < 3; i++) {
    forall (v in g.nodes()) {
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        if (u.dist + e.weight < v.next) {
          v.next = u.dist + e.weight;
        }
      }
    }
    dist = next;
  }
}
