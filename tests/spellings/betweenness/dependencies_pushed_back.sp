// levels by a count in a do while; paths counted by push; dependencies pushed to parents from the last level down
// names: bc=share sources=starts
function shares_of_paths(Graph g, propNode<double> share, SetN<g> starts) {
  propNode<int> ring;
  propNode<double> ways;
  propNode<double> owed;
  forall (v in g.nodes()) {
    v.share = 0.0;
  }
  for (s in starts) {
    forall (v in g.nodes()) {
      v.ring = -1;
      v.ways = 0.0;
      v.owed = 0.0;
    }
    s.ring = 0;
    s.ways = 1.0;
    int deep = 0;
    int fresh = 0;
    do {
      fresh = 0;
      forall (v in g.nodes().filter(ring == deep)) {
        forall (w in g.neighbors(v)) {
          if (w.ring < 0) {
            w.ring = deep + 1;
            fresh += 1;
          }
        }
      }
      forall (v in g.nodes().filter(ring == deep)) {
        forall (w in g.neighbors(v).filter(w.ring == deep + 1)) {
          w.ways += v.ways;
        }
      }
      deep++;
    } while (fresh > 0);
    for (int d = deep; d >= 1; d--) {
      forall (w in g.nodes().filter(ring == d)) {
        double each = (1.0 + w.owed) / w.ways;
        for (v in g.nodes_to(w)) {
          if (v.ring == d - 1) {
            v.owed += v.ways * each;
          }
        }
        w.share += w.owed;
      }
    }
  }
}
