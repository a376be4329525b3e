// Square clustering: `clustering` is the share of possible squares at a node that exist (Lind, González and Herrmann).
//
// A square is a pair of the node's neighbors and another node that both are joined to. The graph is undirected, without
// loops and parallel edges.
function square_clustering(Graph g, propNode<double> clustering) {
  forall (v in g.nodes()) {
    long squares = 0;
    long possible = 0;
    for (u in g.neighbors(v)) {
      for (w in g.neighbors(v).filter(w > u)) {
        long common = 0;
        for (x in g.neighbors(u).filter(x != v)) {
          if (g.is_an_edge(w, x)) {
            common += 1;
          }
        }
        int joined = g.is_an_edge(u, w) ? 1 : 0;
        squares += common;
        possible += g.count_outNbrs(u) + g.count_outNbrs(w) - 2 - 2 * joined - common;
      }
    }
    double all = max(possible, 1);
    v.clustering = squares / all;
  }
}
