// fixedPoint; one flag property; push; Max of n - v, turned into the least number at the end
function cc(Graph g, propNode<int> component) {
  propNode<int> rank;
  propNode<bool> on;
  int n = g.num_nodes();
  forall (v in g.nodes()) {
    v.rank = n - v;
    v.on = True;
  }
  fixedPoint until (off : !on) {
    forall (v in g.nodes().filter(on == True)) {
      forall (w in g.inOutNbrs(v)) {
        <w.rank, w.on> = <Max(w.rank, v.rank), True>;
      }
    }
  }
  forall (v in g.nodes()) {
    v.component = n - v.rank;
  }
}
