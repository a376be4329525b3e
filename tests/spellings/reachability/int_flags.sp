// while on an int; the result as 0 and 1 in an int property, copied in the end; arcs; if
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<int> mark;
  forall (v in g.nodes()) {
    v.mark = 0;
  }
  src.mark = 1;
  int again = 1;
  while (again == 1) {
    again = 0;
    forall (e in g.edges()) {
      node u = e.source;
      node v = e.destination;
      if (u.mark == 1 && v.mark == 0) {
        v.mark = 1;
        again = 1;
      }
    }
  }
  forall (v in g.nodes()) {
    v.reached = v.mark == 1;
  }
}
