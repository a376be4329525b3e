// sequential over the least node, its neighbors marked by a flag property; forall inside; flags are taken back
// names: triangles=return
function tc(Graph g) {
  propNode<bool> mark;
  g.attachNodeProperty(mark = False);
  long t = 0;
  for (u in g.nodes()) {
    forall (v in g.neighbors(u).filter(v > u)) {
      v.mark = True;
    }
    forall (v in g.neighbors(u).filter(v > u)) {
      forall (w in g.neighbors(v).filter(w > v)) {
        if (w.mark) {
          t += 1;
        }
      }
    }
    forall (v in g.neighbors(u)) {
      v.mark = False;
    }
  }
  return t;
}
