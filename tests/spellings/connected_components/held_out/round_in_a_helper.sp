// while on a count; two flag properties; marked nodes offer their labels both ways, in a helper; labels are ints, copied at the end
function offer(Graph g, propNode<int> label, propNode<bool> now, propNode<bool> next) {
  forall (v in g.nodes().filter(now)) {
    forall (w in g.neighbors(v)) {
      <w.label, w.next> = <Min(w.label, v.label), True>;
    }
    forall (u in g.nodes_to(v)) {
      <u.label, u.next> = <Min(u.label, v.label), True>;
    }
  }
}

function wcc(Graph g, propNode<node> component) {
  propNode<int> label;
  propNode<bool> now;
  propNode<bool> next;
  g.attachNodeProperty(now = True, next = False);
  forall (v in g.nodes()) {
    v.label = v;
  }
  long marked = g.num_nodes();
  while (marked > 0) {
    offer(g, label, now, next);
    now = next;
    g.attachNodeProperty(next = False);
    marked = 0;
    forall (v in g.nodes().filter(now)) {
      marked += 1;
    }
  }
  forall (v in g.nodes()) {
    v.component = v.label;
  }
}
