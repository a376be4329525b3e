// while (Count(frontier) > 0); two flag properties beside the result; push; if
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<bool> frontier;
  propNode<bool> next;
  g.attachNodeProperty(reached = False, frontier = False, next = False);
  src.reached = True;
  src.frontier = True;
  while (Count(frontier) > 0) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.neighbors(v)) {
        if (!w.reached) {
          w.reached = True;
          w.next = True;
        }
      }
    }
    frontier = next;
    g.attachNodeProperty(next = False);
  }
}
