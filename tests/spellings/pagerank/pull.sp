// while; pull; double buffer by copy; ranks and degrees divided in the inner loop; sum of changes
// names: rank=pr damping=d tolerance=eps max_iterations=limit
function pagerank(Graph g, propNode<double> pr, double d, double eps, int limit) {
  propNode<double> fresh;
  double n = g.num_nodes();
  g.attachNodeProperty(pr = 1 / n);
  double change = INF;
  int it = 0;
  while (change > eps && it < limit) {
    change = 0.0;
    double lost = 0.0;
    forall (v in g.nodes()) {
      if (g.count_outNbrs(v) == 0) {
        lost += v.pr;
      }
    }
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (u in g.nodes_to(v)) {
        sum += u.pr / g.count_outNbrs(u);
      }
      v.fresh = (1 - d) / n + d * (sum + lost / n);
      change += abs(v.fresh - v.pr);
    }
    pr = fresh;
    it++;
  }
}
