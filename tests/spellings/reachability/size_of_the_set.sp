// while (size != last); no frontier but the result itself; push without an if; its members are summed up
function reach(Graph g, propNode<bool> reached, node src) {
  g.attachNodeProperty(reached = False);
  src.reached = True;
  int size = 1;
  int last = 0;
  while (size != last) {
    last = size;
    forall (v in g.nodes().filter(reached)) {
      forall (w in g.neighbors(v)) {
        w.reached = True;
      }
    }
    size = 0;
    forall (v in g.nodes().filter(reached)) {
      size += 1;
    }
  }
}
