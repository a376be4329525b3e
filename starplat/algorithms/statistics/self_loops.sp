// Loops: returns the number of arcs from a node to itself; `loops` counts those of every node.
function self_loops(Graph g, propNode<int> loops) {
  long total = 0;
  forall (v in g.nodes()) {
    v.loops = 0;
    for (w in g.neighbors(v).filter(w == v)) {
      v.loops += 1;
    }
    total += v.loops;
  }
  return total;
}
