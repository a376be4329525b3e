// fixedPoint; one flag property; push; Min with max in its value; the level is a local, copied at the end
// names: level=answer
function bfs(Graph g, propNode<int> answer, node src) {
  propNode<int> level;
  propNode<bool> marked;
  g.attachNodeProperty(level = INF);
  g.attachNodeProperty(marked = False);
  src.marked = True;
  src.level = 0;
  fixedPoint until (quiet : !marked) {
    forall (v in g.nodes().filter(marked == True)) {
      int next = max(v.level, 0) + 1;
      forall (w in g.neighbors(v)) {
        <w.level, w.marked> = <Min(w.level, next), True>;
      }
    }
  }
  answer = level;
}
