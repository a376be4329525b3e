// endless loop left by break where the count stands still; over edges; the result is an int 0 or 1 until the end; the ints are summed
// names: reached=can src=a
function can_reach(Graph g, propNode<bool> can, node a) {
  propNode<int> colour;
  g.attachNodeProperty(colour = 0, can = False);
  a.colour = 1;
  long before = 0;
  while (True) {
    long now = 0;
    forall (v in g.nodes()) {
      now += v.colour;
    }
    if (now == before) {
      break;
    }
    before = now;
    forall (e in g.edges()) {
      node x = e.source;
      node y = e.destination;
      if (x.colour == 1 && y.colour == 0) {
        y.colour = 1;
      }
    }
  }
  forall (v in g.nodes()) {
    v.can = v.colour == 1;
  }
}
