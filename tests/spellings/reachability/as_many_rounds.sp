// counted loop of n - 1 rounds over edges; no frontier; if at the source only
function reach(Graph g, propNode<bool> reached, node src) {
  g.attachNodeProperty(reached = False);
  src.reached = True;
  int n = g.num_nodes();
  for (int i = 1; i < n; i++) {
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      if (a.reached) {
        b.reached = True;
      }
    }
  }
}
