// iterateInBFS; a node asks its parents; a temporary
// names: level=l
function levels(Graph g, propNode<int> l, node src) {
  g.attachNodeProperty(l = INF);
  iterateInBFS (v in g.nodes() from src) {
    int mine = 0;
    for (parent in g.nodes_to(v)) {
      mine = parent.l + 1;
    }
    v.l = mine;
  }
}
