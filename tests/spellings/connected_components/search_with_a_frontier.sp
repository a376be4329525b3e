// for each node without a label: a search with two flag properties along arcs and against them
function cc(Graph g, propNode<int> component) {
  propNode<bool> front;
  g.attachNodeProperty(component = -1);
  for (s in g.nodes()) {
    if (s.component == -1) {
      g.attachNodeProperty(front = False);
      s.component = s;
      s.front = True;
      fixedPoint until (done : !front) {
        forall (v in g.nodes().filter(front)) {
          forall (w in g.neighbors(v)) {
            if (w.component == -1) {
              w.component = s;
              w.front = True;
            }
          }
          forall (w in g.nodes_to(v)) {
            if (w.component == -1) {
              w.component = s;
              w.front = True;
            }
          }
        }
      }
    }
  }
}
