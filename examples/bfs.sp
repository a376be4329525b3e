// Breadth-first search: `level` counts the arcs of a shortest path from `src`, `parent` is the node before on it.
//
// A node that cannot be reached has level INF and parent -1; `src` has level 0 and parent -1. Where several nodes
// could be the parent, the largest of them is.
function bfs(Graph g, propNode<int> level, propNode<node> parent, node src) {
  g.attachNodeProperty(level = INF, parent = -1);
  src.level = 0;
  iterateInBFS (v in g.nodes() from src) {
    forall (w in g.neighbors(v)) { // only those one level further on
      <w.level> = <Min(w.level, v.level + 1)>;
      <w.parent> = <Max(w.parent, v)>;
    }
  }
}
