// Ranks until they stand still, no more than a number of rounds; the rank of nodes without arcs is lost.
Static ranks(Graph g, float beta, float delta, int maxIter, propNode<float> rank) {
  float num_nodes = g.num_nodes();
  propNode<float> next;
  g.attachNodeProperty(rank = 1 / num_nodes, next = 0);
  int iter = 0;
  float diff;
  do {
    diff = 0.0;
    forall (v in g.nodes()) {
      float sum = 0.0;
      for (nbr in g.nodes_to(v)) {
        sum = sum + nbr.rank / g.count_outNbrs(nbr);
      }
      float val = (1 - delta) / num_nodes + delta * sum;
      diff += val - v.rank > 0 ? val - v.rank : v.rank - val;
      v.next = val;
    }
    rank = next;
  } while ((diff > beta) && (++iter < maxIter));
}
