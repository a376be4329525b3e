// fixedPoint; values as frontier: the least level; one flag property; the result is made at the end
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<int> dist;
  propNode<bool> fresh;
  g.attachNodeProperty(dist = INF, fresh = False);
  src.dist = 0;
  src.fresh = True;
  fixedPoint until (done : !fresh) {
    forall (v in g.nodes().filter(fresh == True)) {
      forall (w in g.neighbors(v)) {
        <w.dist, w.fresh> = <Min(w.dist, v.dist + 1), True>;
      }
    }
  }
  forall (v in g.nodes()) {
    v.reached = v.dist < INF;
  }
}
