// Greedy coloring in the order of the nodes, one after the other: colors tried with ++ in the condition.
Static coloring(Graph g, propNode<int> color) {
  g.attachNodeProperty(color = -1);
  for (v in g.nodes()) {
    int tried = -1, taken = 1;
    while (taken && ++tried < g.num_nodes()) {
      taken = 0;
      for (u in g.inOutNbrs(v)) {
        taken = taken || u.color == tried && u != v;
      }
    }
    v.color = tried;
  }
}
