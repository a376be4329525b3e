// while over k; survivors marked by numbers; the result is the last k that was survived; break out of the inner loop
// names: core=best
function cores(Graph g, propNode<int> best) {
  propNode<int> alive;
  forall (v in g.nodes()) {
    v.alive = 1;
    v.best = 0;
  }
  int k = 0;
  int survivors = g.num_nodes();
  while (survivors > 0) {
    k++;
    while (True) {
      int dropped = 0;
      propNode<int> after;
      after = alive;
      forall (v in g.nodes().filter(alive == 1)) {
        int n = 0;
        for (u in g.nodes_to(v)) {
          if (u != v) {
            n += u.alive;
          }
        }
        if (n < k) {
          v.after = 0;
          dropped += 1;
        }
      }
      alive = after;
      if (dropped == 0) {
        break;
      }
      survivors -= dropped;
    }
    forall (v in g.nodes().filter(alive == 1)) {
      v.best = k;
    }
  }
}
