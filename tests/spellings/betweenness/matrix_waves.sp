// while; a vector of paths times the matrix, masked by the visited; back wave by wave by the number of the wave
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    propNode<int> wave;
    propNode<double> p;
    propNode<double> u;
    g.attachNodeProperty(wave = INF, p = 0.0, u = 0.0);
    s.wave = 0;
    s.p = 1.0;
    int d = 0;
    int found = 1;
    while (found > 0) {
      found = 0;
      forall (v in g.nodes().filter(wave == INF)) {
        double sum = 0.0;
        for (q in g.nodes_to(v)) {
          if (q.wave == d) {
            sum += q.p;
          }
        }
        if (sum > 0.0) {
          v.p = sum;
          v.wave = d + 1;
          found++;
        }
      }
      d++;
    }
    for (int k = d; k >= 1; k--) {
      forall (v in g.nodes().filter(wave == k)) {
        for (w in g.neighbors(v)) {
          if (w.wave == k + 1) {
            v.u += v.p * (1.0 + w.u) / w.p;
          }
        }
        v.bc += v.u;
      }
    }
  }
}
