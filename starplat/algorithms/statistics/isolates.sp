// Nodes without arcs: returns their number; `isolated` marks them. A loop is an arc.
function isolates(Graph g, propNode<bool> isolated) {
  long found = 0;
  forall (v in g.nodes()) {
    v.isolated = g.count_outNbrs(v) + g.count_inNbrs(v) == 0;
    if (v.isolated) {
      found += 1;
    }
  }
  return found;
}
