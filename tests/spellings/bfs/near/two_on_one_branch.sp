// As round_flag, but an arc to a smaller node counts two.
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> active;
  g.attachNodeProperty(level = INF, active = False);
  src.level = 0;
  src.active = True;
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active)) {
      forall (w in g.neighbors(v)) {
        if (w < v) {
          <w.level, w.active> = <Min(w.level, v.level + 2), True>;
        } else {
          <w.level, w.active> = <Min(w.level, v.level + 1), True>;
        }
      }
    }
  }
}
