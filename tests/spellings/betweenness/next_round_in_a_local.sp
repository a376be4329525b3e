// while on a count; pull by nodes without a level; the next round, its sums and whether there is a parent in locals
function betweenness(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (src in sources) {
    propNode<int> level;
    propNode<double> sigma;
    propNode<double> delta;
    g.attachNodeProperty(level = -1, sigma = 0.0, delta = 0.0);
    src.level = 0;
    src.sigma = 1.0;
    int round = 0;
    int reached = 1;
    while (reached > 0) {
      int next = round + 1;
      reached = 0;
      forall (v in g.nodes()) {
        if (v.level == -1) {
          double sum = 0.0;
          bool touched = False;
          for (u in g.nodes_to(v)) {
            if (u.level == round) {
              sum += u.sigma;
              touched = True;
            }
          }
          if (touched) {
            v.level = next;
            v.sigma = sum;
            reached += 1;
          }
        }
      }
      round = next;
    }
    while (round > 0) {
      int below = round + 1;
      forall (v in g.nodes()) {
        if (v.level == round) {
          double sum = 0.0;
          double mine = v.sigma;
          for (w in g.neighbors(v)) {
            if (w.level == below) {
              sum += mine / w.sigma * (1.0 + w.delta);
            }
          }
          v.delta = sum;
          v.bc += sum;
        }
      }
      round = round - 1;
    }
  }
}
