// do…while; pull: the least of the own label and the neighbors', in a local; both directions
function cc(Graph g, propNode<node> component) {
  forall (v in g.nodes()) {
    v.component = v;
  }
  int fell;
  do {
    fell = 0;
    forall (v in g.nodes()) {
      int least = v.component;
      for (w in g.neighbors(v)) {
        least = min(least, w.component);
      }
      for (w in g.nodes_to(v)) {
        least = min(least, w.component);
      }
      if (least < v.component) {
        v.component = least;
        fell++;
      }
    }
  } while (fell > 0);
}
