// iterateInBFS; a node marks itself
// names: reached=visited src=start
function reach(Graph g, propNode<bool> visited, node start) {
  g.attachNodeProperty(visited = False);
  iterateInBFS (v in g.nodes() from start) {
    v.visited = True;
  }
}
