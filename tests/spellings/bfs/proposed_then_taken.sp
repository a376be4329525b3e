// for left when nothing was new; nodes of the last level propose a level in a second property; taken in a loop of its own; push
// names: src=root
function breadth_first(Graph g, propNode<int> level, node root) {
  propNode<int> proposed;
  forall (v in g.nodes()) {
    v.level = INF;
    v.proposed = INF;
  }
  root.level = 0;
  long fresh = 1;
  for (int d = 0; fresh > 0; d++) {
    forall (v in g.nodes().filter(level == d)) {
      forall (w in g.neighbors(v)) {
        <w.proposed> = <Min(w.proposed, d + 1)>;
      }
    }
    fresh = 0;
    forall (v in g.nodes()) {
      if (v.proposed < v.level) {
        v.level = v.proposed;
        fresh++;
      }
    }
  }
}
