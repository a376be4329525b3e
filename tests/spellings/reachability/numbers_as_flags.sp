// while; integers in place of flags; push; if; the frontier is the value 1, what is done has 2
// names: reached=done src=source
function reach(Graph g, propNode<bool> done, node source) {
  propNode<int> state;
  g.attachNodeProperty(state = 0);
  source.state = 1;
  int left = 1;
  while (left > 0) {
    propNode<bool> touched;
    g.attachNodeProperty(touched = False);
    forall (v in g.nodes().filter(state == 1)) {
      forall (w in g.neighbors(v)) {
        if (w.state == 0) {
          w.touched = True;
        }
      }
    }
    left = 0;
    forall (v in g.nodes()) {
      if (v.state == 1) v.state = 2;
      if (v.touched) {
        v.state = 1;
        left += 1;
      }
    }
  }
  forall (v in g.nodes()) {
    v.done = v.state == 2;
  }
}
