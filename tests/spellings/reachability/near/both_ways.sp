// As while_more, but along arcs and against them: the component of the source.
function reach(Graph g, propNode<bool> reached, node src) {
  g.attachNodeProperty(reached = False);
  src.reached = True;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(reached == True)) {
      forall (w in g.inOutNbrs(v)) {
        if (w.reached == False) {
          w.reached = True;
          more = True;
        }
      }
    }
  }
}
