// while (more); no frontier but the result itself; push; if
// names: reached=can
function reach(Graph g, propNode<bool> can, node src) {
  g.attachNodeProperty(can = False);
  src.can = True;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(can == True)) {
      forall (w in g.neighbors(v)) {
        if (w.can == False) {
          w.can = True;
          more = True;
        }
      }
    }
  }
}
