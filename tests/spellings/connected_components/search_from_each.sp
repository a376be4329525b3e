// sequential loop over nodes; from each node without a label a flood by while; pull from around; the root is the value
function cc(Graph g, propNode<int> component) {
  g.attachNodeProperty(component = -1);
  for (s in g.nodes()) {
    if (s.component == -1) {
      s.component = s;
      bool grew = True;
      while (grew) {
        grew = False;
        forall (v in g.nodes().filter(component == -1)) {
          bool beside = False;
          for (u in g.inOutNbrs(v)) {
            if (u.component == s) {
              beside = True;
            }
          }
          if (beside) {
            v.component = s;
            grew = True;
          }
        }
      }
    }
  }
}
