// do while on a count; the numbers of the rounds in three locals; a sum says who is reached; back by a while
function betweenness(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    propNode<int> round;
    propNode<double> sigma;
    propNode<double> delta;
    g.attachNodeProperty(round = -1, sigma = 0.0, delta = 0.0);
    s.round = 0;
    s.sigma = 1.0;
    int last = 0;
    int fresh = 0;
    do {
      int now = last + 1;
      int before = now - 1;
      fresh = 0;
      forall (v in g.nodes().filter(round == -1)) {
        double sum = 0.0;
        for (u in g.nodes_to(v)) {
          if (u.round == before) {
            sum += u.sigma;
          }
        }
        if (sum > 0.0) {
          v.sigma = sum;
          v.round = now;
          fresh += 1;
        }
      }
      last = now;
    } while (fresh > 0);
    int r = last - 1;
    while (r > 0) {
      int child = r + 1;
      forall (v in g.nodes().filter(round == r)) {
        double sum = 0.0;
        double paths = v.sigma;
        for (w in g.neighbors(v)) {
          if (w.round == child) {
            sum += paths * (1.0 + w.delta) / w.sigma;
          }
        }
        v.delta = sum;
        v.bc += sum;
      }
      r--;
    }
  }
}
