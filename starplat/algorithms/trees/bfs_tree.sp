// A tree of a breadth-first search: returns its number of arcs; `in_tree` marks them, shortest paths from `src`.
//
// Every node that a path leads to has one arc of the tree to it, the last of those from a node one step nearer.
function bfs_tree(Graph g, propEdge<bool> in_tree, node src) {
  propNode<edge> last;
  g.attachEdgeProperty(in_tree = False);
  g.attachNodeProperty(last = -1);
  iterateInBFS (v in g.nodes() from src) {
    forall (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      <w.last> = <Max(w.last, e)>;
    }
  }
  long arcs = 0;
  forall (v in g.nodes().filter(last != -1)) {
    edge e = v.last;
    e.in_tree = True;
    arcs += 1;
  }
  return arcs;
}
