// iterateInBFS; a node tells its children; the result is a parameter
// names: level=depth
function levels(Graph g, propNode<int> depth, node src) {
  g.attachNodeProperty(depth = INF);
  src.depth = 0;
  iterateInBFS (v in g.nodes() from src) {
    forall (child in g.neighbors(v)) {
      child.depth = v.depth + 1;
    }
  }
}
