// fixedPoint; values as frontier: a number is passed on by Min; one flag property; the result is made at the end
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<int> mark;
  propNode<bool> fresh;
  g.attachNodeProperty(mark = 1, fresh = False);
  src.mark = 0;
  src.fresh = True;
  fixedPoint until (settled : !fresh) {
    forall (v in g.nodes().filter(fresh == True)) {
      forall (w in g.neighbors(v)) {
        <w.mark, w.fresh> = <Min(w.mark, v.mark), True>;
      }
    }
  }
  forall (v in g.nodes()) {
    if (v.mark == 0) {
      v.reached = True;
    } else {
      v.reached = False;
    }
  }
}
