// for over sources; levels by rounds with a count; paths pulled from parents; back by a loop that counts down, pulled
function betweenness(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    propNode<int> far;
    propNode<double> ways;
    propNode<double> due;
    g.attachNodeProperty(far = -1, ways = 0.0, due = 0.0);
    s.far = 0;
    s.ways = 1.0;
    int reach = 0;
    long found = 1;
    while (found > 0) {
      found = 0;
      forall (w in g.nodes().filter(far == -1)) {
        double sum = 0.0;
        for (p in g.nodes_to(w)) {
          if (p.far == reach) {
            sum += p.ways;
          }
        }
        if (sum > 0.0) {
          w.far = reach + 1;
          w.ways = sum;
          found += 1;
        }
      }
      reach++;
    }
    for (int at = reach - 1; at >= 0; at--) {
      forall (v in g.nodes().filter(far == at)) {
        double mine = 0.0;
        for (w in g.neighbors(v)) {
          if (w.far == at + 1) {
            mine += v.ways / w.ways * (1.0 + w.due);
          }
        }
        v.due = mine;
        if (v != s) {
          v.bc += mine;
        }
      }
    }
  }
}
