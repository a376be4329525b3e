// Ancestors of a node: returns how many nodes have a path to it, itself left out; `ancestor` marks them.
function ancestors(Graph g, propNode<bool> ancestor, node src) {
  propNode<bool> frontier;
  g.attachNodeProperty(ancestor = False, frontier = False);
  src.ancestor = True;
  src.frontier = True;
  bool finished = False;
  fixedPoint until (finished : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.nodes_to(v).filter(!ancestor)) {
        w.ancestor = True;
        w.frontier = True;
      }
    }
  }
  src.ancestor = False;
  return Count(ancestor);
}
