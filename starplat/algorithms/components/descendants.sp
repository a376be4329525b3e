// Descendants of a node: returns how many nodes it has a path to, itself left out; `descendant` marks them.
function descendants(Graph g, propNode<bool> descendant, node src) {
  propNode<bool> frontier;
  g.attachNodeProperty(descendant = False, frontier = False);
  src.descendant = True;
  src.frontier = True;
  bool finished = False;
  fixedPoint until (finished : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.neighbors(v).filter(!descendant)) {
        w.descendant = True;
        w.frontier = True;
      }
    }
  }
  src.descendant = False;
  return Count(descendant);
}
