// Which neighbor's number stays is chance.
function f(Graph g, propNode<node> label) {
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v)) {
      w.label = v;
    }
  }
}
