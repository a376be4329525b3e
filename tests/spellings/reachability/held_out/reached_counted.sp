// while; the number of reached nodes is counted anew after each round and compared with the last; push over edges
// names: reached=in src=root
function reach(Graph g, propNode<bool> in, node root) {
  forall (v in g.nodes()) {
    v.in = False;
  }
  root.in = True;
  long last = 0;
  long now = 1;
  while (now > last) {
    last = now;
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      if (a.in && !b.in) {
        b.in = True;
      }
    }
    now = 0;
    forall (v in g.nodes().filter(in)) {
      now += 1;
    }
  }
}
