// fixedPoint over the frontier; sequential inner loop; if; the result is the complement of a local
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<bool> far;
  propNode<bool> edge_of;
  g.attachNodeProperty(far = True, edge_of = False);
  src.far = False;
  src.edge_of = True;
  fixedPoint until (over : !edge_of) {
    forall (v in g.nodes().filter(edge_of == True)) {
      for (w in g.neighbors(v)) {
        if (w.far) {
          w.far = False;
          w.edge_of = True;
        }
      }
    }
  }
  forall (v in g.nodes()) {
    v.reached = !v.far;
  }
}
