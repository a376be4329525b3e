// Squares of every node: `squares` counts, for all pairs of its neighbors, the other nodes that both are joined to.
//
// The graph is undirected, without loops and parallel edges.
function squares_of_nodes(Graph g, propNode<long> squares) {
  forall (v in g.nodes()) {
    v.squares = 0;
    for (u in g.neighbors(v)) {
      for (w in g.neighbors(v).filter(w > u)) {
        for (x in g.neighbors(u).filter(x != v)) {
          if (g.is_an_edge(w, x)) {
            v.squares += 1;
          }
        }
      }
    }
  }
}
