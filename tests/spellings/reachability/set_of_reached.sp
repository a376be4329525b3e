// while; the reached nodes are a set; pull: nodes beside; the size of the set says whether it grew
// names: reached=yes
function reach(Graph g, propNode<bool> yes, node src) {
  SetN<g> inside;
  inside.add(src);
  int before = 0;
  while (inside.size() > before) {
    before = inside.size();
    for (v in inside) {
      for (w in g.neighbors(v)) {
        inside.add(w);
      }
    }
  }
  forall (v in g.nodes()) {
    v.yes = inside.contains(v);
  }
}
