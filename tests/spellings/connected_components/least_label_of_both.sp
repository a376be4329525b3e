// while; a helper offers labels along an arc and against it; labels are numbers; a count of changes by a helper
// names: component=label
function offer(propNode<int> label, node a, node b) {
  int less = min(a.label, b.label);
  a.label = Min(a.label, less);
  b.label = Min(b.label, less);
}

function components(Graph g, propNode<int> label) {
  propNode<int> before;
  forall (v in g.nodes()) {
    v.label = v;
  }
  bool more = True;
  while (more) {
    before = label;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        offer(label, v, w);
      }
    }
    more = False;
    forall (v in g.nodes().filter(label != before)) {
      more = True;
    }
  }
}
