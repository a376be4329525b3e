// do while; level by if; helper functions of a node sum and store; one more than the parent is compared
function count_paths(Graph g, node v, propNode<int> hops, propNode<double> sigma) {
  double total = 0.0;
  for (u in g.nodes_to(v)) {
    if (u.hops + 1 == v.hops) {
      total = total + u.sigma;
    }
  }
  v.sigma = total;
}
function gather(Graph g, node v, propNode<int> hops, propNode<double> sigma, propNode<double> delta) {
  double total = 0.0;
  for (w in g.neighbors(v)) {
    if (w.hops == v.hops + 1) {
      total = total + (1.0 + w.delta) / w.sigma;
    }
  }
  v.delta = v.sigma * total;
}
function betweenness(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (src in sources) {
    propNode<int> hops;
    propNode<double> sigma;
    propNode<double> delta;
    g.attachNodeProperty(hops = INF, sigma = 0.0, delta = 0.0);
    src.hops = 0;
    src.sigma = 1.0;
    int round = 0;
    bool found = True;
    do {
      found = False;
      forall (v in g.nodes().filter(hops == round)) {
        for (w in g.neighbors(v)) {
          if (w.hops == INF) {
            w.hops = round + 1;
            found = True;
          }
        }
      }
      round = round + 1;
      forall (v in g.nodes().filter(hops == round)) {
        count_paths(g, v, hops, sigma);
      }
    } while (found);
    for (int d = round; d >= 1; d = d - 1) {
      forall (v in g.nodes().filter(hops == d)) {
        gather(g, v, hops, sigma, delta);
        v.bc += v.delta;
      }
    }
  }
}
