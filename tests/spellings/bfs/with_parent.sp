// fixedPoint; one flag property; push; Min that carries the parent
// names: parent=via
function bfs_tree(Graph g, propNode<int> level, propNode<node> via, node src) {
  propNode<bool> open;
  g.attachNodeProperty(level = INF, via = -1, open = False);
  src.level = 0;
  src.open = True;
  fixedPoint until (finished : !open) {
    forall (v in g.nodes().filter(open == True)) {
      forall (w in g.neighbors(v)) {
        <w.level, w.via, w.open> = <Min(w.level, v.level + 1), v, True>;
      }
    }
  }
}
